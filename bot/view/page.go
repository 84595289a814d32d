package view

import (
	"slices"
	"strings"

	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

// MoreLinks is the key in the settings of a server that says whether its games may be shared: "off", or empty.
const MoreLinks = "links"

// beside puts the button that opens the page beside the first text of a running match's message. Discord takes 40
// components: the container gives way to the button.
func beside(t Tongue, m game.Match, msg chat.Message) chat.Message {
	text := msg.Blocks[0].Text
	msg.Accent = 0
	msg.Blocks[0] = chat.Block{Section: &chat.Section{Texts: []string{text},
		Button: chat.Button{ID: On(m, "page", ""), Label: t.Say("button.page")}}}
	return msg
}

// below puts a line under the first text of a message, which takes no component of its own.
func below(msg chat.Message, line string) chat.Message {
	msg.Blocks = slices.Clone(msg.Blocks)
	if s := msg.Blocks[0].Section; s != nil {
		msg.Blocks[0].Section = &chat.Section{Texts: []string{strings.Join(append(slices.Clone(s.Texts), line), "\n")},
			Button: s.Button}
	} else {
		msg.Blocks[0].Text += "\n" + line
	}
	return msg
}

// GoesOn says under the text of a running match's message that nobody will be able to change the message, and that
// the match goes on on the page.
func GoesOn(rec storage.Record, msg chat.Message) chat.Message {
	return below(msg, "-# "+In(rec.Look.Language).Say("pages.goesOn"))
}

// PageLink is the answer that opens the page in the member's own browser.
func (t Tongue) PageLink(link string) chat.Message {
	return chat.Private(t.Say("pages.link")).WithRow(chat.Button{URL: link, Label: t.Say("button.page")})
}

// Shared is the answer that names the address of a shared match.
func (t Tongue) Shared(m game.Match, link string) chat.Message {
	return chat.Private(t.Say("pages.shared", "Link", link)).WithRow(
		chat.Button{URL: link, Label: t.Say("button.page")},
		chat.Button{ID: On(m, "unshare", ""), Label: t.Say("button.unshare")})
}

// Unshares reports whether r comes from somebody who manages the place of a match.
func Unshares(rec storage.Record, r chat.Request) bool {
	return r.Manages && r.Place.Server != 0 && r.Place.Server == rec.Place.Server
}

// shareButton shares a match, or ends that, for those who may; the button has no label for all others.
func (t Tongue) shareButton(rec storage.Record, r chat.Request) chat.Button {
	switch {
	case Sits(rec.Match, r.By):
		return chat.Button{ID: On(rec.Match, "share", ""), Label: t.Say("button.shareLink")}
	case Unshares(rec, r):
		return chat.Button{ID: On(rec.Match, "unshare", ""), Label: t.Say("button.unshare")}
	}
	return chat.Button{}
}
