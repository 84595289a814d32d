package standin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// act does one action in the world and waits for what follows from it.
func (s *Server) act(ctx context.Context, a Action) (Result, error) {
	switch a.Do {
	case "wait":
		return s.wait(ctx, a)
	case "press", "choose":
		if a.For > 0 && !a.Raw {
			s.waitFor(ctx, a)
		}
	case "ready":
		return Result{}, s.waitReady(ctx, a)
	case "endpoint":
		return Result{}, s.setEndpoint(ctx, a)
	case "events":
		return Result{}, s.setEvents(ctx, a)
	}
	r, i, err := s.start(a)
	if err != nil || i == nil || a.NoWait {
		if i != nil {
			r.Answer = &Answer{Interaction: i.id}
		}
		return r, err
	}
	select {
	case <-i.done:
	case <-ctx.Done():
		return r, ctx.Err()
	case <-s.ctx.Done():
		return r, refuse("the stand-in is closed")
	}
	if a.For > 0 {
		s.waitThought(ctx, a.For, i)
	}
	s.mu.Lock()
	answer := i.reply
	i.reply.Message, i.reply.Choices = nil, nil // interactions are kept by the thousand
	s.mu.Unlock()
	r.Answer = &answer
	return r, nil
}

// start does the part of an action that needs no waiting. It returns the
// interaction that act waits for, or nil.
func (s *Server) start(a Action) (Result, *interaction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Result{}, nil, refuse("the stand-in is closed")
	}
	if err := bounded(a); err != nil {
		return Result{}, nil, err
	}
	var who *person
	switch {
	case a.As != "":
		who = s.person(a.As)
	case slices.Contains(ofMembers, a.Do):
		return Result{}, nil, refuse("%s needs a member", a.Do)
	}
	r, i, err := s.dispatchAction(who, a)
	if i != nil {
		i.waited = !a.NoWait
	}
	return r, i, err
}

// Bounds of what a client lets its user type, in characters.
const (
	maxLine   = 8000 // of a command with its options; a text option alone has up to 6000
	maxPlace  = 400  // server, channel and thread have up to 100 each; members less
	maxLocale = 10
	maxFile   = 255 // of a file's name
)

// bounded refuses an action that no client would send.
func bounded(a Action) error {
	line := maxLine
	if a.Do == "press" || a.Do == "choose" {
		line = 150 // a label, a placeholder or a custom id
	}
	p := &problems{}
	p.length("as", a.As, 0, maxPlace)
	p.length("name", a.Name, 0, line)
	p.length("at", a.At, 0, maxPlace)
	p.length("target", a.Target, 0, maxPlace)
	p.length("modal", a.Modal, 0, maxPlace)
	if len(a.Options) > maxChoices || len(a.Values) > maxChoices {
		p.add("options", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxChoices)
	}
	files := a.Files
	for _, o := range a.Options {
		if o.File != nil {
			files = append(slices.Clip(files), *o.File)
		}
	}
	for i, f := range files {
		p.length(join("files", i, "filename"), f.Name, 1, maxFile)
	}
	switch {
	case a.Do == "locale":
		p.length("locale", a.Text, 2, maxLocale)
	case a.Do == "say":
		p.length("content", a.Text, 0, maxContent)
		if len(files) > maxFiles {
			p.add("files", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxFiles)
		}
	}
	if err := p.err(); err != nil {
		return refuse("%v", err)
	}
	total := 0
	for _, f := range files {
		if total += len(f.Data); len(f.Data) > MaxFileSize || total > maxRequestSize {
			return refuse("%v", errTooLarge)
		}
	}
	if a.Do == "say" && strings.TrimSpace(a.Text) == "" && len(files) == 0 {
		return refuse("%v", errEmpty)
	}
	return nil
}

// ofMembers are the actions that need a member.
var ofMembers = []string{"member", "slash", "type", "user-menu", "message-menu", "press", "choose",
	"submit", "say", "pings", "install", "locale", "close-dms", "status", "moderate", "role",
	"open-activity", "close-activity", "launch", "authorize", "activities"}

// dispatchAction does an action; the caller holds s.mu.
func (s *Server) dispatchAction(who *person, a Action) (Result, *interaction, error) {
	switch a.Do {
	case "member":
		return Result{IDs: []string{who.ID}}, nil, nil
	case "slash", "type", "user-menu", "message-menu":
		return s.began(s.command(who, a))
	case "press", "choose":
		return s.began(s.component(who, a))
	case "submit":
		return s.began(s.submit(who, a))
	case "launch":
		return s.entry(who, a)
	}
	r, err := s.direct(who, a)
	return r, nil, err
}

func (s *Server) began(i *interaction, err error) (Result, *interaction, error) {
	if err == nil {
		s.begin(i)
	}
	return Result{}, i, err
}

// direct does the actions that need no answer from the bot.
func (s *Server) direct(who *person, a Action) (r Result, err error) {
	defer s.changed()
	switch a.Do {
	case "say":
		return s.say(who, a)
	case "see", "messages":
		c, err := s.seen(who, a.At)
		if err != nil {
			return r, err
		}
		if a.Do == "see" {
			r.Text = s.render(c, who, a.Count)
		} else {
			r.Messages = s.messagesFor(c, who)
		}
		return r, nil
	case "commands":
		return s.listCommands(who, a)
	case "places":
		r.Places = s.placesOf(who)
	case "people":
		for _, id := range sortedKeys(s.people) {
			r.People = append(r.People, s.people[id].User)
			if s.people[id].Away {
				r.IDs = append(r.IDs, id)
			}
		}
	case "pings":
		r.IDs = slices.Clone(s.pings[who.ID])
	case "install":
		who.Installed = true
	case "locale":
		who.Locale = a.Text
	case "close-dms":
		who.Closed = true
	case "activities":
		who.Without = a.Text == Off
	case "open-activity", "close-activity", "authorize":
		return s.activity(who, a)
	case "status":
		who.Away = a.Text == Away
		s.feedAll("people")
	case "calls":
		r.Calls = slices.Clone(s.calls)
	case "violations":
		r.Violations = slices.Clone(s.violations)
	case "stats":
		st := s.stats
		st.Posts = maps.Clone(st.Posts)
		st.Failures, st.Messages, st.Attachments, st.AttachedBytes = s.failures, len(s.messages), len(s.blobs), s.blobBytes
		st.GlobalPeak = s.limiter.globalPeak()
		r.Stats = &st
	case "plan":
		if a.Plan == nil {
			return r, refuse("a plan is needed")
		}
		s.faults.set(*a.Plan)
	default:
		if do := moderations[a.Do]; do != nil {
			return do(s, who, a)
		}
		return r, fmt.Errorf("there is no action %q", a.Do)
	}
	return r, nil
}

// seen finds a place and checks that the member sees it.
func (s *Server) seen(who *person, name string) (*channel, error) {
	c, err := s.place(who, name)
	if err != nil {
		return nil, err
	}
	if who != nil && !c.sees(who.ID) {
		return nil, refuse("%s does not see %s", who.Username, name)
	}
	return c, nil
}

func (s *Server) say(who *person, a Action) (Result, error) {
	c, err := s.seen(who, a.At)
	if err != nil {
		return Result{}, err
	}
	if err := c.maySend(who.ID, len(a.Files) > 0); err != nil {
		return Result{}, refuse("%v", err)
	}
	b := &body{Content: field[string]{Set: true, V: s.mentioning(a.Text)}}
	var files []upload
	for n, f := range a.Files {
		files = append(files, upload{index: fmt.Sprint(n), name: f.Name, data: f.Data})
	}
	d := draft{author: who.User}
	if a.Target != "" {
		to := s.messages[a.Target]
		if to == nil || to.ch != c || !s.visible(to, who.ID) {
			return Result{}, refuse("there is no message %q to reply to", a.Target)
		}
		d.kind, d.reference = typeReply, &reference{MessageID: to.msg.ID, ChannelID: c.id}
		if !a.Silent {
			d.answers = &to.msg.Author
		}
	}
	r := s.post(c, b, files, d)
	return Result{Messages: []Message{r.msg}}, nil
}

// typeReply is the type of a message that replies to another.
const typeReply = 19

// mentioning is a text in which the bot's name after an @ is a mention, as a client sends it.
func (s *Server) mentioning(text string) string {
	return strings.ReplaceAll(text, "@"+s.bot.Username, "<@"+s.bot.ID+">")
}

// Away is the status of a member who is away; the empty one is that of a member who is there. No bot hears of it: it
// would need a privileged intent.
const Away = "away"

// messagesFor are the messages of a place that a member sees.
func (s *Server) messagesFor(c *channel, who *person) []Message {
	out := []Message{}
	for _, r := range c.messages {
		if who == nil || s.visible(r, who.ID) {
			out = append(out, r.msg)
		}
	}
	return out
}

func (s *Server) placesOf(who *person) []Place {
	var all []*channel
	for _, g := range s.guilds {
		all = append(all, g.channels...)
	}
	for _, k := range sortedKeys(s.directs) {
		all = append(all, s.directs[k])
	}
	out := []Place{}
	for _, c := range all {
		if who == nil || c.sees(who.ID) {
			out = append(out, s.placeOf(c, who))
		}
	}
	return out
}

func (s *Server) placeOf(c *channel, who *person) Place {
	p := Place{ID: c.id, Type: c.kind}
	if c.direct() {
		for _, r := range c.recipients {
			if r != who {
				p.Name = "@" + r.Username
			}
		}
		return p
	}
	p.Name, p.Guild = c.placeName(), c.guild.name
	if c.guild != s.guilds[0] {
		p.Name = c.guild.name + p.Name
	}
	if c.thread() {
		p.Parent = c.parent.id
	}
	return p
}
