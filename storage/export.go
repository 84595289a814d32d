package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"tengen/game"
	"tengen/storage/kv"
)

// The JSON of an export is for people and for other programs. Ids are strings, because
// they are larger than the numbers that some programs can hold. Interaction tokens are
// in no export.

type matchJSON struct {
	Kind     string         `json:"kind"` // match
	ID       string         `json:"id"`
	Rules    string         `json:"rules"`
	Phase    string         `json:"phase"`
	Server   string         `json:"server,omitempty"`
	Channel  string         `json:"channel"`
	Seats    [2]seatJSON    `json:"seats"`
	Owner    string         `json:"owner,omitempty"`
	Rated    bool           `json:"rated"`
	PerMove  float64        `json:"seconds_per_move,omitempty"`
	Opening  string         `json:"opening"`
	Start    string         `json:"start,omitempty"` // rows and side of a position, as in position lines
	Given    int            `json:"given,omitempty"` // moves that stood on the board at the start
	Note     string         `json:"note,omitempty"`
	Created  time.Time      `json:"created"`
	Updated  time.Time      `json:"updated"`
	Ended    *time.Time     `json:"ended,omitempty"`
	Result   string         `json:"result"`
	Winner   string         `json:"winner,omitempty"`
	Moves    []moveJSON     `json:"moves"`
	Undos    int            `json:"undos,omitempty"`
	Hints    int            `json:"hints,omitempty"`
	Next     string         `json:"rematch,omitempty"`
	Ratings  *[2]changeJSON `json:"ratings,omitempty"`
	Event    string         `json:"event,omitempty"`
	Ladder   bool           `json:"ladder,omitempty"`
	Simul    bool           `json:"simul,omitempty"`
	Version  uint32         `json:"version"`
	Theme    string         `json:"theme,omitempty"`
	Language string         `json:"language,omitempty"`
}

type seatJSON struct {
	Kind   string `json:"kind"`
	Member string `json:"member,omitempty"`
	Level  int    `json:"level,omitempty"`
	Guest  string `json:"guest,omitempty"`
	Color  string `json:"color"`
}

type moveJSON struct {
	At     string    `json:"at"`              // a point, or a decision of an opening in a word
	Offer  bool      `json:"offer,omitempty"` // the point was offered for the fifth stone
	Time   time.Time `json:"time"`
	Engine *noteJSON `json:"engine,omitempty"`
}

type noteJSON struct {
	Level  uint8   `json:"level"`
	Depth  uint16  `json:"depth"`
	Nodes  uint64  `json:"nodes"`
	Millis uint32  `json:"ms"`
	Score  int32   `json:"score"`
	Win    float64 `json:"win"`
	Cut    bool    `json:"cut,omitempty"`
}

type changeJSON struct {
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

func idText(id uint64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatUint(id, 10)
}

var (
	phaseNames   = [...]string{"offered", "playing", "over"}
	openingNames = [...]string{"free", "balanced", "imported", "xot"}
	seatNames    = [...]string{"open", "member", "engine", "former member"}
	causeNames   = [...]string{"none", "row", "full board", "no move", "count", "resignation", "timeout", "agreement",
		"aborted", "abandoned", "declined", "canceled", "expired"}
)

func name[N ~uint8](names []string, n N) string {
	if int(n) < len(names) {
		return names[n]
	}
	return strconv.Itoa(int(n))
}

// openingName is the opening's name in an export: a protocol has its own.
func openingName(t game.Terms) string {
	if t.Protocol != nil {
		return t.Protocol.Name()
	}
	return name(openingNames[:], t.Opening)
}

// MarshalJSON gives the match as an export shows it.
func (r Record) MarshalJSON() ([]byte, error) {
	res := r.Result()
	m := matchJSON{
		Kind: "match", ID: idText(uint64(r.ID)), Rules: r.Rules.Name(), Phase: name(phaseNames[:], r.Phase),
		Server: idText(r.Place.Server), Channel: idText(r.Place.Channel), Owner: idText(uint64(r.Owner)),
		Rated: r.Rated, PerMove: r.PerMove.Seconds(), Opening: openingName(r.Terms), Given: len(r.Given), Note: r.Terms.Note,
		Created: r.Created, Updated: r.Updated, Result: name(causeNames[:], res.Cause),
		Moves: []moveJSON{}, Undos: int(r.Undos), Hints: int(r.Hints), Next: idText(uint64(r.Next)),
		Event: idText(uint64(r.Link.Event)), Ladder: r.Link.Ladder, Simul: r.Link.Simul != Place{}, Version: r.Version, Theme: r.Look.Theme, Language: r.Look.Language,
	}
	if r.Start.Size != 0 {
		m.Start = fmt.Sprintf("%s %c", r.Start.Rows(r.Rules.TopDown()), " XO"[r.Start.Turn])
	}
	if !r.Ended.IsZero() {
		m.Ended = &r.Ended
	}
	if res.Winner != game.Empty {
		m.Winner = res.Winner.String()
	}
	for i, s := range r.Seats {
		m.Seats[i] = seatJSON{name(seatNames[:], s.Kind), idText(uint64(s.Member)), int(s.Level), s.Guest, r.ColorOf(i).String()}
	}
	for _, e := range r.Log {
		move := moveJSON{At: e.Decision().String(), Time: e.At}
		_, move.Offer = e.Decision().Offered()
		if n := e.Note; n != (game.Note{}) {
			move.Engine = &noteJSON{n.Level, n.Depth, n.Nodes, n.Millis, n.Score, float64(n.Win) / 1000, n.Cut}
		}
		m.Moves = append(m.Moves, move)
	}
	if r.Changes != [2]Change{} {
		m.Ratings = &[2]changeJSON{{r.Changes[0].Before, r.Changes[0].After}, {r.Changes[1].Before, r.Changes[1].After}}
	}
	return json.Marshal(m)
}

type memberJSON struct {
	Kind       string            `json:"kind"` // member
	ID         string            `json:"id"`
	Theme      string            `json:"theme,omitempty"`
	Numbers    uint8             `json:"numbers,omitempty"`
	Language   string            `json:"language,omitempty"`
	Engine     bool              `json:"engine,omitempty"`
	Challenges string            `json:"challenges"`
	Blocked    []string          `json:"blocked,omitempty"`
	More       map[string]string `json:"more,omitempty"`
}

// MarshalJSON gives the settings as an export shows them.
func (m Member) MarshalJSON() ([]byte, error) {
	j := memberJSON{"member", idText(uint64(m.ID)), m.Look.Theme, m.Look.Numbers, m.Look.Language, m.Look.Engine, name([]string{"all", "nobody"}, m.Challenges), nil, m.More}
	for _, b := range m.Blocked {
		j.Blocked = append(j.Blocked, idText(uint64(b)))
	}
	return json.Marshal(j)
}

type serverJSON struct {
	Kind     string            `json:"kind"` // server
	ID       string            `json:"id"`
	Theme    string            `json:"theme,omitempty"`
	Numbers  uint8             `json:"numbers,omitempty"`
	Language string            `json:"language,omitempty"`
	Channels []string          `json:"channels,omitempty"`
	Left     *time.Time        `json:"left,omitempty"`
	Missed   *time.Time        `json:"missed,omitempty"`
	More     map[string]string `json:"more,omitempty"`
}

// MarshalJSON gives the settings as an export shows them.
func (s Server) MarshalJSON() ([]byte, error) {
	j := serverJSON{Kind: "server", ID: idText(s.ID), Theme: s.Look.Theme, Numbers: s.Look.Numbers, Language: s.Look.Language, More: s.More}
	for _, c := range s.Channels {
		j.Channels = append(j.Channels, idText(c))
	}
	if !s.Left.IsZero() {
		j.Left = &s.Left
	}
	if !s.Missed.IsZero() {
		j.Missed = &s.Missed
	}
	return json.Marshal(j)
}

type standingJSON struct {
	Kind       string    `json:"kind"` // rating
	Member     string    `json:"member"`
	Rules      string    `json:"rules"`
	Rating     float64   `json:"rating"`
	Deviation  float64   `json:"deviation"`
	Volatility float64   `json:"volatility"`
	At         time.Time `json:"at"`
	Tally
}

// MarshalJSON gives the standing as an export shows it.
func (s Standing) MarshalJSON() ([]byte, error) {
	return json.Marshal(standingJSON{"rating", idText(uint64(s.Member)), s.Rules.Name(), s.R, s.RD, s.Vol, s.At, s.Tally})
}

type againstJSON struct {
	Kind   string `json:"kind"` // engine
	Member string `json:"member,omitempty"`
	Rules  string `json:"rules"`
	Level  int    `json:"level"`
	Tally
}

// MarshalJSON gives the results as an export shows them.
func (a Against) MarshalJSON() ([]byte, error) {
	return json.Marshal(againstJSON{"engine", "", a.Rules.Name(), a.Level, a.Tally})
}

type dossierJSON struct {
	Settings Member        `json:"settings"`
	Ratings  []Standing    `json:"ratings"`
	Against  []Against     `json:"against_engine"`
	Events   []OwnEvent    `json:"events"`
	Ladders  []Rung        `json:"ladders"`
	Together []OwnTogether `json:"crowds,omitempty"`
	Simuls   []OwnSimul    `json:"simuls,omitempty"`
	Games    []Record      `json:"games"`

	Reviews []ReviewsAsked `json:"reviews_asked,omitempty"`
	Courses *Progress      `json:"courses,omitempty"`
	Puzzles OwnPuzzles     `json:"puzzles"`
}

// MarshalJSON gives what is stored of a member as the member gets it.
func (d Dossier) MarshalJSON() ([]byte, error) {
	var courses *Progress
	if d.Progress.Offered || len(d.Progress.Solved) > 0 {
		courses = &d.Progress
	}
	// Empty lists are lists.
	return json.Marshal(dossierJSON{d.Settings, append([]Standing{}, d.Ratings...), append([]Against{}, d.Against...),
		append([]OwnEvent{}, d.Events...), append([]Rung{}, d.Ladders...), d.Together, d.Simuls, append([]Record{}, d.Games...), d.Reviews, courses, d.Puzzles})
}

type progressJSON struct {
	Kind    string           `json:"kind"` // progress
	Member  string           `json:"member"`
	Offered bool             `json:"first_step_offered"`
	Solved  map[string][]int `json:"solved"` // the numbers of the exercises, by the name of their step
}

// MarshalJSON gives the progress as an export shows it.
func (p Progress) MarshalJSON() ([]byte, error) {
	j := progressJSON{"progress", idText(uint64(p.Member)), p.Offered, map[string][]int{}}
	for step, solved := range p.Solved {
		for n := range 64 {
			if solved>>n&1 != 0 {
				j.Solved[step] = append(j.Solved[step], n+1)
			}
		}
	}
	return json.Marshal(j)
}

type reviewJSON struct {
	Kind  string `json:"kind"` // review
	Match string `json:"match"`
	Stamp uint32 `json:"stamp"`
	Data  []byte `json:"data"` // packed
}

// MarshalJSON gives the review as an export shows it.
func (v Review) MarshalJSON() ([]byte, error) {
	return json.Marshal(reviewJSON{"review", idText(uint64(v.Match)), v.Stamp, v.Data})
}

// MarshalJSON gives what is reached in puzzles as an export shows it.
func (s Solver) MarshalJSON() ([]byte, error) {
	seen, shown := []int{}, map[string]string{}
	for _, v := range s.Shown {
		shown[strconv.Itoa(v.Number)] = v.Time().Format(time.DateOnly)
	}
	for n := range 8 * len(s.Seen) {
		if s.Saw(n) {
			seen = append(seen, n)
		}
	}
	return json.Marshal(struct {
		Kind       string            `json:"kind"` // solver
		Member     string            `json:"member"`
		Rules      string            `json:"rules"`
		Rating     float64           `json:"rating"`
		Deviation  float64           `json:"deviation"`
		Volatility float64           `json:"volatility"`
		At         time.Time         `json:"at"`
		Tried      int               `json:"tried"`
		Solved     int               `json:"solved"`
		Seen       []int             `json:"seen"`
		Shown      map[string]string `json:"shown"` // the day, by number
	}{"solver", idText(uint64(s.Member)), s.Rules.Name(), s.R, s.RD, s.Vol, s.At, s.Tried, s.Solved, seen, shown})
}

type bestJSON struct {
	Run   string    `json:"run"`
	Rules string    `json:"rules"`
	Ever  int       `json:"ever"`
	Week  int       `json:"week"`
	Day   int       `json:"day"`
	At    time.Time `json:"at"`
}

// MarshalJSON gives a member's run and best ones as an export shows them.
func (v Run) MarshalJSON() ([]byte, error) {
	bests := []bestJSON{}
	for _, b := range v.Bests {
		bests = append(bests, bestJSON{b.Kind.String(), b.Rules.Name(), b.Ever, b.Week, b.Day, b.At})
	}
	return json.Marshal(struct {
		Kind   string     `json:"kind"` // run
		Member string     `json:"member,omitempty"`
		Now    string     `json:"now"`
		Solved int        `json:"solved,omitempty"`
		Bests  []bestJSON `json:"bests"`
	}{"run", idText(uint64(v.Member)), v.Kind.String(), v.Solved, bests})
}

// MarshalJSON gives a member's puzzles as the member gets them.
func (o OwnPuzzles) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Solvers []Solver `json:"ratings"`
		Dailies []Taking `json:"daily"`
		Run     Run      `json:"runs"`
	}{append([]Solver{}, o.Solvers...), append([]Taking{}, o.Dailies...), o.Run})
}

// MarshalJSON gives how a member fares with daily puzzles as an export shows it.
func (t Taking) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Kind   string    `json:"kind"` // daily_of
		Member string    `json:"member"`
		Server string    `json:"server"`
		Begins time.Time `json:"day"`
		Tries  string    `json:"tries"`
		Streak int       `json:"streak"`
		Best   int       `json:"best"`
	}{"daily_of", idText(uint64(t.Member)), idText(t.Server), t.Begins, t.Tries, t.Streak, t.Best})
}

// MarshalJSON gives the daily puzzle of a server as an export shows it.
func (d Daily) MarshalJSON() ([]byte, error) {
	first := []string{}
	for _, m := range d.Day.First {
		first = append(first, idText(uint64(m)))
	}
	return json.Marshal(struct {
		Kind    string    `json:"kind"` // daily
		Server  string    `json:"server"`
		Channel string    `json:"channel,omitempty"`
		Hour    int       `json:"hour"`
		Zone    string    `json:"zone,omitempty"`
		Puzzle  string    `json:"puzzle"`
		Begins  time.Time `json:"begins"`
		Tried   int       `json:"tried"`
		Solved  int       `json:"solved"`
		Streak  int       `json:"streak"`
		First   []string  `json:"first"`
	}{"daily", idText(d.Server), idText(d.Channel), d.Hour, d.Zone, d.Day.Puzzle, d.Day.Begins, d.Day.Tried, d.Day.Solved, d.Day.Streak, first})
}

// applicationJSON says to which application of Discord the exported ids belong.
type applicationJSON struct {
	Kind string `json:"kind"` // application
	ID   string `json:"id"`
}

// Export writes to w, one JSON object a line, the application to which the store belongs, all
// settings, progress, ratings, results against the engine, reviews, events, ladders, games together, simuls, and matches:
// live,
// finished, and ended before they got going. What else is stored follows from these or is of the
// moment, such as where boards are shown. progress, which may be nil, is told of the lines written.
func (s *Store) Export(ctx context.Context, w io.Writer, progress func(lines int64)) error {
	e := exporter{ctx: ctx, json: json.NewEncoder(w), progress: progress}
	app, err := s.application(ctx)
	if err != nil {
		return err
	}
	if app != 0 {
		e.put(applicationJSON{"application", idText(app)})
	}
	for _, table := range []byte{tServer, tMember, tProgress, tRating, tLevel, tReview, tEvent, tLadder, tSeason, tTogether, tSimul, tSolver, tRun, tTaking, tDaily} {
		if err := s.exportTable(ctx, table, e.put); err != nil {
			return err
		}
	}
	for _, table := range []byte{tArchive, tLive} {
		err := s.each(ctx, table, func(r Record) bool { return e.put(r) == nil })
		if err = firstOf(e.err, err); err != nil {
			return err
		}
	}
	return e.err
}

type exporter struct {
	ctx      context.Context
	json     *json.Encoder
	progress func(int64)
	lines    int64
	err      error
}

func (e *exporter) put(v any) error {
	if e.err = firstOf(e.err, e.ctx.Err()); e.err == nil {
		e.err = e.json.Encode(v)
	}
	e.lines++
	if e.progress != nil && e.lines%256 == 0 {
		e.progress(e.lines)
	}
	return e.err
}

// exportTable reads the rows of a table a chunk at a time.
func (s *Store) exportTable(ctx context.Context, table byte, put func(any) error) error {
	for from := []byte{table}; from != nil; {
		var rows []any
		var next []byte
		err := s.kv.View(ctx, func(r kv.Reader) error {
			rows, next = nil, nil
			var bad error
			err := r.Scan(from, []byte{table + 1}, func(k, v []byte) bool {
				if len(rows) == s.options.Chunk {
					next = k
					return false
				}
				var row any
				row, bad = exported(k, v)
				rows = append(rows, row)
				return bad == nil
			})
			return firstOf(bad, err)
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := put(row); err != nil {
				return err
			}
		}
		from = next
	}
	return nil
}

func exported(k, v []byte) (any, error) {
	switch k[0] {
	case tServer:
		return decodeServer(part(k, 0), v)
	case tMember:
		return decodeMember(game.MemberID(part(k, 0)), v)
	case tProgress:
		return decodeProgress(game.MemberID(part(k, 0)), v)
	case tRating:
		return decodeRating(k, v)
	case tReview:
		return decodeReview(game.MatchID(part(k, 0)), v)
	case tEvent:
		return decodeEvent(EventID(part(k, 0)), v)
	case tLadder:
		return decodeLadder(k, v)
	case tSeason:
		return exportedSeason(k, v)
	case tTogether:
		return decodeTogether(k, v)
	case tSimul:
		return decodeSimul(k, v)
	case tSolver:
		return decodeSolver(k, v)
	case tRun:
		return decodeRun(game.MemberID(part(k, 0)), v)
	case tTaking:
		return decodeTaking(k, v)
	case tDaily:
		return decodeDaily(part(k, 0), v)
	}
	tally, err := decodeTally(v)
	if rules, ok := rulesOf(part(k, 1)); err == nil && ok {
		return againstJSON{"engine", idText(part(k, 0)), rules.Name(), int(part(k, 2)), tally}, nil
	}
	return nil, firstOf(err, errContent)
}

func exportedSeason(k, v []byte) (any, error) {
	s, err := decodeSeason(k, v)
	rules, ok := rulesOf(part(k, 1))
	if err != nil || !ok {
		return nil, firstOf(err, errContent)
	}
	j := seasonJSON{"season", idText(part(k, 0)), rules.Name(), s.Month.String(), []string{}}
	for _, m := range s.Members {
		j.Members = append(j.Members, idText(uint64(m)))
	}
	return j, nil
}
