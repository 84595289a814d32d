// Package study is the analysis board: a member looks at a finished game, a record or a puzzle, tries moves, asks the
// engine, and keeps what they found as a study. The store keeps each study, saved or not; a press names it with its
// version. What would be help in a rated game that is running is refused. Start from New and Studies.Open.
package study

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tengen/ai"
	"tengen/ai/engine"
	"tengen/bot/chat"
	"tengen/bot/desk"
	"tengen/bot/finder"
	"tengen/bot/host"
	"tengen/bot/pad"
	"tengen/bot/room"
	"tengen/bot/view"
	"tengen/game"
	"tengen/game/record"
	"tengen/game/study"
	"tengen/storage"
)

// Config is what Studies need. All of it is needed.
type Config struct {
	room.Base
	Desk   *desk.Desk
	Finder *finder.Finder
	Host   *host.Host
}

// Studies shows studies. Any number of goroutines may call its methods.
type Studies struct {
	Config
	asking sync.Map // the members for whom a position is searched
}

// New makes the room.
func New(c Config) *Studies { return &Studies{Config: c} }

// Open shows the analysis board with a game, at the position after so many moves.
func (s *Studies) Open(ctx context.Context, r chat.Request, g game.Game, ply int) error {
	tree, err := study.Of(g)
	if err != nil {
		return err
	}
	return s.Copy(ctx, r, tree.Go(ply))
}

// Copy shows the analysis board with a study of the member's own, which begins as tree.
func (s *Studies) Copy(ctx context.Context, r chat.Request, tree study.Study) error {
	if err := s.fair(ctx, r, tree); err != nil {
		return err
	}
	v, err := s.begin(ctx, r, tree)
	if err != nil {
		return err
	}
	return s.show(ctx, r, v)
}

// Keep begins a study of the member's own, and gives the press that shows it.
func (s *Studies) Keep(ctx context.Context, r chat.Request, tree study.Study) (press string, err error) {
	v, err := s.begin(ctx, r, tree)
	return v.Press(), err
}

func (s *Studies) begin(ctx context.Context, r chat.Request, tree study.Study) (v view.Study, err error) {
	v.Tree = tree
	if v.Study, err = packed(storage.Study{Member: r.By, Number: r.ID, At: r.At}, tree); err != nil {
		return v, err
	}
	v.Study, err = s.Store.BeginStudy(ctx, v.Study)
	return v, err
}

// OpenMatch shows the analysis board with a finished match.
func (s *Studies) OpenMatch(ctx context.Context, r chat.Request, id game.MatchID, ply int) error {
	rec, err := s.Finder.Readable(ctx, r, id)
	switch {
	case err != nil:
		return err
	case rec.Phase != game.Over:
		return view.No("study.running")
	}
	return s.Open(ctx, r, rec.Game(), ply)
}

// Tree opens the analysis board by a press: a match after so many moves, or a packed game.
func (s *Studies) Tree(ctx context.Context, r chat.Request, p view.Press) error {
	if p.Match != 0 {
		ply, err := strconv.Atoi(p.Arg)
		if err != nil {
			ply = study.MostNodes // its end
		}
		return s.OpenMatch(ctx, r, p.Match, ply)
	}
	g, err := view.UnpackGame(p.Arg)
	if err != nil {
		return view.No("unknown.button")
	}
	return s.Open(ctx, r, g, g.Len())
}

// fair refuses a study that holds, anywhere, what would be help in a running rated game.
func (s *Studies) fair(ctx context.Context, r chat.Request, tree study.Study) error {
	err := s.Finder.Fair(ctx, r, tree.GameAt(0), func(yield func(game.Position) bool) {
		for n := 0; n < tree.Len() && yield(tree.GameAt(n).Position()); n++ {
		}
	})
	if view.IsRefused(err, "review.running") {
		return view.No("study.running")
	}
	return err
}

// packed is v with a tree, its cursor included.
func packed(v storage.Study, tree study.Study) (storage.Study, error) {
	v.SGF, v.Cursor = string(record.WriteStudy(tree, record.Record{})), tree.At()
	if len(v.SGF) > storage.MostStudy {
		return v, view.No("study.full")
	}
	return v, nil
}

// tree is the tree of a stored study.
func tree(v storage.Study) (study.Study, error) {
	t, _, err := record.ReadStudy([]byte(v.SGF), record.Hints{Format: record.SGF})
	return t.Go(v.Cursor), err
}

// found is the study of a member with a number.
func (s *Studies) found(ctx context.Context, r chat.Request, number uint64) (v view.Study, err error) {
	if v.Study, err = s.Store.Study(ctx, r.By, number); errors.Is(err, storage.ErrNotFound) {
		return v, view.No("study.gone")
	}
	if err == nil {
		v.Tree, err = tree(v.Study)
	}
	if err == nil {
		err = s.fair(ctx, r, v.Tree)
	}
	return v, err
}

// show answers r with a study, in place of the board that was pressed.
func (s *Studies) show(ctx context.Context, r chat.Request, v view.Study) error {
	look, err := s.Host.FirstLook(ctx, r)
	if err != nil {
		return err
	}
	v.Look = look
	msg, err := s.Paint.Study(s.House.Tongue(r), v)
	if err != nil {
		return err
	}
	return s.answer(ctx, r, msg)
}

// answer answers a press or a form of the analysis board, in its place.
func (s *Studies) answer(ctx context.Context, r chat.Request, msg chat.Message) error {
	if r.Kind == chat.Submit && r.Message != 0 {
		return chat.Edit(ctx, s.Chat, r, msg)
	}
	return chat.Reply(ctx, s.Chat, r, msg)
}

// change changes a study by f, where it is still of the version of a press, and shows it. Else it shows the study as
// it is.
func (s *Studies) change(ctx context.Context, r chat.Request, p view.Press, padded bool,
	f func(storage.Study, study.Study) (storage.Study, study.Study, error)) error {
	v, err := s.found(ctx, r, uint64(p.Match))
	if err != nil {
		return err
	}
	v.Study, err = s.Store.UpdateStudy(ctx, r.By, v.Number, r.At, func(now storage.Study) (storage.Study, error) {
		if now.Version != p.Stamp {
			return now, nil
		}
		t, err := tree(now)
		if err != nil {
			return now, err
		}
		if now, t, err = f(now, t); err != nil {
			return now, err
		}
		return packed(now, t)
	})
	switch {
	case errors.Is(err, study.ErrFull):
		return view.No("study.full")
	case errors.Is(err, storage.ErrManyStudies):
		return view.No("study.many", "Count", storage.MostStudies)
	case errors.Is(err, storage.ErrNotFound):
		return view.No("study.gone")
	case err != nil:
		return err
	}
	if v.Tree, err = tree(v.Study); err != nil {
		return err
	}
	if err := s.fair(ctx, r, v.Tree); err != nil {
		return err
	}
	if padded && v.Tree.Game().Turn() != game.Empty {
		at := pad.Last(v.Tree.Game())
		v.Pad = &at
	}
	return s.show(ctx, r, v)
}

// turned changes the tree of a study alone.
func turned(f func(study.Study) (study.Study, error)) func(storage.Study, study.Study) (storage.Study, study.Study,
	error) {
	return func(v storage.Study, t study.Study) (storage.Study, study.Study, error) {
		t, err := f(t)
		return v, t, err
	}
}

// How long the engine looks at a position: at first beside the engine's turns as for a hint, and then with what they
// leave.
var (
	lookTime   = 400 * time.Millisecond
	threatTime = 200 * time.Millisecond
	deepTimes  = [view.StudySteps - 1]time.Duration{3 * time.Second, 10 * time.Second}
)

// deepFor is how long a deep search may take with its waits: less than a handler has.
const deepFor = 40 * time.Second

// look shows what the engine sees.
func (s *Studies) look(ctx context.Context, r chat.Request, v view.Study, step int) error {
	g := v.Tree.Game()
	if g.Turn() == game.Empty || step < 0 || step >= view.StudySteps {
		return view.No("unknown.button")
	}
	if _, busy := s.asking.LoadOrStore(r.By, true); busy {
		return view.No("study.looking")
	}
	defer s.asking.Delete(r.By)
	report, err := s.search(ctx, g, step)
	if err != nil {
		return err
	}
	passed, threat := s.threat(ctx, g, report)
	v.Seen = view.SeenOf(g, report, step, passed, threat)
	return s.show(ctx, r, v)
}

func (s *Studies) search(ctx context.Context, g game.Game, step int) (ai.Report, error) {
	if step == 0 {
		return s.Desk.Advise(ctx, g, ai.Limits{Time: lookTime})
	}
	ctx, cancel := context.WithTimeout(ctx, deepFor)
	defer cancel()
	return s.Desk.Deepen(ctx, g, ai.Limits{Time: deepTimes[step-1]})
}

// threat looks for what the other side would win by if it were to move, where nothing is proven. It is nil where
// nothing is found.
func (s *Studies) threat(ctx context.Context, g game.Game, found ai.Report) (passed game.Game, threat *ai.Report) {
	if g.Rules() == game.Reversi || found.Proof != engine.Unproven {
		return passed, nil
	}
	passed, err := game.From(g.Rules(), g.Position(), g.Turn().Other())
	if err != nil || passed.Turn() == game.Empty {
		return passed, nil
	}
	r, err := s.Desk.Advise(ctx, passed, ai.Limits{Time: threatTime})
	if err != nil {
		return passed, nil
	}
	return passed, &r
}

// Press does what is pressed on the analysis board.
func (s *Studies) Press(ctx context.Context, r chat.Request, p view.Press) error {
	what, arg, _ := strings.Cut(p.Arg, ".")
	if what == "open" {
		return s.openSaved(ctx, r)
	}
	v, err := s.found(ctx, r, uint64(p.Match))
	if err != nil {
		return err
	}
	if v.Version != p.Stamp { // pressed twice, or on an older board
		return s.show(ctx, r, v)
	}
	switch what {
	case "show":
		return s.show(ctx, r, v)
	case "try":
		return s.padAt(ctx, r, v, pad.Last(v.Tree.Game()))
	case "pad":
		at, err := pad.Parse(arg, v.Tree.Rules().Size())
		if err != nil {
			return view.No("unknown.button")
		}
		return s.padAt(ctx, r, v, at)
	case "look":
		step, _ := strconv.Atoi(arg)
		return s.look(ctx, r, v, step)
	case "list":
		return s.List(ctx, r, v)
	case "drop":
		if err := s.Store.DropStudy(ctx, r.By, v.Number); err != nil {
			return err
		}
		return s.List(ctx, r, view.Study{})
	}
	if does := s.moves(what, arg, r); does != nil {
		return s.change(ctx, r, p, what == "at" || strings.HasSuffix(arg, ".undo"), does)
	}
	return s.onward(ctx, r, v, what)
}

// moves is what a press does that changes a study; nil where it does not.
func (s *Studies) moves(what, arg string, r chat.Request) func(storage.Study, study.Study) (storage.Study, study.Study,
	error) {
	switch what {
	case "go", "pick":
		if what == "pick" && len(r.Values) == 1 {
			arg = r.Values[0]
		}
		number, _, _ := strings.Cut(arg, ".")
		return turned(func(t study.Study) (study.Study, error) {
			n, err := strconv.Atoi(number)
			if err != nil {
				return t, view.No("unknown.button")
			}
			return t.Go(n), nil
		})
	case "at":
		return turned(func(t study.Study) (study.Study, error) {
			p, err := game.ParsePoint(arg, t.Rules().Size())
			if err != nil {
				return t, view.No("unknown.button")
			}
			return t.Play(p)
		})
	case "cut":
		return turned(func(t study.Study) (study.Study, error) { return t.Prune(), nil })
	case "keep":
		return turned(func(t study.Study) (study.Study, error) {
			line, err := view.UnpackLine(arg)
			if err != nil {
				return t, view.No("unknown.button")
			}
			if longer := t.Add(line); longer.Len() > t.Len() || t.Len() < study.MostNodes {
				return longer, nil
			}
			return t, study.ErrFull
		})
	case "noted":
		return turned(func(t study.Study) (study.Study, error) {
			return t.Written(r.Text("name", ""), r.Text("note", ""))
		})
	case "saved":
		return func(v storage.Study, t study.Study) (storage.Study, study.Study, error) {
			if v.Name = view.Typed(r.Text("name", ""), storage.MostStudyName); v.Name == "" {
				return v, t, view.No("study.nameless")
			}
			return v, t, nil
		}
	}
	return nil
}

// onward answers a press that leads elsewhere, or asks something.
func (s *Studies) onward(ctx context.Context, r chat.Request, v view.Study, what string) error {
	t := s.House.Tongue(r)
	switch what {
	case "note":
		return s.ask(ctx, r, t.NoteForm(v))
	case "save":
		return s.ask(ctx, r, t.SaveForm(v))
	case "file":
		return chat.Tell(ctx, s.Chat, r, t.StudyFile(v, s.file(v)))
	case "post":
		return s.post(ctx, r, v)
	case "play":
		return s.answer(ctx, r, t.PlayStudy(v))
	case "bot":
		level := 0
		if len(r.Values) == 1 {
			level, _ = strconv.Atoi(r.Values[0])
		}
		if level < 1 || level > game.Levels {
			return view.No("unknown.button")
		}
		return s.Host.PlayOn(ctx, r, v.Tree.Game(), game.SeatEngine(level))
	case "lent":
		if err := s.Host.MayChallenge(ctx, r, r.Target); err != nil {
			return err
		}
		return s.Host.PlayOn(ctx, r, v.Tree.Game(), game.SeatFor(r.Target.ID))
	}
	return view.No("unknown.button")
}

func (s *Studies) ask(ctx context.Context, r chat.Request, f chat.Form) error {
	_, err := s.Chat.Answer(ctx, r.Ticket(), chat.Answer{Kind: chat.Ask, Form: f})
	return err
}

// file is a study as members take it along.
func (s *Studies) file(v view.Study) []byte {
	return record.WriteStudy(v.Tree, record.Record{Event: v.Name, Date: v.At.UTC().Format(time.DateOnly)})
}

// post shows a study to everybody in the channel.
func (s *Studies) post(ctx context.Context, r chat.Request, v view.Study) error {
	look, err := s.Host.FirstLook(ctx, r)
	if err != nil {
		return err
	}
	v.Look = look
	msg, err := s.Paint.PostedStudy(view.In(look.Language), v, r.By, s.file(v))
	if err != nil {
		return err
	}
	return s.Host.Post(ctx, r, msg)
}

func (s *Studies) padAt(ctx context.Context, r chat.Request, v view.Study, at pad.Pad) error {
	if v.Tree.Game().Turn() != game.Empty {
		v.Pad = &at
	}
	return s.show(ctx, r, v)
}

// List shows the studies that the member has saved. at is the one from which they come; the zero Study: none.
func (s *Studies) List(ctx context.Context, r chat.Request, at view.Study) error {
	all, err := s.Store.Studies(ctx, r.By)
	if err != nil {
		return err
	}
	return s.answer(ctx, r, s.House.Tongue(r).Studies(all, at))
}

// openSaved shows the study that is chosen from the list.
func (s *Studies) openSaved(ctx context.Context, r chat.Request) error {
	if len(r.Values) != 1 {
		return view.No("unknown.button")
	}
	return s.OpenNamed(ctx, r, r.Values[0])
}

// OpenNamed shows a study that the member has saved, by the key of its number or by its name.
func (s *Studies) OpenNamed(ctx context.Context, r chat.Request, name string) error {
	all, err := s.Store.Studies(ctx, r.By)
	if err != nil {
		return err
	}
	id, _ := view.ParseKey(name)
	i := slices.IndexFunc(all, func(v storage.Study) bool {
		return v.Number == uint64(id) || strings.EqualFold(v.Name, strings.TrimSpace(name))
	})
	if i < 0 {
		return view.No("study.gone")
	}
	v, err := s.found(ctx, r, all[i].Number)
	if err != nil {
		return err
	}
	return s.show(ctx, r, v)
}

// Offer offers the studies that the member has saved, by what is typed of their names.
func (s *Studies) Offer(ctx context.Context, r chat.Request) (choices []chat.Choice, err error) {
	all, err := s.Store.Studies(ctx, r.By)
	typed := strings.ToLower(strings.TrimSpace(r.Options["game"].Text))
	for _, v := range all {
		if strings.Contains(strings.ToLower(v.Name), typed) {
			choices = append(choices, chat.Choice{Label: view.Clip(v.Name, 100), Value: view.Key(game.MatchID(v.Number))})
		}
	}
	return choices, err
}
