package discord

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
	"tengen/internal/tasks"
	"tengen/storage/lease"
)

// On buttons, pictures of our own take the place of some characters: the signs. Each is an
// emoji of the application under the name of the sign, which a screen reader says. A changed picture
// comes with another name: with a number, or the next one. Of all processes that have the same signs,
// one uploads those that are missing. Until all are there, and wherever Discord does not take them,
// buttons show the characters.

// Times of the signs.
const (
	signsAgain   = 5 * time.Second // before the second try, and after a doubt
	signsLongest = time.Hour       // the pause after many tries
	signsCheck   = 24 * time.Hour  // between two looks at the list while all is well
	signsTrust   = 3               // refusals in a row, after which the signs are left off for a while
)

// Signs of other versions of the program stay for messages that nobody has changed since, and for
// processes of those versions that still run: the newest of them always, and every one for a while.
const (
	oldSignsKept = 100
	oldSignsFor  = 90 * 24 * time.Hour
)

// formerSigns matches the names of signs of earlier versions, which held a hash.
var formerSigns = regexp.MustCompile(`^tengen_[a-z]+_[0-9a-f]{8}$`)

// numbered is the end of the name of a sign whose picture was changed.
var numbered = regexp.MustCompile(`_[0-9]+$`)

// unnumbered is the name of a sign without the number of its picture.
func unnumbered(name string) string { return numbered.ReplaceAllString(name, "") }

// signs is which signs Discord has and takes, and whether this process uploads them.
type signs struct {
	inUse   atomic.Pointer[map[string]body.Emoji] // by the character; nil: none are
	keeping atomic.Bool                           // this process uploads them
	refused atomic.Int32                          // messages in a row whose signs Discord did not take
	doubted chan struct{}                         // Discord did not take a sign
	gained  chan struct{}                         // this process has begun to keep them
}

func newSigns() *signs {
	return &signs{doubted: make(chan struct{}, 1), gained: make(chan struct{}, 1)}
}

// poke notes that something has happened, for one who looks later.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// keepSigns brings the application's emojis up to date and the signs into use, until ctx ends.
func (d *Adapter) keepSigns(ctx context.Context) {
	var share lease.Share
	defer func() {
		if share != nil {
			share.Close()
		}
	}()
	tries := pauses{first: signsAgain, longest: signsLongest}
	for {
		var err error
		if share == nil {
			share, err = d.options.Leases.Join(ctx, d.signGroup())
		}
		wait := signsCheck
		if err = errors.Join(err, d.matchSigns(ctx)); err != nil && ctx.Err() == nil {
			wait = tries.next()
			var e *chat.Error
			if errors.As(err, &e) {
				wait = max(wait, min(e.After, signsLongest))
			}
			level := slog.LevelWarn
			if errors.Is(err, errSignsAwaited) {
				level = slog.LevelInfo
			}
			d.log.Log(ctx, level, "buttons show characters: not all of the drawn signs are at Discord", "why", err,
				"again_in", wait.Round(time.Second).String())
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-d.signs.gained:
		case <-d.signs.doubted:
			_ = tasks.Sleep(ctx, tries.next())
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// signGroup is the lease group of those who have the same signs.
func (d *Adapter) signGroup() lease.Group {
	all := sha256.New()
	for _, s := range d.options.Signs {
		all.Write([]byte(s.Name + " "))
	}
	return lease.Group{
		Name: "signs-" + hex.EncodeToString(all.Sum(nil)[:4]), Slots: 1,
		Gained: func(lease.Share, []int) { d.signs.keeping.Store(true); poke(d.signs.gained) },
		Lost:   func(lease.Share, []int) { d.signs.keeping.Store(false) },
	}
}

// pauses are pauses between tries, each twice the one before. After a time without tries they begin
// anew.
type pauses struct {
	first, longest time.Duration
	now            time.Duration
	last           time.Time
}

func (p *pauses) next() time.Duration {
	if time.Since(p.last) > p.now+p.longest {
		p.now = 0
	}
	p.now, p.last = min(max(2*p.now, p.first), p.longest), time.Now()
	return p.now
}

// errSignsAwaited says that another process has yet to upload a sign.
var errSignsAwaited = errors.New("another process uploads them")

// matchSigns compares the application's emojis with the signs. It uploads those that are missing,
// where this process keeps them, and takes all into use.
func (d *Adapter) matchSigns(ctx context.Context) error {
	if err := d.knowApp(ctx); err != nil {
		return fmt.Errorf("asking for the application: %w", err)
	}
	listed, err := d.listEmojis(ctx)
	if err != nil {
		return fmt.Errorf("asking for the application's emojis: %w", err)
	}
	ids := map[string]uint64{}
	for _, e := range listed {
		ids[e.Name] = uint64(e.ID)
	}
	table, current, uploaded := map[string]body.Emoji{}, map[string]bool{}, 0
	for _, s := range d.options.Signs {
		if ids[s.Name] == 0 {
			d.useSigns(nil)
			if !d.signs.keeping.Load() {
				return errSignsAwaited
			}
			if ids[s.Name], err = d.uploadSign(ctx, s); err != nil {
				return fmt.Errorf("uploading %s: %w", s.Name, err)
			}
			uploaded++
		}
		current[s.Name] = true
		table[s.Char] = body.Emoji{ID: digits(ids[s.Name]), Name: s.Name}
	}
	if d.useSigns(table) {
		d.log.Info("buttons show the drawn signs", "signs", len(table), "uploaded", uploaded)
	}
	if d.signs.keeping.Load() {
		d.deleteSigns(ctx, oldSigns(listed, current, d.now()))
	}
	return nil
}

// useSigns has the messages from now on show the signs of a table, or none. It reports whether they
// did not before.
func (d *Adapter) useSigns(table map[string]body.Emoji) bool {
	d.metrics.Signs(len(table))
	d.signs.refused.Store(0)
	if table == nil {
		return d.signs.inUse.Swap(nil) != nil
	}
	return d.signs.inUse.Swap(&table) == nil
}

type listedEmoji struct {
	ID   flake  `json:"id"`
	Name string `json:"name"`
	User struct {
		Bot bool `json:"bot"`
	} `json:"user"` // who uploaded it: the bot, or a person in the portal
}

func (d *Adapter) listEmojis(ctx context.Context) ([]listedEmoji, error) {
	r, err := d.get(ctx, "GET emojis", "", d.emojiPath())
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []listedEmoji `json:"items"`
	}
	if err := json.Unmarshal(r.body, &list); err != nil {
		return nil, fmt.Errorf("reading Discord's answer: %w", err)
	}
	return list.Items, nil
}

func (d *Adapter) emojiPath() string { return fmt.Sprintf("applications/%d/emojis", d.app.Load()) }

func (d *Adapter) uploadSign(ctx context.Context, s chat.Sign) (uint64, error) {
	image := "data:image/png;base64," + base64.StdEncoding.EncodeToString(s.PNG)
	r, err := d.paced(ctx, "POST emojis", "", false, call{method: http.MethodPost, path: d.emojiPath(),
		payload: map[string]string{"name": s.Name, "image": image}})
	if err != nil {
		return 0, err
	}
	id := messageID(r.body)
	if id == 0 {
		return 0, &chat.Error{Trouble: chat.Failed, Text: "an emoji without an id"}
	}
	return id, nil
}

// oldSigns are the emojis that were signs and that no message of a running game shows any more: not
// those in use, not the newest of the others, and none that is young.
func oldSigns(listed []listedEmoji, current map[string]bool, now time.Time) []*listedEmoji {
	known := map[string]bool{}
	for name := range current {
		known[unnumbered(name)] = true
	}
	ours := func(name string) bool { return formerSigns.MatchString(name) || known[unnumbered(name)] }
	var old []*listedEmoji
	for i, e := range listed {
		if !current[e.Name] && e.User.Bot && ours(e.Name) {
			old = append(old, &listed[i])
		}
	}
	slices.SortFunc(old, func(a, b *listedEmoji) int { return cmp.Compare(b.ID, a.ID) })
	old = old[min(oldSignsKept, len(old)):]
	return slices.DeleteFunc(old, func(e *listedEmoji) bool { return now.Sub(flakeTime(uint64(e.ID))) < oldSignsFor })
}

func (d *Adapter) deleteSigns(ctx context.Context, old []*listedEmoji) {
	for _, e := range old {
		_, err := d.paced(ctx, "DELETE emoji", "", true,
			call{method: http.MethodDelete, path: fmt.Sprintf("%s/%d", d.emojiPath(), e.ID)})
		if err != nil {
			d.log.Warn("deleting an old sign", "name", e.Name, "error", err)
			return
		}
		d.log.Info("old sign deleted", "name", e.Name)
	}
}

// signed sends a message with the signs on its buttons. Where Discord does not take them, the message
// goes out with the characters, and the list of emojis is looked at again.
func signed[T any](d *Adapter, b body.Message, send func(body.Message) (T, error)) (T, error) {
	table := d.signs.inUse.Load()
	if table == nil {
		return send(b)
	}
	drawn, some := b.Signed(*table)
	if !some {
		return send(b)
	}
	done, err := send(drawn)
	var e *chat.Error
	switch {
	case err == nil:
		d.signs.refused.Store(0)
		return done, nil
	case !errors.As(err, &e) || e.Code != invalidBody && e.Code != unknownEmoji:
		return done, err
	}
	if done, err = send(b); err == nil {
		if d.signs.refused.Add(1) >= signsTrust {
			d.signs.inUse.Store(nil)
			d.metrics.Signs(0)
		}
		poke(d.signs.doubted)
	}
	return done, err
}

// Discord's codes for a sign that it does not know: the first stands for any body that it does
// not take.
const (
	invalidBody  = 50035
	unknownEmoji = 10014
)
