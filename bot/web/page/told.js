// What the server tells: the state of a game, its changes, what one member may do, and what came of their acts.

let state, you; // of all who look, and of the member alone
let games = []; // those of a place
let changed = -1e9; // when the board changed last

// hear takes one message of the server.
function hear(m) {
  switch (m.t) {
    case "state": return take(m);
    case "change": return change(m);
    case "you": {
      const began = m.next && you && !you.next; // who has asked for another game goes to it
      you = m;
      if (boot.way === "member" && m.me && m.me !== member.me) {
        member.me = m.me;
        remember();
      }
      if (began) toNext();
      return show();
    }
    case "done": return done(m);
    case "pass":
      pass = m.pass;
      if (!pass) note(m.no ?? word("prove.no"));
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
    case "bye": return bye(m.says, m.again, m.retry);
    case "none": return bye(nothing(), false);
  }
}

// nothing says that there is no game here.
function nothing() {
  if (boot.way === "activity") return word("games.none");
  return word(boot.way === "member" && !state ? "link.old" : "none");
}

function take(next) {
  const before = state;
  state = { ...next };
  if (before && before.match !== state.match) {
    you = undefined;
    if (boot.way === "member") {
      member.match = state.match;
      remember();
    }
    Object.assign(past, { review: undefined, total: 0, at: undefined, trial: undefined });
  }
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
  if (state.clock !== before?.clock) clock.set(state.clock); // else it runs on
  if (before && before.match === state.match) tell(before, moved);
  if (moved) note("");
  show(before !== undefined && moved);
}

// tell says the news to those who hear the page, and plays the sounds.
function tell(before, moved) {
  const old = plies(before.moves, state.size), now = plies(state.moves, state.size), said = [];
  const added = now.slice(old.length);
  for (const [i, m] of added.entries()) {
    const point = { Point: nameOf(m.at, state.size) };
    const passed = state.game === "reversi" && m.color === now[old.length + i - 1]?.color;
    if (passed) said.push(word("said.pass." + spoken[other(m.color)]));
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

function done({ n, no, tried: trial }) {
  if (!line.wait?.has(n)) return;
  line.wait.get(n)?.();
  line.wait.delete(n);
  if (trial) return tried(n, trial);
  if (!no) return;
  sent = -1;
  if (past.trial) past.trial.looks = -1;
  note(no);
  show();
}

let retries = false; // the page is ended, and may come again when the member wants

// bye ends the page: a newer one is to be opened, there is nothing to see, or too many are open.
function bye(says, again, may = false) {
  if (again) return;
  line.close();
  retries = may;
  choosing = false;
  if (state) {
    text($("line"), "");
    you = you && { ...you, turn: false, acts: [], asks: undefined };
    show();
    return note(says);
  }
  $("page").hidden = true;
  fill($("list"), el("h1", {}, says), el("div.row", {},
    retries ? el("button.act.primary", { type: "button", onclick: comeBack }, word("again")) : "",
    frame && el("button.act.secondary", { type: "button", onclick: () => frame.close() }, word("close"))));
  $("list").hidden = false;
}

// comeBack opens the page again after an end that the member may undo.
function comeBack() {
  retries = false;
  note("");
  $("list").hidden = true;
  line.reopen();
  if (state) show();
}
