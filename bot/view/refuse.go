package view

import (
	"errors"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
	"tengen/storage/kv"
)

// refused is a refusal of the bot's own: a key of the catalogue with its arguments.
type refused struct {
	key  string
	args []any
}

func (r refused) Error() string { return r.key }

// No refuses a request for a reason of the bot's own.
func No(key string, args ...any) error { return refused{key, args} }

// Reason words an error for a member. ok is false for an error that does not concern members:
// the caller logs it, and the member reads an apology. A Fault is worded, and the caller logs it too.
func (t Tongue) Reason(err error) (text string, ok bool) {
	var ours refused
	var rule *game.Refusal
	switch {
	case errors.As(err, &ours):
		return t.Say(ours.key, ours.args...), true
	case errors.As(err, &rule):
		return t.refusal(rule), true
	case errors.Is(err, kv.ErrFull):
		return t.Say("refused.diskFull"), true
	case errors.As(err, new(*storage.NotYet)), errors.As(err, new(*storage.Newer)):
		return t.Say("refused.notYet"), true
	}
	return t.Say("sorry"), false
}

// Fault reports whether an error, although Reason words it, is one that the operator has to mend.
func Fault(err error) bool { return errors.Is(err, kv.ErrFull) || errors.As(err, new(*storage.Newer)) }

// IsRefused reports whether err is the bot's own refusal with a key.
func IsRefused(err error, key string) bool {
	var ours refused
	return errors.As(err, &ours) && ours.key == key
}

// WayOn are the buttons that lead on from a refusal; none where there is no way on.
func (t Tongue) WayOn(err error) (row []chat.Button) {
	switch {
	case IsRefused(err, "refused.noGame"):
		row = []chat.Button{{ID: Do("new", ""), Label: t.Say("button.newGame"), Style: chat.Primary}}
	case IsRefused(err, "refused.elsewhere"):
		row = []chat.Button{{ID: Do("games", "0.mine"), Label: t.Say("button.games.mine"), Style: chat.Primary}}
	}
	var o offering
	if errors.As(err, &o) {
		row = append(row, o.button)
	}
	return row
}

// offering is an error whose message has a button.
type offering struct {
	error
	button chat.Button
}

func (o offering) Unwrap() error { return o.error }

// Offering is err with a button below its words.
func Offering(err error, b chat.Button) error { return offering{err, b} }
