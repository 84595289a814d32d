package discord

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
	"tengen/game"
)

// stayAwake is how long a thread stays in the list of channels without a message, in minutes: a
// week, the longest that Discord takes. Clocks run to three days, and edits of the board do not
// count as messages.
const stayAwake = 7 * 24 * 60

// codeArchived is Discord's refusal to change anything in an archived thread.
const codeArchived = 50083

// Thread opens a public thread in a channel and gives its channel id.
func (d *Adapter) Thread(ctx context.Context, in chat.ThreadPlace, name string) (uint64, error) {
	place := digits(in.Channel)
	kind := publicThread
	if in.News {
		kind = newsThread
	}
	r, err := d.paced(ctx, "POST threads", place, false, call{
		method: http.MethodPost, path: "channels/" + place + "/threads",
		payload: map[string]any{"name": body.Cut(name, 100), "type": kind, "auto_archive_duration": stayAwake},
	})
	return messageID(r.body), err
}

// Direct opens the direct messages with a member. Discord gives those that there are already.
func (d *Adapter) Direct(ctx context.Context, member game.MemberID) (uint64, error) {
	r, err := d.paced(ctx, "POST direct", "", true, call{
		method: http.MethodPost, path: "users/@me/channels", payload: map[string]any{"recipient_id": digits(member)},
	})
	return messageID(r.body), err
}

// Parent asks Discord which channel a thread is in. A channel's own parent is its category.
func (d *Adapter) Parent(ctx context.Context, channel uint64) (uint64, error) {
	place := digits(channel)
	r, err := d.get(ctx, "GET channel", place, "channels/"+place)
	if err != nil {
		return 0, err
	}
	var told struct {
		Type   int   `json:"type"`
		Parent flake `json:"parent_id"`
	}
	if err := json.Unmarshal(r.body, &told); err != nil {
		return 0, &chat.Error{Trouble: chat.Failed, Text: "reading Discord's answer: " + err.Error()}
	}
	if !isThread(told.Type) {
		return 0, nil
	}
	return uint64(told.Parent), nil
}

// isThread reports whether a channel of a type is a thread.
func isThread(kind int) bool { return kind >= newsThread && kind <= privateThread }

// Enter adds a member to a thread.
func (d *Adapter) Enter(ctx context.Context, thread uint64, member game.MemberID) error {
	place := digits(thread)
	_, err := awake(ctx, d, thread, func() (reply, error) {
		return d.paced(ctx, "PUT thread member", place, true, call{
			method: http.MethodPut, path: "channels/" + place + "/thread-members/" + digits(member),
		})
	})
	return err
}

// wakes brings an archived thread back where err says that the thread is archived, and reports
// whether the call is worth another try. A locked thread stays archived.
func (d *Adapter) wakes(ctx context.Context, thread uint64, err error) bool {
	var e *chat.Error
	if thread == 0 || !errors.As(err, &e) || e.Code != codeArchived {
		return false
	}
	place := digits(thread)
	_, err = d.paced(ctx, "PATCH channel", place, true, call{
		method: http.MethodPatch, path: "channels/" + place, payload: map[string]any{"archived": false},
	})
	if err != nil {
		d.log.Info("an archived thread stays so", "thread", thread, "error", err)
	}
	return err == nil
}

// awake makes a call, and makes it once more where it found a thread archived that could be woken.
func awake[T any](ctx context.Context, d *Adapter, thread uint64, make func() (T, error)) (T, error) {
	done, err := make()
	if d.wakes(ctx, thread, err) {
		return make()
	}
	return done, err
}
