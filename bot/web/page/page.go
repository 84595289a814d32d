// Package page stands in for the page that shows a board: its document holds the state and nothing that shows it.
// Start from Document.
package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
)

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
	Texts map[string]string `json:"texts"`           // nil: those of Lang
	State json.RawMessage   `json:"state,omitempty"` // the game that is watched

	// What others show of the page's address; empty: nothing.
	Title string `json:"-"`
	About string `json:"-"`
	Image string `json:"-"` // the address of a picture
}

// Document is the page. The caller owns the bytes.
func Document(b Boot) []byte {
	boot, err := json.Marshal(b)
	if err != nil {
		panic(err) // only a state that is no JSON
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "<!doctype html><html lang=%q><title>%s</title>", b.Lang, html.EscapeString(b.Title))
	for _, m := range [][2]string{{"og:title", b.Title}, {"og:description", b.About}, {"og:image", b.Image}} {
		fmt.Fprintf(&out, `<meta property="%s" content="%s">`, m[0], html.EscapeString(m[1]))
	}
	fmt.Fprintf(&out, `<script type="application/json" id="boot">%s</script>`, boot)
	return out.Bytes()
}

// Policy is the Content-Security-Policy of the document. Who may frame it is the server's to add.
func Policy() string { return "default-src 'none'" }

// Texts are the keys of the catalogue that the page needs.
func Texts() []string { return nil }
