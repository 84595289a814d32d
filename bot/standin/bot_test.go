package standin_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/bwmarrin/discordgo"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// bot is a small bot on a real discordgo session.
type bot struct {
	*discordgo.Session
	s  *standin.Server
	on func(*discordgo.Session, *discordgo.InteractionCreate)
}

func picture() []byte {
	var b bytes.Buffer
	png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 30, 20)))
	return b.Bytes()
}

// connect starts a session that answers interactions with on.
func connect(t *testing.T, s *standin.Server, on func(*discordgo.Session, *discordgo.InteractionCreate)) *bot {
	t.Helper()
	d := testkit.Got(discordgo.New("Bot " + s.Token()))
	d.Client = &http.Client{Transport: s.Transport()}
	d.Dialer = s.Dialer()
	d.Identify.Intents = discordgo.IntentsGuilds
	d.StateEnabled = false
	d.ShouldRetryOnRateLimit = false
	d.AddHandler(func(d *discordgo.Session, i *discordgo.InteractionCreate) { on(d, i) })
	testkit.Must(t, d.Open())
	t.Cleanup(func() { d.Close() })
	// discordgo reconnects twice where the connection breaks before its first heartbeat, and the second
	// time ends what the first began.
	testkit.Eventually(t, "a first heartbeat", func() bool {
		d.RLock()
		defer d.RUnlock()
		return d.DataReady
	})
	return &bot{d, s, on}
}

func (b *bot) register(t *testing.T, cmds ...*discordgo.ApplicationCommand) {
	testkit.Got(b.ApplicationCommandBulkOverwrite(b.s.AppID(), "", cmds))
}

func playCommand() *discordgo.ApplicationCommand {
	low := 1.0
	return &discordgo.ApplicationCommand{Name: "play", Description: "Start a game",
		Options: []*discordgo.ApplicationCommandOption{
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "bot", Description: "Against the bot",
				Options: []*discordgo.ApplicationCommandOption{
					{Type: discordgo.ApplicationCommandOptionString, Name: "game", Description: "Which", Required: true,
						Choices: []*discordgo.ApplicationCommandOptionChoice{
							{Name: "Renju", Value: "renju"}, {Name: "Reversi (Othello)", Value: "reversi"}}},
					{Type: discordgo.ApplicationCommandOptionInteger, Name: "level", Description: "How strong", MinValue: &low, MaxValue: 8},
				}},
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "member", Description: "Against a member",
				Options: []*discordgo.ApplicationCommandOption{
					{Type: discordgo.ApplicationCommandOptionUser, Name: "opponent", Description: "Who", Required: true},
				}},
		}}
}

func moveCommand() *discordgo.ApplicationCommand {
	return &discordgo.ApplicationCommand{Name: "move", Description: "Play a move",
		Options: []*discordgo.ApplicationCommandOption{
			{Type: discordgo.ApplicationCommandOptionString, Name: "at", Description: "Where", Required: true,
				Autocomplete: true}}}
}

// board is what the test bot answers: a Components V2 message with a picture.
func board(text string, buttons ...string) (*discordgo.InteractionResponseData, string) {
	var row discordgo.ActionsRow
	for _, b := range buttons {
		row.Components = append(row.Components, discordgo.Button{Label: b, CustomID: "at:" + b,
			Style: discordgo.PrimaryButton})
	}
	alt := "Board: " + text
	inner := []discordgo.MessageComponent{
		discordgo.TextDisplay{Content: text},
		discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{
			{Media: discordgo.UnfurledMediaItem{URL: "attachment://board.png"}, Description: &alt}}},
	}
	if len(buttons) > 0 {
		inner = append(inner, row)
	}
	return &discordgo.InteractionResponseData{
		Flags:       discordgo.MessageFlagsIsComponentsV2,
		Components:  []discordgo.MessageComponent{discordgo.Container{Components: inner}},
		Files:       []*discordgo.File{{Name: "board.png", ContentType: "image/png", Reader: bytes.NewReader(picture())}},
		Attachments: &[]*discordgo.MessageAttachment{},
	}, alt
}

// player is a bot that plays a little: /play, /move, buttons, a form.
func player(t *testing.T) func(*discordgo.Session, *discordgo.InteractionCreate) {
	var mu sync.Mutex
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		testkit.Check(t, err)
	}
	return func(d *discordgo.Session, i *discordgo.InteractionCreate) {
		say := func(kind discordgo.InteractionResponseType, data *discordgo.InteractionResponseData) {
			fail(d.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: kind, Data: data}))
		}
		switch i.Type {
		case discordgo.InteractionApplicationCommand:
			data := i.ApplicationCommandData()
			switch {
			case data.Name == "move":
				say(discordgo.InteractionResponseChannelMessageWithSource, &discordgo.InteractionResponseData{
					Content: "no game here for <@" + i.Member.User.ID + ">", Flags: discordgo.MessageFlagsEphemeral})
			case data.Name == "slow":
				say(discordgo.InteractionResponseDeferredChannelMessageWithSource, nil)
				text := "done"
				_, err := d.InteractionResponseEdit(i.Interaction, &discordgo.WebhookEdit{Content: &text})
				fail(err)
				_, err = d.FollowupMessageCreate(i.Interaction, true,
					&discordgo.WebhookParams{Content: "and more", Flags: discordgo.MessageFlagsEphemeral})
				fail(err)
			case data.Name == "Challenge":
				say(discordgo.InteractionResponseChannelMessageWithSource, &discordgo.InteractionResponseData{
					Content: "<@" + data.TargetID + ">, you are challenged"})
			default:
				b, _ := board("**Renju** your turn", "H8", "J9", "More")
				b.Attachments = nil
				say(discordgo.InteractionResponseChannelMessageWithSource, b)
			}
		case discordgo.InteractionApplicationCommandAutocomplete:
			say(discordgo.InteractionApplicationCommandAutocompleteResult, &discordgo.InteractionResponseData{
				Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: "H8", Value: "h8"}, {Name: "H9", Value: "h9"}}})
		case discordgo.InteractionMessageComponent:
			id := i.MessageComponentData().CustomID
			if id == "at:More" {
				say(discordgo.InteractionResponseModal, &discordgo.InteractionResponseData{CustomID: "type", Title: "Type a move",
					Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
						discordgo.TextInput{CustomID: "move", Label: "Move", Style: discordgo.TextInputShort,
							Required: true, MaxLength: 3}}}}})
				return
			}
			b, _ := board("played "+id, "J9")
			say(discordgo.InteractionResponseUpdateMessage, b)
		case discordgo.InteractionModalSubmit:
			data := i.ModalSubmitData()
			v := data.Components[0].(*discordgo.ActionsRow).Components[0].(*discordgo.TextInput).Value
			b, _ := board("typed " + v)
			say(discordgo.InteractionResponseUpdateMessage, b)
		}
	}
}

func table() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{playCommand(), moveCommand(),
		{Name: "slow", Description: "Think first"},
		{Name: "Challenge", Type: discordgo.UserApplicationCommand}}
}

func tcp(t *testing.T) net.Listener { return listener(t) }

func listener(t testing.TB) net.Listener {
	t.Helper()
	l := testkit.Listen(t)
	return l
}

func unjson[T any](t *testing.T, b []byte) T {
	t.Helper()
	var v T
	testkit.Must(t, json.Unmarshal(b, &v))
	return v
}
