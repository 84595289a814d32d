package storage

import (
	"context"
	"slices"
	"time"

	"tengen/game"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

var ordersRow = metaKey("orders")

// MostBulletin is how long the text of a bulletin may be, in bytes.
const MostBulletin = 400

// Orders are what the operator has ordered while the bot runs: whom it serves no more, and what it says under every
// board. They outlive the data of those whom they name.
type Orders struct {
	Members  []game.MemberID // who are banned, in ascending order
	Servers  []uint64        // which are banned, in ascending order
	Bulletin string          // stands under boards; empty: nothing does
	Until    time.Time       // of the bulletin
}

// Fields walks the orders.
func (o *Orders) Fields(f *codec.Fields) {
	f.Format(1, 1)
	codec.IDs(f, "members", &o.Members, codec.AnyLength)
	codec.IDs(f, "servers", &o.Servers, codec.AnyLength)
	f.Text("bulletin", &o.Bulletin, MostBulletin)
	f.Time("until", &o.Until)
}

// BansMember reports whether a member is served no more.
func (o Orders) BansMember(id game.MemberID) bool {
	_, there := slices.BinarySearch(o.Members, id)
	return there
}

// BansServer reports whether a server is served no more.
func (o Orders) BansServer(id uint64) bool {
	_, there := slices.BinarySearch(o.Servers, id)
	return there
}

// Orders gives the operator's orders.
func (s *Store) Orders(ctx context.Context) (Orders, error) { return lookAt[Orders](ctx, s, ordersRow) }

// Order changes the operator's orders by f.
func (s *Store) Order(ctx context.Context, f func(Orders) Orders) (o Orders, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		was, err := get[Orders](tx, ordersRow)
		if err != nil {
			return err
		}
		o = f(was)
		if len(o.Members) == 0 && len(o.Servers) == 0 && o.Bulletin == "" {
			o = Orders{}
			return tx.Delete(ordersRow)
		}
		return tx.Put(ordersRow, codec.Encode(o))
	})
	return o, err
}

// with is ids, which are in ascending order, with one of them in or out.
func with[T ~uint64](ids []T, id T, in bool) []T {
	at, there := slices.BinarySearch(ids, id)
	switch {
	case in && !there:
		return slices.Insert(slices.Clone(ids), at, id)
	case there && !in:
		return slices.Delete(slices.Clone(ids), at, at+1)
	}
	return ids
}

// BanMember bans a member, or serves them again.
func (o Orders) BanMember(id game.MemberID, banned bool) Orders {
	o.Members = with(o.Members, id, banned)
	return o
}

// BanServer bans a server, or serves it again.
func (o Orders) BanServer(id uint64, banned bool) Orders {
	o.Servers = with(o.Servers, id, banned)
	return o
}
