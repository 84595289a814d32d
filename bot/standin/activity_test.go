package standin_test

import (
	"testing"
	"testing/synctest"
	"time"

	"tengen/bot/standin"
	"tengen/internal/testkit"
)

// A channel has one instance, whoever opens it. Its list of participants comes late, and it ends with the last of them.
func TestActivityInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		standin.EnterBubble()
		s := standin.New(t, standin.Options{Activity: true, UsersLate: time.Second, Lenient: true})
		b := raw(t, s)
		ann, bob := s.Member("ann"), s.Member("bob")
		id := ann.Opens("#gomoku")
		testkit.Want(t, "bob's instance", bob.Opens("#gomoku"), id)
		if other := ann.Opens("#renju"); other == id {
			t.Error("two channels have one instance")
		}
		at := "/applications/" + s.AppID() + "/activity-instances/"
		type told struct {
			Users    []string `json:"users"`
			Location struct {
				Kind    string `json:"kind"`
				Channel string `json:"channel_id"`
				Guild   string `json:"guild_id"`
			} `json:"location"`
		}
		if in := unjson[told](t, b.get(at+id).want(200).body); len(in.Users) != 0 || in.Location.Kind != "gc" ||
			in.Location.Channel == "" || in.Location.Guild == "" {
			t.Errorf("at first %+v", in)
		}
		time.Sleep(time.Second)
		if in := unjson[told](t, b.get(at+id).want(200).body); len(in.Users) != 2 {
			t.Errorf("a second later %+v", in)
		}
		ann.Closes("#gomoku")
		b.get(at + id).want(200)
		bob.Closes("#gomoku")
		b.get(at+id).want(404, 0)
		b.get(at+"i-1-gc-2-3").want(404, 0)
		if again := bob.Opens("#gomoku"); again == id {
			t.Error("an instance that was over is back")
		}
		s.Deny("#reversi", "ann", standin.PermActivities)
		if _, err := s.Act(t.Context(), standin.Action{Do: "open-activity", As: "ann", At: "#reversi"}); err == nil {
			t.Error("a member who may not opens the Activity")
		}
	})
}
