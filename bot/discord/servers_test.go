package discord

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/bwmarrin/discordgo"

	"tengen/bot/chat"
)

// roll is a Handler that notes which servers it is told of, and is at work on the first news until it is let go.
type roll struct {
	handlerFunc
	free chan struct{}
	told []string
}

func (r *roll) note(format string, args ...any) {
	<-r.free
	r.told = append(r.told, fmt.Sprintf(format, args...))
}

func (r *roll) Came(_ context.Context, a chat.Arrival) {
	r.note("came to %d, notices %d, %s", a.Server, a.Notices, a.Locale)
}
func (r *roll) Joined(_ context.Context, server uint64)  { r.note("joined %d", server) }
func (r *roll) Removed(_ context.Context, server uint64) { r.note("removed %d", server) }
func (r *roll) Present(_ context.Context, servers []uint64, mine func(uint64) bool) {
	var ours []int
	for shard := range 4 {
		if mine(uint64(shard) << 22) {
			ours = append(ours, shard)
		}
	}
	r.note("present %v of shards %v", servers, ours)
}

// shard is a connection, one of four, and what Discord says on it.
type shard struct{ g *gateway }

func (s shard) says(kind, data string) {
	s.g.event(&discordgo.Event{Type: kind, RawData: []byte(data)})
}

// newsOf gives what a handler is told of what Discord says while the handler is at work on the first of it.
func newsOf(t *testing.T, says func(shards []shard)) (told []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t, &fakeAPI{})
		h := &roll{free: make(chan struct{})}
		d.handler = h
		done := make(chan struct{})
		go func() { defer close(done); d.tell() }()
		var shards []shard
		for n := range 4 {
			shards = append(shards, shard{&gateway{d: d, shard: n, shards: 4}})
		}
		shards[0].says("READY", `{"guilds":[{"id":"1"}]}`)
		synctest.Wait()
		says(shards)
		close(h.free)
		d.news.add(nil)
		<-done
		told = h.told
	})
	return told
}

// However long the handler is at work on the news of servers, the sockets are read, and it hears all of it, in order.
func TestSocketsReadMeanwhile(t *testing.T) {
	const many = 3000
	told := newsOf(t, func(shards []shard) {
		for id := range many {
			shards[0].says("GUILD_CREATE", fmt.Sprintf(`{"id":"%d"}`, id+2))
		}
	})
	if len(told) != 1+many || told[1] != "joined 2" || told[many] != fmt.Sprint("joined ", many+1) {
		t.Errorf("%d news: %.100v", len(told), told)
	}
}

// The handler is told at once of lists that wait together: it looks through all servers for each. Of two lists of
// one connection the later holds. What was said between two lists stays between them.
func TestListsToldTogether(t *testing.T) {
	told := newsOf(t, func(shards []shard) {
		shards[1].says("READY", `{"guilds":[{"id":"2"},{"id":"3"}]}`)
		shards[2].says("READY", `{"guilds":[{"id":"4"}]}`)
		shards[2].says("GUILD_DELETE", `{"id":"4"}`)
		shards[2].says("READY", `{"guilds":[{"id":"4"}]}`)
		shards[3].says("READY", fmt.Sprintf(`{"guilds":[{"id":"%d"},{"id":"%d"}]}`, 3<<22, 7<<22))
		shards[3].says("READY", fmt.Sprintf(`{"guilds":[{"id":"%d"}]}`, 7<<22))
	})
	want := []string{"present [1] of shards [0]", "present [2 3 4] of shards [1 2]", "removed 4",
		fmt.Sprintf("present [4 %d] of shards [2 3]", 7<<22)}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
