// Package render turns a game into a picture: a PNG of the board, a GIF of the whole game,
// a graph of its evaluation, a board of plain characters for those who cannot see
// pictures, and the facts from which a caller words a description. Names, clocks and
// scores are not drawn; the text around a picture tells them better. Start from PNG.
package render

import (
	"fmt"
	"strings"
	"time"

	"tengen/game"
)

// The limits and the default of Options.Size, in pixels.
const (
	MinSize     = 200
	MaxSize     = 2100
	DefaultSize = 1050 // three times the height that Discord gives to a square picture
)

// All is the Options.Numbers that numbers every move.
const All = 1 << 15

// Options say how a game is drawn. The zero value is the board as members see it: the
// game's own theme, 1050 pixels, the last move marked, the discs that it turned, and the
// winning rows.
type Options struct {
	Theme     string  // one of Themes; "" is the default of the game
	Size      int     // width and height in pixels; 0 is DefaultSize (a GIF: 700)
	Numbers   int     // number the last n moves; 0 is none, All is every move
	Turned    bool    // seen from the other side of the board
	Forbidden bool    // Renju: cross out what is forbidden to the side to move
	Legal     bool    // Reversi: ring what the side to move may play
	Marks     []Mark  // hints, candidate moves, and stones that are not played yet
	Frames    []Frame // corners round parts of the board, such as that which buttons cover

	Delay time.Duration // GIF: between two moves; 0 is 700 ms
	Hold  time.Duration // GIF: how long the last frame stands; 0 is 4 s
}

// Mark points at a point of the board: a hint when it has no text, else a candidate
// move with its value.
type Mark struct {
	At    game.Point
	Text  string // up to 4 of 0-9 A-Z + - . % ; "" is a hint
	Best  bool   // stands out from the other candidates
	Ghost bool   // a stone of the side to move that is not played yet, half there, under the text
}

// Frame is a part of the board, both corners included.
type Frame struct {
	From, To game.Point
	Closed   bool // a line all round it, where else there are only corners
}

// PNG draws the board as it stands at the end of g. The caller owns the bytes. An error
// says which option is impossible.
func PNG(g game.Game, o Options) ([]byte, error) {
	k, err := kitFor(g, o, DefaultSize)
	if err != nil {
		return nil, err
	}
	s := rasters.Get().(*raster)
	defer rasters.Put(s)
	s.clear(k)
	paint(s, k, g, o)
	return s.png(k.plte), nil
}

// Check says what is impossible about o whatever the game, nil if nothing is. PNG and
// GIF check by themselves.
func (o Options) Check() error {
	switch {
	case o.Theme != "" && themeNamed(o.Theme) == nil:
		return fmt.Errorf("there is no theme %q; the themes are %s", o.Theme, strings.Join(Themes(), ", "))
	case o.Size != 0 && (o.Size < MinSize || o.Size > MaxSize):
		return fmt.Errorf("size %d is not between %d and %d pixels", o.Size, MinSize, MaxSize)
	case o.Numbers < 0:
		return fmt.Errorf("%d numbers are less than none", o.Numbers)
	case o.Delay < 0 || o.Hold < 0:
		return fmt.Errorf("a frame cannot stand for less than no time")
	}
	for _, m := range o.Marks {
		if len(m.Text) > 4 || strings.Trim(m.Text, alphabet) != "" {
			return fmt.Errorf("mark %q is not up to 4 of %s", m.Text, alphabet)
		}
	}
	return nil
}

// kitFor checks o and finds the assets that it asks for.
func kitFor(g game.Game, o Options, size int) (*kit, error) {
	if g.Rules() == nil {
		return nil, fmt.Errorf("no game to draw")
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	n := g.Rules().Size()
	for _, m := range o.Marks {
		if !m.At.On(n) {
			return nil, fmt.Errorf("mark at column %d, row %d lies off the %dx%d board", m.At.Col()+1, m.At.Row()+1, n, n)
		}
	}
	for _, f := range o.Frames {
		if !f.From.On(n) || !f.To.On(n) {
			return nil, fmt.Errorf("a frame reaches off the %dx%d board", n, n)
		}
	}
	if o.Theme == "" {
		o.Theme = DefaultTheme(g.Rules())
	}
	if o.Size != 0 {
		size = o.Size
	}
	t := themeNamed(o.Theme)
	return kits.get(kitKey{t, layoutOf(t, g.Rules(), size, o.Turned)}, newKit), nil
}

// themeFor gives a theme and the width of a picture that is no board. No name is the first theme, and no
// width the usual one.
func themeFor(name string, width int) (*theme, int, error) {
	if width == 0 {
		width = DefaultSize
	}
	t := &themes[0]
	if name != "" {
		t = themeNamed(name)
	}
	if t == nil || width < MinSize || width > MaxSize {
		return nil, 0, Options{Theme: name, Size: width}.Check()
	}
	return t, width, nil
}

func themeNamed(name string) *theme {
	for i := range themes {
		if themes[i].name == name {
			return &themes[i]
		}
	}
	return nil
}

// Pieces are what a theme draws for Black and for White; empty where it draws black and white stones.
func Pieces(name string) (pieces [2]string) {
	if th := themeNamed(name); th != nil && th.piece == nought {
		pieces = [2]string{"✕", "◯"}
	}
	return pieces
}

// DefaultTheme is the theme that a game is drawn in when none is asked for.
func DefaultTheme(r game.Rules) string {
	if r == game.Reversi {
		return "felt"
	}
	return themes[0].name
}

// Themes are the names of the themes, the default first.
func Themes() []string {
	names := make([]string, len(themes))
	for i := range themes {
		names[i] = themes[i].name
	}
	return names
}

// About is one line on what a theme looks like, "" when there is no such theme.
func About(name string) string {
	if t := themeNamed(name); t != nil {
		return t.about
	}
	return ""
}
