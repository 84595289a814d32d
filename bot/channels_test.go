package bot

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"tengen/bot/chat"
	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
)

// narrow is a line on servers that allow games in no channel. What a member asks for is carried out as it
// would be there; where it is refused for the channel, it is carried out as for a manager. So a
// conversation goes on as ever, while everything in it is tried once where games are not wanted.
type narrow struct {
	*discord.Adapter
	*asked
	house   *house
	servers sync.Map // whether a server has the setting
	public  sync.Map // by an interaction's token: what was said by it to all
}

// asked are the commands and buttons that were refused for the channel.
type asked struct {
	mu      sync.Mutex
	refused map[string]bool
}

func (n *narrow) Answer(ctx context.Context, t chat.Ticket, a chat.Answer) (uint64, error) {
	id, err := n.Adapter.Answer(ctx, t, a)
	if a.Kind == chat.Say && !a.Message.Private {
		n.public.Store(t.Token, id)
	}
	return id, err
}

func (n *narrow) Send(ctx context.Context, to chat.To, m chat.Message) (uint64, error) {
	id, err := n.Adapter.Send(ctx, to, m)
	if to.Token != "" && !to.Original && to.Message == 0 && !m.Private {
		n.public.Store(to.Token, id)
	}
	return id, err
}

func (n *narrow) Run(ctx context.Context, h chat.Handler) error {
	return n.Adapter.Run(ctx, &narrowed{n, h.(*Bot)})
}

// narrowed is the bot on a narrow line.
type narrowed struct {
	line *narrow
	*Bot
}

// anywhere are the commands that answer otherwise with the setting: they show it, or they offer less. So do messages.
var anywhere = []string{"server", "top", "games"}

func (b *narrowed) Handle(ctx context.Context, r chat.Request) string {
	p, _ := view.ParsePress(r.Custom)
	other := r.Kind == chat.Said || slices.Contains(anywhere, b.Spoken(r)) || slices.Contains(anywhere, p.Arg)
	if r.Place.Server != 0 {
		b.allow(r.Place.Server, !other)
	}
	if r.Place.Server == 0 || other || r.Manages || r.Governs || r.Kind == chat.Complete {
		return b.Bot.Handle(ctx, r)
	}
	b.screens.Learn(r)
	seed := b.line.house.seeds.Load()
	before := b.lives(r, true)
	err := b.dispatch(ctx, r)
	if view.IsRefused(err, "refused.channel") {
		b.line.refuse(b.Spoken(r))
		b.line.house.seeds.Store(seed) // the games are the same as without the trial
		r.Manages = true
		return b.Bot.Handle(ctx, r)
	}
	b.keeps(r, before)
	if err != nil {
		return b.apologize(ctx, r, err)
	}
	return ""
}

// allow gives a server the setting, or takes it away.
func (b *narrowed) allow(server uint64, narrow bool) {
	if was, _ := b.line.servers.Swap(server, narrow); was == narrow {
		return
	}
	if _, err := b.store.SetServer(context.Background(), server, func(s storage.Server) (storage.Server, error) {
		s.Channels = nil
		if narrow {
			s.Channels = []uint64{1}
		}
		return s, nil
	}); err != nil {
		b.line.house.t.Error(err)
	}
}

func (a *asked) refuse(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused[name] = true
}

// lives are what lives in the server of r, by ids of its kinds: matches, those that are over too where that is
// asked for, and the tournaments, simuls and games of all.
func (b *narrowed) lives(r chat.Request, over bool) map[any]storage.Record {
	all := map[any]storage.Record{}
	note := func(rec storage.Record) bool { all[rec.ID] = rec; return true }
	err := b.store.Live(context.Background(), note)
	if over {
		err = errors.Join(err, b.store.Archive(context.Background(), note))
	}
	events, err2 := b.store.EventsIn(context.Background(), r.Place.Server, false, storage.MaxOpen)
	for _, e := range events {
		all[e.ID] = storage.Record{}
	}
	if c, err := storage.Togethers.In(context.Background(), b.store, r.Place); err == nil {
		all[[2]any{c.Place, c.ID}] = storage.Record{}
	}
	if s, err := storage.Simuls.In(context.Background(), b.store, r.Place); err == nil {
		all[[2]any{s.Place, s.ID}] = storage.Record{}
	}
	testkit.Check(b.line.house.t, errors.Join(err, err2))
	return all
}

// keeps reports as errors what r has brought into its channel: whatever lives there now and did not before, or an
// answer that all see and that is no board of a match that may live there. What a tournament, a ladder or
// a simul begins belongs to them.
func (b *narrowed) keeps(r chat.Request, before map[any]storage.Record) {
	may := before
	for id, rec := range b.lives(r, false) {
		if _, was := before[id]; !was && rec.Link == (storage.Link{}) {
			b.line.house.t.Errorf("%s brings %T %v into a channel that the server does not allow", b.Spoken(r), id, id)
		}
		may[id] = rec
	}
	said, public := b.line.public.Load(r.Token)
	if !public {
		return
	}
	for id := range may {
		if id, ok := id.(game.MatchID); ok {
			if sc, err := b.store.Screen(context.Background(), id); err == nil && sc.Message == said.(uint64) {
				return
			}
		}
	}
	b.line.house.t.Errorf("%s says something to all in a channel that the server does not allow", b.Spoken(r))
}

// Whatever brings something new into a channel is refused where the server does not allow it there: everything
// that members do in the conversations is tried in servers that allow it nowhere. A refusal leaves
// nothing behind, since the conversation then goes on word for word. Where -run, -skip or -failfast leaves
// conversations out, the others do not tell what all of them would ask.
func TestChannelsAreKept(t *testing.T) {
	t.Parallel()
	all := &asked{refused: map[string]bool{}}
	talks := slices.DeleteFunc(conversations(t), func(f string) bool {
		about := []string{"settings.txt", "pageserver.txt", "seekserver.txt"} // the setting
		return slices.Contains(about, filepath.Base(f))
	})
	told := 0
	t.Run("talks", func(t *testing.T) {
		for _, f := range talks {
			t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
				told++
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					standin.EnterBubble()
					converse(t, f, nil, standin.Options{}, func(h *house, d *discord.Adapter) Line {
						return &narrow{Adapter: d, house: h, asked: all}
					})
				})
			})
		}
	})
	if told < len(talks) {
		return
	}
	for _, name := range []string{"play", "Challenge to a game", "watch", "import", "together", "board", "game", "which",
		"event create", "menu", "start", "load", "lent", "whom", "from", "rematch", "post", "puzzle", "node",
		"evmake", "evsure",
		"evwhen", "ladder"} {
		if !all.refused[name] {
			t.Errorf("no conversation has %s refused for its channel", name)
		}
		delete(all.refused, name)
	}
	for name := range all.refused {
		t.Errorf("%s is refused for its channel, and was not listed", name)
	}
}
