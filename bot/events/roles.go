package events

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"tengen/bot/chat"
	"tengen/bot/view"
	"tengen/storage"
)

// Who manages a server makes and manages its events. They can give that to a role too, and say
// for each event which role may join.

// moreHosts is the setting of a server that names the role whose members make and manage all
// of its events.
const moreHosts = "eventHosts"

// may reports whether a member has a role. Zero is no role: everybody may.
func may(r chat.Request, role uint64) bool { return role == 0 || slices.Contains(r.Roles, role) }

// hostRole is the role whose members make and manage the events of a server; 0: none.
func hostRole(s storage.Server) uint64 {
	role, err := strconv.ParseUint(s.More[moreHosts], 10, 64)
	if err != nil {
		return 0
	}
	return role
}

// hosts reports whether a member may make events and manage all of the server's.
func (v *Events) hosts(ctx context.Context, r chat.Request) (bool, error) {
	if r.Governs || len(r.Roles) == 0 {
		return r.Governs, nil
	}
	s, err := v.Store.Server(ctx, r.Place.Server)
	role := hostRole(s)
	return role != 0 && may(r, role), err
}

// mayHost refuses those who may not make an event here, and channels where nobody would see it or the server
// does not want it.
func (v *Events) mayHost(ctx context.Context, r chat.Request) error {
	if r.Place.Server == 0 || !r.Installed {
		return view.No("event.refused.away")
	}
	hosts, err := v.hosts(ctx, r)
	speaks := r.Allowed.Send && !r.Thread || r.Allowed.SendInThreads && r.Thread
	switch {
	case err != nil:
		return err
	case !hosts:
		return view.No("event.refused.host")
	case !r.Allowed.View || !speaks:
		return view.No("refused.togetherMute")
	}
	return v.Host.AllowedHere(ctx, r)
}

// managing is the event of a press or a form by somebody who may manage it.
func (v *Events) managing(ctx context.Context, r chat.Request, p view.Press) (storage.Event, error) {
	e, err := v.pressed(ctx, p)
	if err == nil {
		err = v.mayManage(ctx, r, e)
	}
	return e, err
}

// Manages reports whether a member may manage an event. Of one that is gone nobody may.
func (v *Events) Manages(ctx context.Context, r chat.Request, id storage.EventID) (bool, error) {
	e, err := v.Store.Event(ctx, id)
	if err == nil {
		err = v.mayManage(ctx, r, e)
	}
	if view.IsRefused(err, "event.refused.manager") || errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// mayManage refuses those who may not manage an event: all but its owner and the hosts of its server.
func (v *Events) mayManage(ctx context.Context, r chat.Request, e storage.Event) error {
	if in(r, e) && e.Owner == r.By {
		return nil
	}
	if hosts, err := v.hosts(ctx, r); in(r, e) && hosts || err != nil {
		return err
	}
	return view.No("event.refused.manager")
}

// askRoles opens the form of who may join an event. Who manages the server also chooses there who
// may make and manage events.
func (v *Events) askRoles(ctx context.Context, r chat.Request, e storage.Event) error {
	t := v.House.Tongue(r)
	f := chat.Form{ID: do(e, "evroles", actRoles), Title: t.Say("event.act.roles"), Fields: []chat.Field{
		{ID: "enter", Label: t.Say("event.form.enter"), About: t.Say("event.form.enter.about"), Kind: chat.Roles,
			Optional: true, Role: e.Role},
	}}
	if r.Governs {
		s, err := v.Store.Server(ctx, r.Place.Server)
		if err != nil {
			return err
		}
		f.Fields = append(f.Fields, chat.Field{ID: "hosts", Label: t.Say("event.form.hosts"),
			About: t.Say("event.form.hosts.about"), Kind: chat.Roles, Optional: true, Role: hostRole(s)})
	}
	return v.ask(ctx, r, f)
}

// roled takes the form of who may join and manage.
func (v *Events) roled(ctx context.Context, r chat.Request, p view.Press) error {
	if r.Governs {
		if err := v.setHosts(ctx, r.Place.Server, chosen(r, "hosts")); err != nil {
			return err
		}
	}
	return v.managed(ctx, r, p, "event.done.roles", func(e storage.Event) (storage.Event, error) {
		e.Role = chosen(r, "enter")
		return e, nil
	})
}

// chosen is the role that a field was filled in with; 0: none. The role that everybody has bears the
// id of the server. No member of an interaction lists it, so that it stands for none.
func chosen(r chat.Request, field string) uint64 {
	if role := r.Options[field].Role; role != r.Place.Server {
		return role
	}
	return 0
}

// setHosts has the members of a role make and manage the events of a server; 0: of none.
func (v *Events) setHosts(ctx context.Context, server, role uint64) error {
	_, err := v.Store.SetServer(ctx, server, func(s storage.Server) (storage.Server, error) {
		named := ""
		if role != 0 {
			named = strconv.FormatUint(role, 10)
		}
		return s.With(moreHosts, named), nil
	})
	return err
}
