package storage

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/storage/codec"
	"tengen/storage/kv"
)

// A page shows a match outside Discord. The store keeps who may open one: links that are good once, passes of
// members' browsers, and the secrets of shared matches. Of links and passes it has hashes alone.

// How long a link and a pass are good.
const (
	LinkLife = 2 * time.Minute
	PassLife = 7 * 24 * time.Hour // from the last use

	// MemoryLife is how long a pass is good that a process keeps in memory.
	MemoryLife = 15 * time.Minute

	// passRenewed is how much of a pass is over before a use of it is noted: most uses write nothing.
	passRenewed = time.Hour
)

// Secret is what a link or a pass consists of: random bytes.
type Secret [32]byte

// key is the row of a link or a pass.
func (s Secret) key() []byte {
	sum := sha256.Sum256(s[:])
	return append([]byte{tPass}, sum[:]...)
}

// tradedFor is the secret under which it stands for what a link that was traded for a pass was good: who has both alone
// knows it.
func (s Secret) tradedFor(pass Secret) Secret { return sha256.Sum256(append(s[:], pass[:]...)) }

// Pass is what a secret is good for. Without a member it says how long one has no older passes (EndPasses).
type Pass struct {
	Member game.MemberID
	Match  game.MatchID // that a link opens; 0: it is no link, but a browser's pass
	Ends   time.Time
}

func (p *Pass) Fields(f *codec.Fields) {
	f.Format(1, 1)
	codec.ID(f, "", &p.Member)
	codec.ID(f, "", &p.Match)
	f.Time("", &p.Ends)
}

// good reports whether a pass is a member's and has not ended.
func (p Pass) good(now time.Time) bool { return p.Member != 0 && !p.over(now) }

// over reports whether a row has ended. One that ends too far ahead is of a clock that was ahead.
func (p Pass) over(now time.Time) bool {
	return !now.Before(p.Ends) || p.Ends.After(now.Add(PassLife+game.ClockError))
}

// Link makes a secret a link: it opens a match for a member, once, within LinkLife.
func (s *Store) Link(ctx context.Context, secret Secret, member game.MemberID, match game.MatchID,
	now time.Time) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error {
		return tx.Put(secret.key(), codec.Encode(Pass{member, match, now.Add(LinkLife)}))
	})
}

// Trade uses a link up, and makes pass a pass of its member. It gives what the link was good for. The same link and
// pass are traded again, for a browser that has not heard the answer, as long as the link would be good. It is
// ErrNotFound where there is no such link, or not any more.
func (s *Store) Trade(ctx context.Context, link, pass Secret, now time.Time) (was Pass, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		if was, err = need[Pass](tx, link.tradedFor(pass).key()); err == nil && was.good(now) {
			_, err = need[Pass](tx, pass.key())
			return err
		}
		if was, err = need[Pass](tx, link.key()); err != nil {
			return err
		}
		if was.Match == 0 || !was.good(now) {
			return ErrNotFound
		}
		return firstOf(tx.Delete(link.key()), tx.Put(link.tradedFor(pass).key(), codec.Encode(was)),
			tx.Put(pass.key(), codec.Encode(Pass{Member: was.Member, Ends: now.Add(PassLife)})))
	})
	if err != nil {
		return Pass{}, err
	}
	return was, nil
}

// Bearer gives the member of a pass, which is good for PassLife again. It is ErrNotFound where there is no such pass,
// or not any more.
func (s *Store) Bearer(ctx context.Context, pass Secret, now time.Time) (game.MemberID, error) {
	look := func(r kv.Reader) (Pass, error) {
		p, err := need[Pass](r, pass.key())
		if err == nil && (p.Match != 0 || !p.good(now)) {
			err = ErrNotFound
		}
		return p, err
	}
	var p Pass
	err := s.kv.View(ctx, func(r kv.Reader) (err error) {
		p, err = look(r)
		return err
	})
	if err != nil {
		return 0, err
	}
	if p.Ends.Sub(now) > PassLife-passRenewed {
		return p.Member, nil
	}
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		if p, err = look(tx); err != nil { // ended meanwhile
			return err
		}
		p.Ends = now.Add(PassLife)
		return tx.Put(pass.key(), codec.Encode(p))
	})
	if err != nil {
		return 0, err
	}
	return p.Member, nil
}

// EndPasses ends all passes of a member, and the links that they have not used. Those that processes keep in memory
// end by a row that says when (PassesEnded).
func (s *Store) EndPasses(ctx context.Context, member game.MemberID, now time.Time) error {
	err := s.kv.Update(ctx, func(tx kv.Tx) error {
		return tx.Put(endedKey(member), codec.Encode(Pass{Ends: now.Add(MemoryLife)}))
	})
	return firstOf(err, s.dropPassesOf(ctx, member))
}

func (s *Store) dropPassesOf(ctx context.Context, member game.MemberID) error {
	return s.dropPasses(ctx, func(p Pass) bool { return p.Member == member })
}

// endedKey is the row that says when a member has ended their passes. It names nobody.
func endedKey(member game.MemberID) []byte {
	sum := sha256.Sum256(key(tPass, uint64(member)))
	return append([]byte{tPass}, sum[:]...)
}

// PassesEnded is when a member last ended their passes; zero: not within MemoryLife.
func (s *Store) PassesEnded(ctx context.Context, member game.MemberID, now time.Time) (at time.Time, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		p, err := get[Pass](r, endedKey(member))
		if now.Before(p.Ends) {
			at = p.Ends.Add(-MemoryLife)
		}
		return err
	})
	return at, err
}

// dropPasses deletes the passes that are over, by a few in each transaction.
func (s *Store) dropPasses(ctx context.Context, over func(Pass) bool) error {
	var gone [][]byte
	err := s.kv.View(ctx, func(r kv.Reader) error {
		gone = nil
		return scan(r, under(tPass), func(k []byte, p Pass) bool {
			if over(p) {
				gone = append(gone, k)
			}
			return true
		})
	})
	for err == nil && len(gone) > 0 {
		part := gone[:min(len(gone), s.options.Chunk)]
		gone = gone[len(part):]
		err = s.kv.Update(ctx, func(tx kv.Tx) error {
			for _, k := range part {
				p, err := get[Pass](tx, k)
				if err == nil && over(p) { // else it was used meanwhile
					err = tx.Delete(k)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return err
}

// ShareSecret is the secret of a shared match: random bytes.
type ShareSecret [16]byte

// Share is a match that whoever has its secret may look at.
type Share struct {
	Match  game.MatchID
	Secret ShareSecret
}

func (v *Share) Fields(f *codec.Fields) {
	f.Format(1, 1)
	codec.Part(f, "", 0, &v.Match)
	for i := range v.Secret {
		codec.Small(f, "", &v.Secret[i], 255)
	}
}

func shareKey(id game.MatchID) []byte { return key(tShare, uint64(id)) }

// index is the row by which a secret is found, under a part of its hash.
func (s ShareSecret) index(id game.MatchID) []byte {
	return key(tShared, s.hash(), uint64(id))
}

func (s ShareSecret) hash() uint64 {
	sum := sha256.Sum256(s[:])
	return binary.BigEndian.Uint64(sum[:])
}

// Share shares a match, by the secret that it has already, else by fresh.
func (s *Store) Share(ctx context.Context, id game.MatchID, fresh ShareSecret) (secret ShareSecret, err error) {
	err = s.kv.Update(ctx, func(tx kv.Tx) error {
		if _, err := readRecord(tx, id); err != nil {
			return err
		}
		v, err := get[Share](tx, shareKey(id))
		if secret = v.Secret; err != nil || secret != (ShareSecret{}) {
			return err
		}
		secret = fresh
		return firstOf(tx.Put(shareKey(id), codec.Encode(Share{id, fresh})), tx.Put(fresh.index(id), none))
	})
	return secret, err
}

// Unshare ends the sharing of a match. Its secret is never good again.
func (s *Store) Unshare(ctx context.Context, id game.MatchID) error {
	return s.kv.Update(ctx, func(tx kv.Tx) error { return unshare(tx, id) })
}

// UnshareAll ends the sharing of all matches of a server, by a few in each transaction.
func (s *Store) UnshareAll(ctx context.Context, server uint64) error {
	var all []game.MatchID
	err := s.kv.View(ctx, func(r kv.Reader) error {
		all = nil
		shares, err := allIn[Share](r, under(tShare))
		for _, v := range shares {
			rec, e := readRecord(r, v.Match)
			if e == nil && rec.Place.Server == server {
				all = append(all, v.Match)
			}
			if e != nil && !errors.Is(e, ErrNotFound) {
				err = firstOf(err, e)
			}
		}
		return err
	})
	for err == nil && len(all) > 0 {
		part := all[:min(len(all), s.options.Chunk)]
		all = all[len(part):]
		err = s.kv.Update(ctx, func(tx kv.Tx) error {
			for _, id := range part {
				if err := unshare(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return err
}

func unshare(tx kv.Tx, id game.MatchID) error {
	v, err := get[Share](tx, shareKey(id))
	if err != nil || v.Secret == (ShareSecret{}) {
		return err
	}
	return firstOf(tx.Delete(shareKey(id)), tx.Delete(v.Secret.index(id)))
}

// Shared gives the match that a secret shares; ErrNotFound where it shares none.
func (s *Store) Shared(ctx context.Context, secret ShareSecret) (id game.MatchID, err error) {
	err = s.kv.View(ctx, func(r kv.Reader) error {
		ids, err := partsIn[game.MatchID](r, under(tShared, secret.hash()), 1, -1, nil)
		if err != nil {
			return err
		}
		for _, one := range ids {
			v, err := get[Share](r, shareKey(one))
			if err != nil {
				return err
			}
			if subtle.ConstantTimeCompare(v.Secret[:], secret[:]) == 1 {
				id = one
				return nil
			}
		}
		return ErrNotFound
	})
	return id, err
}

func (allPages) tables() []table {
	return []table{
		{tPass, anyOf[Pass], nil, false},
		{tShare, anyOf[Share], verifyShare, false},
		{tShared, markRow, verifyShared, false},
	}
}

// forget writes no row of its own: beside a program without pages none may be left.
func (allPages) forget(ctx context.Context, s *Store, member game.MemberID, _ time.Time) error {
	return s.dropPassesOf(ctx, member)
}

// verifyShare looks for the match of a share, and for the row by which its secret is found.
func verifyShare(_ *Store, r kv.Reader, _ []byte, v any) error {
	share := v.(Share)
	index, err := r.Get(share.Secret.index(share.Match))
	if err == nil && index == nil {
		err = fmt.Errorf("the shared match %d is not found by its secret", share.Match)
	}
	_, missing := readRecord(r, share.Match)
	return firstOf(err, missing)
}

// verifyShared looks for the share to which a row leads.
func verifyShared(_ *Store, r kv.Reader, k []byte, _ any) error {
	id := game.MatchID(part(k, 1))
	v, err := get[Share](r, shareKey(id))
	if err == nil && string(v.Secret.index(id)) != string(k) {
		err = fmt.Errorf("match %d is not shared by this secret", id)
	}
	return err
}

// pageAct is the row of an act of a page: the act's own number, of which the upper bits are milliseconds, made a
// time as interactions have, so that both are swept together; behind it a hash of member and number. Members
// choose numbers, so the member has to be in it, and the length tells it from an interaction.
func pageAct(by game.MemberID, number uint64) []byte {
	sum := sha256.Sum256(key(tSeen, uint64(by), number))
	return key(tSeen, venue.IDAt(NumberedAt(number)), binary.BigEndian.Uint64(sum[:]))
}

// NumberedAt is the time in the number of a page's act.
func NumberedAt(number uint64) time.Time { return millis(int64(number >> numberBits)) }

// numberBits tell apart what a page numbers in one millisecond.
const numberBits = 20

// NumberAt is the smallest number of a page's act at a time.
func NumberAt(at time.Time) uint64 { return millisOf(at) << numberBits }

// NumberLate is how far the number of an act may be from the time at which it comes. One that is further away
// might be forgotten at once, or never.
const NumberLate = KeepSeen / 2
