package standin

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// flagEmbedded is the flag of an application with Activities.
const flagEmbedded = 1 << 17

// instance is an Activity that is open in a channel. A channel has one of an application's at a time, and it ends with
// its last participant.
type instance struct {
	id, launch string
	ch         *channel
	users      []participant
}

// participant is a person in an instance. Discord's list lags: it names them from a time on.
type participant struct {
	by    *person
	since time.Time
}

// join lets a person into the instance of a channel, which it opens where there is none.
func (s *Server) join(who *person, c *channel) *instance {
	i := s.instances[c.id]
	if i == nil {
		i = &instance{launch: s.id(), ch: c}
		i.id = "i-" + i.launch + "-" + strings.Join(slices.DeleteFunc([]string{i.kind(), i.guild(), c.id},
			func(s string) bool { return s == "" }), "-")
		s.instances[c.id] = i
	}
	if !slices.ContainsFunc(i.users, func(p participant) bool { return p.by == who }) {
		i.users = append(i.users, participant{who, s.now().Add(s.opts.UsersLate)})
	}
	return i
}

func (i *instance) kind() string {
	if i.ch.guild == nil {
		return "pc"
	}
	return "gc"
}

func (i *instance) guild() string {
	if i.ch.guild == nil {
		return ""
	}
	return i.ch.guild.id
}

// Off is the text of the action "activities" for a client that opens no Activities, as some platforms have them.
const Off = "off"

// mayLaunch is the error where a person may not open an Activity in a channel.
func (s *Server) mayLaunch(who *person, c *channel) error {
	if who.Without || !c.sees(who.ID) || c.permissions(who.ID)&PermActivities == 0 {
		return errMissingPermission
	}
	return nil
}

// launch answers an interaction by opening the Activity.
func (s *Server) launch(i *interaction) error {
	if err := s.mayLaunch(i.by, i.ch); err != nil {
		return err
	}
	i.instance = s.join(i.by, i.ch).id
	return nil
}

func getInstance(s *Server, c *call) (any, error) {
	if c.r.PathValue("application_id") != s.app {
		return nil, errUnknownApp
	}
	for _, i := range s.instances {
		if i.id != c.r.PathValue("instance_id") {
			continue
		}
		users := []string{}
		for _, p := range i.users {
			if !s.now().Before(p.since) {
				users = append(users, p.by.ID)
			}
		}
		at := map[string]any{"id": strings.TrimPrefix(i.id, "i-"+i.launch+"-"), "kind": i.kind(), "channel_id": i.ch.id}
		if i.ch.guild != nil {
			at["guild_id"] = i.ch.guild.id
		}
		return map[string]any{"application_id": s.app, "instance_id": i.id, "launch_id": i.launch, "location": at,
			"users": users}, nil
	}
	return nil, errNotFound
}

// activity does what members do with an Activity beside the bot's messages.
func (s *Server) activity(who *person, a Action) (r Result, err error) {
	if a.Do == "authorize" {
		r.Text = s.secretOf("code")
		s.codes[r.Text] = grant{who, s.now().Add(codeLife)}
		return r, nil
	}
	c, err := s.seen(who, a.At)
	if err != nil {
		return r, err
	}
	if a.Do == "close-activity" {
		if i := s.instances[c.id]; i != nil {
			i.users = slices.DeleteFunc(i.users, func(p participant) bool { return p.by == who })
			if len(i.users) == 0 {
				delete(s.instances, c.id)
			}
		}
		return r, nil
	}
	if !s.opts.Activity {
		return r, refuse("the application has no Activity")
	}
	if err := s.mayLaunch(who, c); err != nil {
		return r, refuse("%v", err)
	}
	r.Answer = &Answer{Instance: s.join(who, c).id}
	return r, nil
}

// entry is a member's use of the application's entry point. Where Discord answers it, no interaction comes of it.
func (s *Server) entry(who *person, a Action) (Result, *interaction, error) {
	c, err := s.seen(who, a.At)
	if err != nil {
		return Result{}, nil, err
	}
	at := slices.IndexFunc(s.globalTable, func(c Command) bool { return c.Type == entryCommand })
	if at < 0 {
		return Result{}, nil, refuse("the application has no entry point")
	}
	cmd := s.globalTable[at]
	if cmd.Handler == handledByDiscord {
		r, err := s.activity(who, Action{Do: "open-activity", At: a.At})
		return r, nil, err
	}
	return s.began(&interaction{kind: kindCommand, by: who, ch: c, name: cmd.Name, shown: "/" + cmd.Name,
		data: map[string]any{"id": cmd.ID, "name": cmd.Name, "type": cmd.Type}}, nil)
}

// handledByDiscord is the handler of an entry point by which Discord opens the Activity itself.
const handledByDiscord = 2

// grant is what a code or a token of OAuth2 stands for.
type grant struct {
	by    *person
	until time.Time
}

// Lives of what OAuth2 grants.
const (
	codeLife   = time.Minute
	bearerLife = 7 * 24 * time.Hour
)

// oauthError is an error of OAuth2, which has a form of its own.
type oauthError struct {
	status int
	name   string
}

func (e *oauthError) Error() string { return e.name }

// client is the error where a call does not prove that it comes from the application.
func (s *Server) client(form url.Values) error {
	if form.Get("client_id") != s.app || form.Get("client_secret") != s.opts.ClientSecret || s.opts.ClientSecret == "" {
		return &oauthError{401, "invalid_client"}
	}
	return nil
}

func postToken(s *Server, c *call) (any, error) {
	if err := s.client(c.fields); err != nil {
		return nil, err
	}
	if c.fields.Get("grant_type") != "authorization_code" {
		return nil, &oauthError{400, "unsupported_grant_type"}
	}
	code := c.fields.Get("code")
	g, ok := s.codes[code]
	delete(s.codes, code) // it is good once
	if !ok || !s.now().Before(g.until) {
		return nil, &oauthError{400, "invalid_grant"}
	}
	token, refresh := s.secretOf("token"), s.secretOf("refresh")
	s.bearers[token] = grant{g.by, s.now().Add(bearerLife)}
	return map[string]any{"token_type": "Bearer", "access_token": token, "expires_in": int(bearerLife.Seconds()),
		"refresh_token": refresh, "scope": "identify"}, nil
}

func revokeToken(s *Server, c *call) (any, error) {
	if err := s.client(c.fields); err != nil {
		return nil, err
	}
	delete(s.bearers, c.fields.Get("token"))
	return map[string]any{}, nil
}

// bearer is the person whose token an Authorization header has; nil: nobody's, or not any more.
func (s *Server) bearer(header string) *person {
	token, ok := strings.CutPrefix(header, "Bearer ")
	g := s.bearers[token]
	if !ok || g.by == nil || !s.now().Before(g.until) {
		return nil
	}
	return g.by
}

// knows reports whether a header has a member's token that is good.
func (s *Server) knows(header string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bearer(header) != nil
}

// Bearers is how many tokens of members are good.
func (s *Server) Bearers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bearers)
}

func (s *Server) secretOf(what string) string { return tokenPart(s.newToken(what)) }

// tokenPart is a part of a token that nobody guesses.
func tokenPart(token string) string { return token[len(token)-43:] }

// Opens opens the Activity at a place without the bot, or joins those who have it open, and gives its instance.
func (m *Member) Opens(place string) (instance string) {
	m.w.t.Helper()
	return m.run(Action{Do: "open-activity", At: place}).Answer.Instance
}

// Closes leaves the Activity at a place.
func (m *Member) Closes(place string) {
	m.w.t.Helper()
	m.run(Action{Do: "close-activity", At: place})
}

// Launches uses the application's entry point at a place.
func (m *Member) Launches(place string) *Answer { return m.act(Action{Do: "launch", At: place}) }

// Authorizes lets the application know who the member is, and gives the code for that.
func (m *Member) Authorizes() (code string) {
	m.w.t.Helper()
	return m.run(Action{Do: "authorize"}).Text
}
