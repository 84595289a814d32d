package bot

import (
	"context"

	"tengen/game"
)

// Page is the board as a page, as far as the bot needs it: package web serves it.
type Page interface {
	// Link gives an address that opens a match for a member: once, and within two minutes.
	Link(ctx context.Context, by game.MemberID, id game.MatchID) (string, error)
	// Shared gives the address under which everybody may look at a match, or ends it (on is false).
	Shared(ctx context.Context, by game.MemberID, id game.MatchID, on bool) (string, error)
	// LinksOff ends the sharing of all matches of a server.
	LinksOff(ctx context.Context, server uint64) error
	// End ends all of a member's pages.
	End(ctx context.Context, by game.MemberID) error
	// Open reports whether a member has a match open in a page that they can see.
	Open(by game.MemberID, id game.MatchID) bool
	// Launched hears that a member's press on a match has opened the Activity. instance is as Discord names
	// it; empty where Discord's answer was lost.
	Launched(by game.MemberID, id game.MatchID, instance string)
}
