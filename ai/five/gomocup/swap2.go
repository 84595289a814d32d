package gomocup

import (
	"context"
	"fmt"
	"strings"

	"tengen/ai/engine"
	"tengen/game"
	"tengen/game/opening"
)

// swap2 answers the three questions of the opening protocol Swap2: put three stones; choose
// a color or put two more; choose a color. Who takes white moves at once.
func (s *session) swap2() {
	r, ok := s.rules()
	if !ok || s.size != opening.Size {
		s.say("ERROR swap2 is played on %dx%[1]d", opening.Size)
		return
	}
	stage, err := s.asPlaced()
	if err != nil {
		s.say("ERROR %v", err)
		return
	}
	limits := s.limits()
	// at most three stones, or a choice and two
	limits.Time, limits.CPU, limits.Nodes = limits.Time/3, limits.CPU/3, limits.Nodes/3
	var text []string
	_, err = s.think(func(ctx context.Context) (engine.Report, error) {
		text, err = s.decide(ctx, r, stage, limits)
		return engine.Report{}, err
	})
	if err != nil {
		s.say("ERROR %v", err)
		return
	}
	s.say("%s", strings.Join(text, " "))
}

// asPlaced is the opening after the stones, which the manager gives in their order.
func (s *session) asPlaced() (opening.State, error) {
	stage := opening.Swap2.Begin()
	if n := len(s.stones); n != 0 && n != 3 && n != 5 {
		return stage, fmt.Errorf("swap2 asks with 0, 3 or 5 stones")
	}
	for i, st := range s.stones {
		var err error
		if i == 3 {
			if stage, err = stage.Decide(game.PlaceTwo); err != nil {
				return stage, err
			}
		}
		if stage, err = stage.Decide(game.Decision(st.p)); err != nil {
			return stage, err
		}
	}
	return stage, nil
}

// decide takes the decisions that are asked of one side, as the manager reads them.
func (s *session) decide(ctx context.Context, r game.Rules, stage opening.State,
	limits engine.Limits) (text []string, err error) {
	say := func(p game.Point) { text = append(text, fmt.Sprintf("%d,%d", p.Col(), p.Row())) }
	for who := stage.Question().Who; !stage.Over() && stage.Question().Who == who; {
		d, _, err := s.engine.Decide(ctx, r, stage, limits)
		if err != nil {
			return nil, err
		}
		if stage, err = stage.Decide(d); err != nil {
			return nil, err
		}
		if d == game.TakeBlack {
			return []string{"SWAP"}, nil
		}
		if p, ok := d.Stone(); ok {
			say(p)
		}
	}
	if stage.Over() { // the engine has white
		g, err := game.From(r, stage.Position, game.White)
		if err != nil {
			return nil, err
		}
		report, err := s.engine.Search(ctx, g, limits)
		if err != nil {
			return nil, err
		}
		say(report.Move)
	}
	return text, nil
}
