package storage

import (
	"tengen/storage/codec"
	"time"
)

// Notice is where the message stands that shows something beside a match, such as a ladder, and
// what it shows. Whoever keeps it up to date stores what was sent, so that a crash leaves a message
// that is behind, and no second one.
type Notice struct {
	Message uint64    // 0: none yet
	Retired uint64    // is to be deleted, since Message has taken its place; 0: none
	Shown   uint32    // the version that Message shows
	Sent    time.Time // when Message was sent
	At      time.Time // when Message was last sent or edited
	Posting time.Time // since when a new message is being sent, which may be there already; zero: none is
}

// behind reports whether the message is to be sent, edited or tidied up.
func (n Notice) behind(version uint32) bool {
	return n.Shown != version || n.Retired != 0 || !n.Posting.IsZero()
}

func (n *Notice) Fields(f *codec.Fields) {
	codec.ID(f, "", &n.Message)
	codec.ID(f, "", &n.Retired)
	codec.Number(f, "", &n.Shown, codec.Any32)
	f.Time("", &n.Sent)
	f.Time("", &n.At)
	f.Time("", &n.Posting)
}
