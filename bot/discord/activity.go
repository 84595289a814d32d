package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
)

var _ chat.Activity = (*Adapter)(nil)

// flagEmbedded is the flag of an application whose Activity is switched on.
const flagEmbedded = 1 << 17

// answerLaunch is the type of an answer that opens the Activity.
const answerLaunch = 12

// launchSpare is the part of the time for a first answer that is left for another one, where the Activity does not
// open.
const launchSpare = time.Second

// launches reports whether members may be shown the application's Activity.
func (d *Adapter) launches() bool { return d.options.ClientSecret != "" && d.embeds.Load() }

// Launch answers an interaction by opening the Activity for the member.
func (d *Adapter) Launch(ctx context.Context, k chat.Ticket) (instance string, err error) {
	t := d.tickets.byID(k.ID)
	if t == nil {
		t = &ticket{Ticket: k, arrived: time.Now()}
	}
	mine, state := t.claim(ctx)
	if !mine {
		_, err := d.answerLate(ctx, t, state, chat.Answer{})
		return "", err
	}
	ctx, cancel := context.WithDeadline(ctx, t.arrived.Add(d.options.AnswerIn-launchSpare))
	defer cancel()
	made, err := d.callback(ctx, t, answerPayload{Type: answerLaunch}, nil)
	if err != nil {
		t.settle(afterFailure(err))
		return "", err
	}
	t.settle(answered)
	return made.instance, nil
}

// instanceIDs are the forms of ids of instances. What a page says is one is asked of Discord only then.
var instanceIDs = regexp.MustCompile(`^[A-Za-z0-9_-]{1,200}$`)

// Instance asks Discord for an open instance of the Activity.
func (d *Adapter) Instance(ctx context.Context, id string) (chat.Instance, error) {
	if !instanceIDs.MatchString(id) {
		return chat.Instance{}, &chat.Error{Trouble: chat.Gone, Text: "no id of an instance"}
	}
	if err := d.lookups.enter(ctx, time.Now()); err != nil {
		return chat.Instance{}, err
	}
	if err := d.knowApp(ctx); err != nil {
		return chat.Instance{}, err
	}
	r, err := d.get(ctx, "GET instance", "", fmt.Sprintf("applications/%d/activity-instances/%s", d.app.Load(), id))
	if err != nil {
		return chat.Instance{}, err
	}
	var told struct {
		Location struct {
			Channel flake `json:"channel_id"`
			Guild   flake `json:"guild_id"`
		} `json:"location"`
		Users json.RawMessage `json:"users"`
	}
	if err := json.Unmarshal(r.body, &told); err != nil {
		return chat.Instance{}, &chat.Error{Trouble: chat.Failed, Text: "reading Discord's answer: " + err.Error()}
	}
	i := chat.Instance{ID: id, Place: venue.Place{Server: uint64(told.Location.Guild),
		Channel: uint64(told.Location.Channel)}}
	for _, user := range listOf[participant](told.Users) {
		if user != 0 {
			i.Users = append(i.Users, game.MemberID(user))
		}
	}
	return i, nil
}

// participant is a member in an instance: Discord has named them by their id, and as objects with one.
type participant uint64

func (p *participant) UnmarshalJSON(b []byte) error {
	var id flake
	if len(b) > 0 && b[0] == '{' {
		id = part[rawUser](b).ID
	} else {
		id = part[flake](b)
	}
	*p = participant(id)
	return nil
}

// lookups are the questions for instances, of which Discord gets a few in a second: strangers can cause them.
type lookups struct {
	mu   sync.Mutex
	next time.Time // of the next question
}

// Bounds of lookups.
const (
	lookupGap  = 500 * time.Millisecond
	lookupWait = 2 * time.Second // a question that would wait for longer is not asked
)

// enter waits for the turn of a question.
func (l *lookups) enter(ctx context.Context, now time.Time) error {
	l.mu.Lock()
	at := now
	if l.next.After(now) {
		at = l.next
	}
	wait := at.Sub(now)
	if wait > lookupWait {
		l.mu.Unlock()
		return &chat.Error{Trouble: chat.Busy, After: wait, Text: "too many questions for instances", Unsent: true}
	}
	l.next = at.Add(lookupGap)
	l.mu.Unlock()
	return tasks.Sleep(ctx, wait)
}

// revokeIn is how long taking a token back may take. It does not end with the page that asked.
const revokeIn = 5 * time.Second

// Member trades a code for a member's token, asks who they are, and takes the token back.
func (d *Adapter) Member(ctx context.Context, code string) (game.MemberID, error) {
	if d.options.ClientSecret == "" {
		return 0, &chat.Error{Trouble: chat.Refused, Text: "no client secret", Unsent: true}
	}
	if err := d.knowApp(ctx); err != nil {
		return 0, err
	}
	r, err := d.oauth(ctx, "token", code, url.Values{"grant_type": {"authorization_code"}, "code": {code}})
	if err != nil {
		return 0, err
	}
	var granted struct {
		Token string `json:"access_token"`
	}
	if json.Unmarshal(r.body, &granted); granted.Token == "" {
		return 0, &chat.Error{Trouble: chat.Failed, Text: "an answer without a token"}
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeIn)
		defer cancel()
		if _, err := d.oauth(ctx, "token/revoke", granted.Token, url.Values{"token": {granted.Token}}); err != nil {
			d.log.Warn("a member's token could not be taken back", "error", err)
		}
	}()
	r, err = d.paced(ctx, "GET member by token", "", true,
		call{method: http.MethodGet, path: "users/@me", public: true, bearer: granted.Token, secret: granted.Token})
	if err != nil {
		return 0, err
	}
	id := messageID(r.body)
	if id == 0 {
		return 0, &chat.Error{Trouble: chat.Failed, Text: "an answer without a member"}
	}
	return game.MemberID(id), nil
}

// oauth makes a call of OAuth2 as the application. secret is what the fields hold that no error may tell.
func (d *Adapter) oauth(ctx context.Context, path, secret string, fields url.Values) (reply, error) {
	fields.Set("client_id", digits(d.app.Load()))
	fields.Set("client_secret", d.options.ClientSecret)
	return d.paced(ctx, "POST "+path, "", path != "token",
		call{method: http.MethodPost, path: "oauth2/" + path, fields: fields, public: true, secret: secret})
}
