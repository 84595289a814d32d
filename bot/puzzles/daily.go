package puzzles

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"tengen/ai/puzzle"
	"tengen/bot/chat"
	"tengen/bot/command"
	"tengen/bot/view"
	"tengen/game/daily"
	"tengen/internal/zone"
	"tengen/storage"
)

// today is the daily puzzle of a server with the day that is going on.
func (p *Puzzles) today(ctx context.Context, server uint64) (storage.Daily, error) {
	now, nonce := p.Now(), p.Random()
	d, err := p.Store.Daily(ctx, server)
	if err != nil || turned(p.Collection, d, now, nonce).Day.Begins.Equal(d.Day.Begins) {
		return d, err
	}
	return p.Store.UpdateDaily(ctx, server, func(d storage.Daily) (storage.Daily, error) {
		return turned(p.Collection, d, now, nonce), nil
	})
}

// daily shows the member the puzzle of the day, or how they fared with it.
func (p *Puzzles) daily(ctx context.Context, r chat.Request) error {
	if r.Place.Server == 0 {
		return view.No("refused.noServer")
	}
	d, err := p.today(ctx, r.Place.Server)
	if err != nil {
		return err
	}
	z, ok := puzzle.Named(p.Collection(), d.Day.Puzzle)
	if !ok {
		return view.No("puzzle.gone")
	}
	if err := p.saw(ctx, r, z, false); err != nil {
		return err
	}
	b := board{Puzzle: z, id: z.ID(), mode: ofDay, stamp: uint32(d.Day.Begins.Unix()), level: normal}
	took, err := p.Store.Taking(ctx, r.By, r.Place.Server)
	if err != nil {
		return err
	}
	if !d.Done(took.Taking) {
		return p.ask(ctx, r, b, "")
	}
	show, err := p.page(ctx, r)
	if err != nil {
		return err
	}
	show.head = dailyHead(show.t, d, took)
	line, _ := p.played(ctx, b)
	done := show.t.Say("daily.done", "When", fmt.Sprintf("<t:%d:R>", d.Ends().Unix()))
	msg, err := show.over(b, line, done, b.ways(show.t, daily.TrySolved))
	if err != nil {
		return err
	}
	return chat.Reply(ctx, p.Chat, r, msg)
}

// dailyHead says which day it is, and how the member fares.
func dailyHead(t view.Tongue, d storage.Daily, took storage.Taking) string {
	tries, row := "", ""
	if took.Begins.Equal(d.Day.Begins) && took.Tries != "" {
		tries = squares(took.Taking)
	}
	if streak := d.Streak(took.Taking); streak > 1 {
		row = t.Say("daily.streak", "Count", streak)
	}
	return t.Line(t.Say("daily.head", "Date", d.Date(d.Day)), tries, row)
}

// share shows everybody in the channel, once a day, how the member fared, and nothing of the answer.
func (p *Puzzles) share(ctx context.Context, r chat.Request) error {
	if err := p.Host.AllowedHere(ctx, r); err != nil { // before the one time of the day is spent
		return err
	}
	d, took, err := p.Store.TakeDaily(ctx, r.Place.Server, r.By,
		func(d daily.Daily, t daily.Taking) (daily.Daily, daily.Taking, error) {
			if !d.Done(t) {
				return d, t, view.No("puzzle.gone")
			}
			first := false
			if t, first = t.Share(); !first {
				return d, t, view.No("daily.shared", "When", fmt.Sprintf("<t:%d:R>", d.Ends().Unix()))
			}
			return d, t, nil
		})
	if err != nil {
		return err
	}
	s, err := p.Store.Server(ctx, r.Place.Server)
	if err != nil {
		return err
	}
	t := view.In(s.Look.Language)
	return p.Host.Post(ctx, r, chat.Message{Silent: true,
		Blocks: []chat.Block{{Text: t.Say("daily.share", "Who", view.Mention(r.By)) + "\n" + dailyHead(t, d, took)}}})
}

// Options are those of /server that concern the daily puzzle.
func Options() []chat.OptionSpec {
	return []chat.OptionSpec{
		{Name: "daily", Type: chat.TextOption,
			Choices: command.Named("daily", "here", "off")},
		{Name: "hour", Type: chat.TextOption, Choices: Hours()},
		{Name: "zone",
			Type: chat.TextOption, Complete: true, Max: zone.Longest},
	}
}

// Hours are the hours at which the daily puzzle may change.
func Hours() []chat.Choice {
	var names []string
	for h := range 24 {
		names = append(names, fmt.Sprintf("%02d:00", h))
	}
	return command.PlainChoices(names...)
}

// zones are offered where a zone is typed. Any other of the same kind of name is taken, too.
var zones = []string{"UTC", "Africa/Cairo", "Africa/Johannesburg", "Africa/Lagos", "Africa/Nairobi", "America/Bogota",
	"America/Buenos_Aires", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Mexico_City",
	"America/New_York", "America/Sao_Paulo", "America/Toronto", "Asia/Bangkok", "Asia/Dubai",
	"Asia/Ho_Chi_Minh", "Asia/Hong_Kong", "Asia/Jakarta", "Asia/Kolkata", "Asia/Manila", "Asia/Seoul", "Asia/Shanghai",
	"Asia/Singapore", "Asia/Taipei", "Asia/Tokyo", "Australia/Perth", "Australia/Sydney", "Europe/Amsterdam",
	"Europe/Athens", "Europe/Berlin", "Europe/Istanbul", "Europe/Kyiv", "Europe/Lisbon", "Europe/London",
	"Europe/Madrid", "Europe/Moscow", "Europe/Paris", "Europe/Prague", "Europe/Rome", "Europe/Stockholm", "Europe/Tallinn",
	"Europe/Warsaw", "Pacific/Auckland", "Pacific/Honolulu"}

// Zones offers zones while one is typed.
func Zones(_ context.Context, r chat.Request) (choices []chat.Choice, err error) {
	typed := strings.ToLower(strings.TrimSpace(r.Options["zone"].Text))
	for _, z := range zones {
		if strings.Contains(strings.ToLower(z), strings.ReplaceAll(typed, " ", "_")) {
			choices = append(choices, chat.Choice{Label: z, Value: z})
		}
	}
	return choices, nil
}

// Setting changes when and where the daily puzzle is posted, as the options of r say, and words how
// it is now.
func (p *Puzzles) Setting(ctx context.Context, r chat.Request) (string, error) {
	daily, hour, zoneName := r.Text("daily", ""), r.Text("hour", ""), r.Text("zone", "")
	d, err := p.Store.Daily(ctx, r.Place.Server)
	if err == nil && daily+hour+zoneName != "" {
		if _, ok := zone.Named(zoneName); zoneName != "" && !ok {
			return "", view.No("daily.zone")
		}
		speaks := r.Allowed.Send && !r.Thread || r.Allowed.SendInThreads && r.Thread
		if daily == "here" && (!r.Installed || !r.Allowed.View || !speaks) {
			return "", view.No("daily.mute")
		}
		now := p.Now()
		d, err = p.Store.UpdateDaily(ctx, r.Place.Server, func(d storage.Daily) (storage.Daily, error) {
			return chosen(d, r.Place.Channel, daily, hour, zoneName, now), nil
		})
	}
	if err != nil {
		return "", err
	}
	t := p.House.Tongue(r)
	if d.Channel == 0 && d.Zone != "" {
		return t.Say("daily.off") + "\n" + t.Setting("zone", d.Zone), nil
	}
	if d.Channel == 0 {
		return t.Say("daily.off"), nil
	}
	return t.Say("daily.on", "Channel", view.Channel(d.Channel), "Hour", fmt.Sprintf("%02d:00", d.Hour),
		"Zone", zone.Or(d.Zone).String(), "When", fmt.Sprintf("<t:%d:R>", d.Next.Unix())), nil
}

// chosen is d as a manager wants it.
func chosen(d storage.Daily, here uint64, daily, hour, zoneName string, now time.Time) storage.Daily {
	channel, h := d.Channel, d.Hour
	switch daily {
	case "here":
		channel = here
	case "off":
		channel = 0
	}
	fmt.Sscanf(hour, "%d", &h)
	d.Daily = d.Choose(channel, h, cmp.Or(zoneName, d.Zone), now)
	return d
}
