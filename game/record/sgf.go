package record

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tengen/game"
)

// SGF is a tree of nodes of properties. A game of ours is its main line: the first
// branch everywhere, which is all text up to the first closing parenthesis. What comes
// after is scanned for its end and its number of variations, not kept, so that neither
// depth nor size costs more than the time to look at each byte once.

var sgfBeginning = regexp.MustCompile(`\(\s*;`)

// prop is a property of the main line, such as AB[hh][ii].
type prop struct {
	name   string
	values []string
	node   int // from 0, the root
}

// tree is what a scan finds.
type tree struct {
	props      []prop
	variations int
	others     int // further games
}

// maxProps is more than the main line of any game needs.
const maxProps = 50_000

// scanSGF reads the first game of text.
func scanSGF(text string) (tree, error) {
	s := sgfScan{text: text, at: strings.IndexByte(text, '(')}
	if at := sgfBeginning.FindStringIndex(text); at != nil {
		s.at = at[0]
	}
	if s.at < 0 {
		return tree{}, errNoRecord
	}
	for s.at < len(text) {
		if err := s.next(); err != nil {
			return s.tree, err
		}
	}
	if s.depth > 0 {
		return s.tree, errCut
	}
	return s.tree, nil
}

// sgfScan is a scan on its way through a text.
type sgfScan struct {
	tree
	text   string
	at     int
	depth  int  // of parentheses
	ended  bool // the main line has
	bodies int  // nodes of the main line that have begun
	values int  // of properties kept
}

// next takes a character, or a property with its values.
func (s *sgfScan) next() error {
	switch c := s.text[s.at]; {
	case s.depth == 0 && c != '(': // what stands between games
	case c == '(':
		s.open()
	case c == ')':
		s.depth--
		s.ended = true
	case c == ';':
		if !s.ended {
			s.bodies++
		}
	case c == '[': // a value without a name, outside the main line only
		return s.nameless()
	case s.ended || c <= ' ':
	case isIdent(c):
		return s.property()
	default:
		return fmt.Errorf("%q is out of place at byte %d", clip(s.text[s.at:]), s.at)
	}
	s.at++
	return nil
}

// open counts a parenthesis that, after the main line, begins a variation or another game.
func (s *sgfScan) open() {
	s.depth++
	switch {
	case !s.ended:
	case s.depth == 1:
		s.others++
	case s.others == 0:
		s.variations++
	}
}

func (s *sgfScan) nameless() error {
	_, next, ok := value(s.text, s.at, false)
	if !ok {
		return errCut
	}
	if !s.ended {
		return fmt.Errorf("a value without a property at byte %d", s.at)
	}
	s.at = next
	return nil
}

// property reads a name and the values that follow it.
func (s *sgfScan) property() error {
	text, start := s.text, s.at
	for s.at < len(text) && (isIdent(text[s.at]) || text[s.at] <= ' ') {
		s.at++
	}
	s.bodies = max(s.bodies, 1) // a node may have forgotten its semicolon
	p := prop{name: ident(text[start:s.at]), node: s.bodies - 1}
	for s.at < len(text) && text[s.at] == '[' {
		v, next, ok := value(text, s.at, true)
		if !ok {
			return errCut
		}
		if s.values++; s.values > maxProps {
			return fmt.Errorf("more than %d properties", maxProps)
		}
		p.values = append(p.values, v)
		for s.at = next; s.at < len(text) && text[s.at] <= ' '; s.at++ {
		}
	}
	switch {
	case len(p.values) > 0:
		s.props = append(s.props, p)
		return nil
	case s.at >= len(text):
		return errCut
	}
	return fmt.Errorf("property %s without a value at byte %d", clip(p.name), s.at)
}

func isIdent(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
}

// ident is a property's name without its lower-case letters, which old files have for
// the reader's eye (Black[hh]).
func ident(s string) string {
	var upper, all strings.Builder
	for _, c := range []byte(s[:min(len(s), 64)]) {
		switch {
		case c <= ' ':
		case c >= 'a' && c <= 'z':
			all.WriteByte(c - 'a' + 'A')
		default:
			upper.WriteByte(c)
			all.WriteByte(c)
		}
	}
	if upper.Len() == 0 {
		return all.String()
	}
	return upper.String()
}

// value reads a bracketed value that begins at text[i]. The text is built only when it is
// kept.
func value(text string, i int, keep bool) (v string, next int, ok bool) {
	start, escaped := i+1, false
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			escaped = true
			i++
		case ']':
			if !keep {
				return "", i + 1, true
			}
			v = text[start:i]
			if escaped {
				v = unescape(v)
			}
			return v, i + 1, true
		}
	}
	return "", i, false
}

// unescape takes the backslashes out: one before a line break joins the lines.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i >= len(s) {
			break
		}
		if s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' || s[i] == '\n' && i+1 < len(s) && s[i+1] == '\r' {
			i++
			continue
		}
		if s[i] != '\n' && s[i] != '\r' {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

var escapes = strings.NewReplacer(`\`, `\\`, `]`, `\]`)

func readSGF(text string, want game.Rules) (Record, error) {
	r := Record{Format: SGF}
	t, err := scanSGF(text)
	if err != nil {
		return r, err
	}
	rules, err := sgfRules(&r, t, want)
	if err != nil {
		return r, err
	}
	if err := sgfStart(&r, t, rules); err != nil {
		return r, err
	}
	var given game.Set // opening stones that the moves may repeat
	for _, p := range t.props {
		if err := sgfProp(&r, p, &given); err != nil {
			return r, err
		}
	}
	if t.variations > 0 {
		r.note("%s"+onlyMain, count(t.variations, "variation"))
	}
	if t.others > 0 {
		r.note("%s left out: only the first is read", count(t.others, "further game"))
	}
	return r, nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// root is the first value of a property of the root node.
func (t tree) root(name string) (string, bool) {
	for _, p := range t.props {
		if p.name == name && p.node == 0 {
			return strings.TrimSpace(p.values[0]), true
		}
	}
	return "", false
}

// sgfRules finds the rules from GM (2 is Othello, 4 gomoku and Renju), SZ and RU.
func sgfRules(r *Record, t tree, want game.Rules) (game.Rules, error) {
	gm, hasGM := t.root("GM")
	size, err := sgfSize(t)
	if err != nil {
		return nil, err
	}
	switch {
	case want != nil:
		reversi := want == game.Reversi
		if hasGM && (reversi && gm == "4" || !reversi && gm == "2") || size != 0 && size != want.Size() {
			sz, _ := t.root("SZ")
			return nil, fmt.Errorf("the record is of GM[%s] SZ[%s], not of %s", clip(gm), clip(sz), want.Name())
		}
		return want, nil
	case gm == "2" || !hasGM && size == 8:
		if size != 0 && size != 8 {
			return nil, fmt.Errorf("an Othello board of %d: %w", size, ErrElsewhere)
		}
		return game.Reversi, nil
	case gm == "4" || !hasGM && size == 15:
		return sgfFive(r, t, size)
	case !hasGM:
		return nil, fmt.Errorf("the record does not tell its game: it has no GM, and SZ does not tell either")
	}
	return nil, fmt.Errorf("GM[%s] is another game: 2 is Othello, 4 is gomoku and Renju: %w", clip(gm), ErrElsewhere)
}

// sgfSize is the size of the board; 0 where the record does not tell it.
func sgfSize(t tree) (int, error) {
	sz, ok := t.root("SZ")
	if !ok {
		return 0, nil
	}
	w, h, two := strings.Cut(sz, ":")
	n, err := strconv.Atoi(w)
	if err != nil || two && h != w {
		return 0, fmt.Errorf("SZ[%s] is no board known here: %w", clip(sz), ErrElsewhere)
	}
	return n, nil
}

// sgfFive finds which game of five in a row it is; size 0 is not told.
func sgfFive(r *Record, t tree, size int) (game.Rules, error) {
	ru, hasRU := t.root("RU")
	if size == 0 {
		size = 15
	}
	if size != 15 && size != 9 {
		return nil, fmt.Errorf("five in a row on a board of %d: %w", size, ErrElsewhere)
	}
	if rules, ok := rulesFor(ru, size); ok {
		return rules, nil
	}
	if strings.Contains(strings.ToLower(ru), "renju") {
		return nil, fmt.Errorf("renju on a board of %d: %w", size, ErrElsewhere)
	}
	rules, _ := rulesFor("gomoku", size)
	if hasRU {
		r.note("the rules %q are not known here: taken as %s", clip(ru), rules.Name())
	} else {
		r.note("the record does not name its rules: taken as %s", rules.Name())
	}
	return rules, nil
}

// sgfStart sets up the stones that stand before the first move and finds who begins.
func sgfStart(r *Record, t tree, rules game.Rules) error {
	start := rules.Start()
	set, side := false, game.Empty
	for _, p := range t.props {
		switch p.name {
		case "AB", "AW", "AE":
			if !set {
				start, set = game.Position{Size: rules.Size()}, true
			}
			for _, v := range p.values {
				points, err := sgfPoints(v, rules)
				if err != nil {
					return fmt.Errorf("%s[%s]: %w", p.name, clip(v), err)
				}
				for q := range points.All() {
					start = start.Put(q, sgfColor(p.name[1:]))
				}
			}
		case "PL":
			side = sgfColor(p.values[0])
		case "QPR":
			return sgfBegin(r, rules, start, set, side)
		case "B", "W":
			if side == game.Empty && (set || rules != game.Reversi) {
				side = sgfColor(p.name)
			}
			return sgfBegin(r, rules, start, set, side)
		}
	}
	return sgfBegin(r, rules, start, set, side)
}

func sgfBegin(r *Record, rules game.Rules, start game.Position, set bool, side game.Color) error {
	if !set && (side == game.Empty || side == rules.Start().Turn) {
		r.Game = game.New(rules)
		return nil
	}
	var err error
	if side == game.Empty {
		if side, err = sideByCount(start, rules); err != nil {
			return fmt.Errorf("the record has no PL, and %w", err)
		}
	}
	r.Game, err = game.From(rules, start, side)
	return err
}

func sgfColor(s string) game.Color {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "b", "black", "1":
		return game.Black
	case "w", "white", "2":
		return game.White
	}
	return game.Empty
}

// sgfProp takes one property of the main line.
func sgfProp(r *Record, p prop, given *game.Set) error {
	v := p.values[0]
	switch p.name {
	case "B", "W":
		for _, v := range p.values {
			if err := sgfMove(r, sgfColor(p.name), v, *given); err != nil {
				return err
			}
		}
	case "QPR", "QSLW":
		return sgfGiven(r, p, given)
	case "AB", "AW", "AE", "PL":
		if r.Game.Len() > 0 {
			return fmt.Errorf("stones are set up (%s) after move %d: a game here is set up before its first move",
				p.name, r.Game.Len())
		}
	case "C":
		r.comment(v)
	}
	if p.node > 0 {
		return nil
	}
	switch p.name {
	case "RE":
		r.Result = result(v)
	case "TM":
		r.Clock.Bank = sgfSeconds(v)
	case "OT":
		r.Clock = sgfExtra(r.Clock, v)
	}
	r.head(p.name, v)
	return nil
}

// field is a text of a record, and the property of SGF and GGF that holds it.
type field struct {
	name string
	text *string
}

func (r *Record) fields() []field {
	return []field{{"EV", &r.Event}, {"DT", &r.Date}, {"PB", &r.Black}, {"PW", &r.White}}
}

// head takes a property that SGF and GGF have alike.
func (r *Record) head(name, v string) {
	for _, own := range r.fields() {
		if own.name == name {
			*own.text = oneLine(v)
		}
	}
}

// writeHead writes these properties and the result, each escaped, those that are not empty.
func (r *Record) writeHead(s *strings.Builder, result string, escape *strings.Replacer) {
	for _, f := range append(r.fields(), field{"RE", &result}) {
		if *f.text != "" {
			fmt.Fprintf(s, "%s[%s]", f.name, escape.Replace(*f.text))
		}
	}
}

// colorNames are the names of moves in SGF and GGF.
var colorNames = map[game.Color]string{game.Black: "B", game.White: "W"}

// sgfGiven plays the stones that Gomoku Quest keeps apart: QPR[hh,hg,jf] are the first
// three, QSLW[ig] the fourth. The moves that follow may name them once more.
func sgfGiven(r *Record, p prop, given *game.Set) error {
	for _, v := range p.values {
		for point := range strings.SplitSeq(v, ",") {
			text := p.name + "[" + clip(point) + "]"
			q, err := sgfPoint(strings.TrimSpace(point), r.Game.Rules())
			if err != nil {
				return r.refuse(text, err)
			}
			if given.Has(q) {
				continue
			}
			if err := r.play(q, game.Empty, text); err != nil {
				return err
			}
			*given = given.With(q)
		}
	}
	return nil
}

func sgfMove(r *Record, side game.Color, v string, given game.Set) error {
	v = strings.TrimSpace(v)
	text := colorNames[side] + "[" + clip(v) + "]"
	if v == "" || v == "tt" || v == "TT" || strings.EqualFold(v, "pass") || strings.EqualFold(v, "pa") {
		return r.pass(side, text)
	}
	if r.Game.Rules() == game.Reversi && algebraic(v) {
		r.Format = SGFEdax
	}
	p, err := sgfPoint(v, r.Game.Rules())
	if err != nil {
		return r.refuse(text, err)
	}
	if given.Has(p) && r.Game.Position().At(p) == side {
		return nil
	}
	return r.play(p, side, text)
}

// algebraic reports whether v is a point such as f5 and not two letters.
func algebraic(v string) bool { return len(v) > 1 && v[1] >= '0' && v[1] <= '9' }

// sgfPoint reads a point: two letters, column and then row from the top, or a letter
// and a number as they stand on the board.
func sgfPoint(v string, rules game.Rules) (game.Point, error) {
	size := rules.Size()
	if algebraic(v) {
		return game.ParsePoint(v, size)
	}
	if len(v) != 2 {
		return game.NoPoint, fmt.Errorf("%q is not a point", clip(v))
	}
	col, row := int(v[0]|0x20)-'a', int(v[1]|0x20)-'a'
	if col < 0 || row < 0 || col > 25 || row > 25 {
		return game.NoPoint, fmt.Errorf("%q is not a point", clip(v))
	}
	if col >= size || row >= size {
		return game.NoPoint, &game.Refusal{Code: game.OffBoard, Point: game.NoPoint}
	}
	if !rules.TopDown() {
		row = size - 1 - row
	}
	return game.At(col, row), nil
}

// sgfPoints reads a point or a rectangle (aa:cc).
func sgfPoints(v string, rules game.Rules) (game.Set, error) {
	var s game.Set
	from, to, two := strings.Cut(strings.TrimSpace(v), ":")
	p, err := sgfPoint(from, rules)
	if err != nil {
		return s, err
	}
	q := p
	if two {
		if q, err = sgfPoint(to, rules); err != nil {
			return s, err
		}
	}
	for col := min(p.Col(), q.Col()); col <= max(p.Col(), q.Col()); col++ {
		for row := min(p.Row(), q.Row()); row <= max(p.Row(), q.Row()); row++ {
			s = s.With(game.At(col, row))
		}
	}
	return s, nil
}

// result reads the result that a record tells: B+R, W+12, 0, Draw, Void, 1-0 and the like.
func result(s string) game.Result {
	s = strings.ToLower(strings.TrimSpace(s))
	switch s {
	case "", "?":
		return game.Result{}
	case "0", "draw", "jigo", "b+draw", "w+draw", "0.5-0.5", "1/2-1/2":
		return game.Result{Termination: game.ByAgreement}
	case "void":
		return game.Result{Termination: game.Aborted}
	case "1-0", "black":
		return game.Result{Winner: game.Black}
	case "0-1", "white":
		return game.Result{Winner: game.White}
	}
	who, how, _ := strings.Cut(s, "+")
	r := game.Result{Winner: sgfColor(who)}
	if r.Winner == game.Empty {
		return r
	}
	switch how {
	case "r", "resign":
		r.Termination = game.ByResignation
	case "t", "time":
		r.Termination = game.ByTimeout
	}
	return r
}

// end is how the game ended: the board decides where it can.
func (r Record) end() game.Result {
	if board := r.Game.Result(); board.Over() {
		return board
	}
	return r.Result
}

// resultText is the RE of a record; empty when there is nothing to tell.
func resultText(r Record) string {
	res := r.end()
	var by string
	switch res.Termination {
	case game.ByResignation:
		by = "R"
	case game.ByTimeout:
		by = "T"
	case game.ByCount:
		black, white := game.Score(r.Game.Position())
		by = strconv.Itoa(max(black-white, white-black))
	case game.Aborted, game.Abandoned, game.Declined, game.Canceled, game.Expired:
		return "Void"
	}
	switch {
	case res.Winner == game.Black:
		return "B+" + by
	case res.Winner == game.White:
		return "W+" + by
	case res.Draw():
		return "0"
	}
	return ""
}

// SGF has the time for the whole game in seconds (TM), and in words of no standard what comes beside it (OT). These are
// the ones that servers write: "5 fischer" is 5 seconds more with each move, "300 simple" 300 seconds for each.
const (
	sgfGain = " fischer"
	sgfEach = " simple"
)

// sgfExtra is a clock with what an OT says, where that is known.
func sgfExtra(c game.Clock, v string) game.Clock {
	v = strings.ToLower(strings.TrimSpace(v))
	if s, ok := strings.CutSuffix(v, sgfGain); ok {
		c.Gain = sgfSeconds(s)
	} else if s, ok := strings.CutSuffix(v, sgfEach); ok {
		c.Each = sgfSeconds(s)
	}
	return c
}

// sgfSeconds reads a number of whole seconds, of at most a year; zero for anything else.
func sgfSeconds(v string) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(v))
	if err != nil || n < 0 || n > 366*24*60*60 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// writeClock writes a clock. A time for each move alone has no TM.
func writeClock(s *strings.Builder, c game.Clock) {
	if c.Bank > 0 {
		fmt.Fprintf(s, "TM[%d]", c.Bank/time.Second)
	}
	switch {
	case c.Gain > 0:
		fmt.Fprintf(s, "OT[%d%s]", c.Gain/time.Second, sgfGain)
	case c.Each > 0:
		fmt.Fprintf(s, "OT[%d%s]", c.Each/time.Second, sgfEach)
	}
}

// writeSGF writes one game as SGF, FF[4]; edax gives points such as f5 in place of two letters.
func writeSGF(r Record, edax bool) []byte {
	var s strings.Builder
	rules := r.Game.Rules()
	point, pass := sgfLetters(rules), ""
	if edax {
		point = func(p game.Point) string { return strings.ToLower(p.String()) }
		pass = "PA"
	}
	writeSGFRoot(&s, r, resultText(r), point)
	comment := func(after int) {
		if text := r.commentAfter(after); text != "" {
			fmt.Fprintf(&s, "C[%s]", escapes.Replace(text))
		}
	}
	comment(0)
	s.WriteByte('\n')
	for _, m := range r.Game.Plies() {
		if m.Passed {
			fmt.Fprintf(&s, ";%s[%s]", colorNames[m.Color.Other()], pass)
		}
		fmt.Fprintf(&s, ";%s[%s]", colorNames[m.Color], point(m.Point))
		comment(m.Number)
		if m.Number%10 == 0 {
			s.WriteByte('\n')
		}
	}
	return []byte(strings.TrimRight(s.String(), "\n") + ")\n")
}

// writeSGFRoot begins a game: its rules, what r tells of it, and the stones that stand before the first move.
func writeSGFRoot(s *strings.Builder, r Record, result string, point func(game.Point) string) {
	rules := r.Game.Rules()
	gm, ru := "4", "RU["+strings.TrimSuffix(rules.Name(), "9")+"]"
	if rules == game.Reversi {
		gm, ru = "2", ""
	}
	fmt.Fprintf(s, "(;FF[4]GM[%s]SZ[%d]CA[UTF-8]AP[tengen]%s", gm, rules.Size(), ru)
	r.writeHead(s, result, escapes)
	writeClock(s, r.Clock)
	if start := r.Game.Start(); start != rules.Start() {
		writeSetup(s, start, point)
	}
}

// sgfLetters writes points as two letters, column and row from the top.
func sgfLetters(rules game.Rules) func(game.Point) string {
	return func(p game.Point) string {
		row := p.Row()
		if !rules.TopDown() {
			row = rules.Size() - 1 - row
		}
		return string([]byte{'a' + byte(p.Col()), 'a' + byte(row)})
	}
}

// writeSetup writes the stones that stand before the first move, and whose turn it is.
func writeSetup(s *strings.Builder, start game.Position, point func(game.Point) string) {
	for _, c := range []game.Color{game.Black, game.White} {
		for i, p := range start.Of(c).Points() {
			if i == 0 {
				s.WriteString("A" + colorNames[c])
			}
			fmt.Fprintf(s, "[%s]", point(p))
		}
	}
	if start.Stones == [2]game.Set{} {
		fmt.Fprintf(s, "AE[%s]", point(0)) // an empty board that is set up, not the rules' own
	}
	fmt.Fprintf(s, "PL[%s]", map[string]string{"X": "B", "O": "W"}[sideLetter(start)])
}
