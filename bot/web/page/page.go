// Package page is the page that shows a board: one document, with its script and its style inside. It is the same for
// the members who play, for the Activity and for those who only watch, and needs nothing but the messages of the server
// that serves it. It knows no store and no match. Start from Document.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"sync"
	"text/template"

	"tengen/bot/texts"
	"tengen/render"
)

//go:embed page.html style.css icon.svg *.js
var files embed.FS

// scripts are the parts of the one script, each before those that need it.
var scripts = []string{"dom.js", "words.js", "rules.js", "ground.js", "draw.js", "loupe.js", "cells.js", "touch.js",
	"clock.js", "sound.js", "net.js", "frame.js", "side.js", "past.js", "trial.js", "told.js", "hand.js", "show.js",
	"main.js"}

// The ways in which a page is opened.
const (
	Member   = "member"   // in a member's own browser
	Activity = "activity" // inside Discord
	Watch    = "watch"    // by the link of a shared game
)

// Boot is what a page knows from the start.
type Boot struct {
	V     int               `json:"v"`             // of the messages; 0 is 1
	Way   string            `json:"way"`           // Member, Activity or Watch
	App   string            `json:"app,omitempty"` // the application's id; of an Activity alone
	Lang  string            `json:"lang"`
	Texts map[string]string `json:"texts"`           // nil: Words(Lang)
	State json.RawMessage   `json:"state,omitempty"` // the game that is watched

	// What others show of the page's address; empty: nothing.
	Title string `json:"-"`
	About string `json:"-"`
	Image string `json:"-"` // the address of a picture
}

// parts are what all documents have in common: read once, they never change.
var parts = sync.OnceValue(func() (p struct {
	frame                      *template.Template
	style, script, icon, looks string
}) {
	p.frame = template.Must(template.New("page").Parse(read("page.html")))
	p.style = read("style.css")
	var all strings.Builder
	for _, name := range scripts {
		all.WriteString(read(name))
	}
	p.script = all.String()
	p.icon = "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(read("icon.svg")))
	looks, err := json.Marshal(render.Looks())
	if err != nil {
		panic(err) // plain values always encode
	}
	p.looks = string(looks)
	return p
})

func read(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(data)
}

// meta is one line for those who show what an address leads to.
type meta struct{ Property, Content string }

// Document is the page. The caller owns the bytes.
func Document(b Boot) []byte {
	b.V = max(b.V, 1)
	if b.Texts == nil {
		b.Texts = Words(b.Lang)
	}
	boot, err := json.Marshal(b) // which writes < as an escape: nothing in it can end the script
	if err != nil {
		panic(fmt.Sprintf("page: %v", err)) // only a state that is no JSON
	}
	p := parts()
	title := b.Title
	if title == "" {
		title = b.Texts["page.title"]
	}
	var metas []meta
	for _, m := range []meta{{"og:title", b.Title}, {"og:description", b.About}, {"og:image", b.Image}} {
		if m.Content != "" {
			metas = append(metas, meta{m.Property, html.EscapeString(m.Content)})
		}
	}
	var out bytes.Buffer
	err = p.frame.Execute(&out, map[string]any{
		"Lang": html.EscapeString(b.Lang), "Dir": direction(b.Lang), "Title": html.EscapeString(title), "Meta": metas,
		"NoScript": html.EscapeString(b.Texts["page.noscript"]), "Icon": p.icon, "Style": p.style, "Script": p.script,
		"Looks": p.looks, "Boot": string(boot),
	})
	if err != nil {
		panic(err) // the template is ours, and so is the buffer
	}
	return out.Bytes()
}

// direction is how a language is written.
func direction(lang string) string {
	switch base, _, _ := strings.Cut(lang, "-"); base {
	case "ar", "fa", "he", "ur":
		return "rtl"
	}
	return "ltr"
}

// Policy is the Content-Security-Policy of the document: its own script and style and nothing else, traffic with its
// own server alone, and no text that becomes markup. socket is the address of its sockets, such as
// wss://games.example.org: old Safaris do not count them as the page's own. Who may frame it is the server's to add.
func Policy(socket string) string {
	p := parts()
	return strings.Join([]string{
		"default-src 'none'", "script-src " + hash(p.script), "style-src " + hash(p.style), "img-src data:",
		strings.TrimSpace("connect-src 'self' " + socket), "base-uri 'none'", "form-action 'none'",
		"require-trusted-types-for 'script'", "trusted-types 'none'",
	}, "; ")
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// ofPage begins the keys of the page's texts.
const ofPage = "page."

// Texts are the keys of the catalogue that the page needs. Variables stand in these texts as {Name}: the page fills
// them in itself.
func Texts() []string { return slices.Clone(keys()) }

var keys = sync.OnceValue(func() []string {
	return slices.DeleteFunc(texts.Keys(), func(key string) bool { return !strings.HasPrefix(key, ofPage) })
})

// Words are the page's texts in a language, by their keys.
func Words(lang string) map[string]string {
	words, tongue := map[string]string{}, texts.In(lang)
	for _, key := range keys() {
		words[key] = tongue.Say(key)
	}
	return words
}
