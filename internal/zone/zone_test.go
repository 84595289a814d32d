package zone

import (
	"strings"
	"testing"
	"time"
)

// A zone is taken by its name in the list of all zones; nothing else that is typed reaches a file.
func TestNamed(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "America/Port-au-Prince",
		"America/North_Dakota/New_Salem", "Antarctica/DumontDUrville"} {
		if z, ok := Named(name); !ok || Or(name).String() != z.String() {
			t.Errorf("%s is refused", name)
		}
	}
	for _, name := range []string{"", "Local", "local", "/etc/localtime", "../../etc/passwd", "Europe/../Europe/Berlin",
		"Europe//Berlin", "europe/berlin", "Europe/Berlin/", "Europe/Berlin\x00",
		"Europe/Berlin\n", "zone.tab", "tzdata.zi", "posixrules", "right/Europe/Berlin", "Europe", "Europe/Nowhere",
		"C:\\Europe", "Europe/@everyone", "Europe/" + strings.Repeat("A", 40)} {
		if _, ok := Named(name); ok || Or(name) != time.UTC {
			t.Errorf("%q is taken", name)
		}
	}
}
