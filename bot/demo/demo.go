// Package demo is a chat client in a web page, over the stand-in for Discord: members
// to act as, a few channels, and the bot that is connected to the stand-in. It knows
// nothing of games, and neither page nor server speaks to anything but each other.
// Start from New.
package demo

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"

	"tengen/bot/standin"
)

//go:embed page
var files embed.FS

// Server and channels that the page shows, and the members that a visitor can be.
const serverName = "Tengen Club"

// Home is the channel that a visitor sees first, as a place of the stand-in.
const Home = "#gomoku"

var (
	channels = []string{"gomoku", "renju", "reversi"}
	members  = []string{"Ann", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gwen", "Hugo", "Iris", "Jack", "Kim", "Leo", "Mia",
		"Noah", "Olga", "Paul"}
)

// How many members there can be: each has a letter of their own in their picture.
const (
	MinMembers   = 2
	MaxMembers   = 16
	usualMembers = 8
)

// Options are how a Page is served. The zero Options are for a page that only this
// machine reaches.
type Options struct {
	Public  bool // reached from elsewhere: any host name will do
	Members int  // 2 to 16; 0 is eight
	// Boards is the server of boards as pages, which are shown in the page as Discord shows an Activity. nil: there are
	// none.
	Boards *url.URL
}

// Watcher hears who is acted as: each page that is open as a member, from Opened to Closed.
type Watcher interface {
	Opened(member string)
	Closed(member string)
}

// Page serves the web page and what it needs: as an http.Handler it is the whole site.
type Page struct {
	server *standin.Server
	people []person // the members, then the bot
	mux    *http.ServeMux
	frames http.Handler // Discord's proxy before the boards
	opts   Options
	watch  Watcher // nil: nobody

	small, large, feeds chan struct{} // the room for actions, those with a file, and feeds
}

// person is a member or the bot, as the page shows them.
type person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Bot  bool   `json:"bot,omitempty"`
	Away bool   `json:"away,omitempty"`

	Answers bool `json:"answers,omitempty"` // by themselves, where nobody acts as the member
}

// New opens the server and the channels, where the stand-in does not have them already,
// brings the members in and returns the page. Ann runs the place: she may manage it and
// its messages. Call New before the bot connects: a bot that has games of the server would
// otherwise take the server for deleted.
func New(ctx context.Context, s *standin.Server, botName string, o Options) (*Page, error) {
	p := &Page{server: s, opts: o, small: make(chan struct{}, smallRoom), large: make(chan struct{}, largeRoom),
		feeds: make(chan struct{}, maxFeeds)}
	if _, err := s.Act(ctx, standin.Action{Do: "commands", Name: serverName}); err != nil {
		open := standin.Action{Do: "add-guild", Name: serverName, Values: channels, WithBot: true}
		if _, err := s.Act(ctx, open); err != nil {
			return nil, fmt.Errorf("opening the server: %w", err)
		}
		rights := standin.Action{Do: "moderate", As: members[0], Name: serverName,
			Permit: standin.PermManageGuild | standin.PermManageMessages | standin.PermManageChannels |
				standin.PermManageThreads}
		if _, err := s.Act(ctx, rights); err != nil {
			return nil, fmt.Errorf("giving rights: %w", err)
		}
	}
	p.people = []person{{ID: s.AppID(), Name: botName, Bot: true}}
	if o.Members == 0 {
		o.Members = usualMembers
	}
	if err := p.bring(ctx, o.Members); err != nil {
		return nil, err
	}
	if o.Boards != nil {
		p.frames = s.Proxy(o.Boards)
	}
	p.routes()
	return p, nil
}

// Others are the names of the members beside the first one, who is the visitor.
func (p *Page) Others() (names []string) {
	for _, x := range p.people[1:] {
		if !x.Bot {
			names = append(names, x.Name)
		}
	}
	return names
}

// Watch tells w who is acted as. Call it before the page is served.
func (p *Page) Watch(w Watcher) { p.watch = w }

// bring brings members in until there are so many.
func (p *Page) bring(ctx context.Context, most int) error {
	for n := len(p.people) - 1; n < most; n++ {
		name := members[n]
		r, err := p.server.Act(ctx, standin.Action{Do: "member", As: name})
		if err != nil {
			return fmt.Errorf("bringing %s in: %w", name, err)
		}
		p.people = slices.Insert(p.people, n, person{ID: r.IDs[0], Name: name})
		// Reading the direct messages with the bot opens them.
		if _, err := p.server.Act(ctx, standin.Action{Do: "messages", As: name, At: "@bot"}); err != nil {
			return fmt.Errorf("opening direct messages: %w", err)
		}
	}
	return nil
}

// Recall brings in the members that a restored world has beyond those of the Options: they may have games.
// Call it before the page is served.
func (p *Page) Recall(ctx context.Context) error {
	there, err := p.server.Act(ctx, standin.Action{Do: "people"})
	if err != nil {
		return fmt.Errorf("asking who is there: %w", err)
	}
	most := 0
	for _, u := range there.People {
		most = max(most, slices.Index(members, u.Username)+1)
	}
	return p.bring(ctx, most)
}

func (p *Page) routes() {
	p.mux = http.NewServeMux()
	pages, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	entries, err := fs.ReadDir(pages, ".")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		data, err := fs.ReadFile(pages, e.Name())
		if err != nil {
			panic(err)
		}
		route := "GET /" + e.Name()
		if e.Name() == "index.html" {
			route = "GET /{$}"
		}
		p.mux.HandleFunc(route, asset(e.Name(), data))
	}
	p.mux.HandleFunc("GET /api/world", p.world)
	p.mux.HandleFunc("GET /api/words", p.words)
	p.mux.HandleFunc("GET /api/messages", p.read("messages"))
	p.mux.HandleFunc("GET /api/commands", p.read("commands"))
	p.mux.HandleFunc("POST /api/do", p.do)
	p.mux.HandleFunc("GET /api/feed", p.feed)
	p.mux.HandleFunc("GET /files/{channel}/{id}/{name}", p.file)
	p.mux.HandleFunc("GET /emojis/{id}", p.emoji)
}

// kinds are those of the embedded files. The system's own table may have others, by which
// a browser would not run the page.
var kinds = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// asset serves one embedded file. The browser asks each time whether it has changed, so
// that a new version of the program never meets an old page.
func asset(name string, data []byte) http.HandlerFunc {
	kind := kinds[path.Ext(name)]
	sum := sha256.Sum256(data)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "no-cache")
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.Write(data)
	}
}

// member is the member that a request speaks for, one of those that a visitor can be.
func (p *Page) member(r *http.Request) (person, bool) {
	name := r.URL.Query().Get("as")
	i := slices.IndexFunc(p.people, func(x person) bool { return x.Name == name && !x.Bot })
	if i < 0 {
		return person{}, false
	}
	return p.people[i], true
}
