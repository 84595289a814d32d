// Package sabotage names the protections that tests switch off, to prove that a test fails
// without them. Nothing outside this module can set them, and no command does.
package sabotage

// Bolt switches off protections of storage/bolt.
type Bolt struct {
	NoSync   bool // never wait for the disk
	EarlyAck bool // answer before the commit

	ServeOlder bool // open an older copy of the store beside a later backup as if it were the store
}

// Store switches off protections of package storage.
type Store struct {
	NoIdempotency bool // apply a cause as often as it comes
	NoWork        bool // write no work rows
	NoScreen      bool // write no screen rows
	DeafDiary     bool // what is written does not change when something is due
	KeepAhead     bool // what a clock that was ahead has left stays
	NoList        bool // rows of every kind are written, whatever the store lists and whoever has it open
	NoSecondLook  bool // delete a server's data to the end although the bot is there again
}

// Etcd switches off protections of storage/etcd.
type Etcd struct {
	NoFence bool // write under a lease that is over as if it were not
}
