package chat

import "tengen/game"

// Message is a message as plain data. The adapter turns it into Components V2. The zero Message is
// empty.
type Message struct {
	Blocks  []Block
	Accent  int           // the color at the container's edge, 0xRRGGBB; zero: no container
	Mention game.MemberID // who may be pinged by the text; zero: nobody
	// Mentions are more members who may be pinged by the text.
	Mentions []game.MemberID
	Private  bool   // for the asking member only; decided when the message is first sent
	Silent   bool   // no notification
	Mark     uint32 // by which Find finds the message, below 1<<31; zero: none
}

// Block is one part of a message; exactly one field is set.
type Block struct {
	Text    string // Discord's markdown
	Picture *Picture
	File    *File
	Row     []Button // up to five
	Section *Section
	Select  *Select
	Rule    bool // a thin line
}

// Section is one to three texts with a button beside them.
type Section struct {
	Texts  []string // Discord's markdown
	Button Button
}

// Picture is a picture with its description for those who cannot see it.
type Picture struct {
	Name string // with its extension
	Data []byte
	Alt  string // at most 1,024 characters
	Text string // takes its place where the bot may not send files; empty: nothing does
}

// File is what members can download from a message. Unlike a Picture it is not shown.
type File struct {
	Name string
	Data []byte
	Text string // as that of a Picture
}

// ButtonStyle is the color of a button: grey, blue, green, red.
type ButtonStyle uint8

// The styles.
const (
	Secondary ButtonStyle = iota
	Primary
	Success
	Danger
)

// Sign is a picture that an adapter may show on buttons in place of a character.
type Sign struct {
	Char string // as a Button has it, for its only label or as its emoji
	Name string // what those hear who do not see it: 2 to 32 letters, digits and underscores; no other picture ever had it
	PNG  []byte
}

// Button is a button with its custom id, or with a link. An adapter may show the picture of a Sign in
// place of its Emoji, and in place of a Label that is nothing but the sign's character.
type Button struct {
	ID       string
	Label    string
	Emoji    string // a unicode emoji
	Style    ButtonStyle
	Disabled bool
	URL      string // a link button: no ID
}

// Select is a menu of up to 25 entries, or of the members of the place.
type Select struct {
	ID      string
	Hint    string
	Choice  []Choice
	Members bool          // of members: there is no Choice, and the Request has the member as its Target
	Member  game.MemberID // of members: chosen at first; zero: nobody
}

// Choice is an entry of a select, a choice of an option, or what autocomplete offers.
type Choice struct {
	Label, Value, Detail string
	Chosen               bool
}

// Form is what a member is asked to fill in: up to five fields, each with its label.
type Form struct {
	ID, Title string
	Fields    []Field
}

// FieldKind is how a Field is filled in.
type FieldKind uint8

// The kinds.
const (
	Line    FieldKind = iota // one line of text
	Lines                    // a longer text
	Menu                     // one of up to 25 choices, in a menu
	Radio                    // one of 2 to 10 choices, all in sight
	Members                  // a member
	Roles                    // a role of the server
	Upload                   // a file
)

// Field is one field of a Form. The Request of the filled form has it among its Options, unless it
// stayed empty.
type Field struct {
	ID, Label, About string
	Kind             FieldKind
	Optional         bool
	Hint             string        // stands in an empty text or menu
	Max              int           // characters of a text; 0: as many as Discord takes
	Text             string        // what a text begins with
	Choice           []Choice      // of Menu and Radio
	Member           game.MemberID // of Members: chosen at first; zero: nobody
	Role             uint64        // of Roles: chosen at first; zero: none
}

// Plain is the message with text in place of its pictures and files. ok is false where it has
// none, or where nothing is left without them.
func (m Message) Plain() (plain Message, ok bool) {
	plain = m
	plain.Blocks = nil
	for _, b := range m.Blocks {
		switch {
		case b.Picture != nil:
			b, ok = Block{Text: b.Picture.Text}, true
		case b.File != nil:
			b, ok = Block{Text: b.File.Text}, true
		default:
			plain.Blocks = append(plain.Blocks, b)
			continue
		}
		if b.Text != "" {
			plain.Blocks = append(plain.Blocks, b)
		}
	}
	return plain, ok && len(plain.Blocks) > 0
}

// Text is a public message that says s, with more below.
func Text(s string, more ...Block) Message {
	return Message{Blocks: append([]Block{{Text: s}}, more...)}
}

// Private is text for the asking member only, with more below.
func Private(s string, more ...Block) Message { m := Text(s, more...); m.Private = true; return m }

// WithRow is m with a row of buttons below; as it is where there are none.
func (m Message) WithRow(row ...Button) Message {
	if len(row) > 0 {
		m.Blocks = append(m.Blocks, Block{Row: row})
	}
	return m
}
