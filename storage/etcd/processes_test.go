package etcd

import (
	"slices"
	"testing"

	"tengen/internal/testkit"
	"tengen/storage/etcd/etcdtest"
	"tengen/storage/storagetest"
)

// Each process that has written, or holds a share, is known by what it announces; one that
// announces nothing, as older programs do, is known too.
func TestProcesses(t *testing.T) {
	t.Parallel()
	c := etcdtest.Start(t, 1)
	look := open(t, c) // reads alone
	processes := func() (names []string) {
		t.Helper()
		for _, announcement := range testkit.Got(look.Processes(t.Context())) {
			names = append(names, string(announcement))
			if announcement == nil {
				names[len(names)-1] = "nothing"
			}
		}
		slices.Sort(names)
		return names
	}
	want := func(what string, want ...string) {
		t.Helper()
		if got := processes(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	want("nobody has written")
	one := open(t, c, Options{Announce: []byte("one")})
	want("one has opened the store")
	storagetest.Put(t, one, "a", "1")
	want("one has written", "one")
	old := open(t, c)
	storagetest.Put(t, old, "a", "2")
	want("an older one has written", "nothing", "one")
	testkit.Got(one.client.Revoke(t.Context(), one.receipts.lease))
	want("the lease of one has ended", "nothing")
	storagetest.Put(t, one, "a", "3")
	want("one writes again", "nothing", "one")
	old.Close()
	want("the older one has ended", "one")
	idle := open(t, c) // holds a share and has not written yet
	testkit.Got(idle.Join(t.Context(), group16()))
	want("an older one takes part", "nothing", "one")
	idle.Close()
	shares := join(t, c, Options{Announce: []byte("two")})
	want("two takes part", "one", "two")
	shares.share.Close()
	one.Close()
	want("all have ended")
}
