package storage

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/daily"
	"tengen/game/event"
	"tengen/game/ifthen"
	"tengen/game/seek"
	"tengen/game/simul"
	"tengen/game/together"
)

// A field that somebody adds to a match or an event must be stored, or be known to follow from the
// rest: this test is where they hear of it. A new field needs a flag in recordwire.go (a
// new format where old programs must not miss it), a sample in golden_test.go, and its
// name here.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{game.Match{}, "ID Version Phase Terms Seats Owner Log Undos Created Updated Expires Turned Deadline Left Reminded Rested Vacation Undoing Denied DrawBy DrawAt There RatedBy Hints Spoiled End Again Next AgainBalanced game asks opened"},
		{game.Terms{}, "Rules Start Given Opening Protocol First Clock Odds Begin Rated Note Seed"},
		{game.Clock{}, "Each Bank Gain"},
		{game.Seat{}, "Kind Member Level Guest"},
		{game.Entry{}, "Code At Note"},
		{game.Note{}, "Level Depth Nodes Millis Score Win Proof In Cut"},
		{game.UndoRequest{}, "Open By To"},
		{Look{}, "Theme Numbers Language Engine"},
		{game.Result{}, "Termination Winner Line"},
		{Event{}, "Event Setup ID Version Place Notice Listing Owner Created Looked Checked Matches History Untold Waiting Repeated"},
		{Setup{}, "Name Game Most Role Starts CheckIn Threads Weekly Look"},
		{Waiter{}, "Member Rating"},
		{event.Event{}, "Terms Entrants Seeds Paired Ended"},
		{event.Terms{}, "Kind Rounds Twice BestOf Third Black Length Arena Streaks"},
		{event.Entrant{}, "Seat Rating State Since"},
		{event.Board{}, "White Black Tie Began Ended Results Plies"},
		{game.Position{}, "Size Turn Stones"},
		{Gathering{}, "Place ID Version Notice Look"},
		{Together{}, "Gathering Drawn Game"},
		{together.Game{}, "Owner Rules Level Color Every Seed Moves Updated Deadline Votes Stopped"},
		{together.Vote{}, "Member Point At"},
		{Simul{}, "Gathering Linked Threads Simul"},
		{simul.Simul{}, "Giver Game Updated Until Started Stopped Opponents"},
		{simul.Opponent{}, "Member Match Result"},
		{Ladder{}, "Server Version Channel Notice Language Ladder"},
		{event.Ladder{}, "Rules Off Clock Opening Month Rungs Active Met"},
		{Link{}, "Event Round Board Ladder Simul"},
		{Solver{}, "Member Rules Rating Tried Solved Seen Shown"},
		{Run{}, "Member Kind Rules Seed Step Solved Combo Ends Unsure Bests Puzzle Moves Answers"},
		{Study{}, "Member Number Version Name At Cursor SGF"},
		{IfThen{}, "Member Match Stamp Version Cursor Plan"},
		{ifthen.Plan{}, "Lines Refused Reply"},
		{Seek{}, "Seek Look"},
		{seek.Seek{}, "Member ID Place Game Rating New Since Until Next Met"},
		{seek.Meeting{}, "With Rules At Waited"},
		{Recap{}, "Member Next"},
		{Daily{}, "Server Daily Stands Goes"},
		{daily.Daily{}, "Channel Hour Zone Next Count Day Before"},
		{daily.Day{}, "Puzzle Begins Made Nonce State Tried Solved Streak First"},
		{Taking{}, "Server Taking"},
		{daily.Taking{}, "Member Begins Tries Interaction Last Streak Best"},
	} {
		v := reflect.TypeOf(c.value)
		var names []string
		for field := range v.Fields() {
			names = append(names, field.Name)
		}
		want := strings.Fields(c.want)
		slices.Sort(names)
		slices.Sort(want)
		if !slices.Equal(names, want) {
			t.Errorf("%v has the fields %v, the store knows %v", v, names, want)
		}
	}
}
