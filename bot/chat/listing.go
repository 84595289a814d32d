package chat

import "time"

// Listing is an entry in a server's list of its events: what happens there in a channel, and when.
type Listing struct {
	ID           uint64 // 0: it is to be made
	Name         string // at most 100 characters
	About        string // at most 1,000 characters
	Where        string // at most 100 characters
	Starts, Ends time.Time
	Status       Status
}

// Status is how far what is listed has come.
type Status uint8

// The statuses. Ahead begins and Underway ends by themselves when their time has come.
const (
	Ahead Status = 1 + iota
	Underway
	Done      // after Underway alone
	CalledOff // after Ahead alone
)
