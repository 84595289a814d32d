package discord

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"tengen/internal/testkit"
)

// longListing is how Discord lists a server with many channels, roles and members.
func longListing(members int) []byte {
	some := func(one string) string { return strings.TrimSuffix(strings.Repeat(one+",", members), ",") }
	return fmt.Appendf(nil, `{"t":"GUILD_CREATE","s":7,"op":0,"d":{"name":"Club","channels":[%s],"roles":[%s],`+
		`"members":[%s],"unavailable":false,"id":"44"}}`, some(`{"id":"1","type":0,"name":"hall"}`),
		some(`{"id":"2","name":"all","permissions":"0"}`), some(`{"user":{"id":"3","username":"ann"},"roles":[]}`))
}

// Of the listing of a server discordgo gets what we need: it would decode the rest twice.
func TestListingCut(t *testing.T) {
	t.Parallel()
	g := newDouble(t, nil)
	g.serve = func(c *websocket.Conn) {
		c.WriteMessage(websocket.TextMessage, longListing(500))
		c.ReadMessage()
	}
	r := &relay{dialer: g.dialer(), ctx: t.Context(), answered: make(chan struct{}), done: make(chan struct{})}
	c, _, err := r.near().Dial("ws://gateway.discord.gg/", nil)
	testkit.Must(t, err)
	defer c.Close()
	_, data, err := c.ReadMessage()
	testkit.Must(t, err)
	var got struct {
		packet
		Data struct {
			ID          flake `json:"id"`
			Unavailable *bool `json:"unavailable"`
		} `json:"d"`
	}
	testkit.Must(t, json.Unmarshal(data, &got))
	if got.Type != "GUILD_CREATE" || got.Seq != 7 || got.Op != 0 || got.Data.ID != 44 || *got.Data.Unavailable {
		t.Errorf("%s", data)
	}
	if len(data) > 200 {
		t.Errorf("discordgo gets %d bytes: %.300s", len(data), data)
	}
}

// To read the listing of a server takes little memory, however long it is.
func TestListingReadInPlace(t *testing.T) {
	long := longListing(5000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readPacket(long)
	runtime.ReadMemStats(&after)
	testkit.Must(t, err)
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(len(long)/10) {
		t.Errorf("%d bytes for a listing of %d", took, len(long))
	}
}
