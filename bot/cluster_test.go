package bot

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"tengen/ai"
	"tengen/bot/discord"
	"tengen/bot/standin"
	"tengen/bot/texts"
	"tengen/bot/upkeep"
	"tengen/bot/view"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/storage"
	"tengen/storage/lease"
	"tengen/storage/pg"
	"tengen/storage/pg/pgtest"
)

// Two bot processes behind a load balancer, PostgreSQL with a standby that it waits for, and members who play in
// channels of their own, while servers and processes are killed and paused. In
// the end no acknowledged move is lost or doubled, every game's history can be put in one
// order (porcupine), the engine has answered each move once, and nobody has written as
// the owner of a channel while another process was.
//
// TENGEN_ROUNDS is the number of rounds (unset: 1; seven are one of each kind, and the
// controls run), TENGEN_CHANNELS of channels (unset: 4).

const (
	clusterEnv   = "TENGEN_TEST_CLUSTER" // what makes this process a bot of the cluster
	clusterLease = 3 * time.Second
)

// member of the cluster, as its process is told in the environment.
type clusterBot struct {
	Addr     string        // of the stand-in
	Key      string        // of the application, in hex
	Postgres string        // where it is
	Think    time.Duration // of the engine
}

// clusterProcess is a bot process on PostgreSQL, called over HTTP.
func clusterProcess(text string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "bot process:", err)
			os.Exit(3)
		}
	}
	var c clusterBot
	fail(json.Unmarshal([]byte(text), &c))
	ctx := context.Background()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	db, err := pg.Open(ctx, pg.Options{Address: c.Postgres, Connections: 6, Lease: clusterLease, Absent: storage.Once,
		Announce: fmt.Append(nil, "process ", os.Getpid())}) // by which ownerWrites knows it
	fail(err)
	store, err := storage.Open(ctx, db, storage.Options{Limits: storage.Limits{}, Node: os.Getpid() % 1024})
	fail(err)
	key, err := hex.DecodeString(c.Key)
	fail(err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	d, err := discord.New(discord.Options{Token: standin.DefaultToken, Transport: standin.TransportTo(c.Addr),
		Endpoint: &discord.EndpointOptions{Listener: l, Key: ed25519.PublicKey(key)}, Log: log})
	fail(err)
	think := func(ctx context.Context, g game.Game, limits ai.Limits) (ai.Report, error) {
		if c.Think > 0 {
			t := time.NewTimer(c.Think)
			defer t.Stop()
			select {
			case <-t.C:
			case <-ctx.Done():
			}
		}
		return simple(ctx, g, limits)
	}
	_, err = d.Register(ctx, Commands(false), texts.Local, texts.Locales(), 0)
	fail(err)
	b, err := Serve(ctx, d, Config{Store: store, Log: log, Think: think, Leases: db})
	fail(err)
	fmt.Println("up", l.Addr())
	fail(b.Wait(ctx))
}

// fleet is the whole cluster: servers, processes, load balancer and members.
type fleet struct {
	*standin.Server
	t        *testing.T
	primary  *pgtest.Server
	standby  *pgtest.Server
	bots     []*fleetBot
	spec     clusterBot
	lines    [3]map[*pgtest.Server]*pgtest.Line // of each bot, and of the test
	between  map[*pgtest.Server]*pgtest.Line    // from a server's standby to it
	store    *storage.Store                     // for the test to read
	doubling float64                            // of interactions that reach both processes
	players  []*clusterPlayer
	stop     atomic.Bool
	wait     sync.WaitGroup
	failed   atomic.Int64
	slowest  atomic.Int64 // nanoseconds of an answer
}

type fleetBot struct {
	postgres string // where it is for this one

	mu   sync.Mutex
	cmd  *exec.Cmd
	log  *os.File
	url  string
	well bool // as the load balancer sees it
}

// followThrough is the setting of a standby that follows a server through a line.
func followThrough(l *pgtest.Line) string {
	return "primary_conninfo=host=" + l.Dir + " user=bot application_name=b"
}

func newFleet(t *testing.T, channels int, spec clusterBot, doubling float64) *fleet {
	t.Helper()
	primary := pgtest.Start(t)
	between := primary.Line(t)
	standby := primary.Standby(t, "b", followThrough(between))
	primary.WaitForStandby(t)
	l := testkit.Listen(t)
	f := &fleet{t: t, primary: primary, standby: standby, spec: spec, doubling: doubling,
		between: map[*pgtest.Server]*pgtest.Line{primary: between, standby: standby.Line(t)},
		Server:  standin.New(t, standin.Options{Listener: l, Lenient: true, Keep: 300, KeepBytes: 64 << 20})}
	for i := range f.lines {
		f.lines[i] = map[*pgtest.Server]*pgtest.Line{primary: primary.Line(t), standby: standby.Line(t)}
	}
	address := func(i int) string { return pgtest.Through(f.lines[i][primary], f.lines[i][standby]) }
	f.spec.Addr, f.spec.Key = f.Addr(), hex.EncodeToString(f.PublicKey())
	db := testkit.Got(pg.Open(t.Context(), pg.Options{Address: address(2), Connections: 6}))
	t.Cleanup(func() { db.Close() })
	f.store = testkit.Got(storage.Open(t.Context(), db, storage.Options{}))
	f.watchOwners()
	for i := range 2 {
		b := &fleetBot{postgres: address(i)}
		b.log = testkit.Got(os.Create(filepath.Join(t.TempDir(), fmt.Sprintf("bot%d.log", i))))
		f.bots = append(f.bots, b)
		f.up(i)
	}
	t.Cleanup(func() {
		for i, b := range f.bots {
			f.kill(i)
			b.log.Close()
			if text, _ := os.ReadFile(b.log.Name()); t.Failed() {
				lines := strings.Split(string(text), "\n")
				t.Logf("bot %d, the end of its log:\n%s", i, strings.Join(lines[max(0, len(lines)-25):], "\n"))
			}
		}
	})
	balancer := &http.Server{Handler: http.HandlerFunc(f.balance)}
	bl := testkit.Listen(t)
	go balancer.Serve(bl)
	t.Cleanup(func() { balancer.Close() })
	testkit.Must(t, f.SetEndpoint("http://"+bl.Addr().String()+"/interactions"))
	for i := range channels {
		place := fmt.Sprintf("#room%d", i)
		f.AddChannel(place)
		f.players = append(f.players, &clusterPlayer{fleet: f, place: place, member: f.Member(fmt.Sprintf("m%d", i)).Try(),
			dice: rand.New(rand.NewPCG(uint64(i), 7)), since: map[game.MatchID]int64{}, seen: map[game.MatchID]string{},
			tried: map[gameOp]bool{}})
	}
	for _, p := range f.players {
		p.member.Sees(p.place) // they are there from now on
	}
	for _, who := range f.People() {
		for _, p := range f.players {
			if who.Username == p.member.Name {
				n, _ := strconv.ParseUint(who.ID, 10, 64)
				p.id = game.MemberID(n)
			}
		}
	}
	return f
}

// up starts a bot process.
func (f *fleet) up(i int) {
	f.t.Helper()
	b := f.bots[i]
	spec := f.spec
	spec.Postgres = b.postgres
	text := testkit.Got(json.Marshal(spec))
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), clusterEnv+"="+string(text))
	cmd.Stderr = b.log
	out := testkit.Got(cmd.StdoutPipe())
	testkit.Must(f.t, cmd.Start())
	s := bufio.NewScanner(out)
	if !s.Scan() || !strings.HasPrefix(s.Text(), "up ") {
		f.t.Fatalf("bot process %d does not come up", i)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cmd, b.url, b.well = cmd, "http://"+strings.TrimPrefix(s.Text(), "up "), true
}

func (f *fleet) kill(i int) {
	b := f.bots[i]
	b.turnAway()
	b.cmd.Process.Signal(syscall.SIGKILL)
	b.cmd.Process.Signal(syscall.SIGCONT)
	b.cmd.Wait()
}

// turnAway makes the load balancer send the process nothing more, since it is not well.
func (b *fleetBot) turnAway() { b.set(false) }
func (b *fleetBot) set(well bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.well = well
}

// balance gives an interaction to one of the processes, and now and then to both.
func (f *fleet) balance(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var to []string
	for _, b := range f.bots {
		b.mu.Lock()
		if b.well {
			to = append(to, b.url)
		}
		b.mu.Unlock()
	}
	rand.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
	post := func(url string, answer bool) (int, error) {
		ctx, cancel := context.WithTimeout(r.Context(), 1500*time.Millisecond)
		defer cancel()
		q, err := http.NewRequestWithContext(ctx, "POST", url+r.URL.Path, bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		q.Header = r.Header.Clone()
		p, err := http.DefaultClient.Do(q)
		if err != nil {
			return 0, err
		}
		text, _ := io.ReadAll(p.Body)
		p.Body.Close()
		if answer && p.StatusCode == 200 { // PONG
			w.Header().Set("Content-Type", "application/json")
			w.Write(text)
			return 0, nil
		}
		return p.StatusCode, nil
	}
	var kind struct {
		Type int `json:"type"`
	}
	json.Unmarshal(body, &kind)
	if len(to) == 2 && kind.Type != 1 /* a ping */ && rand.Float64() < f.doubling {
		go post(to[1], false)
	}
	for _, url := range to {
		status, err := post(url, true)
		if err != nil { // the next one: the same interaction may have been taken already
			continue
		}
		if status != 0 {
			w.WriteHeader(status)
		}
		return
	}
	w.WriteHeader(http.StatusServiceUnavailable)
}

// clusterPlayer plays against the engine in a channel of its own, game after game.
type clusterPlayer struct {
	*fleet
	place  string
	member *standin.Member
	dice   *rand.Rand
	plays  int // games asked for, acknowledged or not

	mu      sync.Mutex
	history []porcupine.Operation
	seen    map[game.MatchID]string // the log of each game as it was last seen
	since   map[game.MatchID]int64  // when the move was begun that the engine has to answer
	acked   int
	tried   map[gameOp]bool // moves of which nobody said whether they were made
	id      game.MemberID
}

// What an operation on a game's log is.
type gameOp struct {
	kind  byte // m: a member's move, e: the engine's, r: a read of the whole log
	match game.MatchID
	point game.Point
}

type gameOut struct {
	known bool // false: nobody said whether it was done
	done  bool
	moves string
}

// logModel is a game as a log: moves take turns, and a read gives all of them.
var logModel = porcupine.Model{
	Partition: func(all []porcupine.Operation) (parts [][]porcupine.Operation) {
		by := map[game.MatchID][]porcupine.Operation{}
		for _, op := range all {
			id := op.Input.(gameOp).match
			by[id] = append(by[id], op)
		}
		for _, ops := range by {
			parts = append(parts, ops)
		}
		return parts
	},
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		log, in, out := state.(string), input.(gameOp), output.(gameOut)
		turn := byte('m')
		if len(log)%2 == 1 {
			turn = 'e'
		}
		fits := in.kind == turn && !strings.Contains(log, string([]byte{byte(in.point)}))
		switch {
		case in.kind == 'r':
			return log == out.moves, log
		case out.known && out.done:
			return fits, log + string([]byte{byte(in.point)})
		case out.known:
			return true, log
		case fits: // it may be done at any time from its call on
			return true, log + string([]byte{byte(in.point)})
		}
		return true, log
	},
}

func movesOf(m game.Match) string {
	var log []byte
	for _, p := range m.Game().Moves() {
		log = append(log, byte(p))
	}
	return string(log)
}

func (p *clusterPlayer) record(in gameOp, out gameOut, call, ret int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.history = append(p.history, porcupine.Operation{Input: in, Output: out, Call: call, Return: ret})
}

var padLabel = regexp.MustCompile(`\[([A-O]\d{1,2})\]`)

func (p *clusterPlayer) play() {
	for !p.stop.Load() {
		m, ok := p.read()
		switch {
		case !ok:
			time.Sleep(50 * time.Millisecond)
		case m.ID == 0:
			p.plays++
			p.heard(p.member.Slash(p.place, "/play with:bot game:gomoku level:1 color:black"))
		case m.EngineToMove():
			time.Sleep(20 * time.Millisecond)
		default:
			p.move(m)
		}
	}
}

// read reads the channel's game from the store, and notes it.
func (p *clusterPlayer) read() (m game.Match, ok bool) {
	call := time.Now().UnixNano()
	recs, err := p.store.Of(p.t.Context(), p.id)
	if err != nil {
		return m, false
	}
	if len(recs) == 0 {
		return m, true
	}
	p.saw(recs[0].Match, call)
	return recs[0].Match, true
}

// saw notes a read, and what the engine has done since the last one.
func (p *clusterPlayer) saw(m game.Match, call int64) {
	ret := time.Now().UnixNano()
	log := movesOf(m)
	p.mu.Lock()
	before, since := len(p.seen[m.ID]), p.since[m.ID]
	if p.seen[m.ID] = log; len(log)%2 == 0 {
		delete(p.since, m.ID)
	}
	p.mu.Unlock()
	for i := before; i < len(log); i++ {
		if i%2 == 1 {
			p.record(gameOp{'e', m.ID, game.Point(log[i])}, gameOut{true, true, ""}, since, ret)
		}
	}
	p.record(gameOp{'r', m.ID, 0}, gameOut{true, true, log}, call, ret)
}

func (p *clusterPlayer) move(m game.Match) {
	var point game.Point
	labels := padLabel.FindAllStringSubmatch(p.member.Sees(p.place), -1)
	press := len(labels) > 0 && p.dice.IntN(4) > 0
	if press {
		point, _ = game.ParsePoint(labels[p.dice.IntN(len(labels))][1], 15)
		press = m.Game().Check(point) == nil
	}
	for !press {
		if point = game.At(p.dice.IntN(15), p.dice.IntN(15)); m.Game().Check(point) == nil {
			break
		}
	}
	call := time.Now().UnixNano()
	p.mu.Lock()
	if _, asked := p.since[m.ID]; !asked {
		p.since[m.ID] = call
	}
	p.mu.Unlock()
	var a *standin.Answer
	if press {
		// of this game: a command that nobody answered may have made another
		a = p.member.Press(p.place, view.On(m, "play", point.String()))
	} else {
		a = p.member.Slash(p.place, "/move at:"+point.String()+" game:"+view.Key(m.ID))
	}
	ret := time.Now().UnixNano()
	if strings.Contains(a.Failed, "refused: ") {
		return // Discord's client would not let them
	}
	p.heard(a)
	out := p.outcome(a, point)
	p.mu.Lock()
	try := gameOp{'m', m.ID, point}
	if p.tried[try] { // what the board shows may be the earlier try's, of which nobody said whether it was made
		out = gameOut{}
	}
	if !out.known {
		p.tried[try] = true
	}
	p.mu.Unlock()
	if !out.known {
		ret = 1 << 62
	}
	if out.done {
		p.mu.Lock()
		p.acked++
		p.mu.Unlock()
	}
	p.record(gameOp{'m', m.ID, point}, out, call, ret)
}

var blackStones = regexp.MustCompile(`Black \(\d+\): ([^.]*)\.`)

// outcome is what the member learned of a move. The board with the stone, or "Done." on a typed
// move whose board is another message, says that it was made. Nothing else is certain.
func (p *clusterPlayer) outcome(a *standin.Answer, point game.Point) gameOut {
	if a.Failed != "" || a.Message == nil {
		return gameOut{}
	}
	text, _ := json.Marshal(a.Message)
	if strings.Contains(string(text), `"content":"Done."`) {
		return gameOut{known: true, done: true}
	}
	for _, list := range blackStones.FindAllStringSubmatch(string(text), -1) {
		if slices.Contains(strings.Fields(list[1]), point.String()) {
			return gameOut{known: true, done: true}
		}
	}
	return gameOut{}
}

func (f *fleet) heard(a *standin.Answer) {
	if a.Failed != "" {
		f.failed.Add(1)
		return
	}
	for {
		was := f.slowest.Load()
		if int64(a.Took) <= was || f.slowest.CompareAndSwap(was, int64(a.Took)) {
			return
		}
	}
}

// watchOwners has PostgreSQL note, in each transaction that takes the row of an owed turn away, which process
// made it and which process held each slot. Nothing but an engine's move takes such a row away here.
func (f *fleet) watchOwners() {
	f.primary.Do(f.t, `
		CREATE TABLE tengen.turns (match bytea, sender bytea, holders jsonb);
		CREATE FUNCTION tengen.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO tengen.turns SELECT substring(k FROM 2 FOR 8),
				(SELECT announce FROM tengen.senders WHERE id = NEW.sender),
				(SELECT jsonb_object_agg(slot, convert_from(announce, 'UTF8'))
					FROM tengen.slots s JOIN tengen.members m ON m.team = s.team AND name = holder)
			FROM unnest(NEW.keys) AS k
			WHERE get_byte(k, 0) = ascii('w') AND NOT EXISTS (SELECT FROM tengen.rows WHERE key = k);
			RETURN NULL;
		END $$;
		CREATE TRIGGER note AFTER INSERT ON tengen.changes FOR EACH ROW EXECUTE FUNCTION tengen.note()`)
}

// judge counts the engine's moves, and lists those that another process made than the owner of their channel.
func (f *fleet) judge() (total int, wrong []string) {
	f.t.Helper()
	const all = "SELECT encode(match, 'hex'), convert_from(sender, 'UTF8'), holders FROM tengen.turns"
	for line := range strings.Lines(f.primary.Do(f.t, all)) {
		total++
		cells := strings.SplitN(strings.TrimSpace(line), "|", 3)
		id := testkit.Got(strconv.ParseUint(cells[0], 16, 64))
		rec := testkit.Got(f.store.Match(f.t.Context(), game.MatchID(id)))
		holders := map[int]string{}
		testkit.Must(f.t, json.Unmarshal([]byte(cells[2]), &holders))
		if owner := holders[lease.SlotOf(rec.Place.Channel, upkeep.Slots)]; owner != cells[1] {
			wrong = append(wrong, fmt.Sprintf("match %d: written by %q while %q owned it", id, cells[1], owner))
		}
	}
	return total, wrong
}

func (f *fleet) acked() (n int) {
	for _, p := range f.players {
		p.mu.Lock()
		n += p.acked
		p.mu.Unlock()
	}
	return n
}

func (f *fleet) eventually(what string, within time.Duration, ok func() bool) time.Duration {
	f.t.Helper()
	began := time.Now()
	for !ok() {
		if time.Since(began) > within {
			f.t.Errorf("%s: not within %v", what, within)
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(began)
}

// more waits until n more moves are acknowledged.
func (f *fleet) more(n int) {
	f.t.Helper()
	until := f.acked() + n
	f.eventually("moves", 5*time.Minute, func() bool { return f.acked() >= until })
}

// shared reports whether so many processes hold all slots.
func (f *fleet) shared(holders int) func() bool {
	want := fmt.Sprintf("%d|%d", upkeep.Slots, holders)
	return func() bool {
		return f.primary.Do(f.t, "SELECT count(*), count(DISTINCT holder) FROM tengen.slots") == want
	}
}

func (f *fleet) start() {
	f.t.Helper()
	for _, p := range f.players {
		f.wait.Go(p.play)
	}
}

// round is one thing that goes wrong, and its repair.
func (f *fleet) round(n int) {
	f.t.Helper()
	f.eventually("slots are shared out", time.Minute, f.shared(2))
	moves, failed := f.acked(), f.failed.Load()
	f.slowest.Store(0)
	took := time.Duration(0)
	what := ""
	i := n / 7 % 2
	b := f.bots[i]
	switch n % 7 {
	case 0:
		what = "the primary killed, the standby promoted"
		f.primary.Kill(f.t)
		f.promote()
		f.follow()
	case 1:
		what = "a bot killed"
		f.kill(i)
		took = f.eventually("the slots of the dead are taken over", 10*time.Second, f.shared(1))
		f.more(2 * len(f.players))
		f.up(i)
	case 2:
		what = "the line between a bot and the primary cut"
		line := f.lines[i][f.primary]
		line.Cut()
		time.AfterFunc(time.Second, b.turnAway)
		took = f.eventually("the slots of the bot are taken over", 10*time.Second, f.shared(1))
		f.more(len(f.players))
		line.Mend()
		f.eventually("slots are shared out again", time.Minute, f.shared(2))
		b.set(true)
	case 3:
		what = "the primary cut off from all, the standby promoted"
		lines := []*pgtest.Line{f.between[f.primary]}
		for _, to := range f.lines {
			lines = append(lines, to[f.primary])
		}
		for _, l := range lines {
			l.Cut()
		}
		f.promote()
		f.standby.Kill(f.t) // the former primary, as the failover's tool does before others reach it again
		for _, l := range lines {
			l.Mend()
		}
		f.follow()
	case 4:
		what = "a bot paused"
		b.cmd.Process.Signal(syscall.SIGSTOP)
		time.AfterFunc(time.Second, b.turnAway)
		took = f.eventually("the slots of the paused are taken over", 10*time.Second, f.shared(1))
		f.more(len(f.players))
		b.cmd.Process.Signal(syscall.SIGCONT)
		f.eventually("slots are shared out again", time.Minute, f.shared(2))
		b.set(true)
	case 5:
		what = "the standby killed for four seconds"
		f.standby.Kill(f.t)
		f.waits()
		f.standby.Restart(f.t)
		f.more(2 * len(f.players))
	case 6:
		what = "the line between the servers cut for four seconds"
		f.between[f.primary].Cut()
		f.waits()
		f.between[f.primary].Mend()
		f.more(2 * len(f.players))
	}
	f.more(len(f.players))
	f.t.Logf("round %d, %s: %d moves acknowledged, %d interactions without an answer, slowest answer %v%s", n+1, what,
		f.acked()-moves, f.failed.Load()-failed, time.Duration(f.slowest.Load()).Round(time.Millisecond),
		map[bool]string{true: ", taken over after " + took.Round(10*time.Millisecond).String()}[took > 0])
}

// promote makes the standby the primary, and waits for some moves.
func (f *fleet) promote() {
	f.t.Helper()
	f.standby.Promote(f.t)
	f.primary, f.standby = f.standby, f.primary
	f.more(2 * len(f.players))
}

// follow has the former primary, which has ended, follow the new one.
func (f *fleet) follow() {
	f.t.Helper()
	f.standby.Follow(f.t, f.primary, "b", followThrough(f.between[f.primary]))
	f.primary.WaitForStandby(f.t)
}

// waits looks that nothing is acknowledged while the primary does not reach its standby.
func (f *fleet) waits() {
	f.t.Helper()
	before := f.acked()
	time.Sleep(4 * time.Second)                            // longer than a try: waits for the standby are cancelled
	if made := f.acked() - before; made > len(f.players) { // what the standby had before
		f.t.Errorf("%d moves were acknowledged while no standby had them", made)
	}
}

// findings lists what is wrong at the end.
func (f *fleet) findings() (wrong []string) {
	f.t.Helper()
	f.stop.Store(true)
	f.wait.Wait()
	f.eventually("all turns that the engine owes are taken", 30*time.Second, func() bool {
		owed, err := f.store.Owed(f.t.Context())
		return err == nil && len(owed) == 0
	})
	matches, moves := map[game.MemberID]int{}, 0
	check := func(rec storage.Record) bool {
		matches[rec.Owner]++
		moves += len(rec.Log)
		for _, p := range f.players {
			if p.id == rec.Owner {
				p.saw(rec.Match, time.Now().UnixNano())
			}
		}
		if black, white := (len(rec.Log)+1)/2, len(rec.Log)/2; rec.Phase == game.Playing && black != white {
			wrong = append(wrong, fmt.Sprintf("match %d: %d moves of the member and %d of the engine", rec.ID, black, white))
		}
		return true
	}
	for _, each := range []func(context.Context, func(storage.Record) bool) error{f.store.Live, f.store.Archive} {
		testkit.Must(f.t, each(f.t.Context(), check))
	}
	var ops int
	for _, p := range f.players {
		if n := matches[p.id]; n > p.plays {
			wrong = append(wrong, fmt.Sprintf("%s: %d games for %d commands", p.place, n, p.plays))
		}
		ops += len(p.history)
		if got := porcupine.CheckOperationsTimeout(logModel, p.history, time.Minute); got != porcupine.Ok {
			wrong = append(wrong, fmt.Sprintf("%s: the history is %v:%s", p.place, got, p.firstWrong()))
		}
	}
	// Half of the moves are the engine's. Of a member's some went to a bot that stood still, and some were answered
	// by the other bot.
	if made, acked, silent := moves/2, f.acked(), int(f.failed.Load()); acked < (made-silent)/2 {
		wrong = append(wrong, fmt.Sprintf("members made %d moves, %d interactions had no answer, "+
			"and members know of %d moves only: nothing can be said of the others",
			made, silent, acked))
	}
	owners, more := f.judge()
	f.t.Logf("%d moves acknowledged, %d stored, %d operations in the histories, %d engine moves by owners", f.acked(),
		moves, ops, owners)
	return append(wrong, more...)
}

// firstWrong is the end of the shortest history that cannot be put in order, by the time
// at which its operations ended.
func (p *clusterPlayer) firstWrong() string {
	for _, ops := range logModel.Partition(p.history) {
		slices.SortStableFunc(ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Return, b.Return) })
		low, high := 0, len(ops)
		if porcupine.CheckOperations(logModel, ops) {
			continue
		}
		known := func(n int) []porcupine.Operation { // with all that is open
			some := slices.Clone(ops[:n])
			for _, op := range ops[n:] {
				if !op.Output.(gameOut).known {
					some = append(some, op)
				}
			}
			return some
		}
		for low+1 < high {
			if mid := (low + high) / 2; porcupine.CheckOperations(logModel, known(mid)) {
				low = mid
			} else {
				high = mid
			}
		}
		var text strings.Builder
		start := ops[0].Call
		for _, op := range known(high)[max(0, high-10):] {
			in, out := op.Input.(gameOp), op.Output.(gameOut)
			log := ""
			for _, c := range []byte(out.moves) {
				log += game.Point(c).String() + " "
			}
			fmt.Fprintf(&text, "\n    %c %v known=%v done=%v %s [%v %v]", in.kind, in.point, out.known, out.done, log,
				time.Duration(op.Call-start).Round(time.Millisecond), time.Duration(op.Return-start).Round(time.Millisecond))
		}
		return text.String()
	}
	return ""
}

func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts two servers and two bots")
	}
	t.Parallel()
	f := newFleet(t, testkit.Dose("TENGEN_CHANNELS", 4), clusterBot{}, 0.1)
	f.start()
	f.more(len(f.players))
	for n := range testkit.Dose("TENGEN_ROUNDS", 1) {
		f.round(n)
	}
	for _, what := range f.findings() {
		t.Error(what)
	}
}
