package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"tengen/bot/view"
	"tengen/game"
	"tengen/storage"
)

// State is a match as all who look see it: nobody has a name in it. Its text is in the match's own language.
type State struct {
	T       string    `json:"t"`
	V       uint32    `json:"v"`
	Stamp   uint32    `json:"stamp"`
	Match   string    `json:"match"`
	Phase   string    `json:"phase"`
	Game    string    `json:"game"`
	Name    string    `json:"name"`
	Size    int       `json:"size"`
	Start   string    `json:"start,omitempty"` // stones of a position that a member brought
	Moves   string    `json:"moves"`           // that stand
	Given   int       `json:"given"`           // of them were there from the start
	Turn    string    `json:"turn"`
	Says    string    `json:"says"`
	Seats   [2]string `json:"seats"` // black first
	Clock   *Clock    `json:"clock"`
	End     *End      `json:"end"`
	Theme   string    `json:"theme"`
	Numbers bool      `json:"numbers"`
	Lang    string    `json:"lang"`
}

// Clock is that of the side to move, in milliseconds of the server's time. Where it is there for the whole game, or
// has a reserve, Left is what each side had when the turn began, Black first; -1: no clock.
type Clock struct {
	Left     *[2]int64 `json:"left,omitempty"`
	Deadline int64     `json:"deadline"`
	Now      int64     `json:"now"`
	Rested   bool      `json:"rested"`
}

// End is how a match ended.
type End struct {
	Says string `json:"says"`
	Line string `json:"line,omitempty"` // the points that won
}

// mostState bounds a state, in bytes.
const mostState = 4 << 10

var phases = [...]string{game.Offered: "offered", game.Playing: "playing", game.Over: "over"}

// letters stand for the colors.
var letters = [...]string{game.Empty: "", game.Black: "b", game.White: "w"}

func stateOf(rec storage.Record, now time.Time) State {
	m, t := rec.Match, view.In(rec.Look.Language)
	g := m.Game()
	s := State{T: "state", V: m.Version, Stamp: m.Stamp(), Match: view.Key(m.ID), Phase: phases[m.Phase],
		Game: m.Rules.Name(), Name: t.Rules(m.Rules), Size: m.Rules.Size(), Start: startOf(m), Moves: movesOf(m),
		Given: m.Placed(), Says: t.PageSays(m), Seats: t.Sides(m), Clock: clockOf(m, now), Theme: rec.Look.Theme,
		Numbers: rec.Look.Numbers > 0, Lang: t.Lang}
	if m.Phase == game.Playing {
		s.Turn = letters[g.Turn()]
	}
	if m.Phase == game.Over {
		s.End = &End{Says: s.Says, Line: names(m.Result().Line.Points())}
	}
	return s
}

// startOf are the stones that no move has put on the board.
func startOf(m game.Match) string {
	if m.Start.Size == 0 {
		return ""
	}
	var all []string
	for _, c := range []game.Color{game.Black, game.White} {
		for _, p := range m.Start.Of(c).Points() {
			all = append(all, letters[c]+name(p))
		}
	}
	return strings.Join(all, " ")
}

// movesOf are the moves that stand, each behind the letter of its color, and the points that an opening offers.
func movesOf(m game.Match) string {
	var all []string
	for _, p := range m.Game().Plies() {
		all = append(all, letters[p.Color]+name(p.Point))
	}
	if m.Phase == game.Playing {
		for _, p := range m.Question().Offered {
			all = append(all, "o"+name(p))
		}
	}
	return strings.Join(all, " ")
}

func clockOf(m game.Match, now time.Time) *Clock {
	if m.Phase != game.Playing || m.Deadline.IsZero() {
		return nil
	}
	left, _ := m.TimeLeft(m.ToMove(), now)
	stands := !m.Rested.IsZero() || !m.Vacation[m.ToMove()].IsZero()
	if stands { // it shows what is left
		now = m.Deadline.Add(-left)
	}
	return &Clock{leftOf(m), m.Deadline.UnixMilli(), now.UnixMilli(), stands}
}

// leftOf is what both sides have, where that is more than a time for each move.
func leftOf(m game.Match) *[2]int64 {
	if m.Clock.Bank == 0 && m.Odds.Bank == 0 {
		return nil
	}
	all := [2]int64{-1, -1}
	for i, c := range []game.Color{game.Black, game.White} {
		if left, ok := m.TimeLeft(m.SeatOfColor(c), m.Turned); ok {
			all[i] = left.Milliseconds()
		}
	}
	return &all
}

func name(p game.Point) string { return strings.ToLower(p.String()) }

func names(points []game.Point) string {
	var all []string
	for _, p := range points {
		all = append(all, name(p))
	}
	return strings.Join(all, " ")
}

// change is the message that makes s what next is: the fields that differ. Of the moves it has those that were added,
// and how many were taken back before.
func (s State) change(next State) []byte {
	was, is := s.fields(), next.fields()
	changed := map[string]json.RawMessage{"t": raw("change"), "v": is["v"], "from": was["v"]}
	for key, value := range is {
		if !bytes.Equal(was[key], value) {
			changed[key] = value
		}
	}
	for key := range was {
		if is[key] == nil {
			changed[key] = raw(nil)
		}
	}
	if was, is := s.Clock, next.Clock; was != nil && is != nil && was.Deadline == is.Deadline && was.Rested == is.Rested {
		delete(changed, "clock") // the page has the time of before
	}
	if changed["moves"] != nil {
		delete(changed, "moves")
		old, now := strings.Fields(s.Moves), strings.Fields(next.Moves)
		same := 0
		for same < min(len(old), len(now)) && old[same] == now[same] {
			same++
		}
		if back := len(old) - same; back > 0 {
			changed["back"] = raw(back)
		}
		if add := now[same:]; len(add) > 0 {
			changed["add"] = raw(strings.Join(add, " "))
		}
	}
	return raw(changed)
}

// fields are those of a state but its kind.
func (s State) fields() map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw(s), &fields); err != nil {
		panic(err) // it was just written
	}
	delete(fields, "t")
	return fields
}

// raw is a value as JSON.
func raw(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values always encode
	}
	return b
}

// You is what a member alone is told.
type You struct {
	T         string            `json:"t"`
	Me        string            `json:"me"`              // a mark that tells members apart
	Seat      int               `json:"seat"`            // 0, 1; -1: none
	Color     string            `json:"color,omitempty"` // that the seat has now
	Names     *[2]string        `json:"names,omitempty"`
	Confirm   bool              `json:"confirm"`
	Acts      []Act             `json:"acts"`
	Asks      *Asks             `json:"asks,omitempty"`
	Legal     string            `json:"legal"`
	Forbidden map[string]string `json:"forbidden,omitempty"`
	Turn      bool              `json:"turn"`
	Next      string            `json:"next,omitempty"` // the match that follows
	Now       int64             `json:"now"`            // the server's time, by which acts are numbered
}

// markOf is a mark by which a page knows its member again: several use one browser.
func markOf(by game.MemberID) string {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("page"), uint64(by)))
	return secretText.EncodeToString(sum[:8])
}

// Act is a button.
type Act struct {
	Verb  string `json:"verb"`
	Arg   string `json:"arg,omitempty"`
	Label string `json:"label"`
	Style string `json:"style"`
	Sure  string `json:"sure,omitempty"`
}

// Asks is what an opening asks.
type Asks struct {
	Text    string `json:"text"`
	Choices []Act  `json:"choices"`
}

// styles are those of buttons, in the order of chat.ButtonStyle.
var styles = [...]string{"secondary", "primary", "success", "danger"}

func actsOf(taps []view.Tap) []Act {
	acts := []Act{}
	for _, t := range taps {
		acts = append(acts, Act{t.Verb, t.Arg, t.Label, styles[min(int(t.Style), len(styles)-1)], t.Sure})
	}
	return acts
}

// you is what the member in a seat is told; seat -1 is who has none.
func (v viewer) you(rec storage.Record) You {
	m, t := rec.Match, v.tongue(rec)
	y := You{T: "you", Seat: v.seat(rec), Confirm: v.prefs.More[view.MoreConfirm] == "1", Acts: []Act{}}
	if y.Seat < 0 {
		return y
	}
	y.Color, y.Acts = letters[m.ColorOf(y.Seat)], actsOf(t.Taps(rec, y.Seat))
	if m.Next != 0 {
		y.Next = view.Key(m.Next)
	}
	if y.Turn = m.Phase == game.Playing && m.ToMove() == y.Seat; !y.Turn {
		return y
	}
	if text, answers := t.Asks(m, y.Seat); text != "" {
		y.Asks = &Asks{text, actsOf(answers)}
	}
	y.Legal = legalOf(m)
	for p, why := range t.WhyForbidden(m.Game()) {
		if y.Forbidden == nil {
			y.Forbidden = map[string]string{}
		}
		y.Forbidden[name(p)] = why
	}
	return y
}

// legalOf are the points that may be played, or "all" where that is every empty one that is not forbidden.
func legalOf(m game.Match) string {
	if m.Deciding() {
		return names(m.Question().Points.Points())
	}
	if m.Rules != game.Reversi {
		return "all"
	}
	return names(m.Game().Legal().Points())
}

// keyOf reads a match of a message.
func keyOf(text string) (game.MatchID, bool) {
	if text == "" || slices.Contains([]byte(text), '#') {
		return 0, false
	}
	return view.ParseKey(text)
}
