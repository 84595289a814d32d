package render

import (
	"math"
	"testing"
	"time"
)

// testRatings is a rating that goes up and down over a year, with a rest in summer.
func testRatings() (r Ratings) {
	at, rating := time.Date(2026, 1, 5, 20, 0, 0, 0, time.UTC), 1500.0
	for i := range 60 {
		r = append(r, Rated{at, rating})
		at = at.Add(time.Duration(20+i*7%50) * time.Hour)
		if i == 40 {
			at = at.AddDate(0, 2, 0)
		}
		rating += 26*math.Sin(float64(i)/5) + float64(i*37%23) - 9
	}
	return r
}

// Every theme draws the ratings; the pictures were looked at, phone width too.
func TestRatings(t *testing.T) {
	t.Parallel()
	for _, name := range Themes() {
		golden(t, "ratings-"+name, must(testRatings().PNG(ChartOptions{Theme: name, Width: 525})))
	}
	golden(t, "ratings-350", must(testRatings().PNG(ChartOptions{Width: 350})))
	golden(t, "ratings-two", must(testRatings()[:2].PNG(ChartOptions{Width: 350})))
}

// What cannot be drawn is an error, and what lies at the bounds is drawn.
func TestRatingsBounds(t *testing.T) {
	t.Parallel()
	two := testRatings()[:2]
	same := Ratings{{two[0].At, 1500}, {two[0].At, 1500}}
	for name, r := range map[string]Ratings{"same": same, "low": {{two[0].At, 0}, {two[1].At, 0}},
		"far": {{two[0].At, -1e5}, {two[1].At, 1e5}}} {
		if _, err := r.PNG(ChartOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, r := range map[string]Ratings{"none": nil, "one": two[:1], "backwards": {two[1], two[0]},
		"no number": {two[0], {two[1].At, math.NaN()}}, "too far": {two[0], {two[1].At, 1e6}},
		"too many": make(Ratings, maxRatings+1)} {
		if _, err := r.PNG(ChartOptions{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
