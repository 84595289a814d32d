package standin

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Limits of the emojis of an application.
const (
	maxEmojis    = 2000
	maxEmojiSize = 256 << 10
)

// appEmoji is an emoji that the application owns. Only its bot may use it.
type appEmoji struct {
	ID, Name string
	ByBot    bool // uploaded by the API, not in the portal
	Type     string
	Data     []byte
}

var (
	errUnknownEmoji = apiError(404, 10014, "Unknown Emoji")
	errManyEmojis   = apiError(400, 30008, "Maximum number of emojis reached (2000)")
	errLargeEmoji   = apiError(400, 0, "File cannot be larger than 256.0 kb.")
)

// problemEmoji is what Discord says of a component with an emoji that it does not know.
const problemEmoji = "BUTTON_COMPONENT_INVALID_EMOJI"

const problemEmojiTaken = "APPLICATION_EMOJI_NAME_ALREADY_TAKEN"

var emojiNames = regexp.MustCompile(`^[A-Za-z0-9_]*$`)

// checkEmojiName refuses a name, other being the emojis beside it.
func checkEmojiName(p *problems, name string, others []*appEmoji) {
	p.length("name", name, 2, 32)
	if !emojiNames.MatchString(name) {
		p.add("name", "STRING_TYPE_REGEX", "String value did not match validation regex.")
	}
	if slices.ContainsFunc(others, func(e *appEmoji) bool { return e.Name == name }) {
		p.add("name", problemEmojiTaken, "The emoji name is already taken.")
	}
}

// imageData reads an address that holds a picture itself.
func imageData(text string) (kind string, data []byte, ok bool) {
	rest, isData := strings.CutPrefix(text, "data:")
	kind, coded, isBase64 := strings.Cut(rest, ";base64,")
	data, err := base64.StdEncoding.DecodeString(coded)
	return kind, data, isData && isBase64 && err == nil && strings.HasPrefix(kind, "image/") && len(data) > 0
}

func (s *Server) wireEmoji(e *appEmoji) any {
	by := s.person("owner")
	if e.ByBot {
		by = s.bot
	}
	return map[string]any{"id": e.ID, "name": e.Name, "roles": []string{}, "user": by.User,
		"require_colons": true, "managed": false, "animated": e.Type == "image/gif", "available": true}
}

func getEmojis(s *Server, _ *call, _ string) (any, error) {
	items := []any{}
	for _, e := range s.emojis {
		items = append(items, s.wireEmoji(e))
	}
	return map[string]any{"items": items}, nil
}

func postEmoji(s *Server, _ string, b struct{ Name, Image string }) (any, error) {
	p := &problems{}
	checkEmojiName(p, b.Name, s.emojis)
	kind, data, ok := imageData(b.Image)
	if !ok {
		p.add("image", "IMAGE_INVALID", "Invalid image data.")
	}
	switch err := p.err(); {
	case err != nil:
		return nil, err
	case len(data) > maxEmojiSize:
		return nil, errLargeEmoji
	case len(s.emojis) >= maxEmojis:
		return nil, errManyEmojis
	}
	return s.wireEmoji(s.addEmoji(appEmoji{Name: b.Name, ByBot: true, Type: kind, Data: data})), nil
}

func (s *Server) addEmoji(e appEmoji) *appEmoji {
	e.ID = s.id()
	s.emojis = append(s.emojis, &e)
	s.changed()
	return &e
}

// oneEmoji finds the emoji of a call, and its place in the list.
func oneEmoji(s *Server, c *call) (int, error) {
	if _, err := scope(s, c); err != nil {
		return 0, err
	}
	i := slices.IndexFunc(s.emojis, func(e *appEmoji) bool { return e.ID == c.r.PathValue("emoji_id") })
	if i < 0 {
		return 0, errUnknownEmoji
	}
	return i, nil
}

func deleteEmoji(s *Server, _ *call, i int) (any, error) {
	s.loseEmoji(i)
	return nil, nil
}

func (s *Server) loseEmoji(i int) {
	s.lostEmojis[s.emojis[i].ID] = true
	s.emojis = slices.Delete(s.emojis, i, i+1)
	s.changed()
}

// The operator's acts on the portal's page of emojis.

func (s *Server) operatorAdds(_ *person, a Action) (Result, error) {
	p := &problems{}
	checkEmojiName(p, a.Name, s.emojis)
	if err := p.err(); err != nil {
		return Result{}, err
	}
	e := s.addEmoji(appEmoji{Name: a.Name, Type: "image/png", Data: []byte(a.Text)})
	return Result{IDs: []string{e.ID}}, nil
}

func (s *Server) operatorDeletes(_ *person, a Action) (Result, error) {
	for i := len(s.emojis) - 1; i >= 0; i-- {
		if ok, err := path.Match(a.Name, s.emojis[i].Name); ok && err == nil {
			s.loseEmoji(i)
		}
	}
	return Result{}, nil
}

func (s *Server) listEmojis(*person, Action) (r Result, _ error) {
	for _, e := range s.emojis {
		r.IDs = append(r.IDs, e.Name)
	}
	return r, nil
}

// emojiState is what the stand-in knows of an emoji's id.
type emojiState uint8

const (
	emojiUnknown emojiState = iota
	emojiKnown
	emojiLost // it was known once
)

func (s *Server) emojiState(id string) emojiState {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.lostEmojis[id]:
		return emojiLost
	case slices.ContainsFunc(s.emojis, func(e *appEmoji) bool { return e.ID == id }):
		return emojiKnown
	}
	return emojiUnknown
}

// wordsLostEmoji refuse an emoji that was deleted.
const wordsLostEmoji = "Invalid emoji: it was deleted"

// emoji refuses an emoji of the application that does not exist.
func (c *componentCheck) emoji(at string, e *emoji) {
	if e == nil || e.ID == "" || c.emojis == nil {
		return
	}
	switch c.emojis(e.ID) {
	case emojiUnknown:
		c.add(join(at, "emoji", "id"), problemEmoji, "Invalid emoji")
	case emojiLost:
		c.add(join(at, "emoji", "id"), problemEmoji, wordsLostEmoji)
	}
}

// excused reports whether a bot could not know of any problem of a body: its emojis were deleted
// meanwhile, or another process of its own has uploaded an emoji at the same moment.
func excused(list []Problem) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(p Problem) bool {
		return p.Message != wordsLostEmoji && p.Code != problemEmojiTaken
	})
}

// holdsEmoji reports whether a body shows an emoji of the application.
func (c *call) holdsEmoji() bool { return bytes.Contains(c.raw, []byte(`"emoji":{"id":"`)) }

// refuseEmoji answers as Discord now and then does for an emoji that it knows.
func (c *call) refuseEmoji() {
	c.fail(invalidForm(Problem{"components.0.components.0.emoji.id", problemEmoji, "Invalid emoji"}))
}

// ServeEmoji serves the picture of an emoji at .../ID or .../ID.png.
func (s *Server) ServeEmoji(w http.ResponseWriter, r *http.Request) {
	id, _, _ := strings.Cut(path.Base(r.URL.Path), ".")
	s.mu.Lock()
	i := slices.IndexFunc(s.emojis, func(e *appEmoji) bool { return e.ID == id })
	var found appEmoji
	if i >= 0 {
		found = *s.emojis[i]
	}
	s.mu.Unlock()
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	writeFile(w, cmp.Or(found.Type, "image/png"), found.Data)
}
