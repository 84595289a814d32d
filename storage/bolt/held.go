package bolt

import (
	"fmt"
	"time"
)

// Held is the refusal that a second process gets: the store is in use, and by whom.
type Held struct {
	Path  string    `json:"-"`
	PID   int       `json:"pid"`
	Name  string    `json:"name"`
	Since time.Time `json:"since"`

	// Socket is where the process takes what others would do with the store; empty: nowhere.
	Socket string `json:"socket,omitempty"`

	// Opened says that a store was opened at this path, by this process or before it.
	Opened bool `json:"opened,omitempty"`
}

func lockPath(path string) string { return path + ".lock" }

// Error names the process that has the store.
func (h *Held) Error() string {
	if h.PID == 0 {
		return fmt.Sprintf("%s is in use by another process", h.Path)
	}
	return fmt.Sprintf("%s is in use by process %d (%s, since %s)", h.Path, h.PID, h.Name,
		h.Since.Format("2006-01-02 15:04:05 MST"))
}
