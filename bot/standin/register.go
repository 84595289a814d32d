package standin

import (
	"encoding/json"
	"slices"
	"time"
)

// scope finds the table of commands that a call is about.
func (s *Server) scope(c *call) (string, error) {
	if c.r.PathValue("application_id") != s.app {
		return "", errUnknownApp
	}
	id := c.r.PathValue("guild_id")
	if id == "" {
		return "", nil
	}
	_, err := s.botGuild(c)
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

func (s *Server) getCommands(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scope, err := s.scope(c)
	if err != nil {
		return nil, err
	}
	return list(s.commands(scope)), nil
}

func (s *Server) putCommands(c *call) (any, error) {
	var table []Command
	if err := json.Unmarshal(c.raw, &table); err != nil {
		return nil, decodeError(err)
	}
	p := &problems{}
	checkCommands(p, table)
	s.mu.Lock()
	defer s.mu.Unlock()
	scope, err := s.scope(c)
	if err != nil {
		return nil, err
	}
	if err := p.err(); err != nil && !s.opts.Unchecked {
		return nil, err
	}
	for i := range table {
		if err := s.adopt(&table[i], scope); err != nil {
			return nil, err
		}
	}
	s.setCommands(scope, table)
	return list(table), nil
}

// adopt gives a command the id of the one it replaces, or a new one.
func (s *Server) adopt(cmd *Command, scope string) error {
	cmd.ApplicationID, cmd.GuildID, cmd.Version = s.app, scope, s.id()
	if cmd.Type == 0 {
		cmd.Type = chatCommand
	}
	if len(cmd.IntegrationTypes) == 0 {
		cmd.IntegrationTypes = []int{0}
	}
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
		return &Error{400, 30034, "Max number of daily application command creates has been reached (200)", nil}
	}
	cmd.ID = s.id()
	return nil
}

func (s *Server) postCommand(c *call) (any, error) {
	var cmd Command
	if err := json.Unmarshal(c.raw, &cmd); err != nil {
		return nil, decodeError(err)
	}
	if cmd.Type == 0 {
		cmd.Type = chatCommand
	}
	p := &problems{}
	checkCommand(p, "", &cmd)
	s.mu.Lock()
	defer s.mu.Unlock()
	scope, err := s.scope(c)
	if err != nil {
		return nil, err
	}
	if err := p.err(); err != nil && !s.opts.Unchecked {
		return nil, err
	}
	if err := s.adopt(&cmd, scope); err != nil {
		return nil, err
	}
	table := slices.DeleteFunc(slices.Clone(s.commands(scope)), func(o Command) bool { return o.ID == cmd.ID })
	table = append(table, cmd)
	p = &problems{}
	checkCommands(p, table)
	if p.err() != nil {
		return nil, errManyCommands
	}
	s.setCommands(scope, table)
	return cmd, nil
}

func (s *Server) oneCommand(c *call) (string, int, error) {
	scope, err := s.scope(c)
	if err != nil {
		return "", 0, err
	}
	i := slices.IndexFunc(s.commands(scope), func(o Command) bool { return o.ID == c.r.PathValue("command_id") })
	if i < 0 {
		return "", 0, errUnknownCommand
	}
	return scope, i, nil
}

func (s *Server) getCommand(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scope, i, err := s.oneCommand(c)
	if err != nil {
		return nil, err
	}
	return s.commands(scope)[i], nil
}

func (s *Server) patchCommand(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scope, i, err := s.oneCommand(c)
	if err != nil {
		return nil, err
	}
	table := slices.Clone(s.commands(scope))
	cmd := table[i]
	cmd.Options = nil
	had := table[i].Options
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(c.raw, &keys); err != nil {
		return nil, decodeError(err)
	}
	if err := json.Unmarshal(c.raw, &cmd); err != nil {
		return nil, decodeError(err)
	}
	if _, given := keys["options"]; !given {
		cmd.Options = had
	}
	cmd.ID, cmd.Type, cmd.ApplicationID, cmd.GuildID, cmd.Version = table[i].ID, table[i].Type, s.app, scope, s.id()
	table[i] = cmd
	p := &problems{}
	checkCommand(p, "", &cmd)
	if err := p.err(); err != nil {
		return nil, err
	}
	s.setCommands(scope, table)
	return cmd, nil
}

func (s *Server) deleteCommand(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scope, i, err := s.oneCommand(c)
	if err != nil {
		return nil, err
	}
	s.setCommands(scope, slices.Delete(slices.Clone(s.commands(scope)), i, i+1))
	return nil, nil
}
