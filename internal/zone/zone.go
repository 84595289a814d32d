// Package zone finds time zones by the names that people write. It brings the rules of the zones along,
// for machines that have none. Start from Named.
package zone

import (
	"regexp"
	"time"
	_ "time/tzdata" // the rules
)

// Longest is the longest name that is looked up.
const Longest = 40

// pattern is how zones are named. What a member types may become the name of a file with the rules of a
// zone, and stands in a message.
var pattern = regexp.MustCompile(`^(UTC|[A-Z][A-Za-z]{1,19}(/[A-Z][A-Za-z]{1,19}([_-][A-Za-z]{1,12}){0,3}){1,2})$`)

// Named is the zone of a name such as Europe/Berlin. ok is false where there is none.
func Named(name string) (zone *time.Location, ok bool) {
	if len(name) > Longest || !pattern.MatchString(name) {
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}

// Or is the zone of a stored name; UTC where there is none of that name.
func Or(name string) *time.Location {
	if zone, ok := Named(name); ok {
		return zone
	}
	return time.UTC
}
