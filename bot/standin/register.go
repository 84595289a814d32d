package standin

import (
	"slices"
	"time"
)

// scope finds the table of commands that a call is about.
func scope(s *Server, c *call) (string, error) {
	if c.r.PathValue("application_id") != s.app {
		return "", errUnknownApp
	}
	id := c.r.PathValue("guild_id")
	if id == "" {
		return "", nil
	}
	_, err := botGuild(s, c)
	return id, err
}

func (s *Server) commands(scope string) []Command {
	if scope == "" {
		return s.globalTable
	}
	return s.guildTable[scope]
}

func (s *Server) setCommands(scope string, list []Command) {
	if scope == "" {
		s.globalTable = list
	} else {
		s.guildTable[scope] = list
	}
	s.changed()
}

func getCommands(s *Server, _ *call, scope string) (any, error) {
	return list(s.commands(scope)), nil
}

func putCommands(s *Server, scope string, table []Command) (any, error) {
	p := &problems{}
	checkCommands(p, table)
	for i := range table {
		s.checkScope(p, join("", i), &table[i], scope)
	}
	if err := p.err(); err != nil && !s.opts.Unchecked {
		return nil, err
	}
	if isEntry := (func(c Command) bool {
		return c.Type == entryCommand
	}); slices.ContainsFunc(s.commands(scope), isEntry) && !slices.ContainsFunc(table, isEntry) {
		return nil, errEntryPoint
	}
	for i := range table {
		if err := s.adopt(&table[i], scope); err != nil {
			return nil, err
		}
	}
	s.setCommands(scope, table)
	return list(table), nil
}

// installs are the kinds of installation that the application supports: 0 to servers, 1 by members.
func (s *Server) installs() (list []int) {
	if !s.opts.NoGuildInstall {
		list = append(list, 0)
	}
	if !s.opts.NoUserInstall {
		list = append(list, 1)
	}
	return list
}

// checkScope applies the rules that depend on the application and on where a command is to be
// registered.
func (s *Server) checkScope(p *problems, path string, c *Command, scope string) {
	for i, kind := range c.IntegrationTypes {
		if !slices.Contains(s.installs(), kind) {
			p.add(join(path, "integration_types", i), "BASE_TYPE_CHOICES",
				"The application does not support this kind of installation.")
		}
	}
	if c.Type == entryCommand && (scope != "" || !s.opts.Activity) {
		p.add(join(path, "type"), "BASE_TYPE_CHOICES",
			"An entry point is a global command of an application with Activities.")
	}
}

// entryPoint is the command that Discord makes for an application when Activities are switched on.
func (s *Server) entryPoint() Command {
	return Command{ID: s.id(), Type: entryCommand, ApplicationID: s.app, Name: "Launch",
		Names: map[string]string{"de": "Starten"}, Contexts: []int{0, 1, 2},
		IntegrationTypes: s.installs(), Handler: 2, Version: s.id()}
}

// adopt gives a command the id of the one it replaces, or a new one.
func (s *Server) adopt(cmd *Command, scope string) error {
	cmd.ApplicationID, cmd.GuildID, cmd.Version = s.app, scope, s.id()
	if cmd.Type == 0 {
		cmd.Type = chatCommand
	}
	switch {
	case len(cmd.IntegrationTypes) > 0:
	case scope == "":
		cmd.IntegrationTypes = s.installs()
	default:
		cmd.IntegrationTypes = []int{0}
	}
	tidy(cmd.Options)
	for _, old := range s.commands(scope) {
		if old.Type == cmd.Type && old.Name == cmd.Name {
			cmd.ID = old.ID
			return nil
		}
	}
	if s.now().Sub(s.createDay) > 24*time.Hour {
		s.createDay, s.creates = s.now(), map[string]int{}
	}
	if s.creates[scope]++; s.creates[scope] > 200 {
		return apiError(400, 30034, "Max number of daily application command creates has been reached (200)")
	}
	cmd.ID = s.id()
	return nil
}

// tidy leaves out what Discord leaves out in its answers: a least length of nothing.
func tidy(list []option) {
	for i := range list {
		if o := &list[i]; o.MinLength != nil && *o.MinLength == 0 {
			o.MinLength = nil
		}
		tidy(list[i].Options)
	}
}
