// What the page knows of the games: how points are called, and which stones a list of moves leaves. What may be
// played is the server's to say.

// A point is a number: its row times the width of the board plus its column, both from 0.
const nameOf = (p, n) => String.fromCharCode(65 + p % n) + (Math.floor(p / n) + 1);

// pointOf reads a name such as h8; -1 where there is no such point.
function pointOf(name, n) {
  const [, letter, digits] = /^([a-o])(\d{1,2})$/i.exec(name) ?? [];
  const col = letter ? letter.toLowerCase().charCodeAt(0) - 97 : n, row = Number(digits) - 1;
  return col < n && row >= 0 && row < n ? row * n + col : -1;
}

const pointsOf = (names, n) => (names ?? "").split(" ").filter(Boolean).map((name) => pointOf(name, n));

// plies reads the moves of a state: the colour of each ("b" or "w", and "o" of a point that is only offered) and
// its point. A pass is no move: the next one is of the same colour again.
function plies(moves, n) {
  return (moves ?? "").split(" ").filter(Boolean).map((m) => ({ color: m[0], at: pointOf(m.slice(1), n) }));
}

const other = (color) => (color === "b" ? "w" : "b");

// spoken are the colours as the keys of texts have them.
const spoken = { b: "black", w: "white" };

// lines are the eight ways from a point, each as the points up to the edge.
function* lines(p, n) {
  for (const [dx, dy] of [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]]) {
    const way = [], on = (x, y) => x >= 0 && y >= 0 && x < n && y < n;
    for (let x = p % n + dx, y = Math.floor(p / n) + dy; on(x, y); x += dx, y += dy) way.push(y * n + x);
    yield way;
  }
}

// turned are the discs that a move in Reversi turns.
function turned(stones, p, color, n) {
  const all = [];
  for (const way of lines(p, n)) {
    const end = way.findIndex((q) => stones[q] !== other(color));
    if (end > 0 && stones[way[end]] === color) all.push(...way.slice(0, end));
  }
  return all;
}

// begin is the board before the first move: that of the game, or one that a member brought.
function begin(state) {
  const n = state.size, stones = new Array(n * n).fill("");
  const start = state.start || (state.game === "reversi" ? "wd4 we5 be4 bd5" : "");
  for (const { color, at } of plies(start, n)) stones[at] = color;
  return stones;
}

// replay is the board after so many moves: stones by point, the number of the move that put each there, the last
// move, the discs that it turned, and the points that are offered.
function replay(state, upTo = Infinity) {
  const n = state.size, stones = begin(state), numbers = [], offers = [];
  let count = 0, last = -1, flipped = [];
  for (const { color, at } of plies(state.moves, n)) {
    if (color === "o") {
      if (upTo === Infinity) offers.push(at);
      continue;
    }
    if (count === upTo) break;
    count++;
    flipped = state.game === "reversi" ? turned(stones, at, color, n) : [];
    for (const p of flipped) stones[p] = color;
    stones[at] = color;
    numbers[at] = count;
    last = at;
  }
  return { stones, numbers, offers, last, flipped, count };
}

// placed are the moves that put a stone on the board, in order.
const placed = (state) => plies(state.moves, state.size).filter((m) => m.color !== "o");
