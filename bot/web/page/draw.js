// The drawing of the board. A cell is 100 wide; stones, marks and lines are as in package render's pictures.

const looks = JSON.parse($("looks").textContent);

// A Drawing is one board: call draw with what stands on it.
class Drawing {
  constructor(root, canvas) {
    Object.assign(this, { root, canvas, stones: [], made: "" });
    this.layers = {};
  }

  // fit makes the board anew where its kind, its theme or its room has changed.
  fit({ n, game, theme, roomy }) {
    const made = [n, game, theme, roomy].join();
    if (made === this.made) return;
    const look = looks.find((l) => l.name === theme) ?? looks[0];
    Object.assign(this, { made, n, look, stones: [], discs: game === "reversi", topDown: game === "reversi" });
    this.cells = look.cells || this.discs;
    this.radius = this.cells ? 40.5 : 47;
    this.edge = roomy ? 62 : 0;
    this.side = 100 * n + 2 * this.edge;
    this.root.setAttribute("viewBox", [-this.edge, -this.edge, this.side, this.side].join(" "));
    const { inset } = this;
    pave(this.canvas, look, look.margin ? inset() : 0);
    document.documentElement.style.setProperty("--ground", mix(look.ground.low, look.ground.high, .5));
    this.scene = svg("g", { id: "scene" });
    this.root.replaceChildren(this.defs(), this.scene);
    for (const name of ["board", "frames", "below", "shadows", "stones", "above", "ghost"]) {
      this.layers[name] = svg("g", { class: name });
      this.scene.append(this.layers[name]);
    }
    this.lines();
  }

  inset = () => this.edge / this.side;

  // at is the middle of a point.
  at(p) {
    const row = Math.floor(p / this.n);
    return [100 * (p % this.n) + 50, 100 * (this.topDown ? row : this.n - 1 - row) + 50];
  }

  // group holds what is drawn round the middle of a point.
  group(p, ...nodes) { return svg("g", { transform: `translate(${this.at(p).join(" ")})` }, ...nodes); }

  // pointAt is the point nearest to a place of the drawing; -1 off the board.
  pointAt(x, y) {
    const col = Math.floor(x / 100), row = Math.floor(y / 100), n = this.n;
    return col >= 0 && row >= 0 && col < n && row < n ? (this.topDown ? row : n - 1 - row) * n + col : -1;
  }

  // defs are the pieces and their colours.
  defs() {
    const { look, radius: r } = this, all = svg("defs");
    for (const [i, color] of ["b", "w"].entries()) {
      const coat = look.coat[i], rim = ring(r * (1 - coat.width / 2), r * coat.width, coat.rim);
      const piece = svg("g", { id: "piece-" + color });
      if (look.piece === "nought") {
        piece.append(i ? ring(29, 12.5, coat.light)
          : stroke("path", { d: "M-27-27L27 27M-27 27L27-27" }, 12.5, coat.light));
      } else if (look.piece === "counter") {
        piece.append(svg("circle", { r, fill: coat.light }));
        if (coat.width) piece.append(rim);
      } else if (this.discs) {
        all.append(this.shine("coat-" + color, coat, .25));
        const under = look.coat[1 - i];
        piece.append(svg("circle", { r: r * .985, cx: .8, cy: 1.8, fill: mix(under.dark, under.light, .25) }),
          svg("circle", { r: r * .965, cx: -.5, cy: -1, fill: `url(#coat-${color})` }));
      } else {
        all.append(this.shine("coat-" + color, coat, 1));
        piece.append(svg("circle", { r, fill: `url(#coat-${color})` }), rim);
        rim.setAttribute("stroke-opacity", ".8");
      }
      all.append(piece);
    }
    all.append(svg("radialGradient", { id: "shade" },
      svg("stop", { offset: ".7", "stop-color": "#170a02", "stop-opacity": look.shadow }),
      svg("stop", { offset: "1", "stop-color": "#170a02", "stop-opacity": 0 })));
    return all;
  }

  // shine is the light on a stone, which falls from above and the left.
  shine(id, coat, strength) {
    const flat = mix(coat.dark, coat.light, .65), gloss = mix(coat.light, "#ffffff", strength * coat.gloss / 255);
    const stops = [["0", gloss], [".16", mix(gloss, coat.light, .55)], [".5", strength < 1 ? flat : coat.light],
      [".75", flat], ["1", coat.dark]];
    return svg("radialGradient", { id, cx: ".5", cy: ".5", r: ".56", fx: ".36", fy: ".3" },
      ...stops.map(([offset, color]) => svg("stop", { offset, "stop-color": color })));
  }

  // lines draws all that does not change during a game.
  lines() {
    const { n, look, edge, cells } = this, { board } = this.layers, width = 3.8 * look.thick;
    if (look.ground.kind === "petals" && !cells) board.append(blossoms(look, n));
    const bevel = Math.max(1, this.side / 400);
    look.bevel.forEach((c, i) => {
      const d = (i + .5) * bevel;
      board.append(square(d - edge, this.side - 2 * d, bevel, c));
    });
    if (look.margin && edge) board.append(square(-width / 2, 100 * n + width, width, look.inset));
    const first = cells ? 0 : 50, count = cells ? n + 1 : n, end = first + 100 * (count - 1);
    let inner = "";
    for (let i = 1; i < count - 1; i++) {
      const at = first + 100 * i;
      inner += `M${first} ${at}H${end}M${at} ${first}V${end}`;
    }
    board.append(svg("path", { d: inner, stroke: look.line, "stroke-width": width }),
      square(first, end - first, width * 1.67, look.line));
    const r = n === 15 ? 12.5 : 8.5;
    for (const [x, y] of cells && n !== 8 ? [] : stars[n] ?? []) {
      board.append(svg("circle", { cx: 100 * x + 50, cy: 100 * y + 50, r, fill: look.star }));
    }
    this.labels();
  }

  // labels writes the coordinates round the board, or, where there is no room, at the edge of the first column and
  // of the last row.
  labels() {
    const { n, look, edge, topDown } = this, { board } = this.layers;
    const say = (x, y, said, size, color) => board.append(write(said, color, size, { x, y }));
    for (let i = 0; i < n; i++) {
      const letter = String.fromCharCode(65 + i), row = String(topDown ? i + 1 : n - i), mid = 100 * i + 50;
      if (edge) {
        const off = look.margin || this.cells ? edge / 2 : edge * .5 - 1.5;
        for (const y of [-off, 100 * n + off]) say(mid, y, letter, 30, look.label);
        for (const x of [-off, 100 * n + off]) say(x, mid, row, 30, look.label);
      } else {
        const ink = look.margin ? look.star : look.label;
        say(this.cells ? 20 : 23, this.cells ? mid - 30 : mid, row, 25, ink);
        say(this.cells ? mid + 34 : mid, 100 * n - 20, letter, 25, ink);
      }
    }
  }

  // draw shows what stands on the board: stones, numbers (0 for none), marks, and what is not played yet.
  draw({ stones, numbers, last, flipped, offers, rows, legal, forbidden, best, area, numbered, animate }) {
    this.pieces(stones, flipped, last, animate);
    const { look, radius: r } = this, { above, below, frames } = this.layers;
    above.replaceChildren();
    below.replaceChildren();
    frames.replaceChildren();
    const u = r / 47, side = (p) => (stones[p] === "w" ? 1 : 0), nought = look.piece === "nought";
    const put = (layer, p, ...nodes) => layer.append(this.group(p, ...nodes));
    const box = (d, width, c) => square(-d / 2, d, width, c, { rx: .18 * d });
    const disc = (radius, c) => svg("circle", { r: radius, fill: c });
    const number = (said, c, size = r) => write(said, c, size, { dy: ".03em" });

    if (area) {
      const [x, y] = this.at(area.from), [x2, y2] = this.at(area.to), size = Math.abs(x2 - x) + 100;
      for (const [width, c] of [[15, look.frame.casing], [8, look.frame.ink]]) {
        frames.append(square(Math.min(x, x2) - 50, size, width, c, { y: Math.min(y, y2) - 50, rx: 10 }));
      }
    }
    for (const p of numbered ? [] : flipped) {
      const ink = look.last[side(p)];
      put(above, p, nought ? box(93 * u, 3, ink) : disc(.2 * r, ink));
    }
    if (numbered) {
      numbers.forEach((k, p) => {
        const now = p === last, ink = now || flipped.includes(p) ? look.last[side(p)] : look.number[side(p)];
        if (now) put(above, p, nought ? box(99 * u, 7.5, ink) : ring(.87 * r, .09 * r, ink));
        put(above, p, number(String(k), ink, r * (k > 99 ? .74 : .9)));
      });
    } else if (last >= 0 && !rows?.includes(last)) {
      const ink = look.last[side(last)];
      put(above, last, ...(nought ? [box(99 * u, 7.5, ink)] : [ring(.5 * r, .15 * r, ink), disc(.16 * r, ink)]));
    }
    for (const p of forbidden) {
      const d = `M${-20 * u} ${-20 * u}L${20 * u} ${20 * u}M${-20 * u} ${20 * u}L${20 * u} ${-20 * u}`;
      const slash = `M${-16 * u} ${-16 * u}L${16 * u} ${16 * u}`, { casing, ink } = look.forbid;
      const cross = (width, c) => stroke("path", { d: nought ? slash : d }, width * u, c);
      if (nought) put(below, p, ring(23 * u, 20, casing), ring(23 * u, 10, ink));
      put(below, p, cross(19, casing), cross(9.5, ink));
    }
    for (const [p, color] of legal) {
      const { casing, ink } = look.legal[color === "w" ? 1 : 0];
      if (nought) put(below, p, box(35 * u, 14, casing), box(35 * u, 7, ink));
      else put(below, p, ring(19 * u, 12 * u, casing), ring(19 * u, 6 * u, ink));
    }
    offers.forEach((p, i) => {
      put(below, p, svg("use", { href: "#piece-b", opacity: .6 }));
      put(above, p, ring(.95 * r, .2 * r, look.frame.casing), ring(.95 * r, .1 * r, look.frame.ink),
        number(String(i + 1), look.number[0]));
    });
    this.row(rows ?? []);
    best.forEach((p, i) => {
      const mine = i % 2 === 0, { casing, ink } = look.hint;
      put(above, p, disc(47 * u, casing), disc(43.5 * u, ink));
      if (!mine) put(above, p, disc(39.5 * u, casing));
      put(above, p, number(String(i + 1), mine ? casing : ink, r * .85));
    });
  }

  // row marks the winning row: a ring round each stone, and a line from end to end.
  row(points) {
    const { above } = this.layers, { win } = this.look, r = this.radius;
    for (const p of points) {
      above.append(this.group(p, ring(.95 * r, .26 * r, win.casing), ring(.95 * r, .14 * r, win.ink)));
    }
    for (const [a, b] of ends(points, this.n)) {
      const [x1, y1] = this.at(a), [x2, y2] = this.at(b);
      const line = { x1, y1, x2, y2 };
      above.append(stroke("line", line, 21, win.casing), stroke("line", line, 12, win.ink));
    }
  }

  // pieces brings the stones up to date: a new one settles, a turned one flips.
  pieces(stones, flipped, last, animate) {
    const { look } = this, moves = animate && !still();
    for (let p = 0; p < stones.length; p++) {
      const color = stones[p], old = this.stones[p];
      if ((old?.color ?? "") === color) continue;
      if (!color) {
        old.node.remove();
        old.shadow?.remove();
        delete this.stones[p];
      } else if (old) {
        old.color = color;
        if (moves) flip(old.use, "#piece-" + color);
        else old.use.setAttribute("href", "#piece-" + color);
      } else {
        const [x, y] = this.at(p), r = this.radius;
        const use = svg("use", { href: "#piece-" + color }), node = this.group(p, use);
        const shade = { cx: x + .07 * r, cy: y + .14 * r, r: 1.16 * r, fill: "url(#shade)" };
        const shadow = look.shadow ? svg("circle", shade) : undefined;
        if (shadow) this.layers.shadows.append(shadow);
        this.layers.stones.append(node);
        this.stones[p] = { color, use, node, shadow };
        if (moves && p === last) {
          const settles = [{ transform: "scale(1.14)", opacity: .4 }, { transform: "scale(1)", opacity: 1 }];
          use.animate(settles, { duration: 140, easing: "ease-out" });
        }
      }
    }
  }

  // ghost is the stone that a finger or the pointer is about to play; sure waits for a second tap.
  ghost(p, color, { sure, cross, blocked } = {}) {
    const { ghost } = this.layers, { look, radius: r } = this;
    ghost.replaceChildren();
    if (p < 0) return;
    const [x, y] = this.at(p), last = 100 * (this.n - 1) + 50;
    const lines = `M50 ${y}H${last}M${x} 50V${last}`, { casing, ink } = look.frame;
    if (cross) ghost.append(svg("path", { d: lines, stroke: ink, "stroke-width": 9, opacity: .75 }));
    const node = this.group(p);
    if (color && !blocked) node.append(svg("use", { href: "#piece-" + color, opacity: sure ? .9 : .6 }));
    if (sure) node.append(ring(.95 * r, .3 * r, casing), ring(.95 * r, .18 * r, ink, { class: "waiting" }));
    ghost.append(node);
  }
}

// What drawings are made of: outlines of a width and a colour, and words.
const outline = (tag, at, width, c) => svg(tag, { ...at, fill: "none", stroke: c, "stroke-width": width });
const ring = (r, width, c, more) => outline("circle", { r, ...more }, width, c);
const square = (x, size, width, c, more) => outline("rect", { x, y: x, width: size, height: size, ...more }, width, c);
const stroke = (tag, at, width, c) => svg(tag, { ...at, stroke: c, "stroke-width": width, "stroke-linecap": "round" });

function write(said, c, size, at) {
  const middle = { "text-anchor": "middle", "dominant-baseline": "central" };
  return svg("text", { ...at, ...middle, fill: c, "font-size": size }, said);
}

// stars are the marked points of a board, as columns and rows.
const stars = {
  15: [[3, 3], [11, 3], [7, 7], [3, 11], [11, 11]],
  9: [[2, 2], [6, 2], [4, 4], [2, 6], [6, 6]],
  8: [[1.5, 1.5], [5.5, 1.5], [1.5, 5.5], [5.5, 5.5]],
};

// flip turns a disc over: the old side goes, the new one comes.
async function flip(use, href) {
  const ease = { duration: 130, fill: "none" };
  try {
    const away = [{ transform: "scaleX(1)" }, { transform: "scaleX(.05)" }];
    await use.animate(away, { ...ease, easing: "ease-in" }).finished;
  } catch { /* a newer change has come first */ }
  use.setAttribute("href", href);
  use.animate([{ transform: "scaleX(.05)" }, { transform: "scaleX(1)" }], { ...ease, easing: "ease-out" });
}

// ends are the two ends of each row of five or more among points.
function ends(points, n) {
  const has = new Set(points), found = [];
  for (const p of points) {
    for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [-1, 1]]) {
      const step = (q, k) => {
        const x = q % n + k * dx, y = Math.floor(q / n) + k * dy;
        return x >= 0 && y >= 0 && x < n && y < n && has.has(y * n + x) ? y * n + x : -1;
      };
      if (step(p, -1) >= 0) continue;
      let end = p, long = 1;
      for (let next; (next = step(end, 1)) >= 0; end = next) long++;
      if (long >= 5) found.push([p, end]);
    }
  }
  return found;
}
