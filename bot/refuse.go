package bot

import (
	"errors"

	"tengen/bot/view"
	"tengen/game"
	"tengen/storage/kv"
)

// refused is a refusal of the bot's own: a key of the catalogue with its arguments.
type refused struct {
	key  string
	args []any
}

func (r refused) Error() string { return r.key }

// no refuses a request for a reason of the bot's own.
func no(key string, args ...any) error { return refused{key, args} }

// reason words an error for a member. ok is false for errors that are nobody's business:
// those are logged, and the member reads one apology.
func reason(t view.Tongue, err error) (text string, ok bool) {
	var own refused
	var rule *game.Refusal
	switch {
	case errors.As(err, &own):
		return t.Say(own.key, own.args...), true
	case errors.As(err, &rule):
		return t.Refusal(rule), true
	case errors.Is(err, kv.ErrUnreachable):
		return t.Say("refused.away"), true
	}
	return t.Say("sorry"), false
}

// isRefused reports whether err is a refusal of the bot's own, by its key.
func isRefused(err error, key string) bool {
	var own refused
	return errors.As(err, &own) && own.key == key
}
