package simul

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/live"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/simul"
	"tengen/storage"
)

// Commands are the commands of the simuls. They can be registered without a bot.
func (s *Simuls) Commands() []command.Command {
	return []command.Command{{
		Command: chat.Command{Name: "simul"}, As: "many",
		Run:     s.call,
		Presses: map[string]command.Pressed{"simul": s.press},
	}}
}

// call begins to gather opponents.
func (s *Simuls) call(ctx context.Context, r chat.Request) error {
	if err := s.May(ctx, r); err != nil {
		return err
	}
	terms, err := s.Host.Terms(ctx, r)
	if err != nil {
		return err
	}
	look, err := s.Host.FirstLook(ctx, r)
	if err != nil {
		return err
	}
	terms.Given, terms.Rated, terms.Seed, terms.Note = nil, false, 0, "" // each match draws its own
	next := storage.Simul{Gathering: storage.Gathering{Look: look}, Simul: simul.New(r.By, terms, r.At),
		Threads: r.Yes("thread", true) && !r.Thread && !r.News && r.Allowed.CreateThreads}
	return s.Begin(ctx, r, next, func(t view.Tongue, _ storage.Simul) string { return t.Say("simul.called") })
}

// press carries out a button of a simul. What it does depends on the simul as it stands.
func (s *Simuls) press(ctx context.Context, r chat.Request, p view.Press) error {
	one, what, arg, err := s.Pressed(ctx, r, p, view.No("refused.simulOver"))
	if err != nil {
		return err
	}
	switch what {
	case "join":
		return s.join(ctx, r, one)
	case "leave":
		return s.act(ctx, r, one, "simul.left", func(x simul.Simul) (simul.Simul, error) { return x.Leave(r.By, r.At) })
	case "start":
		return s.act(ctx, r, one, "simul.started", func(x simul.Simul) (simul.Simul, error) { return x.Start(r.By, r.At) })
	case "stop":
		return s.stop(ctx, r, one, arg == "sure")
	case "next":
		after, _ := strconv.Atoi(arg)
		return s.next(ctx, r, one, after)
	}
	return view.No("unknown.button")
}

// join adds the asking member, unless the member and the giver have blocked one another.
func (s *Simuls) join(ctx context.Context, r chat.Request, one storage.Simul) error {
	if one.Find(r.By) < 0 && r.By != one.Giver {
		own, err := s.Store.Member(ctx, r.By)
		if err != nil {
			return err
		}
		giver, err := s.Store.Member(ctx, one.Giver)
		if err != nil {
			return err
		}
		if own.Blocks(one.Giver) || giver.Blocks(r.By) {
			return view.No("refused.unwelcome", "Who", view.Mention(one.Giver))
		}
	}
	return s.act(ctx, r, one, "simul.in", func(x simul.Simul) (simul.Simul, error) { return x.Join(r.By, r.At) })
}

// act changes a simul for a press, once, and tells the member.
func (s *Simuls) act(ctx context.Context, r chat.Request, one storage.Simul, told string,
	f func(simul.Simul) (simul.Simul, error)) error {
	_, err := s.Change(ctx, one, storage.Cause{Interaction: r.ID, At: r.At, By: r.By}, simul.ErrOver,
		func(now storage.Simul) (_ storage.Simul, err error) {
			now.Simul, err = f(now.Simul)
			return now, err
		})
	if err != nil {
		return refusal(err)
	}
	return chat.Reply(ctx, s.Chat, r, chat.Private(s.House.Tongue(r).Say(told, "Giver", view.Mention(one.Giver))))
}

// refusals are the catalogue's keys of what a simul refuses.
var refusals = map[error]string{
	simul.ErrFull: "refused.simulFull", simul.ErrStarted: "refused.simulStarted", simul.ErrOver: "refused.simulOver",
	simul.ErrAlone: "refused.simulAlone", simul.ErrNotYours: "refused.simulGiver",
}

// refusal is err as members can read it, where a simul refuses something.
func refusal(err error) error {
	for cause, key := range refusals {
		if errors.Is(err, cause) {
			return view.No(key)
		}
	}
	return err
}

// stop ends a simul for its giver, or for who may manage messages here. They are asked first where games
// have begun.
func (s *Simuls) stop(ctx context.Context, r chat.Request, one storage.Simul, sure bool) error {
	t := s.House.Tongue(r)
	switch {
	case one.Giver != r.By && !r.Manages:
		return view.No("refused.simulStop")
	case one.Over() || one.Stopped:
		return view.No("refused.simulOver")
	case !sure && !one.Started.IsZero():
		return chat.Reply(ctx, s.Chat, r, live.Sure(t, "simul.stop", do(one, "stop.sure")))
	}
	return s.act(ctx, r, one, "simul.ended", func(x simul.Simul) (simul.Simul, error) { return x.Stop(r.At), nil })
}

// next leads the giver to the next board, after that of a number, on which it is their turn; an opponent
// to their own.
func (s *Simuls) next(ctx context.Context, r chat.Request, one storage.Simul, after int) error {
	t := s.House.Tongue(r)
	if i := one.Find(r.By); i >= 0 {
		return s.lead(ctx, r, one, i, t.Say("simul.yours"))
	}
	switch {
	case one.Giver != r.By:
		return view.No("refused.simulNext")
	case one.Over():
		return view.No("refused.simulOver")
	}
	waiting, err := s.waiting(ctx, one.Opponents)
	if err != nil {
		return err
	}
	if len(waiting) == 0 {
		msg := chat.Private(t.Say("simul.noneWaits"))
		msg.Blocks = append(msg.Blocks, again(t, one, 0))
		return chat.Reply(ctx, s.Chat, r, msg)
	}
	i := waiting[0]
	if next := slices.IndexFunc(waiting, func(w int) bool { return w >= after }); next >= 0 { // after counts from 1
		i = waiting[next]
	}
	return s.lead(ctx, r, one, i, t.Say("simul.next", "Who", opponent(t, one.Opponents[i]), "Count", len(waiting)))
}

// waiting are the places of the opponents on whose boards it is the giver's turn.
func (s *Simuls) waiting(ctx context.Context, opponents []simul.Opponent) (places []int, err error) {
	for i, o := range opponents {
		if o.Match == 0 || o.Result != simul.Open {
			continue
		}
		rec, err := s.Store.Match(ctx, o.Match)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return nil, err
		}
		if err == nil && rec.Phase == game.Playing && rec.ToMove() == 0 {
			places = append(places, i)
		}
	}
	return places, nil
}

// lead leads the asking member to the board of an opponent.
func (s *Simuls) lead(ctx context.Context, r chat.Request, one storage.Simul, i int, text string) error {
	t := s.House.Tongue(r)
	link, err := s.link(ctx, one.Opponents[i].Match)
	if err != nil {
		return err
	}
	if link == "" {
		link = t.Say("simul.soon")
	}
	msg := chat.Private(text + "\n" + link)
	if one.Giver == r.By {
		msg.Blocks = append(msg.Blocks, again(t, one, i+1))
	}
	return chat.Reply(ctx, s.Chat, r, msg)
}

// again is the button that leads to the board after that of a number.
func again(t view.Tongue, one storage.Simul, after int) chat.Block {
	return chat.Block{Row: []chat.Button{{ID: do(one, "next."+strconv.Itoa(after)), Label: t.Say("button.simul.next"),
		Style: chat.Primary}}}
}
