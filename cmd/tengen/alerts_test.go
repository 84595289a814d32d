package main

import (
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"tengen/internal/testkit"
)

// The alert rules name only figures that exist. All that the manual wants at 0 has a rule, and each rule is fired once
// by the tests beside them, which promtool runs where it is there.
func TestAlerts(t *testing.T) {
	const file, tests = "../../deploy/alerts.yaml", "../../deploy/alerts_test.yaml"
	var all struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	testkit.Must(t, yaml.Unmarshal(testkit.Read(t, file), &all))
	fired := string(testkit.Read(t, tests))
	there, watched := figures(), map[string]bool{}
	for _, group := range all.Groups {
		for _, rule := range group.Rules {
			for _, name := range regexp.MustCompile(`tengen_\w+`).FindAllString(rule.Expr, -1) {
				name = regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
				if watched[name] = true; !there[name] {
					t.Errorf("%s speaks of %s, which there is not", rule.Alert, name)
				}
			}
			if strings.Count(fired, "alertname: "+rule.Alert+"\n") != 1 ||
				strings.Count(fired, "alertname: "+rule.Alert+"}\n") != 1 {
				t.Errorf("%s: want one test that fires it, and one that does not", rule.Alert)
			}
		}
	}
	for line := range strings.Lines(string(testkit.Read(t, "../../docs/operating.md"))) {
		if strings.HasPrefix(line, "| `tengen_") && strings.Contains(line, "should stay at 0") {
			if name := regexp.MustCompile(`tengen_\w+`).FindString(line); !watched[name] {
				t.Errorf("no rule watches %s", name)
			}
		}
	}
	if t.Logf("%d figures are watched: %v", len(watched), slices.Sorted(maps.Keys(watched))); t.Failed() {
		return
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("no promtool here: the package prometheus of Debian has it")
	}
	for _, args := range [][]string{{"check", "rules", file}, {"test", "rules", tests}} {
		if said, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, said)
		}
	}
}
