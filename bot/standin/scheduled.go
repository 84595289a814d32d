package standin

import (
	"slices"
	"time"
)

// Scheduled is a scheduled event of a server. The stand-in knows those that happen elsewhere
// (EXTERNAL), as a bot makes them.
type Scheduled struct {
	ID          string        `json:"id"`
	Guild       string        `json:"guild_id"`
	Channel     *string       `json:"channel_id"`
	Creator     string        `json:"creator_id"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Starts      time.Time     `json:"scheduled_start_time"`
	Ends        time.Time     `json:"scheduled_end_time"`
	Privacy     int           `json:"privacy_level"`
	Status      int           `json:"status"`
	Entity      int           `json:"entity_type"`
	Metadata    scheduledWith `json:"entity_metadata"`
}

type scheduledWith struct {
	Location string `json:"location"`
}

// The statuses of a scheduled event.
const (
	EventScheduled = 1 + iota
	EventActive
	EventCompleted
	EventCanceled
)

const (
	externalEntity = 3
	maxScheduled   = 100
)

var (
	errUnknownScheduled = apiError(404, 10070, "Unknown Guild Scheduled Event")
	errManyScheduled    = apiError(400, 30038,
		"Maximum number of uncompleted guild scheduled events reached (100)")
	errFinishedScheduled = apiError(400, 180000, "Cannot update a finished event")
)

// finished reports whether nothing of the event can change any more.
func (e *Scheduled) finished() bool { return e.Status >= EventCompleted }

// passTime begins and ends the scheduled events of a server whose time has come, as Discord does
// with those that happen elsewhere.
func (s *Server) passTime(g *guild) {
	for _, e := range g.scheduled {
		if e.Status == EventScheduled && !s.now().Before(e.Starts) {
			e.Status = EventActive
		}
		if e.Status == EventActive && !s.now().Before(e.Ends) {
			e.Status = EventCompleted
		}
	}
}

// going are the scheduled events of a server that are not finished.
func (s *Server) going(g *guild) (list []Scheduled) {
	s.passTime(g)
	for _, e := range g.scheduled {
		if !e.finished() {
			list = append(list, *e)
		}
	}
	return list
}

func getScheduled(s *Server, _ *call, g *guild) (any, error) { return list(s.going(g)), nil }

// scheduledChange is the body by which a scheduled event is made or changed.
type scheduledChange struct {
	Channel     *string        `json:"channel_id"`
	Name        *string        `json:"name"`
	Description *string        `json:"description"`
	Starts      *time.Time     `json:"scheduled_start_time"`
	Ends        *time.Time     `json:"scheduled_end_time"`
	Privacy     *int           `json:"privacy_level"`
	Status      *int           `json:"status"`
	Entity      *int           `json:"entity_type"`
	Metadata    *scheduledWith `json:"entity_metadata"`
}

func postScheduled(s *Server, g *guild, b scheduledChange) (any, error) {
	switch {
	case g.permissions(s.bot.ID)&PermCreateEvents == 0:
		return nil, errMissingPermission
	case len(s.going(g)) >= maxScheduled:
		return nil, errManyScheduled
	}
	e := &Scheduled{Guild: g.id, Creator: s.bot.ID, Status: EventScheduled}
	if err := s.reschedule(e, b); err != nil {
		return nil, err
	}
	e.ID = s.id()
	g.scheduled = append(g.scheduled, e)
	s.changed()
	return *e, nil
}

// reschedule changes a scheduled event, or refuses as Discord does.
func (s *Server) reschedule(e *Scheduled, b scheduledChange) error {
	p := &problems{}
	next := *e
	set(&next.Name, b.Name)
	set(&next.Description, b.Description)
	set(&next.Ends, b.Ends)
	set(&next.Privacy, b.Privacy)
	set(&next.Entity, b.Entity)
	set(&next.Metadata, b.Metadata)
	if next.Entity != externalEntity || b.Channel != nil {
		p.add("entity_type", "BASE_TYPE_CHOICES", "The stand-in knows external events alone, which have no channel.")
	}
	if b.Starts != nil {
		if next.Starts = *b.Starts; !next.Starts.After(s.now()) {
			p.add("scheduled_start_time", "GUILD_SCHEDULED_EVENT_SCHEDULE_PAST", "Cannot schedule event in the past.")
		}
		if e.Status == EventActive {
			p.add("scheduled_start_time", "BASE_TYPE_CHOICES", "The event has begun.")
		}
	}
	if b.Ends != nil && (!next.Ends.After(next.Starts) || !next.Ends.After(s.now())) {
		p.add("scheduled_end_time", "BASE_TYPE_CHOICES", "Cannot end before it starts.")
	}
	if b.Status != nil {
		if next.Status = *b.Status; !slices.Contains([][2]int{{EventScheduled, EventActive}, {EventActive, EventCompleted},
			{EventScheduled, EventCanceled}}, [2]int{e.Status, next.Status}) {
			p.add("status", "BASE_TYPE_CHOICES", "The status cannot change from %d to %d.", e.Status, next.Status)
		}
	}
	if err := p.err(); err != nil {
		return err
	}
	*e = next
	return nil
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// oneScheduled finds the scheduled event of a call that the bot may change: who made it may with one
// permission, all others need the other.
func oneScheduled(s *Server, c *call) (*Scheduled, error) {
	g, err := botGuild(s, c)
	if err != nil {
		return nil, err
	}
	s.passTime(g)
	i := slices.IndexFunc(g.scheduled, func(e *Scheduled) bool { return e.ID == c.r.PathValue("event_id") })
	if i < 0 {
		return nil, errUnknownScheduled
	}
	may := uint64(PermManageEvents)
	if g.scheduled[i].Creator == s.bot.ID {
		may |= PermCreateEvents
	}
	if g.permissions(s.bot.ID)&may == 0 {
		return nil, errMissingPermission
	}
	return g.scheduled[i], nil
}

func patchScheduled(s *Server, e *Scheduled, b scheduledChange) (any, error) {
	if e.finished() {
		return nil, errFinishedScheduled
	}
	if err := s.reschedule(e, b); err != nil {
		return nil, err
	}
	s.changed()
	return *e, nil
}

func deleteScheduled(s *Server, _ *call, e *Scheduled) (any, error) {
	s.dropScheduled(s.findGuild(e.Guild), e.ID)
	return nil, nil
}

func (s *Server) dropScheduled(g *guild, id string) {
	g.scheduled = slices.DeleteFunc(g.scheduled, func(e *Scheduled) bool { return e.ID == id })
	s.changed()
}

// schedule copies scheduled events as they are now.
func schedule(events []*Scheduled) (list []Scheduled) {
	for _, e := range events {
		list = append(list, *e)
	}
	return list
}

// listScheduled gives the scheduled events of a server, finished ones too.
func (s *Server) listScheduled(_ *person, a Action) (r Result, _ error) {
	g, err := s.guildNamed(a.Name)
	if err != nil {
		return r, err
	}
	s.passTime(g)
	return Result{Scheduled: schedule(g.scheduled)}, nil
}
