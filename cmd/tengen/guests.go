package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"tengen/ai/engine"
	"tengen/ai/guest"
	"tengen/game"
)

// guestConfig is a program of another maker that plays as an opponent of its own name.
type guestConfig struct {
	Name      string        `yaml:"name"`
	Protocol  string        `yaml:"protocol"`
	Command   []string      `yaml:"command"`
	Directory string        `yaml:"directory"`
	Games     []string      `yaml:"games"`
	Time      time.Duration `yaml:"time"`
	Nodes     int64         `yaml:"nodes"`
	Depth     int           `yaml:"depth"`
	Megabytes int64         `yaml:"megabytes"`
	Limit     time.Duration `yaml:"limit"`
}

// What a guest gets where its entry does not say.
const (
	guestTime  = time.Second      // for a move, by the protocol of Gomocup
	guestLimit = 10 * time.Second // before its process is killed
)

// maxGuests is how many guests there may be: each has a worker, and a list of choices holds 25.
const maxGuests = 25

var guestName = regexp.MustCompile(`^[\pL\pN][\pL\pN .+-]{0,31}$`)

func checkGuests(all []guestConfig, k *checker) {
	if len(all) > maxGuests {
		k.refuse("$.engines", fmt.Errorf("%d engines are too many, %d are the most", len(all), maxGuests))
	}
	seen := map[string]bool{}
	for i, c := range all {
		at := fmt.Sprintf("$.engines[%d]", i)
		c.check(k, at)
		k.refuseIf(at+".name", seen[strings.ToLower(c.Name)], "another engine has this name")
		seen[strings.ToLower(c.Name)] = true
	}
}

func (c guestConfig) check(k *checker, at string) {
	by := guest.Protocol(c.Protocol)
	k.refuseIf(at+".name", !guestName.MatchString(c.Name), "a name has up to 32 letters, digits, blanks and any of . + -")
	k.refuseIf(at+".protocol", by != guest.Gomocup && by != guest.GTP && by != guest.NBoard, "gomocup, gtp or nboard")
	k.refuseIf(at+".command", len(c.Command) == 0 || c.Command[0] == "", "a program is needed")
	k.refuseIf(at+".games", len(c.Games) == 0, "a game is needed")
	for i, name := range c.Games {
		r, ok := game.RulesNamed(name)
		on := fmt.Sprintf("%s.games[%d]", at, i)
		k.refuseIf(on, !ok, "no game has this name")
		k.refuseIf(on, ok && !by.Plays(r), "gomocup is for five in a row, gtp and nboard are for reversi")
	}
	k.between(at+".time", c.Time, 0, time.Minute)
	k.refuseIf(at+".time", by == guest.GTP && c.Time%time.Second != 0, "gtp knows whole seconds only")
	k.within(at+".nodes", c.Nodes, 0, 1<<40)
	k.within(at+".depth", int64(c.Depth), 0, 100)
	k.refuseIf(at+".depth", by == guest.NBoard && c.Depth == 0, "nboard needs a depth")
	k.within(at+".megabytes", c.Megabytes, 0, 1<<20)
	k.between(at+".limit", c.wall(), 100*time.Millisecond, 5*time.Minute)
	k.refuseIf(at+".limit", c.wall() <= c.Time, "the limit must be longer than the time")
}

func (c guestConfig) wall() time.Duration { return cmp.Or(c.Limit, guestLimit) }

// guests are the guests that the configuration describes.
func (c config) guests() (specs []guest.Spec) {
	for _, g := range c.Engines {
		s := guest.Spec{Name: g.Name, Protocol: guest.Protocol(g.Protocol), Command: g.Command,
			Dir: g.Directory, Wall: g.wall(), Limits: engine.Limits{Time: g.Time, Nodes: g.Nodes, Depth: g.Depth,
				Memory: g.Megabytes << 20}}
		if s.Protocol == guest.Gomocup && g.Nodes == 0 {
			s.Limits.Time = cmp.Or(g.Time, guestTime)
		}
		for _, name := range g.Games {
			if r, ok := game.RulesNamed(name); ok {
				s.Games = append(s.Games, r)
			}
		}
		specs = append(specs, s)
	}
	return specs
}

// tryGuests asks each engine of a configuration for the first move of each of its games, and says
// how it went.
func tryGuests(ctx context.Context, w io.Writer, specs []guest.Spec, log *slog.Logger) {
	for _, s := range specs {
		if _, err := s.Path(); err != nil {
			fmt.Fprintf(w, "The engine %s cannot play here and will be left out: %v.\n", s.Name, errors.Unwrap(err))
			continue
		}
		gs := guest.Invite([]guest.Spec{s}, log)
		for _, r := range s.Games {
			begun := time.Now()
			if p, err := gs.Move(ctx, s.Name, game.New(r)); err != nil {
				fmt.Fprintf(w, "The engine %s found no move in %s, so the bot would play for it: %v.\n", s.Name,
					r.Name(), errors.Unwrap(err))
			} else {
				fmt.Fprintf(w, "The engine %s plays %s: %v after %.1f s.\n", s.Name, r.Name(), p, time.Since(begun).Seconds())
			}
		}
		gs.Close()
	}
}
