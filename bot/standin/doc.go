// Package standin is a Discord of our own: the part of the REST API and of the
// gateway that a bot of application commands uses, a store of messages that is
// read as a member sees it, members who use the bot, rate limits and faults. A
// real discordgo session works with it. It is for tests, the demo and the load
// bench; it never speaks to Discord. Start with [New] in a test:
//
//	s := standin.New(t, standin.Options{})
//	d, _ := discordgo.New("Bot " + s.Token())
//	d.Client = &http.Client{Transport: s.Transport()}
//	d.Dialer = s.Dialer()
//	d.Open()
//	// ... the bot registers its commands ...
//	s.Ready(1)
//	ann := s.Member("ann")
//	ann.Slash("#gomoku", "/play bot", standin.Opt{"game", "renju"})
//	ann.Press("#gomoku", "H8")
//	fmt.Print(ann.Waits("#gomoku", "your turn"))
//
// # Places and members
//
// A place is a channel "#gomoku" of the first server or "Club#gomoku" of a
// named one, a thread "#gomoku/thread name", a direct message "@bot" or "@bob"
// as the acting member has it, or the id of any of these. [Options] start with
// a server "Club" with #general, #gomoku, #renju and #reversi. A member's name
// that is heard for the first time is a new member of every server.
//
// # What a member sees
//
// [Member.Sees] renders a place as text: a line with the author, "(only you)"
// on private messages, then the content, indented. Containers are marked by
// "| ", buttons are [label], or [label, off]; selects <placeholder: one | two>;
// pictures {picture: alt text}; a deferred answer "tengen is thinking...".
// [Member.Messages] gives the same as data, in Discord's own form.
//
// # Checks
//
// Every body that the bot sends is checked against a table of what Discord's
// documentation lets it send (shape.go), by rules that such a table cannot hold
// (rules.go, component.go, form.go, command.go), and by [Options.Checker] if
// there is one; package standin/schema makes one of Discord's OpenAPI
// description. [CheckBody] asks the table alone. A violation is answered with
// error 50035 as Discord does, and fails the test.
//
// # Emojis
//
// The application's own emojis are listed, added and deleted. A component with an emoji that does not
// exist is refused, as Discord does. The actions "emojis", "add-emoji" and "delete-emoji" are what
// an operator sees and does on the portal's page.
//
// # Time
//
// The stand-in has a clock of its own, which runs with the machine's and can be
// put forward by [World.Advance]: an interaction must be answered within three
// seconds, its token lives for 15 minutes, and edits of messages older than an
// hour are few. Ids hold the time of this clock.
//
// Over pipes, which is the default, all of this works in a testing/synctest
// bubble, with a real discordgo session too: hours of clocks and token ages pass
// at once, and no load of the machine makes an answer late.
//
//	synctest.Test(t, func(t *testing.T) {
//		standin.EnterBubble()
//		s := standin.New(t, standin.Options{})
//		...
//	})
//
// # What goes wrong
//
// A [Plan] puts faults into calls and events, by probability or by script, and
// every choice follows from its seed; in a bubble, with members who act one after
// the other, a run repeats to the last byte. There are answers 429 in all their forms and 5xx,
// time-outs before and after the effect, broken connections, refused files, slow
// downloads, interactions that come twice, late or out of order, events of servers
// and channels that come twice or never, sockets lost before and after READY,
// sessions that cannot be resumed.
// [World] does the rest: it drops, closes or invalidates connections, deletes
// messages and channels, archives threads, denies permissions, kicks the bot.
// [Limits] are Discord's own rate limits, with its headers.
//
// # Interactions over HTTP
//
// [World.SetEndpoint] has interactions posted to the bot, signed by the
// application's key ([Server.PublicKey]), once it has answered a PING and
// refused a forged one. An interaction that is not answered with 202 within three
// seconds has failed; it is not sent again. The endpoint is reached on the
// loopback interface alone, or by [Options.EndpointDial].
//
// [World.SetEvents] has the event APPLICATION_AUTHORIZED posted in the same way whenever a server authorizes the
// application. One that is not answered with 204 is posted again, as Discord does.
//
// # Activities
//
// With [Options.Activity] an answer of type 12 opens an instance of the Activity in the channel, and the entry point is
// there ([Member.Launches]). Members open and leave it ([Member.Opens], [Member.Closes]), and let the application know
// them ([Member.Authorizes]); [Options.UsersLate] is how late the list of an instance names them.
//
// # Another process
//
// All that a test does goes through [World.Act] as plain data, so that it can
// act in a stand-in of another process just as well: [Main] serves one, [Spawn]
// starts it, and a [Client] has the same World. A page uses [Server.Control].
//
// # Under load
//
// [Options.Sent] and [Options.Called] give the times between which an answer
// counts; [Options.Unchecked] leaves the checks out; messages, attachments and
// interactions kept are bounded. One press with its answer costs about a
// quarter of a millisecond of CPU, the checks and the bench's own client
// included (BenchmarkInteraction).
//
// # Over a restart
//
// Servers, channels and members have ids made of their names, the same in every
// stand-in. [Server.Save] and [Server.Restore] keep messages and files too.
//
// # What it does not have
//
// No transport compression of the gateway (payloads are compressed where the
// bot asks), no answers in the response to an interaction over HTTP (202 and the
// calls alone), no voice, reactions, pins, webhooks of others, polls or stickers,
// no emojis of servers, and no moderation beyond what a games bot meets.
package standin
