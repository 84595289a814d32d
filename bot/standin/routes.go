package standin

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// route is one route of the REST API.
type route struct {
	method, pattern string
	run             func(*Server, *call) (any, error)
	open            bool // needs no bot token
	created         bool // answers 201
	parts           []string
}

var routes = table([]route{
	{method: "GET", pattern: "/gateway", run: (*Server).getGateway, open: true},
	{method: "GET", pattern: "/gateway/bot", run: (*Server).getGatewayBot},
	{method: "GET", pattern: "/applications/@me", run: (*Server).getApplication},
	{method: "GET", pattern: "/oauth2/applications/@me", run: (*Server).getApplication},
	{method: "GET", pattern: "/users/@me", run: (*Server).getMe},
	{method: "GET", pattern: "/users/@me/guilds", run: (*Server).getMyGuilds},
	{method: "DELETE", pattern: "/users/@me/guilds/{guild_id}", run: (*Server).leaveGuild},
	{method: "POST", pattern: "/users/@me/channels", run: (*Server).openDirect},
	{method: "GET", pattern: "/users/{user_id}", run: (*Server).getUser},
	{method: "GET", pattern: "/guilds/{guild_id}", run: (*Server).getGuild},
	{method: "GET", pattern: "/guilds/{guild_id}/channels", run: (*Server).getGuildChannels},
	{method: "GET", pattern: "/guilds/{guild_id}/threads/active", run: (*Server).getActiveThreads},
	{method: "GET", pattern: "/guilds/{guild_id}/roles", run: (*Server).getRoles},
	{method: "GET", pattern: "/guilds/{guild_id}/members/{user_id}", run: (*Server).getMember},
	{method: "GET", pattern: "/guilds/{guild_id}/scheduled-events", run: (*Server).getScheduled},
	{method: "POST", pattern: "/guilds/{guild_id}/scheduled-events", run: (*Server).postScheduled},
	{method: "PATCH", pattern: "/guilds/{guild_id}/scheduled-events/{event_id}", run: (*Server).patchScheduled},
	{method: "DELETE", pattern: "/guilds/{guild_id}/scheduled-events/{event_id}", run: (*Server).deleteScheduled},

	{method: "GET", pattern: "/applications/{application_id}/commands", run: (*Server).getCommands},
	{method: "PUT", pattern: "/applications/{application_id}/commands", run: (*Server).putCommands},
	{method: "POST", pattern: "/applications/{application_id}/commands", run: (*Server).postCommand, created: true},
	{method: "GET", pattern: "/applications/{application_id}/commands/{command_id}", run: (*Server).getCommand},
	{method: "PATCH", pattern: "/applications/{application_id}/commands/{command_id}", run: (*Server).patchCommand},
	{method: "DELETE", pattern: "/applications/{application_id}/commands/{command_id}", run: (*Server).deleteCommand},
	{method: "GET", pattern: "/applications/{application_id}/guilds/{guild_id}/commands", run: (*Server).getCommands},
	{method: "PUT", pattern: "/applications/{application_id}/guilds/{guild_id}/commands", run: (*Server).putCommands},
	{method: "POST", pattern: "/applications/{application_id}/guilds/{guild_id}/commands", run: (*Server).postCommand, created: true},
	{method: "GET", pattern: "/applications/{application_id}/guilds/{guild_id}/commands/{command_id}", run: (*Server).getCommand},
	{method: "PATCH", pattern: "/applications/{application_id}/guilds/{guild_id}/commands/{command_id}", run: (*Server).patchCommand},
	{method: "DELETE", pattern: "/applications/{application_id}/guilds/{guild_id}/commands/{command_id}", run: (*Server).deleteCommand},

	{method: "GET", pattern: "/applications/{application_id}/emojis", run: (*Server).getEmojis},
	{method: "POST", pattern: "/applications/{application_id}/emojis", run: (*Server).postEmoji, created: true},
	{method: "GET", pattern: "/applications/{application_id}/emojis/{emoji_id}", run: (*Server).getEmoji},
	{method: "PATCH", pattern: "/applications/{application_id}/emojis/{emoji_id}", run: (*Server).patchEmoji},
	{method: "DELETE", pattern: "/applications/{application_id}/emojis/{emoji_id}", run: (*Server).deleteEmoji},

	{method: "POST", pattern: routeCallback, run: (*Server).postCallback, open: true},
	{method: "POST", pattern: routeHook, run: (*Server).postFollowUp, open: true},
	{method: "GET", pattern: routeOriginal, run: (*Server).getHookMessage, open: true},
	{method: "PATCH", pattern: routeOriginal, run: (*Server).patchHookMessage, open: true},
	{method: "DELETE", pattern: routeOriginal, run: (*Server).deleteHookMessage, open: true},
	{method: "GET", pattern: routeHookMsg, run: (*Server).getHookMessage, open: true},
	{method: "PATCH", pattern: routeHookMsg, run: (*Server).patchHookMessage, open: true},
	{method: "DELETE", pattern: routeHookMsg, run: (*Server).deleteHookMessage, open: true},

	{method: "GET", pattern: "/channels/{channel_id}", run: (*Server).getChannel},
	{method: "PATCH", pattern: "/channels/{channel_id}", run: (*Server).patchChannel},
	{method: "DELETE", pattern: "/channels/{channel_id}", run: (*Server).deleteChannel},
	{method: "GET", pattern: routeMessages, run: (*Server).getMessages},
	{method: "POST", pattern: routeMessages, run: (*Server).postMessage},
	{method: "GET", pattern: routeMessage, run: (*Server).getMessage},
	{method: "PATCH", pattern: routeMessage, run: (*Server).patchMessage},
	{method: "DELETE", pattern: routeMessage, run: (*Server).deleteMessage},
	{method: "POST", pattern: "/channels/{channel_id}/typing", run: (*Server).typing},
	{method: "POST", pattern: "/channels/{channel_id}/messages/{message_id}/threads", run: (*Server).postMessageThread, created: true},
	{method: "POST", pattern: "/channels/{channel_id}/threads", run: (*Server).postThread, created: true},
	{method: "PUT", pattern: "/channels/{channel_id}/thread-members/@me", run: (*Server).threadMember},
	{method: "DELETE", pattern: "/channels/{channel_id}/thread-members/@me", run: (*Server).threadMember},
	{method: "PUT", pattern: "/channels/{channel_id}/thread-members/{user_id}", run: (*Server).threadMember},
	{method: "DELETE", pattern: "/channels/{channel_id}/thread-members/{user_id}", run: (*Server).threadMember},
})

func table(list []route) []route {
	for i := range list {
		list[i].parts = strings.Split(strings.Trim(list[i].pattern, "/"), "/")
	}
	return list
}

func (s *Server) getGateway(*call) (any, error) {
	return map[string]any{"url": gateway}, nil
}

func (s *Server) getGatewayBot(*call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left, reset := s.startsLeft()
	return map[string]any{"url": gateway, "shards": s.opts.Shards,
		"session_start_limit": map[string]any{"total": s.limiter.limits.Starts,
			"remaining": left, "reset_after": reset.Milliseconds(), "max_concurrency": s.limiter.limits.Concurrency}}, nil
}

func (s *Server) getApplication(*call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var endpoint any
	if s.opts.Endpoint != "" {
		endpoint = s.opts.Endpoint
	}
	users := 0
	for _, p := range s.people {
		if p.installed {
			users++
		}
	}
	params := map[string]any{"scopes": []string{"applications.commands", "bot"}, "permissions": "309237763072"}
	installs := map[string]any{}
	if !s.opts.NoGuildInstall {
		installs["0"] = map[string]any{"oauth2_install_params": params}
	}
	if !s.opts.NoUserInstall {
		installs["1"] = map[string]any{"oauth2_install_params": map[string]any{"scopes": []string{"applications.commands"},
			"permissions": "0"}}
	}
	return map[string]any{"id": s.app, "name": s.bot.Username, "icon": nil, "description": "", "bot_public": true,
		"bot_require_code_grant": false, "verify_key": hex.EncodeToString(s.PublicKey()), "flags": 1 << 23,
		"interactions_endpoint_url": endpoint, "bot": s.botUser(),
		"approximate_guild_count": len(s.guilds), "approximate_user_install_count": users, "tags": []string{},
		"redirect_uris": []string{}, "owner": s.person("owner").User, "team": nil, "summary": "",
		"integration_types_config": installs}, nil
}

func (s *Server) getMe(*call) (any, error) { return s.botUser(), nil }

func (s *Server) getMyGuilds(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, err := strconv.Atoi(cmp.Or(c.r.URL.Query().Get("limit"), "200"))
	if err != nil || limit < 1 || limit > 200 {
		return nil, &Error{400, 50035, "Invalid Form Body",
			[]Problem{{"limit", "NUMBER_TYPE_MAX", "int value should be less than or equal to 200."}}}
	}
	after, _ := strconv.ParseUint(c.r.URL.Query().Get("after"), 10, 64)
	guilds := slices.SortedFunc(slices.Values(s.guilds), func(a, b *guild) int {
		return cmp.Compare(number(a.id), number(b.id))
	})
	out := []any{}
	for _, g := range guilds {
		if g.bot && number(g.id) > after && len(out) < limit {
			out = append(out, map[string]any{"id": g.id, "name": g.name, "icon": nil, "owner": false, "features": []string{},
				"permissions": bitString(g.roles[g.id].perms)})
		}
	}
	return out, nil
}

func number(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64)
	return n
}

func (s *Server) leaveGuild(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.botGuild(c)
	if err != nil {
		return nil, err
	}
	s.removeBot(g)
	return nil, nil
}

// removeBot takes the bot out of a guild, by itself or by a moderator.
func (s *Server) removeBot(g *guild) {
	if !g.bot {
		return
	}
	s.dispatch("GUILD_DELETE", g, intentGuilds, map[string]any{"id": g.id})
	g.bot = false
	delete(g.members, s.bot.ID)
	delete(s.guildTable, g.id)
	s.changed()
}

// botGuild finds a guild that the bot is a member of.
func (s *Server) botGuild(c *call) (*guild, error) {
	for _, g := range s.guilds {
		if g.id == c.r.PathValue("guild_id") {
			if !g.bot {
				return nil, errMissingAccess
			}
			return g, nil
		}
	}
	return nil, errUnknownGuild
}

func (s *Server) openDirect(c *call) (any, error) {
	var b struct {
		Recipient string `json:"recipient_id"`
	}
	if err := json.Unmarshal(c.raw, &b); err != nil {
		return nil, decodeError(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.people[b.Recipient]
	if p == nil {
		return nil, errUnknownUser
	}
	if p == s.bot {
		return nil, errCannotSendUser
	}
	return s.wireChannel(s.directWith(p, s.bot)), nil
}

func (s *Server) getUser(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.people[c.r.PathValue("user_id")]
	if p == nil {
		return nil, errUnknownUser
	}
	return p.User, nil
}

func (s *Server) getGuild(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.botGuild(c)
	if err != nil {
		return nil, err
	}
	return s.wireGuild(g), nil
}

func (s *Server) getGuildChannels(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.botGuild(c)
	if err != nil {
		return nil, err
	}
	out := []*Channel{}
	for _, ch := range g.channels {
		if !ch.thread() {
			out = append(out, s.wireChannel(ch))
		}
	}
	return out, nil
}

func (s *Server) getActiveThreads(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.botGuild(c)
	if err != nil {
		return nil, err
	}
	out := []*Channel{}
	for _, ch := range g.channels {
		if ch.thread() && !ch.archived && ch.sees(s.bot.ID) {
			out = append(out, s.wireChannel(ch))
		}
	}
	return map[string]any{"threads": out, "members": []any{}}, nil
}

func (s *Server) getRoles(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.botGuild(c)
	if err != nil {
		return nil, err
	}
	return s.wireGuild(g)["roles"], nil
}

func (s *Server) getMember(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.botGuild(c)
	if err != nil {
		return nil, err
	}
	id := c.r.PathValue("user_id")
	if id == "@me" {
		id = s.bot.ID
	}
	if _, in := g.members[id]; !in {
		return nil, errUnknownMember
	}
	return s.wireMember(g, s.people[id]), nil
}
