// Package venue says where and when something lives on Discord: a place is a server and a channel,
// and an id tells the moment at which it was given. Rules, rows and messages share these words; the
// package knows none of them. Start from Place.
package venue

import "time"

// Place is where something happens: a match, a vote, a message. Server 0 stands for direct messages.
type Place struct{ Server, Channel uint64 }

// epoch is Discord's, in milliseconds of Unix time. The ids of interactions and of matches count from it.
const epoch = 1420070400000

// IDAt is the smallest id of a moment.
func IDAt(t time.Time) uint64 { return uint64(max(t.UnixMilli()-epoch, 0)) << 22 }

// TimeOf is when an id was given, of a match as of anything of Discord's.
func TimeOf(id uint64) time.Time { return time.UnixMilli(int64(id>>22) + epoch).UTC() }
