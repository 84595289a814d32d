package standin

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// route is one route of the REST API.
type route struct {
	method, pattern string
	run             handler
	parts           []string // of the pattern
}

// handler answers a call.
type handler func(*Server, *call) (any, error)

var routes = []route{
	on("GET", "/gateway", getGateway),
	on("GET", "/gateway/bot", locked(getGatewayBot)),
	on("GET", "/applications/@me", locked(getApplication)),
	on("GET", "/users/@me", locked(getMe)),
	on("GET", "/users/{user_id}", locked(getUser)),
	on("POST", routeToken, locked(postToken)),
	on("POST", routeRevoke, locked(revokeToken)),
	on("GET", "/applications/{application_id}/activity-instances/{instance_id}", locked(getInstance)),
	on("GET", "/users/@me/guilds", locked(getMyGuilds)),
	on("DELETE", "/users/@me/guilds/{guild_id}", with(botGuild, leaveGuild)),
	on("POST", "/users/@me/channels", openDirect),
	on("GET", "/guilds/{guild_id}", with(botGuild, getGuild)),
	on("GET", "/guilds/{guild_id}/members/{user_id}", with(botGuild, getMember)),
	on("GET", "/guilds/{guild_id}/scheduled-events", with(botGuild, getScheduled)),
	on("POST", "/guilds/{guild_id}/scheduled-events", reading(botGuild, postScheduled)),
	on("PATCH", "/guilds/{guild_id}/scheduled-events/{event_id}", reading(oneScheduled, patchScheduled)),
	on("DELETE", "/guilds/{guild_id}/scheduled-events/{event_id}", with(oneScheduled, deleteScheduled)),

	on("GET", routeCommands, with(scope, getCommands)),
	on("PUT", routeCommands, reading(scope, putCommands)),
	on("GET", routeGuildCommands, with(scope, getCommands)),
	on("PUT", routeGuildCommands, reading(scope, putCommands)),

	on("GET", "/applications/{application_id}/emojis", with(scope, getEmojis)),
	on("POST", "/applications/{application_id}/emojis", created(reading(scope, postEmoji))),
	on("DELETE", "/applications/{application_id}/emojis/{emoji_id}", with(oneEmoji, deleteEmoji)),

	on("POST", routeCallback, postCallback),
	on("POST", routeHook, postFollowUp),
	on("GET", routeOriginal, with(hookMessage, showMessage)),
	on("PATCH", routeOriginal, revise(hookMessage)),
	on("DELETE", routeOriginal, with(hookMessage, removeMessage)),
	on("GET", routeHookMsg, with(hookMessage, showMessage)),
	on("PATCH", routeHookMsg, revise(hookMessage)),
	on("DELETE", routeHookMsg, with(hookMessage, removeMessage)),

	on("GET", "/channels/{channel_id}", with(botChannel, getChannel)),
	on("PATCH", "/channels/{channel_id}", reading(botChannel, patchChannel)),
	on("GET", routeMessages, with(botChannel, getMessages)),
	on("POST", routeMessages, postMessage),
	on("GET", routeMessage, with(readMessage, showMessage)),
	on("PATCH", routeMessage, revise(ownMessage)),
	on("DELETE", routeMessage, with(disposable, removeMessage)),
	on("POST", routeMessage+"/threads", created(postMessageThread)),
	on("POST", "/channels/{channel_id}/threads", created(postThread)),
	on("PUT", "/channels/{channel_id}/thread-members/{user_id}", with(botChannel, threadMember)),
}

func on(method, pattern string, run handler) route {
	return route{method, pattern, run, strings.Split(strings.Trim(pattern, "/"), "/")}
}

// open reports whether a route needs no bot token.
func (e *route) open() bool {
	return e.pattern == "/gateway" || e.pattern == routeToken || e.pattern == routeRevoke || byInteraction(e.pattern)
}

// created makes a handler that answers 201.
func created(run handler) handler {
	return func(s *Server, c *call) (any, error) {
		c.created = true
		return run(s, c)
	}
}

// locked makes a handler that holds s.mu.
func locked(run handler) handler {
	return func(s *Server, c *call) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return run(s, c)
	}
}

// with makes a handler of what happens to that which the call's path names. It holds s.mu.
func with[T any](find func(*Server, *call) (T, error), run func(*Server, *call, T) (any, error)) handler {
	return locked(func(s *Server, c *call) (any, error) {
		x, err := find(s, c)
		if err != nil {
			return nil, err
		}
		return run(s, c, x)
	})
}

// reading is with for a call that has a body.
func reading[T, B any](find func(*Server, *call) (T, error), run func(*Server, T, B) (any, error)) handler {
	return func(s *Server, c *call) (any, error) {
		var b B
		if err := c.decode(&b); err != nil {
			return nil, err
		}
		return with(find, func(s *Server, _ *call, x T) (any, error) { return run(s, x, b) })(s, c)
	}
}

func getGateway(*Server, *call) (any, error) {
	return map[string]any{"url": gateway}, nil
}

func getGatewayBot(s *Server, _ *call) (any, error) {
	left, reset := s.startsLeft()
	return map[string]any{"url": gateway, "shards": s.opts.Shards,
		"session_start_limit": map[string]any{"total": s.limiter.limits.Starts,
			"remaining": left, "reset_after": reset.Milliseconds(), "max_concurrency": s.limiter.limits.Concurrency}}, nil
}

func getApplication(s *Server, _ *call) (any, error) {
	var endpoint any
	if s.opts.Endpoint != "" {
		endpoint = s.opts.Endpoint
	}
	users := 0
	for _, p := range s.people {
		if p.Installed {
			users++
		}
	}
	params := map[string]any{"scopes": []string{"applications.commands", "bot"}, "permissions": "309237763072"}
	bare := map[string]any{"scopes": []string{"applications.commands"}, "permissions": "0"}
	if s.opts.BareInstall {
		params = bare
	}
	flags := 1 << 23
	if s.opts.Activity {
		flags |= flagEmbedded
	}
	installs := map[string]any{}
	if !s.opts.NoGuildInstall {
		installs["0"] = map[string]any{"oauth2_install_params": params}
	}
	if !s.opts.NoUserInstall {
		installs["1"] = map[string]any{"oauth2_install_params": bare}
	}
	return map[string]any{"id": s.app, "name": s.bot.Username, "icon": nil, "description": "", "bot_public": true,
		"bot_require_code_grant": false, "verify_key": hex.EncodeToString(s.PublicKey()), "flags": flags,
		"interactions_endpoint_url": endpoint, "bot": s.botUser(),
		"approximate_guild_count": len(s.guilds), "approximate_user_install_count": users, "tags": []string{},
		"redirect_uris": []string{}, "owner": s.person("owner").User, "team": nil, "summary": "",
		"integration_types_config": installs}, nil
}

// getMe is the bot, or the member whose token the call has.
func getMe(s *Server, c *call) (any, error) {
	if p := s.bearer(c.r.Header.Get("Authorization")); p != nil {
		return p.User, nil
	}
	return s.botUser(), nil
}

func getUser(s *Server, c *call) (any, error) {
	p := s.people[c.r.PathValue("user_id")]
	if p == nil {
		return nil, errUnknownUser
	}
	return p.User, nil
}

func getMyGuilds(s *Server, c *call) (any, error) {
	limit, err := strconv.Atoi(cmp.Or(c.r.URL.Query().Get("limit"), "200"))
	if err != nil || limit < 1 || limit > 200 {
		return nil, invalidForm(Problem{"limit", "NUMBER_TYPE_MAX", "int value should be less than or equal to 200."})
	}
	after, _ := strconv.ParseUint(c.r.URL.Query().Get("after"), 10, 64)
	guilds := slices.SortedFunc(slices.Values(s.guilds), func(a, b *guild) int {
		return cmp.Compare(number(a.id), number(b.id))
	})
	out := []any{}
	for _, g := range guilds {
		if g.bot && number(g.id) > after && len(out) < limit {
			out = append(out, map[string]any{"id": g.id, "name": g.name, "icon": nil, "owner": false, "features": []string{},
				"permissions": bitString(g.roles[g.id].Perms)})
		}
	}
	return out, nil
}

// leaveGuild lets the bot leave a guild.
func leaveGuild(s *Server, _ *call, g *guild) (any, error) {
	s.removeBot(g)
	return nil, nil
}

func number(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64)
	return n
}

// removeBot takes the bot out of a guild.
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
func botGuild(s *Server, c *call) (*guild, error) {
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

func openDirect(s *Server, c *call) (any, error) {
	var b struct {
		Recipient string `json:"recipient_id"`
	}
	if err := c.decode(&b); err != nil {
		return nil, err
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

func getGuild(s *Server, _ *call, g *guild) (any, error) {
	return s.wireGuild(g), nil
}

func getMember(s *Server, c *call, g *guild) (any, error) {
	id := c.r.PathValue("user_id")
	if id == "@me" {
		id = s.bot.ID
	}
	if _, in := g.members[id]; !in {
		return nil, errUnknownMember
	}
	return s.wireMember(g, s.people[id]), nil
}
