package standin

import (
	"bytes"
	"encoding/json"
)

// User is a person or the bot, as Discord shows it to others.
type User struct {
	ID            string  `json:"id"`
	Username      string  `json:"username"`
	Discriminator string  `json:"discriminator"`
	GlobalName    *string `json:"global_name"`
	Avatar        *string `json:"avatar"`
	Bot           bool    `json:"bot,omitempty"`
	PublicFlags   int     `json:"public_flags"`
}

// Message is a message in Discord's own form. Everything reachable from it is
// read-only: an edit replaces it, never changes it.
type Message struct {
	ID                  string               `json:"id"`
	Type                int                  `json:"type"`
	ChannelID           string               `json:"channel_id"`
	GuildID             string               `json:"guild_id,omitempty"`
	Author              User                 `json:"author"`
	Content             string               `json:"content"`
	Timestamp           string               `json:"timestamp"`
	EditedTimestamp     *string              `json:"edited_timestamp"`
	TTS                 bool                 `json:"tts"`
	MentionEveryone     bool                 `json:"mention_everyone"`
	Mentions            []User               `json:"mentions"`
	MentionRoles        []string             `json:"mention_roles"`
	Attachments         []Attachment         `json:"attachments"`
	Embeds              []embed              `json:"embeds"`
	Components          []Component          `json:"components"`
	Pinned              bool                 `json:"pinned"`
	Flags               int                  `json:"flags"`
	WebhookID           string               `json:"webhook_id,omitempty"`
	ApplicationID       string               `json:"application_id,omitempty"`
	Nonce               json.RawMessage      `json:"nonce,omitempty"`
	Reference           *reference           `json:"message_reference,omitempty"`
	InteractionMetadata *interactionMetadata `json:"interaction_metadata,omitempty"`
	Interaction         *messageInteraction  `json:"interaction,omitempty"`
	Thread              *Channel             `json:"thread,omitempty"`
}

// Private reports whether one member alone sees the message.
func (m *Message) Private() bool { return m.Flags&flagEphemeral != 0 }

// Thinking reports whether the message is a deferred answer still to come.
func (m *Message) Thinking() bool { return m.Flags&flagLoading != 0 }

// Message flags.
const (
	flagEphemeral    = 1 << 6
	flagLoading      = 1 << 7
	flagSilent       = 1 << 12
	flagComponentsV2 = 1 << 15
)

// reference points at another message: a reply, or the start of a thread.
type reference struct {
	Type      int    `json:"type"`
	MessageID string `json:"message_id,omitempty"`
	ChannelID string `json:"channel_id,omitempty"`
	GuildID   string `json:"guild_id,omitempty"`
}

// interactionMetadata says which interaction a message answers.
type interactionMetadata struct {
	ID                  string            `json:"id"`
	Type                int               `json:"type"`
	User                User              `json:"user"`
	Owners              map[string]string `json:"authorizing_integration_owners"`
	OriginalResponseID  string            `json:"original_response_message_id,omitempty"`
	InteractedMessageID string            `json:"interacted_message_id,omitempty"`
}

// messageInteraction is the older form of interactionMetadata.
type messageInteraction struct {
	ID   string `json:"id"`
	Type int    `json:"type"`
	Name string `json:"name"`
	User User   `json:"user"`
}

// Attachment is a file of a message.
type Attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	Size        int    `json:"size"`
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url"`
	Width       int    `json:"width,omitempty"`
	Height      int    `json:"height,omitempty"`
	Ephemeral   bool   `json:"ephemeral,omitempty"`
}

// embed is the older kind of rich content.
type embed struct {
	Type        string       `json:"type,omitempty"`
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description,omitempty"`
	URL         string       `json:"url,omitempty"`
	Timestamp   string       `json:"timestamp,omitempty"`
	Color       int          `json:"color,omitempty"`
	Footer      *embedText   `json:"footer,omitempty"`
	Author      *embedText   `json:"author,omitempty"`
	Image       *Media       `json:"image,omitempty"`
	Thumbnail   *Media       `json:"thumbnail,omitempty"`
	Fields      []embedField `json:"fields,omitempty"`
}

// embedText is an embed's footer or author.
type embedText struct {
	Text    string `json:"text,omitempty"`
	Name    string `json:"name,omitempty"`
	URL     string `json:"url,omitempty"`
	IconURL string `json:"icon_url,omitempty"`
}

type embedField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline,omitempty"`
}

// Media is a picture or file that a component or an embed shows.
type Media struct {
	URL          string `json:"url"`
	ProxyURL     string `json:"proxy_url,omitempty"`
	Width        int    `json:"width,omitempty"`
	Height       int    `json:"height,omitempty"`
	ContentType  string `json:"content_type,omitempty"`
	AttachmentID string `json:"attachment_id,omitempty"`
}

// Component is any component of a message or a modal; Type says which fields
// mean something.
type Component struct {
	Type         int            `json:"type"`
	ID           int            `json:"id,omitempty"`
	CustomID     string         `json:"custom_id,omitempty"`
	Style        int            `json:"style,omitempty"`
	Label        string         `json:"label,omitempty"`
	Emoji        *emoji         `json:"emoji,omitempty"`
	URL          string         `json:"url,omitempty"`
	SKU          string         `json:"sku_id,omitempty"`
	Disabled     bool           `json:"disabled,omitempty"`
	Components   []Component    `json:"components,omitempty"`
	Accessory    *Component     `json:"accessory,omitempty"`
	Inner        *Component     `json:"component,omitempty"` // of a label in a modal
	Content      string         `json:"content,omitempty"`
	Media        *Media         `json:"media,omitempty"`
	File         *Media         `json:"file,omitempty"`
	Name         string         `json:"name,omitempty"` // of a file, which Discord fills in
	Size         int            `json:"size,omitempty"` // the same
	Items        []GalleryItem  `json:"items,omitempty"`
	Description  string         `json:"description,omitempty"`
	Spoiler      bool           `json:"spoiler,omitempty"`
	AccentColor  *int           `json:"accent_color,omitempty"`
	Divider      *bool          `json:"divider,omitempty"`
	Spacing      int            `json:"spacing,omitempty"`
	Placeholder  string         `json:"placeholder,omitempty"`
	Options      []SelectOption `json:"options,omitempty"`
	MinValues    *int           `json:"min_values,omitempty"`
	MaxValues    *int           `json:"max_values,omitempty"`
	ChannelTypes []int          `json:"channel_types,omitempty"`
	Defaults     []preselected  `json:"default_values,omitempty"`
	MinLength    int            `json:"min_length,omitempty"`
	MaxLength    int            `json:"max_length,omitempty"`
	Required     *bool          `json:"required,omitempty"`
	Value        string         `json:"value,omitempty"`
	Default      bool           `json:"default,omitempty"` // of a checkbox
}

// Component types.
const (
	actionRow       = 1
	button          = 2
	stringSelect    = 3
	textInput       = 4
	userSelect      = 5
	roleSelect      = 6
	mentionSelect   = 7
	channelSelect   = 8
	section         = 9
	textDisplay     = 10
	thumbnail       = 11
	mediaGallery    = 12
	fileDisplay     = 13
	separator       = 14
	container       = 17
	labelComponent  = 18
	fileUpload      = 19
	radioGroup      = 21
	checkboxGroup   = 22
	checkbox        = 23
	buttonStyleLink = 5
)

// emoji is shown on a button or an option.
type emoji struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name,omitempty"`
	Animated bool   `json:"animated,omitempty"`
}

// GalleryItem is one picture of a media gallery; Description is its alt text.
type GalleryItem struct {
	Media       Media  `json:"media"`
	Description string `json:"description,omitempty"`
	Spoiler     bool   `json:"spoiler,omitempty"`
}

// SelectOption is one line of a string select.
type SelectOption struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Emoji       *emoji `json:"emoji,omitempty"`
	Default     bool   `json:"default,omitempty"`
}

// preselected is an entity that is chosen from the start in a user, role or channel select.
type preselected struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

// Channel is a channel, thread or direct message in Discord's own form.
type Channel struct {
	ID            string          `json:"id"`
	Type          int             `json:"type"`
	GuildID       string          `json:"guild_id,omitempty"`
	Name          string          `json:"name,omitempty"`
	Position      int             `json:"position"`
	Overwrites    []wireOverwrite `json:"permission_overwrites,omitempty"`
	ParentID      string          `json:"parent_id,omitempty"`
	OwnerID       string          `json:"owner_id,omitempty"`
	LastMessageID string          `json:"last_message_id,omitempty"`
	Recipients    []User          `json:"recipients,omitempty"`
	Thread        *threadMetadata `json:"thread_metadata,omitempty"`
	MessageCount  int             `json:"message_count,omitempty"`
	MemberCount   int             `json:"member_count,omitempty"`
	Permissions   string          `json:"permissions,omitempty"`
}

// Channel types.
const (
	TextChannel   = 0
	DirectMessage = 1
	GroupMessage  = 3
	NewsChannel   = 5 // an announcement channel
	NewsThread    = 10
	PublicThread  = 11
	PrivateThread = 12
)

// threadMetadata is what a thread has beside a channel.
type threadMetadata struct {
	Archived    bool   `json:"archived"`
	AutoArchive int    `json:"auto_archive_duration"`
	ArchivedAt  string `json:"archive_timestamp"`
	Locked      bool   `json:"locked"`
	CreatedAt   string `json:"create_timestamp,omitempty"`
}

// wireOverwrite changes the permissions of a role (type 0) or member (type 1) in a
// channel.
type wireOverwrite struct {
	ID    string `json:"id"`
	Type  int    `json:"type"`
	Allow string `json:"allow"`
	Deny  string `json:"deny"`
}

// Choice is one suggestion or fixed choice of an option.
type Choice struct {
	Name          string            `json:"name"`
	Localizations map[string]string `json:"name_localizations,omitempty"`
	Value         any               `json:"value"`
}

// Modal is the form that a bot opened.
type Modal struct {
	CustomID   string      `json:"custom_id"`
	Title      string      `json:"title"`
	Components []Component `json:"components"`
}

// field is a value in a body that may be absent, null or there; an edit means
// something different by each.
type field[T any] struct {
	Set  bool // the key was there, perhaps with null
	Null bool
	V    T
}

func (f *field[T]) UnmarshalJSON(b []byte) error {
	f.Set = true
	if bytes.Equal(b, []byte("null")) {
		f.Null = true
		return nil
	}
	return json.Unmarshal(b, &f.V)
}

// given reports whether a value other than null was there.
func (f *field[T]) given() bool { return f.Set && !f.Null }
