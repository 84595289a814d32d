// What a member does: pointing, playing, pressing buttons, saying who they are.

let sent = -1; // a point that is played and not answered yet
let heard = -1; // an own move whose sound was played already
let waiting = -1; // a point that waits for a second tap
let pass, proving = false; // who is proven, in an Activity

const note = (said) => text($("note"), said);
const over = () => state.phase === "over";
const looking = () => past.at !== undefined;
const mine = () => Boolean(you?.turn) && sent < 0 && !looking();
const legal = () => (you?.legal && you.legal !== "all" ? pointsOf(you.legal, state.size) : undefined);

// toPlay is the colour that a tap would play; empty where it would play none.
const toPlay = () => (past.trial ? trialColor(past.trial) : mine() ? state.turn : "");

// reason says why a point cannot be played; empty where it can.
function reason(p) {
  const point = nameOf(p, state.size), { stones, offers } = past.trial ? trialBoard(past.trial) : replay(state);
  if (!toPlay()) return "";
  const why = Object.entries(you.forbidden ?? {}).find(([name]) => name.toUpperCase() === point)?.[1];
  if (why) return why;
  if (stones[p]) return word("taken", { Point: point });
  const may = past.trial ? turning(stones, toPlay()) : legal();
  if (!may || may.includes(p)) return "";
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
  const color = toPlay();
  if (p < 0 || !color) {
    ghost();
    if (p >= 0 && finger && down && state) loupe.show(p, e.clientX, e.clientY);
    return;
  }
  drawing.ghost(p, color, { cross: finger, blocked: reason(p) !== "" });
  if (finger) loupe.show(p, e.clientX, e.clientY);
}

// ghost shows the point that waits for a second tap, or that is on its way.
function ghost() {
  if (!state) return;
  if (past.trial) drawing.ghost(past.trial.looks, past.list[past.trial.move - 1].color);
  else if (waiting >= 0) drawing.ghost(waiting, state.turn, { sure: true });
  else if (sent >= 0 && you?.asks) drawing.ghost(sent, state.turn);
  else drawing.ghost(-1);
}

// play is a tap on a point that began at since. It asks again where the member wants that, and where the board has
// changed under the finger.
function play(p, since) {
  if (past.trial) return attempt(p);
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
  const discs = state.game === "reversi" ? turned(replay(state).stones, p, state.turn, state.size) : [];
  discs.length ? sound.discs(discs.length) : sound.stone();
  show(true);
}

// turning are the points that turn a disc of a board; undefined in games without discs.
function turning(stones, color) {
  const turns = (at, p) => !at && turned(stones, p, color, state.size).length > 0;
  return state.game === "reversi" ? [...stones.keys()].filter((p) => turns(stones[p], p)) : undefined;
}

// act does what a button says, and gives the number of the act. A button that has come under the finger in this moment
// does nothing yet.
function act(a, button) {
  if (button && performance.now() - changed < 250) return note(word("press.changed"));
  if (button?.hasAttribute("aria-busy")) return; // it is pressed already
  button?.setAttribute("aria-busy", "true");
  const n = line.act({ match: state.match, stamp: state.stamp, verb: a.verb, arg: a.arg ?? "" });
  (line.wait ??= new Map()).set(n, () => button?.removeAttribute("aria-busy"));
  return n;
}

// invite brings others to the board, by Discord's own dialogs; an old client has none, and the link is shown.
async function invite() {
  try {
    await frame.invite(state.match, word("invite.message"));
  } catch {
    linkDialog(word("invite.title"), word("invite.about"), frame.link(state.match));
  }
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
