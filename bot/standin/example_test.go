package standin_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"tengen/bot/standin"
)

// A bot on a real discordgo session, a member who uses it, and what another
// member sees.
func Example() {
	s := standin.Start(standin.Options{}) // in a test: standin.New(t, ...)
	defer s.Close()

	d, _ := discordgo.New("Bot " + s.Token())
	d.Client = &http.Client{Transport: s.Transport()}
	d.Dialer = s.Dialer()
	d.Identify.Intents = discordgo.IntentsGuilds
	d.AddHandler(func(d *discordgo.Session, i *discordgo.InteractionCreate) {
		d.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "Hello <@" + i.Member.User.ID + ">!",
				Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
					discordgo.Button{Label: "Play", CustomID: "play"},
					discordgo.Button{Label: "Undo", CustomID: "undo", Disabled: true}}}}},
		})
	})
	d.Open()
	defer d.Close()
	d.ApplicationCommandBulkOverwrite(s.AppID(), "",
		[]*discordgo.ApplicationCommand{{Name: "hello", Description: "Say hello"}})

	ann, bob := s.Member("ann"), s.Member("bob")
	ann.Slash("#gomoku", "/hello")
	fmt.Print(bob.Sees("#gomoku"))
	// Output:
	// tengen (to ann's /hello):
	//     Hello @ann!
	//     [Play] [Undo, off]
}

// A plan of faults: the second message is stored, but the bot never hears so.
func ExamplePlan() {
	s := standin.Start(standin.Options{Plan: standin.Plan{Seed: 1, Calls: []standin.CallFault{
		{Kind: standin.DropAfter, Method: "POST", Route: "/messages", Skip: 1, Times: 1}}}})
	defer s.Close()
	d, _ := discordgo.New("Bot " + s.Token())
	d.Client = &http.Client{Transport: s.Transport()}
	places := s.Member("ann").Places()
	for _, text := range []string{"one", "two", "three"} {
		_, err := d.ChannelMessageSend(places[0].ID, text)
		fmt.Println(text, err == nil)
	}
	fmt.Print(s.Member("ann").Sees("#general"))
	// Output:
	// one true
	// two false
	// three true
	// tengen:
	//     one
	// tengen:
	//     two
	// tengen:
	//     three
}

// What a page needs: the events of a member as they come.
func ExampleServer_Feed() {
	s := standin.Start(standin.Options{})
	defer s.Close()
	ctx, stop := context.WithCancel(context.Background())
	feed := s.Feed(ctx, "ann")
	s.Member("bob").Says("#gomoku", "anyone for a game?")
	stop()
	for e := range feed.C {
		fmt.Println(e.Kind, e.Message.Author.Username, e.Message.Content)
	}
	// Output:
	// message bob anyone for a game?
}
