package standin

import (
	"encoding/json"
	"slices"
)

// Limits of messages, from Discord's documentation.
const (
	maxContent     = 2000
	maxComponents  = 40   // of a Components V2 message, nested ones counted
	maxText        = 4000 // characters over all text displays of a message
	maxRows        = 5    // of a message without Components V2
	maxFiles       = 10
	maxRequestSize = 25 << 20
	maxEmbedText   = 6000
	maxChoices     = 25
)

// MaxFileSize bounds a file that is attached, in bytes.
const MaxFileSize = 10 << 20

// body is what a bot sends as a message or as an edit of one.
type body struct {
	Content         field[string]      `json:"content"`
	TTS             bool               `json:"tts"`
	Flags           field[int]         `json:"flags"`
	Embeds          field[[]embed]     `json:"embeds"`
	Components      field[[]Component] `json:"components"`
	AllowedMentions field[mentions]    `json:"allowed_mentions"`
	Attachments     field[[]fileRef]   `json:"attachments"`
	Nonce           json.RawMessage    `json:"nonce"`
	EnforceNonce    bool               `json:"enforce_nonce"`
	Reference       field[replyTo]     `json:"message_reference"`
	Stickers        field[[]string]    `json:"sticker_ids"`
	Poll            json.RawMessage    `json:"poll"`
}

// replyTo is the message that a new one answers.
type replyTo struct {
	reference
	MustExist *bool `json:"fail_if_not_exists"` // nil: true
}

// mentions is the object allowed_mentions.
type mentions struct {
	Parse       []string `json:"parse"`
	Users       []string `json:"users"`
	Roles       []string `json:"roles"`
	RepliedUser bool     `json:"replied_user"`
}

// fileRef is an entry of attachments: the index of a new file, or the id of
// one that the message keeps.
type fileRef struct {
	ID          json.RawMessage `json:"id"`
	Filename    string          `json:"filename"`
	Title       string          `json:"title"`
	Description *string         `json:"description"`
}

// upload is a file that came with a request.
type upload struct {
	index string // n of files[n]
	name  string
	ctype string
	data  []byte
}

// empty reports whether a new message would show nothing.
func empty(b *body, files []upload) bool {
	return b.Content.V == "" && len(b.Embeds.V) == 0 && len(b.Components.V) == 0 && len(files) == 0 &&
		len(b.Stickers.V) == 0 && (len(b.Poll) == 0 || string(b.Poll) == "null")
}

// emptied reports whether an edit would leave nothing of a message.
func emptied(b *body, files []upload, old *Message) bool {
	content := old.Content
	if b.Content.Set {
		content = b.Content.V
	}
	count := func(set bool, given, had int) int {
		if set {
			return given
		}
		return had
	}
	n := count(b.Embeds.Set, len(b.Embeds.V), len(old.Embeds)) + count(b.Components.Set, len(b.Components.V),
		len(old.Components)) +
		count(b.Attachments.Set, len(b.Attachments.V), len(old.Attachments)) + len(files)
	return content == "" && n == 0
}

// setting is where a message body arrives; it decides what is allowed there.
type setting struct {
	edit      bool
	old       *Message // the message that is edited
	ephemeral bool     // the flag EPHEMERAL may be given
	version   int      // of the API
	emojis    func(id string) emojiState
}

// checkMessage applies the rules that Discord has for messages and that its
// OpenAPI description does not all hold.
func checkMessage(p *problems, path string, b *body, files []upload, in setting) {
	flags := 0
	if b.Flags.given() {
		flags = b.Flags.V
	}
	checkFlags(p, path, flags, in)
	v2 := flags&flagComponentsV2 != 0
	if in.old != nil && in.old.Flags&flagComponentsV2 != 0 {
		v2 = true // the flag cannot be taken away
	}
	checkEmbeds(p, join(path, "embeds"), b.Embeds.V)
	checkMentions(p, join(path, "allowed_mentions"), b.AllowedMentions.V)
	if v2 {
		checkLegacy(p, path, b, in)
	}
	names := checkFiles(p, path, b, files, in)
	comps, given := b.Components.V, b.Components.given()
	if given {
		c := newComponentCheck(p)
		c.v2, c.files, c.emojis = v2, names, in.emojis
		c.message(join(path, "components"), comps)
		if v2 {
			for _, n := range names.unused() {
				p.add(join(path, "attachments"), "ATTACHMENT_NOT_SHOWN", "No component shows the attachment %q.", n)
			}
		}
	} else if v2 && !in.edit {
		p.add(join(path, "components"), "BASE_TYPE_REQUIRED", "This field is required")
	}
}

func checkFlags(p *problems, path string, flags int, in setting) {
	allowed := 1<<2 | flagSilent | flagComponentsV2 | 1<<13
	if in.ephemeral {
		allowed |= flagEphemeral
	}
	if in.edit {
		allowed = 1<<2 | flagComponentsV2 | flagEphemeral
	}
	if flags&^allowed != 0 {
		p.add(join(path, "flags"), "MESSAGE_FLAGS_INVALID", "The flags %d cannot be set here.", flags&^allowed)
	}
}

func checkLegacy(p *problems, path string, b *body, in setting) {
	refuse := func(name string) {
		p.add(join(path, name), "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
			"The '%s' field cannot be used when using MessageFlags.IS_COMPONENTS_V2", name)
	}
	if b.Content.V != "" || in.edit && !b.Content.Set && in.old != nil && in.old.Content != "" {
		refuse("content")
	}
	if len(b.Embeds.V) > 0 || in.edit && !b.Embeds.Set && in.old != nil && len(in.old.Embeds) > 0 {
		refuse("embeds")
	}
	if len(b.Stickers.V) > 0 {
		refuse("sticker_ids")
	}
	if len(b.Poll) > 0 && string(b.Poll) != "null" {
		refuse("poll")
	}
}

// shownFiles are the files that a component may show, and whether one does.
type shownFiles map[string]bool

func (n shownFiles) unused() []string {
	return slices.DeleteFunc(sortedKeys(n), func(name string) bool { return n[name] })
}

func checkFiles(p *problems, path string, b *body, files []upload, in setting) shownFiles {
	at := join(path, "attachments")
	shown := shownFiles{}
	byIndex := map[string]string{}
	for _, f := range files {
		byIndex[f.index] = f.name
		shown[f.name] = false
	}
	old := map[string]string{}
	if in.old != nil {
		for _, a := range in.old.Attachments {
			old[a.ID] = a.Filename
			if !b.Attachments.Set {
				shown[a.Filename] = false
			}
		}
	}
	listed := map[string]bool{}
	for i, ref := range b.Attachments.V {
		id := ref.id()
		if listed[id] {
			p.add(join(at, i, "id"), "ATTACHMENT_DUPLICATE", "The attachment %s is listed twice.", id)
		}
		listed[id] = true
		if name, ok := byIndex[id]; ok {
			if ref.Filename != "" && ref.Filename != name {
				delete(shown, name)
				shown[ref.Filename] = false
			}
		} else if name, ok := old[id]; ok && in.edit {
			shown[name] = false
		} else {
			p.add(join(at, i, "id"), "ATTACHMENT_NOT_FOUND", "There is no file and no attachment %s.", id)
		}
	}
	if b.Attachments.Set && in.version >= 10 {
		for i := range byIndex {
			if !listed[i] {
				p.add(at, "ATTACHMENT_NOT_LISTED", "The new file %s is not listed in attachments.", i)
			}
		}
	}
	if len(shown) > maxFiles || len(files) > maxFiles {
		p.add(at, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxFiles)
	}
	return shown
}

func checkMentions(p *problems, path string, m mentions) {
	for name, ids := range map[string][]string{"users": m.Users, "roles": m.Roles} {
		if len(ids) > 0 && slices.Contains(m.Parse, name) {
			p.add(path, "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
				"parse:[%q] and %s: [ids...] are mutually exclusive.", name, name)
		}
	}
}

func checkEmbeds(p *problems, path string, embeds []embed) {
	total := 0
	for _, e := range embeds {
		total += characters(e.Title) + characters(e.Description)
		if e.Footer != nil {
			total += characters(e.Footer.Text)
		}
		if e.Author != nil {
			total += characters(e.Author.Name)
		}
		for _, f := range e.Fields {
			total += characters(f.Name) + characters(f.Value)
		}
	}
	if total > maxEmbedText {
		p.add(path, "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedText)
	}
}
