// The page as a whole: what the server tells, what the board shows of it, and what a member does.

let state, you; // what the server has told
let sent = -1; // a point that is played and not answered yet
let waiting = -1; // a point that waits for a second tap
let changed = -1e9; // when the board changed last
let pass, proving = false; // who is proven, in an Activity
let games = []; // those of a place

const drawing = new Drawing($("drawing"), $("ground"));
const loupe = new Loupe($("loupe"), drawing);
const frame = boot.way === "activity" ? new Frame(boot.app) : undefined;
const past = new Past(() => show());
const cells = new Cells($("grid"), (p, e) => touch.echo(e) || play(p, performance.now()));
const touch = new Touch($("grid"), { place, show: hover, play });
const clock = new Clock((said, low) => {
  for (const node of document.querySelectorAll(".clock")) if (node.dataset.color === state?.turn) {
    text(node, said);
    node.classList.toggle("low", low);
  }
}, () => you?.turn && sound.hurry());
const line = new Line({ hello, hear, up: (on) => text($("line"), on ? "" : word("offline")) });

function hello() {
  const m = { t: "hello", v: 1, way: boot.way, have: state?.v };
  switch (boot.way) {
    case "watch": return { ...m, share: location.pathname.split("/")[2] };
    case "activity": return { ...m, instance: frame.instance, pass, match: state?.match ?? frame.match };
  }
  return { ...m, match: member.match };
}

// hear takes one message of the server.
function hear(m) {
  switch (m.t) {
    case "state": return take(m);
    case "change": return change(m);
    case "you":
      you = m;
      return show();
    case "done": return done(m);
    case "pass":
      pass = m.pass;
      if (!pass) note(word("prove.no"));
      return show();
    case "list":
      games = m.games ?? [];
      return show();
    case "review": return review(m);
    case "shared":
      if (m.no) note(m.no);
      else if (m.url) shareDialog(m.url, () => line.send({ t: "unshare" }));
      else note(word("share.stopped"));
      return;
    case "bye": return bye(m.says, m.again);
    case "none": return bye(word(boot.way === "activity" ? "games.none" : boot.way === "member" && !state ? "link.old" : "none"), false);
  }
}

function take(next) {
  const before = state;
  state = { ...next };
  if (before && before.match !== state.match) Object.assign(past, { review: undefined, total: 0, at: undefined });
  settle(before);
}

// change brings the state up to date; one that does not fit what is there asks for the whole.
function change(m) {
  if (!state || m.from !== state.v) return line.send({ t: "state" });
  const before = state, { t, from, add, back, ...fields } = m;
  state = { ...before, ...fields };
  for (const key of Object.keys(fields)) if (fields[key] === null) delete state[key];
  if (add || back) {
    const moves = (before.moves ?? "").split(" ").filter(Boolean);
    state.moves = [...moves.slice(0, moves.length - (back ?? 0)), ...(add ?? "").split(" ").filter(Boolean)].join(" ");
  }
  settle(before);
}

// settle shows a new state, and tells what is new in it.
function settle(before) {
  const moved = !before || before.moves !== state.moves || before.match !== state.match;
  if (moved) {
    if (before) changed = performance.now();
    sent = waiting = -1;
  }
  past.moved(placed(state));
  clock.set(state.clock);
  if (before && before.match === state.match) tell(before, moved);
  note("");
  show(before !== undefined && moved);
}

// tell says the news to those who hear the page, and plays the sounds.
function tell(before, moved) {
  const old = plies(before.moves, state.size), now = plies(state.moves, state.size), said = [];
  const added = now.slice(old.length);
  for (const [i, m] of added.entries()) {
    const point = { Point: nameOf(m.at, state.size) };
    if (state.game === "reversi" && m.color === now[old.length + i - 1]?.color) said.push(word("said.pass." + spoken[other(m.color)]));
    said.push(m.color === "o" ? word("said.offer", point) : word("said." + spoken[m.color], point));
  }
  if (now.length < old.length) said.push(word("said.back"));
  if (state.end && !before.end) {
    said.push(state.end.says);
    sound.end();
  }
  const { last, flipped } = replay(state);
  if (moved && added.length && last !== heard) flipped.length ? sound.discs(flipped.length) : sound.stone();
  heard = -1;
  if (said.length) text($("announce"), said.join(" "));
}
let heard = -1; // an own move whose sound was played already

function done({ n, no }) {
  if (!line.wait?.has(n)) return;
  line.wait.get(n)?.();
  line.wait.delete(n);
  if (!no) return;
  sent = -1;
  note(no);
  show();
}

const note = (said) => text($("note"), said);
const over = () => state.phase === "over";
const looking = () => past.at !== undefined;
const mine = () => Boolean(you?.turn) && sent < 0 && !looking();
const legal = () => (you?.legal && you.legal !== "all" ? pointsOf(you.legal, state.size) : undefined);

// reason says why a point cannot be played; empty where it can.
function reason(p) {
  const point = nameOf(p, state.size), { stones, offers } = replay(state);
  if (!mine()) return "";
  const why = Object.entries(you.forbidden ?? {}).find(([name]) => name.toUpperCase() === point)?.[1];
  if (why) return why;
  if (stones[p]) return word("taken", { Point: point });
  if (!legal() || legal().includes(p)) return "";
  if (state.game === "reversi") return word("turns.none", { Point: point });
  return word(offers.length && !offers.includes(p) ? "choose.offered" : "not.there", { Point: point });
}

// place is the point under a pointer; -1 off the board.
function place(e) {
  if (!state) return -1;
  const box = drawing.root.getBoundingClientRect(), scale = drawing.side / box.width;
  return drawing.pointAt((e.clientX - box.left) * scale - drawing.edge, (e.clientY - box.top) * scale - drawing.edge);
}

// hover shows what lies under a finger or the pointer.
function hover(p, e, down) {
  const finger = e?.pointerType !== "mouse";
  if (p < 0 || finger && !down) loupe.hide();
  if (p < 0 || !mine()) {
    ghost();
    if (p >= 0 && finger && down && state) loupe.show(p, e.clientX, e.clientY);
    return;
  }
  drawing.ghost(p, state.turn, { cross: finger, blocked: reason(p) !== "" });
  if (finger) loupe.show(p, e.clientX, e.clientY);
}

// ghost shows the point that waits for a second tap, or that is on its way.
function ghost() {
  if (!state) return;
  if (waiting >= 0) drawing.ghost(waiting, state.turn, { sure: true });
  else if (sent >= 0 && you?.asks) drawing.ghost(sent, state.turn);
  else drawing.ghost(-1);
}

// play is a tap on a point that began at since. It asks again where the member wants that, and where the board has
// changed under the finger.
function play(p, since) {
  if (looking()) return past.go(past.total);
  if (!you || you.seat < 0) return boot.way === "activity" && !you?.seat ? prove() : undefined;
  if (!mine()) return note(over() || state.phase === "offered" ? "" : word("not.yet"));
  const why = reason(p), point = nameOf(p, state.size), now = performance.now();
  if (why) {
    waiting = -1;
    ghost();
    return note(why);
  }
  const moved = now - changed < 250 || changed > since;
  if (p !== waiting && (you.confirm || moved) || p === waiting && moved) {
    waiting = p;
    ghost();
    return note(word(moved ? "tap.changed" : "tap.again", { Point: point }));
  }
  waiting = -1;
  sent = p;
  heard = p;
  note("");
  act({ verb: "play", arg: point });
  const turning = state.game === "reversi" ? turned(replay(state).stones, p, state.turn, state.size) : [];
  turning.length ? sound.discs(turning.length) : sound.stone();
  show(true);
}

// act does what a button says. One that has come under the finger in this moment does nothing yet.
function act(a, button) {
  if (button && performance.now() - changed < 250) return note(word("press.changed"));
  button?.setAttribute("aria-busy", "true");
  const n = line.act({ match: state.match, stamp: state.stamp, verb: a.verb, arg: a.arg ?? "" });
  (line.wait ??= new Map()).set(n, () => button?.removeAttribute("aria-busy"));
}

// prove asks a member of the Activity who they are, when they first act.
async function prove() {
  if (proving) return;
  proving = true;
  note(word("prove.wait"));
  try {
    line.send({ t: "code", code: await frame.code() });
    note("");
  } catch {
    note(word("prove.no"));
  }
  proving = false;
}

// show brings the page up to date with what is known.
function show(animate = false) {
  if (!state) return;
  $("list").hidden = true;
  $("page").hidden = false;
  Object.assign($("page").dataset, { phase: state.phase, clocked: String(clocked ||= Boolean(state.clock)) });
  text($("name"), state.name);
  fit();
  const remark = looking() ? past.remark(past.at) : undefined;
  const onward = sent >= 0 && !you?.asks ? { ...state, moves: (state.moves ?? "") + " " + state.turn + nameOf(sent, state.size) } : state;
  const board = looking() ? replay(state, remark?.line ? past.at - 1 : past.at) : replay(onward);
  const present = !looking(), playing = present && state.phase === "playing" && sent < 0;
  const may = playing && you?.turn ? legal() : undefined, offers = present ? board.offers : [];
  const forbidden = playing && you?.turn ? pointsOf(Object.keys(you.forbidden ?? {}).join(" "), state.size) : [];
  const discs = state.game === "reversi";
  drawing.draw({
    ...board, animate, offers, forbidden, numbered: numbers(),
    rows: present && state.end?.line ? pointsOf(state.end.line, state.size) : undefined,
    legal: (discs ? may ?? [] : []).map((p) => [p, state.turn]),
    area: may && !discs && !offers.length ? area(may) : undefined,
    best: remark?.line ? pointsOf(remark.line, state.size).slice(0, 9) : [],
  });
  if (remark?.line) drawing.ghost(past.list[past.at - 1].at, past.list[past.at - 1].color);
  else ghost();
  cells.name((p) => label(p, board, forbidden, may));
  const counts = discs ? { b: board.stones.filter((c) => c === "b").length, w: board.stones.filter((c) => c === "w").length } : undefined;
  plates(state, you, counts, state.phase === "playing" ? state.turn : "");
  clock.clock && clock.tick();
  text($("says"), state.says ?? "");
  $("word").tabIndex = $("word").scrollHeight > $("word").clientHeight ? 0 : -1;
  $("says").classList.toggle("yours", Boolean(you?.turn));
  document.title = (you?.turn && sent < 0 ? "● " : "") + state.name;
  buttons();
  past.draw(state);
}

// fit makes the board as large as there is room: with a margin for the coordinates where cells stay large enough for a
// finger, without one where they would not.
function fit() {
  const width = $("board").clientWidth, n = state.size;
  drawing.fit({ n, game: state.game, theme: state.theme, roomy: width / (n + 1.24) >= 25 });
  cells.fit(n, drawing.topDown, drawing.inset());
}

// area is the square of points to which an opening allows a stone; none where they are no square.
function area(points) {
  const n = state.size, x = points.map((p) => p % n), y = points.map((p) => Math.floor(p / n));
  const [x0, x1, y0, y1] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
  return points.length && x1 - x0 === y1 - y0 && x1 - x0 < n - 1 ? { from: y0 * n + x0, to: y1 * n + x1 } : undefined;
}

let clocked = false; // the game has a clock, though none may run now
let numbered; // what the member chose; at first as the game has it
const numbers = () => numbered ?? state.numbers ?? false;

// label is a point as screen readers say it.
function label(p, { stones, last, offers }, forbidden, may) {
  const point = nameOf(p, state.size), color = stones[p];
  if (color) return word((p === last ? "cell.last." : "cell.") + spoken[color], { Point: point });
  if (offers.includes(p)) return word("cell.offered", { Point: point, Number: offers.indexOf(p) + 1 });
  if (forbidden.includes(p)) return word("cell.forbidden", { Point: point });
  if (state.game === "reversi" && may?.includes(p)) return word("cell.legal", { Point: point });
  return word("cell.empty", { Point: point });
}

function buttons() {
  const asks = you?.asks, box = $("asks");
  box.hidden = !asks;
  if (asks && box.made !== JSON.stringify(asks)) {
    const row = el("div.row");
    box.made = JSON.stringify(asks);
    acts(row, asks.choices.map((c) => ({ style: "primary", ...c })), act);
    fill(box, el("p", {}, asks.text), row);
  }
  if (!asks) box.made = "";
  const all = [...(you?.acts ?? [])];
  if (frame && !pass) all.push({ own: prove, label: word("prove"), style: "primary" });
  if (over()) {
    if (past.review?.busy) all.push({ own: () => {}, label: word("review.busy") });
    else if (!past.review) all.push({ own: () => (line.send({ t: "review" }), review({ busy: true })), label: word("review") });
    else if (past.next()) all.push({ own: () => past.go(past.next()), label: word("review.next") });
  }
  if (you?.seat >= 0 && boot.way !== "watch" && state.phase !== "offered") all.push({ own: () => line.send({ t: "share" }), label: word("share") });
  if (boot.way === "watch") all.push({ href: location.pathname + ".sgf", label: word("sgf") });
  if (games.length > 1) all.push({ own: list, label: word("games") });
  acts($("acts"), all, (a, button) => (a.own ? a.own() : act(a, button)));
}

// review takes the remarks of the engine, and asks again while they are made.
function review(m) {
  past.review = m;
  clearTimeout(asking);
  if (m.busy) asking = setTimeout(() => line.send({ t: "review" }), 4000);
  show();
}
let asking;

// list shows the games of a place, for a member to choose one.
function list() {
  $("page").hidden = true;
  fill($("list"), el("h1", {}, word("games")), games.map((g) => el("button.game", { type: "button", onclick: () => {
    line.send({ t: "open", match: g.match });
    show();
  } }, el("b", {}, g.name), el("span", {}, g.says))));
  $("list").hidden = false;
  $("list").querySelector("button").focus();
}

// bye ends the page: a newer one is to be opened, or there is nothing to see.
function bye(says, again) {
  if (again) return;
  line.close();
  if (state) {
    text($("line"), "");
    you = you && { ...you, turn: false, acts: [], asks: undefined };
    show();
    return note(says);
  }
  $("page").hidden = true;
  fill($("list"), el("h1", {}, says));
  $("list").hidden = false;
}

// A member's link holds a secret after "#", good once. It is traded for a pass, and the address keeps the game alone.
const member = { match: /^#m=(.+)$/.exec(location.hash)?.[1] };

async function enter() {
  const secret = location.hash.slice(1);
  if (boot.way !== "member" || member.match || !secret) return line.open();
  for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
    try {
      const res = await fetch("/pass", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ secret }) });
      if (!res.ok) return bye(word("link.old"), false);
      member.match = (await res.json()).match;
      history.replaceState(null, "", "#m=" + member.match);
      return line.open();
    } catch {
      text($("line"), word("offline"));
      await new Promise((later) => setTimeout(later, wait));
    }
  }
}

function tools() {
  const toggle = (node, name, on, set) => {
    const put = (now) => {
      node.setAttribute("aria-pressed", String(now));
      fill(node, icon(name(now)));
    };
    node.addEventListener("click", () => put(set(node.getAttribute("aria-pressed") !== "true")));
    put(on);
  };
  toggle($("sound"), (on) => (on ? "sound" : "mute"), false, (on) => (sound.turn(on), on));
  toggle($("numbers"), () => "numbers", false, (on) => {
    numbered = on;
    show();
    return on;
  });
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.altKey || e.ctrlKey || e.metaKey || /^(INPUT|TEXTAREA)$/.test(e.target.tagName) || $("dialog").open || !state) return;
    if ($("grid").contains(e.target)) return;
    if (e.key === "ArrowLeft" || e.key === "ArrowRight") past.go(past.now() + (e.key === "ArrowLeft" ? -1 : 1));
    else if (e.key === "Home" || e.key === "End") past.go(e.key === "Home" ? 0 : past.total);
    else cells.type(e.key);
  });
  new ResizeObserver(() => state && show()).observe($("board"));
}

speak();
tools();
frame?.follow();
if (boot.state) take(boot.state);
enter();
