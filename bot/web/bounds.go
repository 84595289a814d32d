package web

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"tengen/game"
)

// How much of each there may be.
const (
	mostOfMember    = 8   // sockets
	mostOfAddress   = 20  // sockets that watch
	mostWaiting     = 100 // sockets of an address that have not said who they are
	actsASecond     = 5   // of a member
	mostMessages    = 30  // of a socket at once
	messagesASecond = 10
	mostAsks        = 60 // of an address at once: questions without a socket, shared games, links
	asksASecond     = 20
	mostPolls       = 100 // of an instance at once, whose members have one address
	pollsASecond    = 50
	mostCodes       = 20 // of an instance at once: each is asked of Discord
	codesASecond    = 1
)

// bounds count what members and addresses have, in memory alone.
type bounds struct {
	mu       sync.Mutex
	members  map[game.MemberID]int
	watching map[netip.Addr]int
	waiting  map[netip.Addr]int
	acts     map[game.MemberID]*bucket
	asks     map[netip.Addr]*bucket
	polls    map[string]*bucket // by instance, as codes
	codes    map[string]*bucket
}

// bucket is room that fills again with time.
type bucket struct {
	used float64
	at   time.Time
}

// take takes one of most, of which perSecond come back.
func (b *bucket) take(now time.Time, most, perSecond float64) bool {
	b.used = max(0, b.used-perSecond*max(0, now.Sub(b.at).Seconds()))
	b.at = now
	if b.used+1 > most {
		return false
	}
	b.used++
	return true
}

// takeOf takes from the bucket of a key. Buckets that are full again go.
func takeOf[K comparable](all *map[K]*bucket, key K, now time.Time, most, perSecond float64) bool {
	b := (*all)[key]
	if b == nil {
		b = &bucket{at: now}
		keep(all, key, b, func(b *bucket) bool { return now.Sub(b.at) > time.Minute })
	}
	return b.take(now, most, perSecond)
}

// act counts an act of a member. It is false where it is one too many.
func (b *bounds) act(by game.MemberID, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return takeOf(&b.acts, by, now, actsASecond, actsASecond)
}

// ask counts a question of an address.
func (b *bounds) ask(addr netip.Addr, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return takeOf(&b.asks, addr, now, mostAsks, asksASecond)
}

// poll counts a question of an instance without a socket.
func (b *bounds) poll(instance string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return takeOf(&b.polls, instance, now, mostPolls, pollsASecond)
}

// code counts a proof of an instance.
func (b *bounds) code(instance string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return takeOf(&b.codes, instance, now, mostCodes, codesASecond)
}

// arrive counts a socket that has not said who it is, until arrived.
func (b *bounds) arrive(addr netip.Addr) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return more(&b.waiting, addr, mostWaiting)
}

func (b *bounds) arrived(addr netip.Addr) {
	b.mu.Lock()
	defer b.mu.Unlock()
	less(b.waiting, addr)
}

// member counts a socket of a member, until done.
func (b *bounds) member(by game.MemberID) (done func(), ok bool) {
	return counted(b, &b.members, by, mostOfMember)
}

// watcher counts a socket of an address that watches, until done.
func (b *bounds) watcher(addr netip.Addr) (done func(), ok bool) {
	return counted(b, &b.watching, addr, mostOfAddress)
}

func counted[K comparable](b *bounds, counts *map[K]int, key K, most int) (done func(), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !more(counts, key, most) {
		return nil, false
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		less(*counts, key)
	}, true
}

func more[K comparable](counts *map[K]int, key K, most int) bool {
	if *counts == nil {
		*counts = map[K]int{}
	}
	if (*counts)[key] >= most {
		return false
	}
	(*counts)[key]++
	return true
}

func less[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}

// address is where a request comes from: the last of the addresses that are not proxies of ours. Of a network of IPv6
// it is the network, since each machine there has addresses without end.
func (s *Server) address(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	addr := at.Addr().Unmap()
	said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, text := range slices.Backward(said) {
		if !s.proxied(addr) {
			break
		}
		before, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			break
		}
		addr = before.Unmap()
	}
	if addr.Is6() {
		if net, err := addr.WithZone("").Prefix(64); err == nil {
			return net.Addr()
		}
	}
	return addr
}

func (s *Server) proxied(addr netip.Addr) bool {
	return slices.ContainsFunc(s.Proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}
