package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"tengen/game"
	"tengen/game/venue"
	"tengen/storage/codec"
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
	Clock    string         `json:"clock,omitempty"`
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

var (
	phaseNames = [...]string{"offered", "playing", "over"}
	seatNames  = [...]string{"open", "member", "engine", "former member"}
	endNames   = [...]string{"none", "row", "full board", "no move", "count", "resignation", "timeout", "agreement",
		"aborted", "abandoned", "declined", "canceled", "expired"}
)

func (r Record) MarshalJSON() ([]byte, error) {
	res := r.Result()
	m := matchJSON{
		Kind: "match", ID: codec.IDText(uint64(r.ID)), Rules: r.Rules.Name(), Phase: codec.Name(phaseNames[:], r.Phase),
		Server: codec.IDText(r.Place.Server), Channel: codec.IDText(r.Place.Channel), Owner: codec.IDText(uint64(r.Owner)),
		Rated: r.Rated, PerMove: r.Clock.Each.Seconds(), Clock: codec.ClockName(r.Terms),
		Opening: codec.OpeningName(r.Terms),
		Given:   len(r.Given), Note: r.Terms.Note,
		Created: r.Created, Updated: r.Updated, Result: codec.Name(endNames[:], res.Termination),
		Moves: []moveJSON{}, Undos: int(r.Undos), Hints: int(r.Hints), Next: codec.IDText(uint64(r.Next)),
		Event: codec.IDText(uint64(r.Link.Event)), Ladder: r.Link.Ladder, Simul: r.Link.Simul != venue.Place{},
		Version: r.Version, Theme: r.Look.Theme, Language: r.Look.Language,
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
		m.Seats[i] = seatJSON{codec.Name(seatNames[:], s.Kind), codec.IDText(uint64(s.Member)), int(s.Level),
			s.Guest, r.ColorOf(i).String()}
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

func (m Member) MarshalJSON() ([]byte, error) { return codec.Export(m) }

func (s Server) MarshalJSON() ([]byte, error) { return codec.Export(s) }

func (s Standing) MarshalJSON() ([]byte, error) { return codec.Export(s) }

func (a Against) MarshalJSON() ([]byte, error) { return codec.Export(a) }

type dossierJSON struct {
	Settings Member     `json:"settings"`
	Ratings  []Standing `json:"ratings"`
	Against  []Against  `json:"against_engine"`
	Events   []OwnEvent `json:"events"`
	Ladders  []Rung     `json:"ladders"`
	Games    []Record   `json:"games"`

	Reviews []ReviewsAsked `json:"reviews_asked,omitempty"`
	Courses *Progress      `json:"courses,omitempty"`
	Puzzles OwnPuzzles     `json:"puzzles"`
}

func (d Dossier) MarshalJSON() ([]byte, error) {
	var courses *Progress
	if d.Progress.Offered || len(d.Progress.Solved) > 0 {
		courses = &d.Progress
	}
	// Empty lists are lists.
	text, err := json.Marshal(dossierJSON{d.Settings, append([]Standing{}, d.Ratings...),
		append([]Against{}, d.Against...), append([]OwnEvent{}, d.Events...), append([]Rung{}, d.Ladders...),
		append([]Record{}, d.Games...), d.Reviews, courses, d.Puzzles})
	if err != nil || len(d.Others) == 0 {
		return text, err
	}
	others, err := json.Marshal(d.Others)
	if err != nil {
		return nil, err
	}
	return append(append(text[:len(text)-1], ','), others[1:]...), nil
}

func (o OwnPuzzles) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Solvers []Solver `json:"ratings"`
		Dailies []Taking `json:"daily"`
		Run     Run      `json:"runs"`
	}{append([]Solver{}, o.Solvers...), append([]Taking{}, o.Dailies...), o.Run})
}

// applicationJSON says to which application of Discord the exported ids belong.
type applicationJSON struct {
	Kind string `json:"kind"` // application
	ID   string `json:"id"`
}

// Export writes to w, one JSON object a line, the application to which the store belongs, all
// settings, progress, ratings, results against the engine, reviews, events, ladders, games together, simuls, and
// matches: live, finished, and ended before they got going. What else is stored follows from these or is of the moment,
// such as where boards are shown. progress, which may be nil, is told of the lines written.
func (s *Store) Export(ctx context.Context, w io.Writer, progress func(lines int64)) error {
	e := exporter{ctx: ctx, json: json.NewEncoder(w), progress: progress}
	app, err := s.application(ctx)
	if err != nil {
		return err
	}
	if app != 0 {
		e.put(applicationJSON{"application", codec.IDText(app)})
	}
	for _, t := range tables() {
		if !t.exported {
			continue
		}
		if err := s.exportTable(ctx, t.at, e.put); err != nil {
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
	for from := key(table); from != nil; {
		var rows []any
		var next []byte
		err := s.kv.View(ctx, func(r kv.Reader) error {
			rows, next = nil, nil
			var bad error
			err := r.Scan(from, key(table+1), func(k, v []byte) bool {
				if len(rows) == s.options.Chunk {
					next = k
					return false
				}
				var row any
				row, bad = valueOf(k, v)
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
