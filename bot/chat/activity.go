package chat

import (
	"context"

	"tengen/game"
	"tengen/game/venue"
)

// Activity is what the chat service says of the application's Activity: who has it open where, and who a member is.
type Activity interface {
	// Instance gives an instance that is open. The error is Gone where there is none, and Busy where too many were
	// asked for. The list of who has it open lags behind by a moment.
	Instance(ctx context.Context, id string) (Instance, error)
	// Member gives the member who let the application know them, by the code that their client got for it. A code is
	// good once, and nothing of it is kept.
	Member(ctx context.Context, code string) (game.MemberID, error)
}

// Instance is the Activity as it is open in a place.
type Instance struct {
	ID    string
	Place venue.Place
	Users []game.MemberID // who have it open
}
