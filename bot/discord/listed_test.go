package discord

import (
	"maps"
	"slices"
)

// listed are the servers that the bot is in, as far as Discord has told.
func (d *Adapter) listed() []uint64 {
	d.servers.mu.Lock()
	defer d.servers.mu.Unlock()
	return slices.Sorted(maps.Keys(d.servers.ids))
}
