package daily

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
)

const (
	ann game.MemberID = 7
	bob game.MemberID = 8
)

var noon = testkit.At("2026-03-01 12:00")

// at is a time by the clock of a zone.
func at(zone string, day, hour int) time.Time {
	where, err := time.LoadLocation(zone)
	if err != nil {
		panic(err)
	}
	return time.Date(2026, 3, day, hour, 30, 0, 0, where)
}

// turned is d at a time. Its puzzles are numbered.
func turned(d Daily, now time.Time) Daily {
	return d.Turn(now, uint64(d.Count+1), func(last string) string {
		n := 0
		fmt.Sscan(last, &n)
		return fmt.Sprint(n + 1)
	})
}

// Days begin at the hour of the zone, also where the clocks change; none is shorter than twenty
// hours, and a clock that is set back brings no other day.
func TestTurn(t *testing.T) {
	d := turned(Daily{Channel: 2, Hour: 9, Zone: "Europe/Berlin"}, at("Europe/Berlin", 28, 9))
	if d.Day.State != Unposted || d.Count != 1 || !d.Next.Equal(at(d.Zone, 29, 9).Add(-30*time.Minute)) ||
		!d.Ends().Equal(d.Next) {
		t.Errorf("half an hour late: %+v", d)
	}
	d = turned(d, d.Next)
	if d.Day.State != Owed || d.Count != 2 || d.Day.Begins.Sub(d.Before.Begins) != 23*time.Hour ||
		d.Day.Puzzle != "2" || d.Before.Puzzle != "1" || d.Date(d.Day) != "2026-03-29" {
		t.Errorf("the day after the clocks changed: %+v", d)
	}
	if again := turned(d, d.Day.Begins.Add(-3*time.Hour)); again.Count != 2 || again.Day.Nonce != 2 {
		t.Errorf("a clock set back: %+v", again)
	}
	if !d.Next.After(d.Day.Begins) {
		t.Errorf("the message after the one of %v is due at %v", d.Day.Begins, d.Next)
	}
	d.Day.State = Posted
	d = d.Choose(2, 9, "Pacific/Auckland", d.Day.Begins.Add(time.Hour))
	if soon := turned(d, d.Day.Begins.Add(14*time.Hour)); soon.Count != 2 {
		t.Errorf("a change of zone: a day after 14 hours: %+v", soon)
	}
	next := turned(d, d.Next)
	if gap := next.Day.Begins.Sub(d.Day.Begins); gap < Shortest || gap > Longest || next.Count != 3 {
		t.Errorf("a change of zone: the next day after %v", gap)
	}
}

// The message of a day that has begun is posted in the channel that was chosen then, or never.
func TestChoose(t *testing.T) {
	d := turned(Daily{Channel: 2}, noon.Truncate(24*time.Hour))
	for _, c := range []struct {
		name string
		got  Daily
		want State
		next bool
	}{
		{"another hour", d.Choose(2, 99, "", noon), Owed, true},
		{"another channel", d.Choose(3, 0, "", noon), Missed, true},
		{"off", d.Choose(0, 0, "", noon), Missed, false},
		{"it was missed", d.Miss(d.Day.Nonce), Missed, true},
		{"another was missed", d.Miss(d.Day.Nonce + 1), Owed, true},
	} {
		if c.got.Day.State != c.want || c.got.Next.IsZero() == c.next || c.got.Hour > 23 {
			t.Errorf("%s: %+v", c.name, c.got)
		}
	}
	if d.Day.State = Posted; d.Miss(d.Day.Nonce).Day.State != Posted {
		t.Error("a day that was posted is missed")
	}
	if late := turned(Daily{Channel: 2}, noon.Truncate(24*time.Hour).Add(PostIn)); late.Day.State != Unposted {
		t.Errorf("two minutes late: %+v", late)
	}
	if off := turned(Daily{}, noon.Truncate(24*time.Hour)); off.Day.State != Unposted || !off.Next.IsZero() {
		t.Errorf("nowhere to post it: %+v", off)
	}
}

// A clock that was ahead has begun a day: it is given up, unless it was posted for tomorrow, and the
// puzzle before it goes on.
func TestTakeBack(t *testing.T) {
	for _, c := range []struct {
		name  string
		state State
		far   time.Duration // of the day that has begun
		count int           // of days, after it is taken back
	}{
		{"posted just now", Posted, game.ClockError, 2},
		{"begun by a clock a little ahead", Unposted, game.ClockError, 2},
		{"posted for tomorrow", Posted, 24 * time.Hour, 2},
		{"not posted", Unposted, 24 * time.Hour, 3},
		{"posted for another month", Posted, 30 * 24 * time.Hour, 3},
	} {
		d := turned(turned(Daily{Channel: 2}, noon.Add(-24*time.Hour)), noon)
		d.Day.State, d.Day.Begins, d.Next = c.state, noon.Add(c.far), noon.Add(c.far+24*time.Hour)
		for name, now := range map[string]Daily{"turned": turned(d, noon), "chosen": d.Choose(2, 0, "", noon)} {
			if soon := now.Next.Before(noon.Add(24 * time.Hour)); soon != (c.count == 3) {
				t.Errorf("%s, %s: due at %v", c.name, name, now.Next)
			}
		}
		back := d.TakeBack(noon)
		if due := back.Next.Equal(noon); due != (c.count == 3) {
			t.Errorf("%s: due at %v", c.name, back.Next)
		}
		if back = turned(back, noon); back.Day.Begins.After(noon) == (c.count == 3) || back.Day.State == Owed {
			t.Errorf("%s: %+v", c.name, back)
		}
	}
	d := turned(Daily{Channel: 2}, noon)
	d.Next = noon.AddDate(1, 0, 0)
	if d = d.TakeBack(noon); !d.Next.Equal(noon) {
		t.Errorf("a message is due in a year: %+v", d)
	}
	if d = (Daily{}).TakeBack(noon); !d.Next.IsZero() {
		t.Errorf("no message is due: %+v", d)
	}
}

// A try counts once. Who solves one day after the other has a streak, whatever the zone; a day
// that was left out ends it.
func TestTry(t *testing.T) {
	d, k := turned(Daily{}, noon), Taking{Member: ann}
	take := func(try byte, interaction uint64) { d, k = d.Try(k, try, interaction) }
	take(TryWrong, 1)
	take(TryWrong, 1) // it came again
	take(TryHint, 2)
	take(TryHint, 3)
	if d.Done(k) {
		t.Error("a hint ends the day")
	}
	take(TrySolved, 4)
	take(TryWrong, 5) // it is over
	if k.Tries != "xho" || !d.Done(k) || d.Day.Tried != 1 || d.Day.Solved != 1 || d.Day.Streak != 1 ||
		!slices.Equal(d.Day.First, []game.MemberID{ann}) || k.Streak != 1 {
		t.Errorf("%+v %+v", d.Day, k)
	}
	for i, days := range []int{1, 1, 2} {
		if d = turned(d, d.Day.Begins.Add(time.Duration(days)*24*time.Hour)); d.Done(k) || (d.Streak(k) == 0) != (days == 2) {
			t.Errorf("on the next day: %+v %+v", d.Day, k)
		}
		take(TrySolved, uint64(10+i))
		if want := []int{2, 3, 1}[i]; k.Streak != want || d.Day.Streak != want {
			t.Errorf("streak %d, the server's %d, want %d", k.Streak, d.Day.Streak, want)
		}
	}
	testkit.Want(t, "best", k.Best, 3)
	d, k = turned(d, d.Day.Begins.Add(24*time.Hour)), Taking{Member: bob}
	for i := range uint64(mostTries + 5) {
		take(TryWrong, 20+i)
	}
	take(TryShown, 90)
	if d = turned(d, d.Day.Begins.Add(24*time.Hour)); d.Day.Streak != 0 {
		t.Errorf("after a day on which nobody solved it: %+v", d.Day)
	}
	d.Day = d.Before
	if len(k.Tries) != mostTries+1 || !d.Done(k) || d.Day.Solved != 0 {
		t.Errorf("after many tries: %+v %+v", d.Day, k)
	}
}

// Who was first is remembered, of the first few; nobody who has deleted their data. Each shows it once.
func TestFirst(t *testing.T) {
	d := turned(Daily{}, noon)
	for m := range game.MemberID(MostFirst + 5) {
		d, _ = d.Try(Taking{Member: 1 + m}, TrySolved, uint64(1+m))
	}
	d.Before = d.Day
	without := d.Without(ann)
	if len(d.Day.First) != MostFirst || d.Day.Solved != MostFirst+5 || d.Day.Streak != 1 ||
		len(without.Day.First) != MostFirst-1 ||
		slices.Contains(without.Before.First, ann) {
		t.Errorf("%+v, without %d: %+v", d, ann, without)
	}
	k, ok := Taking{Tries: "o"}.Share()
	if again, twice := k.Share(); !ok || twice || again.Tries != "op" {
		t.Errorf("shown %v, again %v: %+v", ok, twice, again)
	}
}
