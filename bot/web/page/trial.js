// A second try at a fault of the review: the position before it, a tap for a better move, and the verdict with how it
// goes on. What is asked, said and judged is the server's, as on the trial board of the chat.

// retry does what a press on the trial board of a move does: ask, hint, show, or at with a point.
function retry(move, what, point = "") {
  note("");
  past.asked = act({ verb: "try", arg: [move, what, point].filter(Boolean).join(".") });
}

// tried takes what came of it. What was asked for before something else was looked at is too late.
function tried(n, t) {
  if (n !== past.asked || !over() || t.move > past.total) return;
  past.at = t.move;
  past.trial = { ...t, line: plies(t.line, state.size), at: t.at ?? 0, looks: -1 };
  text($("announce"), t.says);
  show(true);
}

// attempt is a tap on the trial board. Where a line is shown it leads back to the question.
function attempt(p) {
  const { trial } = past, point = nameOf(p, state.size), why = reason(p);
  if (trial.looks >= 0) return;
  if (trial.at) return past.go(0);
  if (why) return note(why);
  retry(trial.move, "at", point);
  trial.looks = p;
  show();
}

// trialSays is what stands beside the trial board.
function trialSays({ looks, says }) {
  return looks >= 0 ? word("try.looking", { Point: nameOf(looks, state.size) }) : says;
}

// trialBoard is the position before the fault, with the moves of the line that are shown, numbered from there.
function trialBoard({ move, line, at }) {
  const before = placed(state).slice(0, move - 1);
  const moves = [...before, ...line].map((m) => m.color + nameOf(m.at, state.size)).join(" ");
  const board = replay({ ...state, moves }, before.length + at);
  const numbers = [];
  board.numbers.forEach((k, p) => { if (k > before.length) numbers[p] = k - before.length; });
  return { ...board, numbers };
}

// trialColor is the colour that tries again; empty while no tap is taken.
const trialColor = ({ move, at, looks }) => (at || looks >= 0 ? "" : past.list[move - 1].color);

// faultHere is the fault that is looked at, else the one with which the member begins; 0 where there is none.
const faultHere = () => (past.at !== undefined && past.remark(past.at) ? past.at : past.review?.try ?? 0);

// trialButtons are those of the trial board.
function trialButtons({ line, right, next, hinted }) {
  const all = [], move = () => past.trial.move;
  if (line.length && !right) all.push({ own: () => retry(move(), "ask"), label: word("try"), style: "primary" });
  if (!line.length) {
    if (!hinted) all.push({ own: () => retry(move(), "hint"), label: word("try.hint") });
    all.push({ own: () => retry(move(), "show"), label: word("try.solution") });
  }
  if (next) all.push({ own: () => retry(past.trial.next, "ask"), label: word("try.next") });
  return [...all, { own: () => past.leave(move()), label: word("try.leave") }];
}
