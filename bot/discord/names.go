package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"tengen/bot/chat"
	"tengen/game"
)

// Name asks Discord what a member is called in a server, or outside of servers (0).
func (d *Adapter) Name(ctx context.Context, server uint64, by game.MemberID) (string, error) {
	type user struct {
		Name   string `json:"username"`
		Global string `json:"global_name"`
	}
	var told struct {
		Nick string `json:"nick"`
		User user   `json:"user"`
	}
	var into any = &told
	route, place, path := "GET member", digits(server), fmt.Sprintf("guilds/%d/members/%d", server, by)
	if server == 0 {
		into, route, place, path = &told.User, "GET user", "", fmt.Sprintf("users/%d", by)
	}
	r, err := d.get(ctx, route, place, path)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(r.body, into); err != nil {
		return "", &chat.Error{Trouble: chat.Failed, Text: "reading a member: " + err.Error()}
	}
	return cmp.Or(told.Nick, told.User.Global, told.User.Name), nil
}
