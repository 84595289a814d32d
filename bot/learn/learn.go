package learn

import (
	"context"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

func (s *Lessons) learnCommand() command.Command {
	return command.Command{
		Command: chat.Command{Name: "learn", Alone: true, Options: []chat.OptionSpec{
			{Name: "game", Of: "learn", Type: chat.TextOption, Choices: command.GameChoices()},
			{Name: "step", Type: chat.NumberOption, Min: 1, Max: mostSteps()},
			{Name: "opening", Of: "rules", Type: chat.TextOption, Choices: openingsWithPages()}}},
		Ways:    []command.Command{{Command: chat.Command{Name: "rules"}, Opens: true, Run: s.showRules}},
		Opens:   true,
		Run:     s.learn,
		Presses: map[string]command.Pressed{"learn": s.press, "lesson": s.pressRules},
	}
}

// mostSteps is how many steps the longest course has.
func mostSteps() (most int) {
	for _, c := range courses {
		most = max(most, len(c.steps))
	}
	return most
}

// learn shows the steps of a course, or the first page of one. Of a game without a course, and of an opening,
// it shows the rules.
func (s *Lessons) learn(ctx context.Context, r chat.Request) error {
	c, ok := courseNamed(r.Text("game", courses[0].name))
	if !ok || r.Text("opening", "") != "" {
		return s.showRules(ctx, r)
	}
	n := r.Options["step"].Number
	if n == 0 {
		return s.overview(ctx, r, c)
	}
	if int(n) > len(c.steps) {
		return view.No("learn.noStep", "Of", len(c.steps))
	}
	return s.page(ctx, r, place{c, int(n) - 1}, 0)
}

// press does what is pressed in a course.
func (s *Lessons) press(ctx context.Context, r chat.Request, p view.Press) error {
	f := strings.SplitN(p.Arg, ".", 5)
	if len(f) != 5 {
		return view.No("unknown.button")
	}
	name, stepText := f[0], f[1]
	if len(r.Values) == 1 && f[2] == "course" {
		name, stepText = r.Values[0], "0"
	}
	if len(r.Values) == 1 && f[2] == "step" {
		stepText = r.Values[0]
	}
	c, ok := courseNamed(name)
	step, err := strconv.Atoi(stepText)
	number, err2 := strconv.Atoi(f[3])
	if !ok || err != nil || err2 != nil || step < 0 || step >= len(c.steps) || number < 0 {
		return view.No("unknown.button")
	}
	at := place{c, step}
	switch f[2] {
	case "all", "course":
		return s.overview(ctx, r, c)
	case "step":
		return s.page(ctx, r, at, 0)
	case "page":
		return s.page(ctx, r, at, number)
	case "do":
		return s.exercise(ctx, r, at, number, p.Stamp, f[4])
	}
	return view.No("unknown.button")
}

func (s *Lessons) overview(ctx context.Context, r chat.Request, c course) error {
	p, err := s.Store.Progress(ctx, r.By)
	if err != nil {
		return err
	}
	return chat.Reply(ctx, s.Chat, r, overview(s.House.Tongue(r), c, p))
}

func (s *Lessons) page(ctx context.Context, r chat.Request, at place, n int) error {
	if n >= len(at.step().pages) {
		return view.No("unknown.button")
	}
	msg, err := stepPage(s.House.Tongue(r), at, n)
	if err != nil {
		return err
	}
	return chat.Reply(ctx, s.Chat, r, msg)
}

// exercise does what is pressed in an exercise. rest says what: ask, pad, hint, show, at or
// say, and then the moves so far and an argument.
func (s *Lessons) exercise(ctx context.Context, r chat.Request, at place, n int, stamp uint32, rest string) error {
	if n >= len(at.step().exercises) {
		return view.No("learn.changed")
	}
	e := attempt{place: at, n: n, exercise: at.step().exercises[n]}
	if stamp != e.stamp() {
		return view.No("learn.changed")
	}
	g, err := e.start()
	if err != nil {
		return err
	}
	f := strings.SplitN(rest, ".", 3)
	for len(f) < 3 {
		f = append(f, "")
	}
	if e.tried, err = unpack(f[1], g.Rules().Size()); err != nil {
		return view.No("unknown.button")
	}
	t := s.House.Tongue(r)
	if f[0] == "at" || f[0] == "say" {
		return s.judge(ctx, r, t, e, f[0], f[2])
	}
	if e.game, err = e.position(ctx, g); err != nil {
		return view.No("unknown.button")
	}
	e.pad = e.firstPad()
	var msg chat.Message
	switch f[0] {
	case "ask", "hint":
		e.hinted = f[0] == "hint"
		msg, err = s.asked(t, e)
	case "pad":
		if e.pad, err = pad.Parse(f[2], g.Rules().Size()); err != nil {
			return view.No("unknown.button")
		}
		msg, err = s.asked(t, e)
	case "show":
		msg, err = s.solution(ctx, t, e)
	default:
		return view.No("unknown.button")
	}
	if err != nil {
		return err
	}
	return chat.Reply(ctx, s.Chat, r, msg)
}

// position is the board after the moves so far, with the replies.
func (e attempt) position(ctx context.Context, g game.Game) (game.Game, error) {
	if len(e.tried) == 0 {
		return g, nil
	}
	v, err := e.judge(ctx, e.tried)
	if err == nil && (!v.right || v.solved) {
		err = errNotYet
	}
	return v.game, err
}

// judge answers a move or a choice. What is solved is kept before it is said.
func (s *Lessons) judge(ctx context.Context, r chat.Request, t view.Tongue, e attempt, what, arg string) error {
	g, err := e.start()
	if err != nil {
		return err
	}
	var v verdict
	switch {
	case what == "say" && !e.onBoard():
		q := questions[e.ask](g, pointsOf(e.about))
		v = verdict{right: arg == q.right, solved: arg == q.right, game: g}
	case what == "at" && e.onBoard():
		move, err := game.ParsePoint(arg, g.Rules().Size())
		if err != nil {
			return view.No("unknown.button")
		}
		v, err = e.judge(ctx, append(e.tried, move))
		if errors.Is(err, errNotYet) {
			return view.No("unknown.button")
		}
		if err != nil {
			return err
		}
		e.tried = append(e.tried, move)
	default:
		return view.No("unknown.button")
	}
	if v.solved {
		keep := func(p storage.Progress) storage.Progress { return p.With(e.course.key(e.step()), e.n) }
		if _, err := s.Store.SetProgress(ctx, r.By, keep); err != nil {
			return err
		}
	}
	msg, err := s.judged(t, e, v, arg)
	if err != nil {
		return err
	}
	return chat.Reply(ctx, s.Chat, r, msg)
}

// mostTried is how many moves of the solver a custom id may hold.
const mostTried = 12

// pack is moves for a custom id.
func pack(moves []game.Point) string {
	data := make([]byte, len(moves))
	for i, p := range moves {
		data[i] = byte(p)
	}
	return hex.EncodeToString(data)
}

// unpack reads what pack wrote.
func unpack(s string, size int) (moves []game.Point, err error) {
	data, err := hex.DecodeString(s)
	if err != nil || len(data) > mostTried {
		return nil, errNotYet
	}
	for _, b := range data {
		if p := game.Point(b); p.On(size) {
			moves = append(moves, p)
			continue
		}
		return nil, errNotYet
	}
	return moves, nil
}
