package demo_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"tengen/bot/demo"
	"tengen/bot/standin"
	"tengen/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Wide(4)
	os.Exit(m.Run())
}

// site is a page over a stand-in with a small bot of the tests' own, which answers every
// kind of interaction with every kind of message.
type site struct {
	*httptest.Server
	world *standin.Server
}

func open(t *testing.T) site { return openFor(t, 3) }

// openFor is open with so many members.
func openFor(t *testing.T, members int) site {
	t.Helper()
	s := standin.New(t, standin.Options{NoGuild: true})
	page := testkit.Got(demo.New(context.Background(), s, "tengen", demo.Options{Members: members}))
	web := httptest.NewServer(page)
	t.Cleanup(web.Close)
	connect(t, s)
	return site{web, s}
}

// connect starts the small bot.
func connect(t *testing.T, s *standin.Server) {
	t.Helper()
	d := testkit.Got(discordgo.New("Bot " + s.Token()))
	d.Client = &http.Client{Transport: s.Transport()}
	d.Dialer = s.Dialer()
	d.Identify.Intents = discordgo.IntentsGuilds
	d.StateEnabled = false
	d.AddHandler(func(d *discordgo.Session, i *discordgo.InteractionCreate) {
		if err := d.InteractionRespond(i.Interaction, reply(i)); err != nil {
			t.Errorf("answering: %v", err)
		}
	})
	testkit.Must(t, d.Open())
	t.Cleanup(func() { d.Close() })
	testkit.Got(d.ApplicationCommandBulkOverwrite(s.AppID(), "", table()))
}

type option = discordgo.ApplicationCommandOption

func table() []*discordgo.ApplicationCommand {
	choice := func(name string, value any) *discordgo.ApplicationCommandOptionChoice {
		return &discordgo.ApplicationCommandOptionChoice{Name: name, Value: value}
	}
	games := &option{Type: discordgo.ApplicationCommandOptionString, Name: "game", Description: "What to play",
		Choices: []*discordgo.ApplicationCommandOptionChoice{choice("Gomoku 15×15", "gomoku"),
			choice("Gomoku 9×9", "gomoku9"), choice("Exact five", "standard"), choice("Renju", "renju"),
			choice("Reversi (Othello)", "reversi")}}
	level := &option{Type: discordgo.ApplicationCommandOptionInteger, Name: "level",
		Description: "How strong the bot plays",
		Choices: []*discordgo.ApplicationCommandOptionChoice{choice("1 · Seedling", 1), choice("2 · Novice", 2),
			choice("8 · Full strength", 8)}}
	return []*discordgo.ApplicationCommand{
		{Name: "play", Description: "Begin a game", Options: []*option{
			{Type: discordgo.ApplicationCommandOptionString, Name: "with", Description: "Whom to play with",
				Choices: []*discordgo.ApplicationCommandOptionChoice{choice("The bot", "bot"), choice("Anyone", "anyone")}},
			games, level}},
		{Name: "ask", Description: "A command with parts", Options: []*option{
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "member", Description: "Challenge another member",
				Options: []*option{
					{Type: discordgo.ApplicationCommandOptionUser, Name: "opponent", Description: "Whom to challenge", Required: true},
					games,
					{Type: discordgo.ApplicationCommandOptionBoolean, Name: "rated", Description: "Let the result change both ratings"},
					{Type: discordgo.ApplicationCommandOptionString, Name: "note", Description: "A line to your opponent", MaxLength: 100}}},
		}},
		{Name: "move", Description: "Make a move", Options: []*option{
			{Type: discordgo.ApplicationCommandOptionString, Name: "at", Description: "The point, such as H8",
				Required: true, Autocomplete: true}}},
		{Name: "import", Description: "Play on from a record or a position", Options: []*option{
			{Type: discordgo.ApplicationCommandOptionAttachment, Name: "file", Description: "A game record", Required: true}}},
		{Name: "markdown", Description: "All that a text can be", Options: []*option{
			{Type: discordgo.ApplicationCommandOptionString, Name: "text", Description: "Any text"}}},
		{Name: "everything", Description: "A message with every component"},
		{Name: "private", Description: "An answer for you alone"},
		{Name: "think", Description: "An answer that takes its time"},
		{Name: "ping", Description: "Is the bot well?"},
		{Name: "Challenge to a game", Type: discordgo.UserApplicationCommand},
		{Name: "Load this record", Type: discordgo.MessageApplicationCommand},
	}
}

// reply answers an interaction of any kind.
func reply(i *discordgo.InteractionCreate) *discordgo.InteractionResponse {
	say := func(text string) *discordgo.InteractionResponse {
		return &discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{
				Flags:      discordgo.MessageFlagsIsComponentsV2,
				Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: text}}}}
	}
	switch i.Type {
	case discordgo.InteractionApplicationCommandAutocomplete:
		typed := ""
		for _, o := range i.ApplicationCommandData().Options {
			if o.Focused {
				typed, _ = o.Value.(string)
			}
		}
		data := &discordgo.InteractionResponseData{}
		for _, p := range []string{"H8", "H9", "G7", "A1"} {
			if strings.HasPrefix(p, strings.ToUpper(typed)) {
				data.Choices = append(data.Choices, &discordgo.ApplicationCommandOptionChoice{Name: p, Value: p})
			}
		}
		return &discordgo.InteractionResponse{Type: discordgo.InteractionApplicationCommandAutocompleteResult, Data: data}
	case discordgo.InteractionMessageComponent:
		return pressed(i, say)
	case discordgo.InteractionModalSubmit:
		row := i.ModalSubmitData().Components[0].(*discordgo.ActionsRow)
		return say("typed " + row.Components[0].(*discordgo.TextInput).Value)
	}
	data := i.ApplicationCommandData()
	switch data.Name {
	case "play", "ask":
		options := data.Options
		if data.Name == "ask" {
			options = options[0].Options
		}
		var given []string
		for _, o := range options {
			given = append(given, fmt.Sprint(o.Name, "=", o.Value))
		}
		if data.Name == "ask" {
			return say("ask member " + strings.Join(given, " "))
		}
		return boardMessage(discordgo.InteractionResponseChannelMessageWithSource, "move 1 "+strings.Join(given, " "))
	case "move":
		return say("moved to " + data.Options[0].StringValue())
	case "import":
		for _, a := range data.Resolved.Attachments {
			return say(fmt.Sprintf("got %s of %d bytes", a.Filename, a.Size))
		}
	case "markdown":
		text := samples
		if len(data.Options) > 0 {
			text = data.Options[0].StringValue()
		}
		return say(text)
	case "everything":
		return everything()
	case "private":
		r := say("for <@" + i.Member.User.ID + "> alone")
		r.Data.Flags |= discordgo.MessageFlagsEphemeral
		return r
	case "think":
		return &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{}}
	case "Challenge to a game":
		return say("<@" + data.TargetID + "> is challenged")
	case "Load this record":
		return say("loaded " + data.Resolved.Messages[data.TargetID].Content)
	}
	return say("here")
}

func pressed(i *discordgo.InteractionCreate,
	say func(string) *discordgo.InteractionResponse) *discordgo.InteractionResponse {
	data := i.MessageComponentData()
	switch {
	case data.CustomID == "form":
		return &discordgo.InteractionResponse{Type: discordgo.InteractionResponseModal,
			Data: &discordgo.InteractionResponseData{CustomID: "typed", Title: "Type your move",
				Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
					discordgo.TextInput{CustomID: "point", Label: "Point", Style: discordgo.TextInputShort, Placeholder: "H8",
						Required: true, MaxLength: 10}}}}}}
	case data.CustomID == "b2":
		return say("pressed b2")
	case len(data.Values) > 0:
		return say("chosen " + strings.Join(data.Values, " "))
	}
	return boardMessage(discordgo.InteractionResponseUpdateMessage, "pressed "+data.CustomID)
}

const samples = "# One\n## Two\n### Three\n**bold** *italic* __under__ ~~gone~~ `code` ||hidden||\n> quoted\n" +
	"> twice\n-# small print\n" +
	"- first\n- second\n```go\nx := <b>1</b>\n```\n\\*not italic\\* <t:1:R> <t:0:D> [words](https://example.com/a?b=c) " +
	"https://example.com/plain.\n" +
	"⚫ Black ⚪ White <@1> <#2> </play bot:3> snake_case_name <script>alert(1)</script> <img src=x onerror=alert(1)>"

// boardMessage is a message like those of the bot: a container with a text, a picture and
// rows of buttons.
func boardMessage(kind discordgo.InteractionResponseType, text string) *discordgo.InteractionResponse {
	accent := 0x26282C
	inside := []discordgo.MessageComponent{
		discordgo.TextDisplay{Content: "### Gomoku 15×15 · #K7Q2\n⚫ <@1> ◀  ⚪ Bot (level 3)\n" + text},
		discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{
			{Media: discordgo.UnfurledMediaItem{URL: "attachment://board.png"}, Description: new("Gomoku, " + text + ".")}}},
	}
	for row := range 4 {
		var line []discordgo.MessageComponent
		for col := range 5 {
			p := fmt.Sprintf("%c%d", 'F'+col, 9-row)
			b := discordgo.Button{CustomID: "play." + p, Label: p, Style: discordgo.SecondaryButton}
			if row == 1 && col == 2 {
				b.Label, b.Emoji, b.Disabled = "", &discordgo.ComponentEmoji{Name: "⚫"}, true
			}
			line = append(line, b)
		}
		inside = append(inside, discordgo.ActionsRow{Components: line})
	}
	inside = append(inside, discordgo.ActionsRow{Components: []discordgo.MessageComponent{
		discordgo.Button{CustomID: "l", Label: "◀", Style: discordgo.SecondaryButton},
		discordgo.Button{CustomID: "r", Label: "▶", Style: discordgo.SecondaryButton},
		discordgo.Button{CustomID: "form", Label: "⋯", Style: discordgo.SecondaryButton}}})
	return &discordgo.InteractionResponse{Type: kind, Data: &discordgo.InteractionResponseData{
		Flags:      discordgo.MessageFlagsIsComponentsV2,
		Components: []discordgo.MessageComponent{discordgo.Container{AccentColor: &accent, Components: inside}},
		Files:      []*discordgo.File{{Name: "board.png", ContentType: "image/png", Reader: bytes.NewReader(picture(450))}}}}
}

func everything() *discordgo.InteractionResponse {
	accent := 0xE0A848
	one := 1
	return &discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{
			Flags: discordgo.MessageFlagsIsComponentsV2,
			Files: []*discordgo.File{{Name: "a.png", ContentType: "image/png", Reader: bytes.NewReader(picture(60))},
				{Name: "game.sgf", ContentType: "application/x-go-sgf", Reader: strings.NewReader("(;GM[4])")}},
			Components: []discordgo.MessageComponent{discordgo.Container{AccentColor: &accent,
				Components: []discordgo.MessageComponent{
					discordgo.Section{Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: "A section"}},
						Accessory: discordgo.Thumbnail{Media: discordgo.UnfurledMediaItem{URL: "attachment://a.png"},
							Description: new("A thumbnail")}},
					discordgo.Section{Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: "A section with " +
						"a button and a text that is long enough to need more than one line in a narrow window"},
						discordgo.TextDisplay{Content: "Its second text"}},
						Accessory: discordgo.Button{CustomID: "beside", Label: "Beside it", Style: discordgo.SecondaryButton}},
					discordgo.Separator{},
					discordgo.ActionsRow{Components: []discordgo.MessageComponent{
						discordgo.Button{CustomID: "b1", Label: "Primary", Style: discordgo.PrimaryButton},
						discordgo.Button{CustomID: "b2", Label: "Success", Style: discordgo.SuccessButton},
						discordgo.Button{CustomID: "b3", Label: "Danger", Style: discordgo.DangerButton},
						discordgo.Button{CustomID: "b4", Label: "Off", Style: discordgo.SecondaryButton, Disabled: true},
						discordgo.Button{URL: "https://example.com", Label: "Link", Style: discordgo.LinkButton}}},
					discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.SelectMenu{
						MenuType: discordgo.StringSelectMenu, CustomID: "pick", Placeholder: "Choose a game",
						MinValues: &one, MaxValues: 1,
						Options: []discordgo.SelectMenuOption{{Label: "First", Value: "1", Description: "The first of them"},
							{Label: "Second", Value: "2"}}}}},
					discordgo.FileComponent{File: discordgo.UnfurledMediaItem{URL: "attachment://game.sgf"}},
				}}}}}
}

// picture is a square of wood with a grid.
func picture(size int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			c := color.RGBA{0xE3, 0xB5, 0x6B, 255}
			if step := size / 15; x%step == step/2 || y%step == step/2 {
				c = color.RGBA{0x5A, 0x42, 0x1D, 255}
			}
			img.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}
