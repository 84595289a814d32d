package standin

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	_ "image/jpeg" // sizes of attached pictures
	_ "image/png"
	"mime"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// record is a stored message and what Discord does not show of it.
type record struct {
	msg      Message
	ch       *channel
	only     string // id of the one member who sees it
	by       string // the interaction whose token sent it as a follow-up
	blobs    []*blob
	nonce    string
	created  time.Time
	oldEdits int
	gone     bool
	ephemera bool // a notice of the client, unknown to the bot
}

// blob is the content of an attachment.
type blob struct {
	id, name, ctype string
	channel         string
	data            []byte
}

func (s *Server) visible(r *record, id string) bool { return r.only == "" || r.only == id }

// draft is a message about to be stored.
type draft struct {
	author    User
	kind      int
	only      string
	flags     int
	webhook   bool
	reference *reference
	meta      *interaction
	answers   *User // is mentioned beside those whom the text names
}

// post stores a new message; the caller holds s.mu.
func (s *Server) post(ch *channel, b *body, files []upload, d draft) *record {
	now := s.now()
	r := &record{ch: ch, only: d.only, created: now}
	r.msg = s.newMessage(ch, d)
	r.msg.Nonce, r.msg.TTS = b.Nonce, b.TTS
	if d.webhook {
		r.msg.WebhookID, r.msg.ApplicationID = s.app, s.app
	}
	if i := d.meta; i != nil && i.kind == kindCommand && d.kind == 20 {
		r.msg.Interaction = &messageInteraction{i.id, i.kind, i.name, i.by.User}
	}
	if b.Flags.given() {
		r.msg.Flags |= b.Flags.V
	}
	s.fill(r, b, files)
	if d.answers != nil {
		r.msg.Mentions = append(r.msg.Mentions, *d.answers)
	}
	ch.posted++
	if ch.thread() && d.flags&flagEphemeral == 0 {
		ch.active = now
		ch.entered[d.author.ID] = true // who writes in a thread is in it
	}
	s.append(r)
	s.told(r, "message")
	if s.opts.Posted != nil {
		s.opts.Posted(r.msg)
	}
	s.messageEvent("MESSAGE_CREATE", r)
	return r
}

// newMessage is a message with nothing in it yet.
func (s *Server) newMessage(ch *channel, d draft) Message {
	m := Message{ID: s.id(), Type: d.kind, ChannelID: ch.id, Author: d.author, Timestamp: stamp(s.now()), Flags: d.flags,
		Mentions: []User{}, MentionRoles: []string{}, Attachments: []Attachment{}, Embeds: []embed{},
		Components: []Component{}, Reference: d.reference}
	if d.meta != nil {
		m.InteractionMetadata = d.meta.metadata()
	}
	return m
}

// mentions reports whether a message mentions someone.
func (m *Message) mentions(id string) bool {
	return slices.ContainsFunc(m.Mentions, func(u User) bool { return u.ID == id })
}

// append puts a message at the end of its channel; the oldest makes room.
func (s *Server) append(r *record) {
	r.ch.messages = append(r.ch.messages, r)
	if r.only == "" && !r.ephemera {
		r.ch.newest = r.msg.ID
	}
	s.messages[r.msg.ID] = r
	if len(r.ch.messages) > s.opts.Keep {
		s.forget(r.ch.messages[0])
		r.ch.messages = slices.Delete(r.ch.messages, 0, 1)
	}
}

// edit changes a stored message; the caller holds s.mu.
func (s *Server) edit(r *record, b *body, files []upload) {
	at := stamp(s.now())
	r.msg.EditedTimestamp = &at
	r.msg.Flags &^= flagLoading
	if b.Flags.given() {
		r.msg.Flags = r.msg.Flags&(flagEphemeral|flagComponentsV2) | b.Flags.V&^flagEphemeral
	}
	s.keepAttachments(r, b)
	s.fill(r, b, files)
	s.told(r, "edit")
	s.messageEvent("MESSAGE_UPDATE", r)
}

// fill puts the content of a body into a message; what the body does not
// mention stays as it was.
func (s *Server) fill(r *record, b *body, files []upload) {
	m := &r.msg
	if b.Content.Set {
		m.Content = b.Content.V
	}
	if b.Embeds.Set {
		m.Embeds = make([]embed, len(b.Embeds.V))
		copy(m.Embeds, b.Embeds.V)
		for i := range m.Embeds {
			m.Embeds[i].Type = "rich"
		}
	}
	m.Attachments = append(slices.Clone(m.Attachments), s.attach(r, b, files)...)
	if b.Components.Set {
		next := 1
		m.Components = s.resolve(list(b.Components.V), m.Attachments, &next)
	}
	for i := range m.Embeds {
		m.Embeds[i].Image = resolveMedia(m.Embeds[i].Image, m.Attachments)
		m.Embeds[i].Thumbnail = resolveMedia(m.Embeds[i].Thumbnail, m.Attachments)
	}
	s.mention(m, b)
}

// keepAttachments drops the files that an edit does not list.
func (s *Server) keepAttachments(r *record, b *body) {
	if !b.Attachments.Set {
		return
	}
	var kept []Attachment
	for _, a := range r.msg.Attachments {
		i := slices.IndexFunc(b.Attachments.V, func(f fileRef) bool { return f.id() == a.ID })
		if i < 0 {
			s.dropBlob(r, a.ID)
			continue
		}
		if d := b.Attachments.V[i].Description; d != nil {
			a.Description = *d
		}
		kept = append(kept, a)
	}
	r.msg.Attachments = list(kept)
}

func (s *Server) attach(r *record, b *body, files []upload) []Attachment {
	var out []Attachment
	for _, f := range files {
		a := Attachment{ID: s.id(), Filename: f.name, ContentType: f.ctype, Size: len(f.data), Ephemeral: r.only != ""}
		for _, ref := range b.Attachments.V {
			if ref.id() != f.index {
				continue
			}
			if ref.Filename != "" {
				a.Filename = ref.Filename
			}
			if ref.Description != nil {
				a.Description = *ref.Description
			}
			a.Title = ref.Title
		}
		s.store(&a, r.ch.id, f.data)
		r.blobs = append(r.blobs, s.blobs[a.ID])
		out = append(out, a)
	}
	return out
}

// store keeps a file in memory and gives it an address.
func (s *Server) store(a *Attachment, channel string, data []byte) {
	if a.ContentType == "" || a.ContentType == "application/octet-stream" {
		a.ContentType = mime.TypeByExtension(path.Ext(a.Filename))
		if a.ContentType == "" {
			a.ContentType = http.DetectContentType(data)
		}
	}
	if strings.HasPrefix(a.ContentType, "image/") {
		a.Width, a.Height = pictureSize(data)
	}
	a.URL = cdnBase + "/attachments/" + channel + "/" + a.ID + "/" + a.Filename
	a.ProxyURL = mediaBase + "/attachments/" + channel + "/" + a.ID + "/" + a.Filename
	s.keepBlob(&blob{a.ID, a.Filename, a.ContentType, channel, data})
}

// keepBlob keeps a file; the oldest make room.
func (s *Server) keepBlob(b *blob) {
	s.blobs[b.id] = b
	s.blobOrder = append(s.blobOrder, b)
	s.blobBytes += int64(len(b.data))
	for s.blobBytes > s.opts.KeepBytes && len(s.blobOrder) > 0 {
		s.blobBytes -= int64(len(s.blobOrder[0].data))
		s.blobOrder[0].data = nil
		delete(s.blobs, s.blobOrder[0].id)
		s.blobOrder = s.blobOrder[1:]
	}
}

// dropBlob lets go of one file of a message, or of all when id is empty.
func (s *Server) dropBlob(r *record, id string) {
	r.blobs = slices.DeleteFunc(r.blobs, func(b *blob) bool {
		if b == nil || id != "" && b.id != id {
			return b == nil
		}
		if s.blobs[b.id] == b {
			delete(s.blobs, b.id)
			s.blobBytes -= int64(len(b.data))
			b.data = nil
		}
		return true
	})
	if len(s.blobOrder) > 64 && len(s.blobOrder) > 4*len(s.blobs) {
		s.blobOrder = slices.DeleteFunc(s.blobOrder, func(b *blob) bool { return s.blobs[b.id] != b })
	}
}

// unlisted is m as Discord gives it to a bot: the files that its components show are not among its attachments.
func (m Message) unlisted() Message {
	shown := map[string]bool{}
	Walk(m.Components, func(c *Component) {
		if c.File != nil {
			shown[c.File.URL] = true
		}
		for _, item := range c.Items {
			shown[item.Media.URL] = true
		}
	})
	m.Attachments = slices.DeleteFunc(slices.Clone(m.Attachments), func(a Attachment) bool { return shown[a.URL] })
	return m
}

// resolve gives components their ids and the addresses of the files they show.
func (s *Server) resolve(in []Component, files []Attachment, next *int) []Component {
	out := slices.Clone(in)
	for i := range out {
		c := &out[i]
		if c.ID == 0 {
			c.ID = *next
		}
		*next++
		c.Components = s.resolve(c.Components, files, next)
		if len(c.Components) == 0 {
			c.Components = nil
		}
		if c.Accessory != nil {
			c.Accessory = &s.resolve([]Component{*c.Accessory}, files, next)[0]
		}
		if c.Inner != nil {
			c.Inner = &s.resolve([]Component{*c.Inner}, files, next)[0]
		}
		c.Media, c.File = resolveMedia(c.Media, files), resolveMedia(c.File, files)
		if at := slices.IndexFunc(files, func(a Attachment) bool { return c.File != nil && a.URL == c.File.URL }); at >= 0 {
			c.Name, c.Size = files[at].Filename, files[at].Size
		}
		c.Items = slices.Clone(c.Items)
		for j := range c.Items {
			c.Items[j].Media = *resolveMedia(&c.Items[j].Media, files)
		}
	}
	return out
}

func resolveMedia(m *Media, files []Attachment) *Media {
	if m == nil {
		return nil
	}
	name, ok := strings.CutPrefix(m.URL, "attachment://")
	if !ok {
		return m
	}
	for i := len(files) - 1; i >= 0; i-- { // a new file hides an old one of its name
		if a := files[i]; a.Filename == name {
			return &Media{a.URL, a.ProxyURL, a.Width, a.Height, a.ContentType, a.ID}
		}
	}
	return m
}

// pictureSize is the width and height of a picture, zero where it is none. The first bytes of
// a GIF hold its size.
func pictureSize(data []byte) (width, height int) {
	if bytes.HasPrefix(data, []byte("GIF8")) && len(data) >= 10 {
		return int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:]))
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0
	}
	return c.Width, c.Height
}

var mentionPattern = regexp.MustCompile(`<@!?([0-9]+)>`)

// mention finds who is mentioned, within what allowed_mentions lets through.
func (s *Server) mention(m *Message, b *body) {
	all := !b.AllowedMentions.given()
	allow := b.AllowedMentions.V
	users := all || slices.Contains(allow.Parse, "users")
	text := m.Content + allText(m.Components)
	m.Mentions = []User{}
	for _, match := range mentionPattern.FindAllStringSubmatch(text, -1) {
		p := s.people[match[1]]
		if p == nil || !users && !slices.Contains(allow.Users, p.ID) || m.mentions(p.ID) {
			continue
		}
		m.Mentions = append(m.Mentions, p.User)
	}
	m.MentionEveryone = (all || slices.Contains(allow.Parse, "everyone")) &&
		(strings.Contains(text, "@everyone") || strings.Contains(text, "@here"))
}

func allText(list []Component) string {
	s := ""
	for i := range list {
		if list[i].Type == textDisplay {
			s += "\n" + list[i].Content
		}
		s += allText(list[i].Components)
	}
	return s
}

// remove deletes a message; the caller holds s.mu.
func (s *Server) remove(r *record) {
	if r.gone {
		return
	}
	s.told(r, "delete")
	if i := slices.Index(r.ch.messages, r); i >= 0 {
		r.ch.messages = slices.Delete(r.ch.messages, i, i+1)
	}
	s.forget(r)
	s.messageEvent("MESSAGE_DELETE", r)
}

// forget takes a message out of memory without a word to anyone.
func (s *Server) forget(r *record) {
	r.gone = true
	delete(s.messages, r.msg.ID)
	if r.nonce != "" && s.nonces[r.nonce] == r {
		delete(s.nonces, r.nonce)
	}
	s.dropBlob(r, "")
}

// messageEvent tells the gateway sessions whose intents ask for messages.
func (s *Server) messageEvent(name string, r *record) {
	intent := intentGuildMessages
	if r.ch.direct() {
		intent = intentDirectMessages
	}
	if r.only != "" || r.ephemera || !s.anyIntent(intent) {
		return
	}
	var data any
	if name == "MESSAGE_DELETE" {
		d := map[string]string{"id": r.msg.ID, "channel_id": r.ch.id}
		if r.ch.guild != nil {
			d["guild_id"] = r.ch.guild.id
		}
		data = d
	} else {
		m := r.msg
		if r.ch.guild != nil {
			m.GuildID = r.ch.guild.id
		}
		spoken := r.ch.direct() || m.mentions(s.bot.ID)
		if m.Author.ID != s.bot.ID && !spoken && !s.opts.Privileged { // other content needs a privileged intent
			m.Content, m.Embeds, m.Attachments, m.Components = "", []embed{}, []Attachment{}, []Component{}
		}
		data = m
	}
	s.dispatch(name, r.ch.guild, intent, data)
}

func decodeBody(raw []byte, b *body) error {
	if len(raw) == 0 {
		return nil
	}
	return decode(raw, b)
}

// decode reads the JSON of a body.
func decode(raw []byte, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return decodeError(err)
	}
	return nil
}

func (c *call) decode(into any) error { return decode(c.raw, into) }

// decodeError words a failed decoding as Discord does: broken JSON has its own
// code, a wrong type names the field.
func decodeError(err error) error {
	if t, ok := err.(*json.UnmarshalTypeError); ok {
		return invalidForm(Problem{t.Field, "BASE_TYPE_BAD_TYPE", "Could not interpret " + t.Value + " as " +
			t.Type.String() + "."})
	}
	return errBadJSON
}
