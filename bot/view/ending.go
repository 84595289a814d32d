package view

import (
	"tengen/bot/chat"
	"tengen/game"
)

// EndButton ends a match that is not over: it takes a challenge of by's back or declines one
// of another's, stops a game between engines, aborts one that has hardly begun, and otherwise
// asks whether by resigns.
func (t Tongue) EndButton(m game.Match, by game.MemberID) chat.Button {
	verb, label := "resign", t.Say("button.resign")
	switch {
	case BetweenEngines(m):
		verb, label = "stop", t.Say("button.stop")
	case m.Phase == game.Offered && m.Owner == by:
		verb, label = "cancel", t.Say("button.cancel")
	case m.Phase == game.Offered:
		verb, label = "decline", t.Say("button.decline")
	case m.Young():
		verb, label = "abort", t.Say("button.abort") // nobody loses a game that has hardly begun
	}
	return chat.Button{ID: On(m, verb, ""), Label: label, Style: chat.Danger}
}

// AbortSure asks a member who moderates whether they are sure to end a match.
func (t Tongue) AbortSure(m game.Match, by game.MemberID) chat.Message {
	return chat.Message{Private: true, Blocks: []chat.Block{
		{Text: t.Say("abort.sure", "Match", t.Title(m, by))},
		{Row: []chat.Button{{ID: On(m, "abortsure", ""), Label: t.Say("button.abort"), Style: chat.Danger}}},
	}}
}

// Aborted tells the players of a match, all but by, that by has ended it. ok is false where
// there is nobody to tell.
func (t Tongue) Aborted(m game.Match, by game.MemberID) (msg chat.Message, ok bool) {
	var told []string
	var ping game.MemberID // one may be pinged
	for _, s := range m.Seats {
		if s.Kind == game.MemberSeat && s.Member != by {
			told, ping = append(told, Mention(s.Member)), s.Member
		}
	}
	msg = chat.Text(t.Say("abort.told", "Who", t.List(told), "By", Mention(by), "Match", t.Title(m, 0)))
	msg.Mention = ping
	return msg, len(told) > 0
}
