// What is shown of what is known: the board, the names of its points, the buttons, the review, the list of games.

let clocked = false; // the game has a clock, though none may run now
let numbered; // what the member chose; at first as the game has it
let fitted; // the width of the board that is shown
const numbers = () => numbered ?? state.numbers ?? false;

// show brings the page up to date with what is known.
function show(animate = false) {
  if (!state || choosing) return;
  $("list").hidden = true;
  $("page").hidden = false;
  Object.assign($("page").dataset, { phase: state.phase, clocked: String(clocked ||= Boolean(state.clock)) });
  text($("name"), state.name);
  fit();
  const { trial } = past, remark = looking() && !trial ? past.remark(past.at) : undefined;
  const going = sent >= 0 && !you?.asks ? " " + state.turn + nameOf(sent, state.size) : "";
  const onward = { ...state, moves: (state.moves ?? "") + going };
  const then = () => replay(state, remark?.line ? past.at - 1 : past.at);
  const board = trial ? trialBoard(trial) : looking() ? then() : replay(onward);
  const present = !looking(), playing = present && state.phase === "playing" && sent < 0;
  const turns = () => (trialColor(trial) ? turning(board.stones, toPlay()) : undefined);
  const may = trial ? turns() : playing && you?.turn ? legal() : undefined, offers = present ? board.offers : [];
  const forbidden = playing && you?.turn ? pointsOf(Object.keys(you.forbidden ?? {}).join(" "), state.size) : [];
  const discs = state.game === "reversi";
  drawing.draw({
    ...board, animate, offers, forbidden, numbered: trial ? trial.at > 0 : numbers(),
    rows: present && state.end?.line ? pointsOf(state.end.line, state.size) : undefined,
    legal: (discs && may || []).map((p) => [p, toPlay()]),
    area: may && !discs && !offers.length ? area(may) : undefined,
    best: remark?.line ? pointsOf(remark.line, state.size).slice(0, 9) : [],
  });
  if (remark?.line) drawing.ghost(past.list[past.at - 1].at, past.list[past.at - 1].color);
  else ghost();
  cells.name((p) => label(p, board, forbidden, may));
  const count = (color) => board.stones.filter((c) => c === color).length;
  plates(state, you, discs ? { b: count("b"), w: count("w") } : undefined, state.phase === "playing" ? state.turn : "");
  clock.clock && clock.tick();
  text($("says"), newest(state.says ?? "", trial ? trialSays(trial) : past.remarked()?.says));
  $("says").classList.toggle("yours", Boolean(you?.turn));
  document.title = (you?.turn && sent < 0 ? "● " : "") + state.name;
  buttons();
  past.draw(state);
  $("word").tabIndex = $("word").scrollHeight > $("word").clientHeight ? 0 : -1; // at the end: it lays the page out
}

// newest is what was said last: of the game, such as an offer, or of the move that is looked at.
function newest(ofGame, ofMove) {
  if (ofMove !== lately.ofMove) lately = { ofGame, ofMove, line: ofMove ?? ofGame };
  else if (ofGame !== lately.ofGame) lately = { ofGame, ofMove, line: ofGame };
  return lately.line;
}
let lately = {};

// fit makes the board as large as there is room: with a margin for the coordinates where cells stay large enough for a
// finger, without one where they would not.
function fit() {
  const width = fitted = $("board").clientWidth, n = state.size;
  drawing.fit({ n, game: state.game, theme: state.theme, roomy: width / (n + 1.24) >= 25 });
  cells.fit(n, drawing.topDown, drawing.inset());
}

// area is the square of points to which an opening allows a stone; none where they are no square.
function area(points) {
  const n = state.size, x = points.map((p) => p % n), y = points.map((p) => Math.floor(p / n));
  const [x0, x1, y0, y1] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
  return points.length && x1 - x0 === y1 - y0 && x1 - x0 < n - 1 ? { from: y0 * n + x0, to: y1 * n + x1 } : undefined;
}

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
  if (past.trial) return acts($("acts"), trialButtons(past.trial), (a) => a.own());
  const all = [...(you?.acts ?? [])];
  if (retries) all.push({ own: comeBack, label: word("again"), style: "primary" });
  if (frame && !pass) all.push({ own: prove, label: word("prove"), style: "primary" });
  if (frame) all.push({ own: invite, label: word("invite") });
  if (you?.next) all.push({ own: toNext, label: word("next"), style: "primary" });
  if (over() && you?.seat >= 0) {
    if (past.review?.busy) all.push({ own: () => {}, label: word("review.busy") });
    else if (!past.review) all.push({ own: () => askReview(), label: word("review") });
    else if (faultHere()) all.push({ own: () => retry(faultHere(), "ask"), label: word("try") });
    if (past.next()) all.push({ own: () => past.go(past.next()), label: word("review.next") });
  }
  if (you?.seat >= 0 && boot.way !== "watch" && state.phase !== "offered") {
    all.push({ own: () => line.send({ t: "share" }), label: word("share") });
  }
  if (boot.way === "watch") all.push({ href: location.pathname + ".sgf", label: word("sgf") });
  if (games.length > 1) all.push({ own: list, label: word("games") });
  acts($("acts"), all, (a, button) => (a.own ? a.own() : act(a, button)));
}

// toNext goes to the game that follows this one.
function toNext() { line.send({ t: "open", match: you.next }); }

// askReview asks for the engine's remarks. Where no answer comes, the button comes back.
function askReview(again = false) {
  line.send({ t: "review", again });
  past.review = { busy: true };
  clearTimeout(asking);
  asking = setTimeout(() => {
    past.review = undefined;
    show();
  }, 20000);
  show();
}
let asking;

// review takes the remarks, and asks again while they are made.
function review(m) {
  clearTimeout(asking);
  past.review = m.no ? undefined : m;
  if (m.no) note(m.no);
  if (m.busy) asking = setTimeout(() => askReview(true), 4000);
  show();
}

let choosing = false; // the member looks at the list: no move takes it away

// list shows the games of a place, for a member to choose one.
function list() {
  choosing = true;
  $("page").hidden = true;
  fill($("list"), el("h1", {}, word("games")), games.map((g) => el("button.game", { type: "button", onclick: () => {
    line.send({ t: "open", match: g.match });
    choosing = false;
    show();
  } }, el("b", {}, g.name), el("span", {}, g.says))));
  $("list").hidden = false;
  $("list").querySelector("button").focus();
}
