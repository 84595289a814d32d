package discord

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tengen/bot/chat"
	"tengen/bot/discord/body"
	"tengen/game"
	"tengen/game/venue"
)

// The parts of Discord's interaction that we read. They are decoded from the raw event, so that
// a part which Discord adds one day cannot cost us the id and the token, and with them the
// answer.
type (
	rawInteraction struct {
		ID            flake           `json:"id"`
		App           flake           `json:"application_id"`
		Type          int             `json:"type"`
		Token         string          `json:"token"`
		Data          json.RawMessage `json:"data"`
		Guild         flake           `json:"guild_id"`
		Channel       flake           `json:"channel_id"`
		ChannelObject json.RawMessage `json:"channel"`
		Member        json.RawMessage `json:"member"`
		User          json.RawMessage `json:"user"`
		Message       json.RawMessage `json:"message"`
		AppPerms      flake           `json:"app_permissions"`
		Locale        loose           `json:"locale"`
		GuildLocale   loose           `json:"guild_locale"`
		Context       *int            `json:"context"`
		Owners        json.RawMessage `json:"authorizing_integration_owners"`
	}
	rawData struct {
		Name       string          `json:"name"`
		Type       int             `json:"type"`
		Target     flake           `json:"target_id"`
		Options    json.RawMessage `json:"options"`
		Resolved   json.RawMessage `json:"resolved"`
		Custom     string          `json:"custom_id"`
		Component  int             `json:"component_type"`
		Values     json.RawMessage `json:"values"`
		Components json.RawMessage `json:"components"`
	}
	rawOption struct {
		Name    string          `json:"name"`
		Type    int             `json:"type"`
		Value   json.RawMessage `json:"value"`
		Options json.RawMessage `json:"options"`
		Focused bool            `json:"focused"`
	}
	rawResolved struct {
		Users       map[string]rawUser       `json:"users"`
		Messages    map[string]rawMessage    `json:"messages"`
		Attachments map[string]rawAttachment `json:"attachments"`
		app         flake                    // of the interaction
	}
	rawUser struct {
		ID  flake `json:"id"`
		Bot bool  `json:"bot"`
	}
	rawMessage struct {
		ID          flake           `json:"id"`
		Content     string          `json:"content"`
		Flags       int64           `json:"flags"`
		Attachments json.RawMessage `json:"attachments"`
		Components  json.RawMessage `json:"components"`
	}
	// rawPart is a component of a message or a form.
	rawPart struct {
		Type       int             `json:"type"`
		Custom     loose           `json:"custom_id"`
		Content    loose           `json:"content"`
		Value      loose           `json:"value"`
		Values     json.RawMessage `json:"values"`
		Component  json.RawMessage `json:"component"`
		Components json.RawMessage `json:"components"`
		File       rawAttachment   `json:"file"`
		Name       loose           `json:"name"` // of a file
		Size       int64           `json:"size"`
	}
	rawAttachment struct {
		Name string `json:"filename"`
		URL  string `json:"url"`
		Size int64  `json:"size"`
	}
)

// flake is an id: a number, with or without quotes. Anything else is zero.
type flake uint64

func (f *flake) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(b), `"`), 10, 64)
	if err != nil {
		n = 0
	}
	*f = flake(n)
	return nil
}

// digits is an id as a path or a text of Discord has it.
func digits[T ~uint64](id T) string { return strconv.FormatUint(uint64(id), 10) }

// loose is a text; anything else is empty.
type loose string

func (l *loose) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*l = loose(s)
	}
	return nil
}

// Permission bits that we read.
const (
	mayAdministrate  = 1 << 3
	mayGovern        = 1 << 5
	mayView          = 1 << 10
	maySend          = 1 << 11
	mayManageMessage = 1 << 13
	mayEmbed         = 1 << 14
	mayAttach        = 1 << 15
	mayRead          = 1 << 16
	mayOpenThreads   = 1 << 35
	maySendInThreads = 1 << 38
	mayLaunch        = 1 << 39
	mayList          = 1 << 44
	mayUseExternal   = 1 << 50
)

// The types of channels that we tell apart, by their numbers at Discord.
const (
	newsChannel   = 5
	newsThread    = 10
	publicThread  = 11
	privateThread = 12
)

// The types of interactions and commands by their numbers at Discord.
const (
	interactionPing = iota + 1
	interactionCommand
	interactionComponent
	interactionComplete
	interactionModal
)

const (
	optionSub     = 1
	optionGroup   = 2
	optionText    = 3
	optionInteger = 4
	optionBool    = 5
	optionUser    = 6
	optionChannel = 7
	optionMention = 9
	optionNumber  = 10
	optionFile    = 11
)

// Epoch is the time from which Discord's ids count, in ms: the start of the year 2015.
const Epoch = 1420070400000

// flakeTime is when an id was made.
func flakeTime(id uint64) time.Time { return time.UnixMilli(int64(id>>22) + Epoch).UTC() }

// flakeAt is the lowest id that can be made at a time.
func flakeAt(at time.Time) uint64 { return uint64(max(at.UnixMilli()-Epoch, 0)) << 22 }

// Interactions that no handler sees: one that cannot be answered, and one by which Discord only
// checks, over HTTP, whether we are there.
var (
	errNoTicket = errors.New("interaction without id or token")
	errPing     = errors.New("ping")
)

// decoded is a Request with what the adapter needs to answer it.
type decoded struct {
	chat.Request
	app     uint64
	numbers bool // autocomplete of a number
}

// decode makes a Request of a raw INTERACTION_CREATE. in reports whether the bot itself is in a
// server. A part that is missing, or of an unknown kind, is left empty. An interaction that cannot
// be answered is an error, and so is one of an unknown kind, for which decode still gives the
// ticket.
func decode(raw []byte, in func(server uint64, authorized bool) bool) (decoded, error) {
	var i rawInteraction
	if err := json.Unmarshal(raw, &i); err != nil && (i.ID == 0 || i.Token == "") {
		return decoded{}, errNoTicket
	}
	if i.Type == interactionPing {
		return decoded{}, errPing
	}
	if i.ID == 0 || i.Token == "" {
		return decoded{}, errNoTicket
	}
	r := chat.Request{
		ID: uint64(i.ID), Token: i.Token, At: flakeTime(uint64(i.ID)),
		Place:  venue.Place{Server: uint64(i.Guild), Channel: uint64(i.Channel)},
		Locale: string(i.Locale), ServerLocale: string(i.GuildLocale),
		Direct: i.Guild == 0,
	}
	decodePlace(i, &r, in)
	decodeMember(i, &r)
	d := decoded{Request: r, app: uint64(i.App)}
	err := decodeData(i, &d)
	return d, err
}

// decodePlace fills in the place and what the bot may do there.
func decodePlace(i rawInteraction, r *chat.Request, in func(uint64, bool) bool) {
	var channel struct {
		ID     flake `json:"id"`
		Type   int   `json:"type"`
		Newest flake `json:"last_message_id"`
		Parent flake `json:"parent_id"` // of a thread, or a channel's category
	}
	json.Unmarshal(i.ChannelObject, &channel)
	r.Newest = uint64(channel.Newest)
	if r.Thread = isThread(channel.Type); r.Thread {
		r.Parent = uint64(channel.Parent)
	}
	r.News = channel.Type == newsChannel
	if r.Place.Channel == 0 {
		r.Place.Channel = uint64(channel.ID)
	}
	owners := part[map[string]flake](i.Owners)
	if r.Direct {
		// Key 0 with value 0: the bot's own direct messages with a member who shares a
		// server with it. A member's install alone does not let the bot write there.
		_, installed := owners["0"]
		r.Installed = installed && (i.Context == nil || *i.Context == 1)
		r.Alone = i.Context != nil && *i.Context == 1
	} else {
		r.Installed = in(r.Place.Server, uint64(owners["0"]) == r.Place.Server)
	}
	may := func(what flake) bool { return i.AppPerms&(what|mayAdministrate) != 0 }
	r.Allowed = chat.Permissions{
		View:          may(mayView),
		Send:          may(maySend),
		SendInThreads: may(maySendInThreads),
		Embed:         may(mayEmbed),
		Attach:        may(mayAttach),
		CreateThreads: may(mayOpenThreads),
		Read:          may(mayRead),
		List:          may(mayList),
	}
}

// decodeMember fills in who acted. Direct messages have no member, only a user.
func decodeMember(i rawInteraction, r *chat.Request) {
	var member struct {
		User        rawUser `json:"user"`
		Permissions flake   `json:"permissions"`
		Roles       []flake `json:"roles"`
	}
	json.Unmarshal(i.Member, &member)
	r.By = game.MemberID(member.User.ID)
	if r.By == 0 {
		r.By = game.MemberID(part[rawUser](i.User).ID)
	}
	for _, role := range member.Roles {
		r.Roles = append(r.Roles, uint64(role))
	}
	p := uint64(member.Permissions)
	r.Governs = !r.Direct && p&(mayGovern|mayAdministrate) != 0
	r.Manages = !r.Direct && p&(mayManageMessage|mayAdministrate) != 0
	r.Launches = r.Direct || p&(mayLaunch|mayAdministrate) != 0
	r.Allowed.External = r.Direct || p&(mayUseExternal|mayAdministrate) != 0
}

// decodeData fills in what the member did.
func decodeData(i rawInteraction, d *decoded) error {
	data := part[rawData](i.Data)
	resolved := part[rawResolved](data.Resolved)
	resolved.app = i.App
	message := part[rawMessage](i.Message)
	d.Message = uint64(message.ID)
	d.Private = message.Flags&body.FlagPrivate != 0

	switch i.Type {
	case interactionCommand, interactionComplete:
		d.Name = data.Name
		switch {
		case i.Type == interactionComplete:
			d.Kind = chat.Complete
		case data.Type == 2:
			d.Kind = chat.UserMenu
			d.Target = resolved.member(data.Target)
		case data.Type == commandEntry:
			d.Kind = chat.Entry
		case data.Type == 3:
			d.Kind = chat.MessageMenu
			d.Message = uint64(data.Target)
			d.Loaded = resolved.message(data.Target)
		default:
			d.Kind = chat.Slash
		}
		d.Options = map[string]chat.Option{}
		decodeOptions(data.Options, resolved, d, 0)
	case interactionComponent:
		d.Custom, d.Loaded.Files = data.Custom, message.files()
		if d.Kind = chat.Press; data.Component >= 3 && data.Component != 4 {
			d.Kind = chat.Choose
			json.Unmarshal(data.Values, &d.Values)
		}
		if data.Component == body.ComponentMembers && len(d.Values) > 0 {
			d.Target = resolved.memberCalled(d.Values[0])
		}
	case interactionModal:
		d.Kind, d.Custom = chat.Submit, data.Custom
		d.Options = map[string]chat.Option{}
		decodeFields(data.Components, resolved, d.Options, 0)
	default:
		return fmt.Errorf("interaction of the unknown type %d", i.Type)
	}
	return nil
}

// part reads what can be read of a part.
func part[T any](raw json.RawMessage) (v T) {
	json.Unmarshal(raw, &v)
	return v
}

// listOf reads a list, without what in it cannot be read.
func listOf[T any](raw json.RawMessage) (list []T) {
	for _, one := range part[[]json.RawMessage](raw) {
		var v T
		if json.Unmarshal(one, &v) == nil {
			list = append(list, v)
		}
	}
	return list
}

// decodeOptions reads options. Names of subcommands are added to the command's own.
func decodeOptions(raw json.RawMessage, resolved rawResolved, d *decoded, depth int) {
	for _, o := range listOf[rawOption](raw) {
		if (o.Type == optionSub || o.Type == optionGroup) && depth < 2 {
			d.Name += " " + o.Name
			decodeOptions(o.Options, resolved, d, depth+1)
			continue
		}
		d.Options[o.Name] = decodeOption(o, resolved)
		if o.Focused {
			d.Focused = o.Name
			d.numbers = o.Type == optionInteger || o.Type == optionNumber
		}
	}
}

// decodeOption reads a value by its JSON type, not by the type of its option: while a member types,
// a number may be any text.
func decodeOption(o rawOption, resolved rawResolved) chat.Option {
	var v chat.Option
	value := bytes.TrimSpace(o.Value)
	switch {
	case json.Unmarshal(value, &v.Text) == nil:
		v.Number, _ = strconv.ParseInt(v.Text, 10, 64)
	case json.Unmarshal(value, &v.Yes) == nil:
		v.Text = strconv.FormatBool(v.Yes)
	default:
		var f float64
		if json.Unmarshal(value, &f) == nil {
			v.Text = string(value)
			v.Number = int64(f)
		}
	}
	switch o.Type {
	case optionUser, optionMention:
		v.Member = resolved.memberCalled(v.Text)
	case optionChannel:
		v.Channel, _ = strconv.ParseUint(v.Text, 10, 64)
	case optionFile:
		v.File = chat.FileTarget(resolved.Attachments[v.Text])
	}
	return v
}

// decodeFields finds what the fields of a form were filled in with. Each stands in a label, as
// we send them, or in a row: a form of an older version may still be open.
func decodeFields(raw json.RawMessage, resolved rawResolved, options map[string]chat.Option, depth int) {
	if depth > 4 {
		return
	}
	for _, p := range listOf[rawPart](raw) {
		var values []loose
		if json.Unmarshal(p.Values, &values) == nil && len(values) > 0 {
			p.Value = values[0]
		}
		if p.Custom != "" && p.Value != "" {
			options[string(p.Custom)] = fieldOption(p.Type, string(p.Value), resolved)
		}
		decodeFields(p.Components, resolved, options, depth+1)
		if len(p.Component) > 0 {
			decodeFields(append(append(json.RawMessage("["), p.Component...), ']'), resolved, options, depth+1)
		}
	}
}

// fieldOption is what a field was filled in with, as if an option of a command had that value.
func fieldOption(kind int, value string, resolved rawResolved) chat.Option {
	v := chat.Option{Text: value}
	v.Number, _ = strconv.ParseInt(value, 10, 64)
	switch kind {
	case body.ComponentMembers:
		v.Member = resolved.memberCalled(value)
	case body.ComponentRoles:
		v.Role, _ = strconv.ParseUint(value, 10, 64)
	case body.ComponentUpload:
		v.File = chat.FileTarget(resolved.Attachments[value])
	}
	return v
}

// member is a member by its id, with what Discord told of it.
func (r rawResolved) member(id flake) chat.MemberTarget {
	u := r.Users[digits(id)]
	return chat.MemberTarget{ID: game.MemberID(id), Bot: u.Bot, Own: id != 0 && id == r.app}
}

// memberCalled is member for an id as text.
func (r rawResolved) memberCalled(text string) chat.MemberTarget {
	id, _ := strconv.ParseUint(text, 10, 64)
	return r.member(flake(id))
}

// message is the message that a member pointed at: its text, the texts in its components, its files.
func (r rawResolved) message(id flake) chat.LoadedText {
	m := r.Messages[digits(id)]
	l := chat.LoadedText{Text: m.Content, Files: m.files()}
	for _, t := range decodeTexts(m.Components, 0) {
		l.Text = strings.TrimPrefix(l.Text+"\n"+t, "\n")
	}
	return l
}

// files are those of a message. Discord lists those alone that no component shows.
func (m rawMessage) files() (all []chat.FileTarget) {
	for _, a := range listOf[rawAttachment](m.Attachments) {
		if a.URL != "" {
			all = append(all, chat.FileTarget(a))
		}
	}
	for _, p := range listOf[rawPart](m.Components) {
		if p.Type == body.ComponentFile && p.File.URL != "" {
			all = append(all, chat.FileTarget{Name: string(p.Name), URL: p.File.URL, Size: p.Size})
		}
	}
	return all
}

// decodeTexts gives the text displays of a message, in reading order.
func decodeTexts(raw json.RawMessage, depth int) []string {
	if depth > 4 {
		return nil
	}
	var texts []string
	for _, p := range listOf[rawPart](raw) {
		if p.Type == body.ComponentText && p.Content != "" {
			texts = append(texts, string(p.Content))
		}
		texts = append(texts, decodeTexts(p.Components, depth+1)...)
	}
	return texts
}
