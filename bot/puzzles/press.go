package puzzles

import (
	"context"
	"slices"

	"tengen/ai/puzzle"
	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/daily"
	"tengen/storage"
)

// puzzle shows a puzzle that suits the member, or what a run is.
func (p *Puzzles) puzzle(ctx context.Context, r chat.Request) error {
	of, err := p.usual(ctx, r)
	if err != nil {
		return err
	}
	if kind := r.Text("run", ""); kind != "" {
		return p.offerRun(ctx, r, kind, of)
	}
	theme := slices.Index(themes, r.Text("theme", "")) + 1
	level := max(0, slices.Index(difficulties, r.Text("difficulty", difficulties[normal])))
	if theme == ownTheme {
		return p.showOwn(ctx, r, 0, 0)
	}
	if r.Text("game", "") != "" {
		return p.deal(ctx, r, []game.Rules{of}, theme, level)
	}
	return p.deal(ctx, r, append([]game.Rules{of}, rules...), theme, level)
}

// deal shows the puzzle that suits the member best, of the first of some games that has one left.
func (p *Puzzles) deal(ctx context.Context, r chat.Request, of []game.Rules, theme, level int) error {
	name := ""
	if theme > 0 {
		name = themes[theme-1]
	}
	today, err := p.todays(ctx, r)
	if err != nil {
		return err
	}
	for _, rules := range of {
		s, err := p.Store.Solver(ctx, r.By, rules)
		if err != nil {
			return err
		}
		z, ok := suited(sparing(s, today, r.At), shown(p.Collection, rules), name, level, r.At)
		if !ok {
			continue
		}
		if err := p.saw(ctx, r, z, true); err != nil {
			return err
		}
		return p.ask(ctx, r, board{Puzzle: z, id: z.ID(), mode: single, theme: theme, level: level}, "")
	}
	return view.No("puzzle.none")
}

// saw keeps that the member sees a puzzle. open says that they may try it for the rating; what was
// open stays so.
func (p *Puzzles) saw(ctx context.Context, r chat.Request, z puzzle.Puzzle, open bool) error {
	_, err := p.Store.UpdateSolver(ctx, r.By, z.Game.Rules(), 0, func(s storage.Solver) (storage.Solver, error) {
		v, _ := s.Recent(z.Number, r.At)
		return s.Showed(z.Number, r.At, open || v.Open), nil
	})
	return err
}

// page is what boards are shown with to the member of r.
func (p *Puzzles) page(ctx context.Context, r chat.Request) (page, error) {
	look, err := p.Host.FirstLook(ctx, r)
	return page{paint: p.Paint, t: p.House.Tongue(r), look: look}, err
}

// ask shows a board with its pad for the last moves.
func (p *Puzzles) ask(ctx context.Context, r chat.Request, b board, said string) error {
	g, err := b.game()
	if err != nil {
		return view.No("unknown.button")
	}
	return p.askAt(ctx, r, b, pad.Last(g), said)
}

func (p *Puzzles) askAt(ctx context.Context, r chat.Request, b board, at pad.Pad, said string) error {
	show, err := p.page(ctx, r)
	if err != nil {
		return err
	}
	if show.head, err = p.head(ctx, r, b, show.t); err != nil {
		return err
	}
	if show.warns, err = p.rates(ctx, r, b); err != nil {
		return err
	}
	if b.Kind == puzzle.Best && len(b.moves) > 0 {
		_, show.ends = p.played(ctx, b)
	}
	msg, err := show.ask(b, at, said)
	if err != nil {
		return err
	}
	return chat.Reply(ctx, p.Chat, r, msg)
}

// rates reports whether the next try at a board counts for the rating, so that a hint costs something.
func (p *Puzzles) rates(ctx context.Context, r chat.Request, b board) (bool, error) {
	if b.mode == own || b.mode == inRun {
		return false, nil
	}
	s, err := p.Store.Solver(ctx, r.By, b.Game.Rules())
	return !s.Saw(b.Number), err
}

// head is what stands above a board: how the run or the day goes.
func (p *Puzzles) head(ctx context.Context, r chat.Request, b board, t view.Tongue) (string, error) {
	switch b.mode {
	case inRun:
		v, err := p.Store.Run(ctx, r.By)
		return runHead(t, v), err
	case ofDay:
		d, err := p.Store.Daily(ctx, r.Place.Server)
		if err != nil {
			return "", err
		}
		took, err := p.Store.Taking(ctx, r.By, r.Place.Server)
		return dailyHead(t, d, took), err
	}
	return "", nil
}

func (p *Puzzles) press(ctx context.Context, r chat.Request, v view.Press) error {
	b, what, arg, err := parse(v)
	if err != nil {
		return view.No("unknown.button")
	}
	switch what {
	case "day":
		return p.daily(ctx, r)
	case "go":
		return p.goRun(ctx, r, b.id)
	}
	if b, err = p.found(ctx, r, b); err != nil {
		return err
	}
	g, err := b.game()
	if err != nil || len(b.moves) > longestLine {
		return view.No("unknown.button")
	}
	if fits, err := p.current(ctx, r, b); err != nil || !fits {
		return err
	}
	switch {
	case what == "at":
		m, err := game.ParsePoint(arg, g.Rules().Size())
		if err != nil {
			return view.No("unknown.button")
		}
		return p.try(ctx, r, b, m)
	case what == "pad":
		at, err := pad.Parse(arg, g.Rules().Size())
		if err != nil {
			return view.No("unknown.button")
		}
		return p.askAt(ctx, r, b, at, "")
	case what == "quit" && b.mode == inRun:
		return p.endRun(ctx, r, b)
	case b.mode == inRun:
		return view.No("unknown.button")
	}
	return p.onward(ctx, r, b, g, what)
}

// onward answers a press of a button that a run has not: one that helps, or leads on.
func (p *Puzzles) onward(ctx context.Context, r chat.Request, b board, g game.Game, what string) error {
	switch {
	case what == "again":
		return p.ask(ctx, r, b, "")
	case what == "next" && b.mode == own:
		return p.showOwn(ctx, r, b.match, int(b.stamp))
	case what == "next":
		return p.deal(ctx, r, []game.Rules{g.Rules()}, b.theme, b.level)
	case what == "hint":
		return p.hint(ctx, r, b, g)
	case what == "show":
		return p.solution(ctx, r, b)
	case what == "share" && b.mode == ofDay:
		return p.share(ctx, r)
	case b.mode == ofDay: // what a member shows or plays in the channel would give the day's answer away
		return view.No("unknown.button")
	case what == "study":
		return p.Studies.Open(ctx, r, g, 0)
	case what == "play":
		return p.playOut(ctx, r, b, g)
	}
	return view.No("unknown.button")
}

// found is b with its puzzle.
func (p *Puzzles) found(ctx context.Context, r chat.Request, b board) (board, error) {
	if b.mode == own {
		return p.ownPuzzle(ctx, r, b)
	}
	z, ok := puzzle.Named(p.Collection(), b.id)
	if !ok || !slices.Contains([]mode{single, ofDay, inRun}, b.mode) {
		return b, view.No("puzzle.gone")
	}
	b.Puzzle = z
	return b, nil
}

// current reports whether a board is still the one of the day or of the run. Where it is not, the
// member is shown what is.
func (p *Puzzles) current(ctx context.Context, r chat.Request, b board) (bool, error) {
	switch b.mode {
	case ofDay:
		d, err := p.today(ctx, r.Place.Server)
		switch {
		case err != nil:
			return false, err
		case uint32(d.Day.Begins.Unix()) != b.stamp:
			return false, p.daily(ctx, r)
		case d.Day.Puzzle != b.id: // no button of ours: an easier one would count
			return false, view.No("unknown.button")
		}
	case inRun:
		v, err := p.Store.Run(ctx, r.By)
		switch {
		case err != nil:
			return false, err
		case v.Kind == storage.NoRun:
			return false, view.No("puzzle.runOver")
		}
		now, ok := p.present(v)
		switch {
		case !ok:
			return false, p.changeRun(ctx, r, v)
		case now.stamp != b.stamp: // pressed twice, or on a board that has moved on
			return false, p.askRun(ctx, r, v, p.House.Tongue(r).Say("run.stale"))
		case now.id != b.id || !slices.Equal(now.moves, b.moves): // no button of ours, as of a day
			return false, p.askRun(ctx, r, v, p.House.Tongue(r).Say("run.changed"))
		}
	}
	return true, nil
}

// try judges an answer, and shows what follows from it.
func (p *Puzzles) try(ctx context.Context, r chat.Request, b board, m game.Point) error {
	g, _ := b.game()
	if err := g.Check(m); err != nil {
		return err
	}
	if _, busy := p.judging.LoadOrStore(r.By, true); busy { // each member may have one answer judged at a time
		return view.No("oneMoment")
	}
	defer p.judging.Delete(r.By)
	var a puzzle.Answer
	var ends game.Game
	err := p.Desk.Judge(ctx, func(ctx context.Context) (err error) {
		if a, err = b.Try(ctx, append(b.tried(), m)); a.Verdict == puzzle.Wrong && b.Kind == puzzle.Best {
			_, ends = b.played(ctx)
		}
		return err
	})
	if err != nil {
		return err
	}
	after := b
	after.moves = append(append(slices.Clone(b.moves), m), a.Reply...)
	if a.Verdict == puzzle.Right && len(after.moves) > longestLine {
		a.Verdict = puzzle.Solved // a custom id holds no more
	}
	t := p.House.Tongue(r)
	if b.mode == inRun {
		return p.stepRun(ctx, r, b, after, a.Verdict, m)
	}
	switch {
	case a.Verdict == puzzle.Right:
		after.unsure = false
		return p.ask(ctx, r, after, t.Say("puzzle.right", "Point", m.String()))
	case a.Verdict == puzzle.Undecided && !b.unsure:
		b.unsure = true
		return p.ask(ctx, r, b, t.Say("undecided", "Point", m.String()))
	case a.Verdict == puzzle.Undecided:
		return p.over(ctx, r, b, append(slices.Clone(b.moves), m), t.Say("puzzle.undecided.again", "Point", m.String()),
			daily.TryWrong)
	case a.Verdict == puzzle.Wrong:
		line := append(append(slices.Clone(b.moves), m), a.Refutation...)
		return p.over(ctx, r, b, line, wrong(t, b, m, a, ends), daily.TryWrong)
	}
	return p.over(ctx, r, b, after.moves, t.Say("puzzle.solved", "Point", m.String()), daily.TrySolved)
}

// hint says in which row the next move of the solution is. The first try is lost by it.
func (p *Puzzles) hint(ctx context.Context, r chat.Request, b board, g game.Game) error {
	t := p.House.Tongue(r)
	said := t.Say("hint.row", "Row", b.next().Row()+1)
	change, err := p.count(ctx, r, b, daily.TryHint)
	if err != nil {
		return err
	}
	if change != "" {
		said = t.Sentences(said, t.Say("puzzle.hint.lost"))
	}
	if g.Check(b.next()) != nil { // the member has left the solution
		b = b.fresh()
		g = b.Game
	}
	return p.askAt(ctx, r, b, pad.Over(g, b.next()), joined([]string{said, change}))
}

// solution shows how the puzzle is solved. The first try is lost by it.
func (p *Puzzles) solution(ctx context.Context, r chat.Request, b board) error {
	line, _ := p.played(ctx, b)
	return p.over(ctx, r, b, line, p.House.Tongue(r).Say("puzzle.solution"), daily.TryShown)
}

// played is the solution of a board, played out beside the engine's turns. Where there is no room for
// that now, it is the line alone.
func (p *Puzzles) played(ctx context.Context, b board) (line []game.Point, ends game.Game) {
	line = b.Line
	if err := p.Desk.Judge(ctx, func(ctx context.Context) error { line, ends = b.played(ctx); return nil }); err != nil {
		p.Log.Info("solution", "err", err)
	}
	return line, ends
}

// over counts a try, and shows the board after it with the ways on.
func (p *Puzzles) over(ctx context.Context, r chat.Request, b board, line []game.Point, said string, try byte) error {
	change, err := p.count(ctx, r, b, try)
	if err != nil {
		return err
	}
	show, err := p.page(ctx, r)
	if err != nil {
		return err
	}
	if show.head, err = p.head(ctx, r, b, show.t); err != nil {
		return err
	}
	said = joined([]string{said, change})
	if try != daily.TryWrong {
		said = joined([]string{said, themed(show.t, b.Puzzle)})
	}
	msg, err := show.over(b, line, said, append(b.ways(show.t, try), b.after(show.t, line)...))
	if err != nil {
		return err
	}
	return chat.Reply(ctx, p.Chat, r, msg)
}

// playOut plays on against the bot, from the end of the line that was shown, or from the puzzle where the game ends by
// it. The member has the side that solves.
func (p *Puzzles) playOut(ctx context.Context, r chat.Request, b board, g game.Game) error {
	if g.Turn() == game.Empty {
		g = b.Game
	}
	return command.With("color", chat.Option{Text: b.Turn().String()}, func(ctx context.Context, r chat.Request) error {
		return p.Host.PlayOn(ctx, r, g, p.Host.EngineSeat(ctx, r, g.Rules()))
	})(ctx, r)
}

// after are the buttons that go on from a line that was shown.
func (b board) after(t view.Tongue, line []game.Point) []chat.Button {
	if b.mode == ofDay { // its answer is not to stand in the channel
		return nil
	}
	b = b.fresh()
	b.moves = line[:min(len(line), longestLine)]
	return []chat.Button{b.button(t, "play", "button.playOut"), b.button(t, "study", "button.analyze")}
}

// ways are the buttons that lead on from a try.
func (b board) ways(t view.Tongue, try byte) (row []chat.Button) {
	if try == daily.TryWrong {
		row = append(row, b.button(t, "again", "button.tryAgain"), b.fresh().button(t, "show", "button.solution"))
	} else if b.mode == ofDay {
		row = append(row, b.fresh().button(t, "share", "button.share"))
	}
	if b.mode != ofDay {
		next := b.fresh().button(t, "next", "button.nextPuzzle")
		if try != daily.TryWrong {
			next.Style = chat.Primary
		}
		row = append(row, next)
	}
	return row
}

// count counts a try: for the rating, if it is the first, and for the day. It says what that
// changed.
func (p *Puzzles) count(ctx context.Context, r chat.Request, b board, try byte) (change string, err error) {
	if b.mode == own {
		return "", nil
	}
	var before storage.Solver
	after, err := p.Store.UpdateSolver(ctx, r.By, b.Game.Rules(), r.Place.Server,
		func(s storage.Solver) (storage.Solver, error) {
			before = s
			if s.Saw(b.Number) {
				return s, nil
			}
			return tried(s, b.Puzzle, try == daily.TrySolved, b.theme > 0, r.At), nil
		})
	if err != nil {
		return "", err
	}
	if b.mode == ofDay {
		if _, _, err := p.Store.TakeDaily(ctx, r.Place.Server, r.By,
			func(d daily.Daily, t daily.Taking) (daily.Daily, daily.Taking, error) {
				d, t = d.Try(t, try, r.ID)
				return d, t, nil
			}); err != nil {
			return "", err
		}
	}
	return rated(p.House.Tongue(r), before, after, b.Puzzle), nil
}
