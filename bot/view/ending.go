package view

import (
	"tengen/bot/chat"
	"tengen/game"
	"tengen/storage"
)

// EndButton ends a match that is not over: it takes a challenge of by's back or declines one
// of another's, stops a game between engines, aborts one that has hardly begun, and otherwise
// asks whether by resigns.
func (t Tongue) EndButton(rec storage.Record, by game.MemberID) chat.Button {
	m := rec.Match
	verb, label := "resign", t.resign(rec)
	switch {
	case BetweenEngines(m):
		verb, label = "stop", t.Say("button.stop")
	case m.Phase == game.Offered && m.Owner == by:
		verb, label = "cancel", t.Say("button.cancel")
	case m.Phase == game.Offered:
		verb, label = "decline", t.Say("button.decline")
	case m.Young() && !rec.Contest():
		verb, label = "abort", t.Say("button.abort") // nobody loses a game that has hardly begun
	}
	return chat.Button{ID: On(m, verb, ""), Label: label, Style: chat.Danger}
}

// resign is the label of the button that gives a match up: who does not begin a match of an event or a ladder
// forfeits it.
func (t Tongue) resign(rec storage.Record) string {
	if rec.Contest() && rec.Young() {
		return t.Say("button.forfeit")
	}
	return t.Say("button.resign")
}

// ResignSure asks a member whether they are sure to give a match up.
func (t Tongue) ResignSure(rec storage.Record, by game.MemberID) chat.Message {
	key := "resign.sure"
	if rec.Contest() && rec.Young() {
		key = "forfeit.sure"
	}
	return chat.Private(t.Say(key, "Match", t.Title(rec.Match, by))).WithRow(
		chat.Button{ID: On(rec.Match, "resignsure", ""), Label: t.resign(rec), Style: chat.Danger})
}

// AbortSure asks a member who moderates whether they are sure to end a match.
func (t Tongue) AbortSure(m game.Match, by game.MemberID) chat.Message {
	return t.sureToStop(m, by, "abort.sure", "button.abort")
}

// ReplaySure asks a manager whether they are sure to have a match of an event or a ladder replayed.
func (t Tongue) ReplaySure(m game.Match, by game.MemberID) chat.Message {
	return t.sureToStop(m, by, "replay.sure", "button.replayBoard")
}

func (t Tongue) sureToStop(m game.Match, by game.MemberID, question, label string) chat.Message {
	return chat.Private(t.Say(question, "Match", t.Title(m, by))).WithRow(
		chat.Button{ID: On(m, "abortsure", ""), Label: t.Say(label), Style: chat.Danger})
}

// Aborted tells the players of a match, all but by, that by has ended it or has it replayed. ok is false where
// there is nobody to tell.
func (t Tongue) Aborted(m game.Match, by game.MemberID) (msg chat.Message, ok bool) {
	var told []string
	var pinged []game.MemberID
	for _, s := range m.Seats {
		if s.Kind == game.MemberSeat && s.Member != by {
			told, pinged = append(told, Mention(s.Member)), append(pinged, s.Member)
		}
	}
	if len(told) == 0 {
		return msg, false
	}
	key := "abort.told"
	if m.Next != 0 {
		key = "replay.told"
	}
	msg = chat.Text(t.Say(key, "Who", told, "By", Mention(by), "Match", t.Title(m, 0), "Next", Name(m.Next)))
	msg.Mention, msg.Mentions = pinged[0], pinged[1:]
	return msg, true
}
