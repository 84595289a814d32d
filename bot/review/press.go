package review

import (
	"context"
	"strconv"
	"strings"
	"time"

	"tengen/ai/engine"
	"tengen/ai/review"
	"tengen/bot/chat"
	"tengen/bot/pad"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// reviewed is the match of a press with its review, in the state for which the button was
// made, and the ply that the press names.
func (s *Reviews) reviewed(ctx context.Context, r chat.Request,
	p view.Press) (rec storage.Record, made review.Review, n int, rest string, err error) {
	rec, err = s.finished(ctx, r, p.Match)
	if err != nil {
		return rec, made, 0, "", err
	}
	made, n, rest, err = s.ply(ctx, rec, p)
	return rec, made, n, rest, err
}

// ply is the review of a match with the ply that a press names, and the rest of the press.
func (s *Reviews) ply(ctx context.Context, rec storage.Record,
	p view.Press) (made review.Review, n int, rest string, err error) {
	is, _, err := s.made(ctx, rec)
	switch {
	case err != nil:
		return made, 0, "", err
	case is == nil || p.Stamp != rec.Stamp():
		return made, 0, "", view.No("review.gone")
	}
	ply, rest, _ := strings.Cut(p.Arg, ".")
	n, err = strconv.Atoi(ply)
	if err != nil || n < 1 || n > len(is.Plies) {
		return made, 0, "", view.No("unknown.button")
	}
	return *is, n, rest, nil
}

// Step shows a ply of a reviewed game.
func (s *Reviews) Step(ctx context.Context, r chat.Request, p view.Press) error {
	rec, made, n, _, err := s.reviewed(ctx, r, p)
	if err != nil {
		return err
	}
	msg, err := s.Paint.Step(s.House.Tongue(r), rec, made, n)
	if err != nil {
		return err
	}
	return chat.Reply(ctx, s.Chat, r, msg)
}

// Posted is the review of a finished match as a member shows it to everybody. It is a refusal
// where there is none.
func (s *Reviews) Posted(ctx context.Context, r chat.Request, rec storage.Record) (chat.Message, error) {
	made, _, err := s.made(ctx, rec)
	if err != nil {
		return chat.Message{}, err
	}
	if made == nil {
		return chat.Message{}, view.No("review.gone")
	}
	return view.In(rec.Look.Language).PostedReview(rec, *made, r.By)
}

// From is the game up to the ply of a press: a position from which a member wants to play on,
// and the level that they chose.
func (s *Reviews) From(ctx context.Context, r chat.Request, p view.Press) (g game.Game, level int, err error) {
	rec, _, n, _, err := s.reviewed(ctx, r, p)
	if err != nil {
		return g, 0, err
	}
	if len(r.Values) == 1 {
		level, _ = strconv.Atoi(r.Values[0])
	}
	if level < 1 || level > game.Levels {
		return g, 0, view.No("unknown.button")
	}
	return rec.Game().Until(n - 1), level, nil
}

// try is the fault that a press tries again, and what the press asks for.
func (s *Reviews) try(ctx context.Context, rec storage.Record, p view.Press) (y view.Try, what, arg string, err error) {
	made, n, rest, err := s.ply(ctx, rec, p)
	if err == nil && !made.Plies[n-1].Fault() {
		err = view.No("unknown.button")
	}
	if err != nil {
		return y, "", "", err
	}
	what, arg, _ = strings.Cut(rest, ".")
	return view.Try{Match: rec.Match, Look: rec.Look, Review: made, N: n, Pad: pad.Last(rec.Game().Until(n - 1))},
		what, arg, nil
}

// Try does what is pressed on the trial board of a try.
func (s *Reviews) Try(ctx context.Context, r chat.Request, p view.Press) error {
	rec, err := s.finished(ctx, r, p.Match)
	if err != nil {
		return err
	}
	y, what, arg, err := s.try(ctx, rec, p)
	if err != nil {
		return err
	}
	t := s.House.Tongue(r)
	var msg chat.Message
	switch what {
	case "at":
		return s.judge(ctx, r, y, arg)
	case "ask":
		msg, err = s.Paint.Try(t, y)
	case "hint":
		y.Hinted = true
		msg, err = s.Paint.Try(t, y)
	case "pad":
		if y.Pad, err = pad.Parse(arg, rec.Rules.Size()); err != nil {
			return view.No("unknown.button")
		}
		msg, err = s.Paint.Try(t, y)
	case "show":
		msg, err = s.Paint.Solution(t, y)
	case "back", "on":
		at, packed, _ := strings.Cut(arg, ".")
		number, e := strconv.Atoi(at)
		if e != nil {
			return view.No("unknown.button")
		}
		if msg, err = s.Paint.Line(t, y, packed, number); err != nil {
			return view.No("unknown.button")
		}
	default:
		return view.No("unknown.button")
	}
	if err != nil {
		return err
	}
	return chat.Reply(ctx, s.Chat, r, msg)
}

// Tap does what Try does on the board of a page, for a member who played. It takes as long as the verdict does.
func (s *Reviews) Tap(ctx context.Context, t view.Tongue, by game.MemberID, p view.Press) (view.Tried, error) {
	rec, err := s.seated(ctx, by, p.Match)
	if err != nil {
		return view.Tried{}, err
	}
	y, what, arg, err := s.try(ctx, rec, p)
	if err != nil {
		return view.Tried{}, err
	}
	switch what {
	case "ask":
		return t.AskTry(y), nil
	case "hint":
		y.Hinted = true
		return t.AskTry(y), nil
	case "show":
		return t.SolveTry(y), nil
	case "at":
		move, err := tried(y, arg)
		if err != nil {
			return view.Tried{}, err
		}
		v, ok := known(y.Review.Plies[y.N-1], move)
		if !ok {
			if !s.begin(by) {
				return view.Tried{}, view.No("oneMoment")
			}
			defer s.end(by)
			v, err = s.lookAt(ctx, y, move)
		}
		return t.JudgeTry(y, move, v), err
	}
	return view.Tried{}, view.No("unknown.button")
}

// tried reads a move that is tried, which must be possible.
func tried(y view.Try, at string) (game.Point, error) {
	before := y.Match.Game().Until(y.N - 1)
	move, err := game.ParsePoint(at, before.Rules().Size())
	if err != nil {
		return move, view.No("unknown.button")
	}
	return move, before.Check(move)
}

// judgeFor is how long a verdict may take, with its wait for a worker.
const judgeFor = 2 * time.Minute

// lookAt judges a move by the means of the review.
func (s *Reviews) lookAt(ctx context.Context, y view.Try, move game.Point) (review.Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, judgeFor)
	defer cancel()
	return s.Desk.Try(ctx, y.Match.Game().Until(y.N-1), y.Review.Plies[y.N-1], move, y.Review.Means)
}

// judge answers a try. What the review itself knows is answered at once; any other move is
// looked at first, and the answer is edited.
func (s *Reviews) judge(ctx context.Context, r chat.Request, y view.Try, at string) error {
	t := s.House.Tongue(r)
	move, err := tried(y, at)
	if err != nil {
		return err
	}
	if v, ok := known(y.Review.Plies[y.N-1], move); ok {
		msg, err := s.Paint.Judged(t, y, move, v)
		if err != nil {
			return err
		}
		return chat.Reply(ctx, s.Chat, r, msg)
	}
	if !s.begin(r.By) {
		return view.No("oneMoment")
	}
	msg, err := s.Paint.Looking(t, y, move)
	if err == nil {
		var to chat.To
		to, err = s.show(ctx, r, msg)
		if err == nil && s.Tasks.Go(func() { defer s.end(r.By); s.verdict(t, y, move, to) }) {
			return nil
		}
	}
	s.end(r.By)
	return err
}

// begin notes that a try of a member is judged. It is false where one is judged already.
func (s *Reviews) begin(by game.MemberID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trying[by] {
		return false
	}
	s.trying[by] = true
	return true
}

func (s *Reviews) end(by game.MemberID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.trying, by)
}

// verdict judges a move, and shows the verdict in place of what to names. Where it fails, the
// trial board is shown again.
func (s *Reviews) verdict(t view.Tongue, y view.Try, move game.Point, to chat.To) {
	ctx, cancel := context.WithTimeout(s.Tasks.Life, judgeFor)
	defer cancel()
	v, err := s.lookAt(ctx, y, move)
	var msg chat.Message
	if err == nil {
		msg, err = s.Paint.Judged(t, y, move, v)
	}
	if err != nil {
		if s.Tasks.Life.Err() != nil {
			return // the button of the trial board asks again
		}
		s.Log.Error("try", "match", view.Name(y.Match.ID), "err", err)
		if msg, err = s.Paint.Try(t, y); err != nil {
			return
		}
	}
	if _, err := s.Chat.Send(ctx, to, msg); err != nil {
		s.Log.Info("try", "match", view.Name(y.Match.ID), "err", err)
	}
}

// known is the verdict on a move that the review itself has looked at: the best one, and the
// fault.
func known(f review.Ply, move game.Point) (v review.Verdict, ok bool) {
	switch move {
	case f.Best:
		gave := f.Had
		gave.In = max(0, gave.In-1)
		v = review.Verdict{Right: true, Proven: f.Had.Proof != engine.Unproven, Gave: gave, Before: f.Before, After: f.Before}
		if len(f.Line) > 1 {
			v.Line = f.Line[1:]
		}
		return v, true
	case f.Move:
		return review.Verdict{Proven: f.Gave.Proof != engine.Unproven, Gave: f.Gave, Before: f.Before, After: f.After,
			Line: f.Answer}, true
	}
	return v, false
}
