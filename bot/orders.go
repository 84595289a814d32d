package bot

import (
	"context"
	"slices"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/servers"
	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// ordersEvery is how often a process looks whether another one has taken orders of the operator.
const ordersEvery = time.Minute

// obey reads the operator's orders now and then.
func (b *Bot) obey() {
	for b.tasks.Sleep(ordersEvery) {
		b.readOrders(b.tasks.Life)
	}
}

// readOrders keeps the orders of before where the store does not answer.
func (b *Bot) readOrders(ctx context.Context) {
	o, err := b.store.Orders(ctx)
	if err == nil {
		b.orders.Store(&o)
	} else if ctx.Err() == nil {
		b.log.Warn("reading the operator's orders", "err", err)
	}
}

// ordered are the operator's orders as this process knows them.
func (b *Bot) ordered() (o storage.Orders) {
	if known := b.orders.Load(); known != nil {
		o = *known
	}
	return o
}

// order changes the operator's orders.
func (b *Bot) order(ctx context.Context, f func(storage.Orders) storage.Orders) error {
	o, err := b.store.Order(ctx, f)
	if err == nil {
		b.orders.Store(&o)
	}
	return err
}

// bulletin is what the operator says under boards now; empty: nothing.
func (b *Bot) bulletin() string {
	if o := b.ordered(); b.now().Before(o.Until) {
		return o.Bulletin
	}
	return ""
}

// barred refuses what a banned member asks, but for their own data, and what is asked in a banned server.
func (b *Bot) barred(r chat.Request) error {
	o := b.ordered()
	switch {
	case o.BansServer(r.Place.Server):
		return no("refused.bannedServer")
	case o.BansMember(r.By) && !ofOwnData(r):
		return no("refused.banned")
	}
	return nil
}

// ofOwnData reports whether a member asks for what is stored of them.
func ofOwnData(r chat.Request) bool {
	p, err := view.ParsePress(r.Custom)
	return r.Name == "settings" || strings.HasPrefix(r.Name, "privacy ") || err == nil && p.Verb == "forget"
}

// Announce puts a line under every board that is shown from now on, until a time. An empty text takes it away.
func (b *Bot) Announce(ctx context.Context, text string, until time.Time) error {
	return b.order(ctx, func(o storage.Orders) storage.Orders {
		o.Bulletin, o.Until = text, until
		return o
	})
}

// BanMember serves a member no more, or again. Their games go on by their clocks.
func (b *Bot) BanMember(ctx context.Context, member game.MemberID, banned bool) error {
	err := b.order(ctx, func(o storage.Orders) storage.Orders { return o.BanMember(member, banned) })
	if err == nil && banned && b.page != nil {
		err = b.page.End(ctx, member)
	}
	return err
}

// BanServer leaves a server now, and whenever it adds the bot again; or serves it again.
func (b *Bot) BanServer(ctx context.Context, server uint64, banned bool) error {
	err := b.order(ctx, func(o storage.Orders) storage.Orders { return o.BanServer(server, banned) })
	if err == nil && banned {
		err = b.LeaveServer(ctx, server)
	}
	return err
}

// LeaveServer leaves a server. Its games end unrated.
func (b *Bot) LeaveServer(ctx context.Context, server uint64) error {
	if err := b.chat.Leave(ctx, server); err != nil {
		return err
	}
	b.servers.Removed(ctx, server)
	return nil
}

// leaveBanned leaves those servers that are banned.
func (b *Bot) leaveBanned(servers ...uint64) {
	o := b.ordered()
	for _, id := range slices.DeleteFunc(slices.Clone(servers), func(id uint64) bool { return !o.BansServer(id) }) {
		b.tasks.Go(func() {
			if err := b.LeaveServer(b.tasks.Life, id); err != nil {
				b.log.Warn("leaving a banned server", "server", id, "err", err)
			}
		})
	}
}

// KnownServers are the servers of which the store knows, with the orders about them.
func (b *Bot) KnownServers(ctx context.Context) ([]servers.Known, storage.Orders, error) {
	known, err := b.servers.Known(ctx)
	return known, b.ordered(), err
}

// Erase deletes all that is stored of a member, and brings the boards of their games up to date.
func (b *Bot) Erase(ctx context.Context, member game.MemberID, at time.Time) error {
	live, err := b.store.Of(ctx, member)
	if err != nil {
		return err
	}
	if err := b.store.Forget(ctx, member, at); err != nil {
		return err
	}
	if b.page != nil {
		if err := b.page.End(ctx, member); err != nil {
			return err
		}
	}
	for _, rec := range live {
		b.screens.Refresh(rec.ID, false)
	}
	return nil
}
