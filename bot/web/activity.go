package web

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/venue"
	"tengen/internal/tasks"
	"tengen/storage"
)

// activities are what is known of the Activity, in memory alone: which instances are open where, and who pressed what.
type activities struct {
	mu        sync.Mutex
	instances map[string]instance
	presses   map[game.MemberID]launch
}

// instance is one as the chat service told of it at a time; without an id it was not there.
type instance struct {
	chat.Instance
	at time.Time
}

// launch is a press that has opened the Activity: Discord's answer carries no data, so that it is kept.
type launch struct {
	match    game.MatchID
	instance string // empty: not known
	at       time.Time
}

// Times and bounds of Activities.
const (
	pressLife     = 2 * time.Minute
	instanceFresh = 20 * time.Second
	launchedIn    = 24 * time.Hour  // an instance that nobody is known to have opened is not asked for when it is older
	lagging       = 3 * time.Second // by which the list of who is in an instance is late
	mostKept      = 10_000          // of each kind
)

// Launched hears that a member's press on a match has opened the Activity.
func (s *Server) Launched(by game.MemberID, id game.MatchID, instance string) {
	now := s.Now()
	s.activities.mu.Lock()
	defer s.activities.mu.Unlock()
	a := &s.activities
	keep(&a.presses, by, launch{id, instance, now}, func(l launch) bool { return now.Sub(l.at) > pressLife })
}

// keep puts a value into a map, which first loses what is old where it is full, and all where it is full then.
func keep[K comparable, V any](all *map[K]V, key K, v V, old func(V) bool) {
	if len(*all) >= mostKept {
		for k, one := range *all {
			if old(one) {
				delete(*all, k)
			}
		}
	}
	if *all == nil || len(*all) >= mostKept {
		*all = map[K]V{}
	}
	(*all)[key] = v
}

// pressed is the match that was pressed of late: by a member where they are known, else in the instance.
func (a *activities) pressed(id string, by game.MemberID, now time.Time) game.MatchID {
	a.mu.Lock()
	defer a.mu.Unlock()
	var newest launch
	for member, l := range a.presses {
		fits := member == by && l.instance == "" || l.instance == id
		if fits && now.Sub(l.at) <= pressLife && (member == by || l.at.After(newest.at)) {
			if newest = l; member == by {
				break
			}
		}
	}
	return newest.match
}

// knownInstance is the form of an instance's id: when it was launched, then where.
var knownInstance = regexp.MustCompile(`^i-([0-9]{1,20})-(?:gc-([0-9]{1,20})|pc)-([0-9]{1,20})$`)

// instanceOf gives an instance that is open. It asks the chat service for one that it does not know only where a press
// has opened it, or where it is of today and of a channel with matches: strangers can make ids up.
// It is storage.ErrNotFound where there is none.
func (s *Server) instanceOf(ctx context.Context, id string, fresh time.Duration) (chat.Instance, error) {
	now := s.Now()
	a := &s.activities
	a.mu.Lock()
	known, there := a.instances[id]
	a.mu.Unlock()
	if there && now.Sub(known.at) < fresh {
		return known.open()
	}
	if s.Activity == nil {
		return chat.Instance{}, storage.ErrNotFound
	}
	if !there && a.pressed(id, 0, now) == 0 {
		if err := s.plausible(ctx, id, now); err != nil {
			return chat.Instance{}, err
		}
	}
	told, err := s.Activity.Instance(ctx, id)
	switch {
	case err == nil:
		told.ID = id
	case chat.TroubleOf(err) == chat.Gone:
		told = chat.Instance{} // which is kept too
	case there && now.Sub(known.at) < activityLife: // Discord may be asked again in a moment
		return known.open()
	default:
		return chat.Instance{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	keep(&a.instances, id, instance{told, now}, func(i instance) bool { return now.Sub(i.at) > activityLife })
	return instance{told, now}.open()
}

// open gives what is known of an instance that is there.
func (i instance) open() (chat.Instance, error) {
	if i.ID == "" {
		return chat.Instance{}, storage.ErrNotFound
	}
	return i.Instance, nil
}

// plausible is storage.ErrNotFound where an id is not of an instance that was launched today in a channel with matches.
func (s *Server) plausible(ctx context.Context, id string, now time.Time) error {
	part := knownInstance.FindStringSubmatch(id)
	if part == nil {
		return storage.ErrNotFound
	}
	launched, err := strconv.ParseUint(part[1], 10, 64)
	if err != nil || now.Sub(venue.TimeOf(launched)).Abs() > launchedIn {
		return storage.ErrNotFound
	}
	var at venue.Place
	at.Server, _ = strconv.ParseUint(part[2], 10, 64) // none in direct messages
	if at.Channel, err = strconv.ParseUint(part[3], 10, 64); err != nil {
		return storage.ErrNotFound
	}
	all, err := s.Store.InChannel(ctx, at)
	if err == nil && len(all) == 0 {
		err = storage.ErrNotFound
	}
	return err
}

// games are the matches that whoever is in an instance may look at: those of its channel. First comes the one that was
// pressed, else the newest that is played.
func (s *Server) games(ctx context.Context, id string, by game.MemberID) (ids []game.MatchID, err error) {
	in, err := s.instanceOf(ctx, id, instanceFresh)
	if err != nil {
		return nil, err
	}
	recs, err := s.Store.InChannel(ctx, in.Place)
	if err != nil {
		return nil, err
	}
	for _, rec := range slices.Backward(recs) {
		ids = append(ids, rec.ID)
	}
	playing := func(rec storage.Record) bool { return view.Playing(rec.Match) }
	slices.Reverse(recs)
	first := game.MatchID(0)
	if i := slices.IndexFunc(recs, playing); i >= 0 {
		first = recs[i].ID
	}
	if p := s.activities.pressed(id, by, s.Now()); p != 0 {
		if rec, err := s.Store.Match(ctx, p); err == nil && rec.Place == in.Place {
			first = p
		}
	}
	if first != 0 {
		ids = append([]game.MatchID{first}, slices.DeleteFunc(ids, func(id game.MatchID) bool { return id == first })...)
	}
	return ids, nil
}

// shows is storage.ErrNotFound where whoever is in an instance may not look at a match. They may where it is played, or
// was, in the instance's channel.
func (s *Server) shows(ctx context.Context, id string, match game.MatchID) error {
	in, err := s.instanceOf(ctx, id, instanceFresh)
	if err != nil {
		return err
	}
	rec, err := s.Store.Match(ctx, match)
	if err == nil && rec.Place != in.Place {
		err = storage.ErrNotFound
	}
	return err
}

// provenBy trades a code for the member who is in an instance; 0 where they are not. Discord's list of who is there
// lags, so that it is asked again for a while.
func (s *Server) provenBy(ctx context.Context, id, code string) (game.MemberID, error) {
	by, err := s.Activity.Member(ctx, code)
	if err != nil {
		return 0, err
	}
	for begun := s.Now(); ; {
		if in, err := s.instanceOf(ctx, id, time.Second); err == nil && slices.Contains(in.Users, by) {
			return by, nil
		}
		if s.Now().Sub(begun) >= lagging {
			return 0, nil
		}
		if err := tasks.Sleep(ctx, time.Second); err != nil {
			return 0, err
		}
	}
}

// present reports whether a member is still in an instance.
func (s *Server) present(ctx context.Context, id string, by game.MemberID) bool {
	in, err := s.instanceOf(ctx, id, instanceFresh)
	return err == nil && slices.Contains(in.Users, by)
}
