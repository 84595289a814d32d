package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"tengen/game"
	"tengen/render"
)

type renderCmd struct {
	File       string        `arg:"" optional:"" help:"Game record or position line; - is stdin."`
	Out        string        `short:"o" placeholder:"OUT" help:"Where the picture goes: NAME.png, or NAME.gif for the whole game, or NAME.txt for plain characters; - is a PNG on stdout."`
	Rules      string        `placeholder:"R" help:"Rules of the game, where the record leaves them open."`
	Theme      string        `placeholder:"T" help:"One of --list-themes. The default depends on the game."`
	Numbers    string        `enum:"none,last,all" default:"none" help:"Which moves carry their numbers: none, last or all."`
	Size       int           `placeholder:"PX" help:"Width and height in pixels, 200 to 2100; 0 is 1050, or 700 for a GIF."`
	Move       int           `default:"-1" placeholder:"N" help:"Stop after move N; -1 is the last."`
	Turned     bool          `help:"See the board from the other side."`
	Forbidden  bool          `negatable:"" default:"true" help:"Cross out what Renju forbids to the side to move; --no-forbidden leaves the board bare."`
	Legal      bool          `help:"Ring what the side to move may play at Reversi."`
	Delay      time.Duration `placeholder:"D" help:"GIF: time between two moves; 0 is 700ms."`
	ListThemes bool          `help:"List the themes, the default first."`
}

// Run draws one record into one file.
func (c renderCmd) Run(ctx context.Context, s streams) error {
	if c.ListThemes {
		for _, name := range render.Themes() {
			fmt.Fprintf(s.out, "%-9s %s\n", name, render.About(name))
		}
		return nil
	}
	draw := map[string]func(game.Game, render.Options) ([]byte, error){
		".png": render.PNG,
		".gif": render.GIF,
		".txt": func(g game.Game, o render.Options) ([]byte, error) { return []byte(render.Text(g, o)), nil },
	}[strings.ToLower(filepath.Ext(c.Out))]
	if c.Out == "-" {
		draw = render.PNG
	}
	switch {
	case c.File == "":
		return exit{2, "render: which game? Name a file, or - for stdin"}
	case draw == nil:
		return exit{2, "render: -o OUT must end in .png, .gif or .txt, or be - for a PNG on stdout"}
	}
	o := render.Options{
		Theme: c.Theme, Size: c.Size, Numbers: map[string]int{"last": 1, "all": render.All}[c.Numbers],
		Turned: c.Turned, Forbidden: c.Forbidden, Legal: c.Legal, Delay: c.Delay,
	}
	if err := o.Check(); err != nil {
		return exit{2, "render: " + err.Error()}
	}
	r, err := recordFlags{Rules: c.Rules}.read(ctx, c.File, s)
	if err != nil {
		return err
	}
	if c.Move >= 0 {
		r.Game = r.Game.Until(c.Move)
	}
	picture, err := draw(r.Game, o)
	if err != nil {
		return fmt.Errorf("render %s: %w", c.File, err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.Out == "-" {
		_, err = s.out.Write(picture)
		return err
	}
	return writeFile(c.Out, picture)
}
