// The ground of a board: wood, paper, stone, blossoms. It is computed as package render does, so that the board
// here is the board of the message.

function random(seed, i, j) {
  let h = (Math.imul(seed, 0x9E3779B1) + Math.imul(i, 0x85EBCA6B) + Math.imul(j, 0xC2B2AE35)) >>> 0;
  h = Math.imul(h ^ h >>> 15, 0x2C1B3C6D);
  h = Math.imul(h ^ h >>> 12, 0x297A2D39);
  h ^= h >>> 15;
  return (h >>> 8) / (1 << 24);
}

// noise is smooth noise between 0 and 1 on a line.
function noise(seed, x) {
  const i = Math.floor(x), f = x - i, s = f * f * (3 - 2 * f), a = random(seed, i, 0);
  return a + (random(seed, i + 1, 0) - a) * s;
}

// noise2 is smooth noise on a plane.
function noise2(seed, x, y) {
  const i = Math.floor(x), j = Math.floor(y), ease = (f) => f * f * (3 - 2 * f), f = ease(x - i), h = ease(y - j);
  const a = random(seed, i, j), b = random(seed, i + 1, j), c = random(seed, i, j + 1), d = random(seed, i + 1, j + 1);
  return (a + (b - a) * f) * (1 - h) + (c + (d - c) * f) * h;
}

// wood is the tone across the grain: broad bands, year rings and fine dark pores.
function wood(seed, x) {
  let v = .38 * noise(seed, x / 230) + .26 * noise(seed + 1, x / 71) + .2 * noise(seed + 2, x / 23) +
    .1 * noise(seed + 3, x / 6) + .06 * noise(seed + 4, x / 2.2);
  v = (v - .5) * 1.75 + .62;
  const pore = noise(seed + 5, x / 3.1);
  return pore > .83 ? v - (pore - .83) * 1.6 : v;
}

const tones = {
  flat: () => 1,
  petals: () => 0,
  grain: (seed, x) => wood(seed, x),
  figure: (seed, x, y) =>
    wood(seed, x + 56 * noise2(seed + 50, x / 420, y / 560) + 9 * noise2(seed + 51, x / 110, y / 300)),
  laid: (seed, x) => .25 + .9 * noise(seed, x / 5) + .3 * (noise(seed + 1, x / 160) - .5) - (x % 147 < 2 ? .6 : 0),
};

const channels = (css) => [1, 3, 5].map((i) => parseInt(css.slice(i, i + 2), 16));

// mix is a colour between two, from 0 to 1.
function mix(from, to, share) {
  const a = channels(from), b = channels(to);
  return "#" + a.map((c, i) => Math.round(c + (b[i] - c) * share).toString(16).padStart(2, "0")).join("");
}

// texture is a surface as a small picture; a straight grain is the same in every row.
function texture(surface) {
  const rows = surface.kind === "figure" ? 132 : 1;
  const cols = surface.kind === "flat" || surface.kind === "petals" ? 1 : 525;
  const canvas = el("canvas", { width: cols, height: rows }), pen = canvas.getContext("2d");
  const image = pen.createImageData(cols, rows);
  const low = channels(surface.low), high = channels(surface.high), tone = tones[surface.kind];
  for (let i = 0; i < rows * cols; i++) {
    const x = (i % cols + .5) * 1050 / cols, y = (Math.floor(i / cols) + .5) * 1050 / rows;
    const v = Math.min(1, Math.max(0, tone(surface.seed, x, y)));
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = low[c] + (high[c] - low[c]) * v;
    image.data[4 * i + 3] = 255;
  }
  pen.putImageData(image, 0, 0);
  return canvas;
}

// pave covers the canvas behind the board: the margin, and the field from a share of the width to the other edge.
function pave(canvas, look, from) {
  const size = canvas.width = canvas.height = look.ground.kind === "flat" && !look.margin ? 2 : 1050;
  const pen = canvas.getContext("2d");
  if (look.margin && from > 0) pen.drawImage(texture(look.margin), 0, 0, size, size);
  else from = 0;
  pen.drawImage(texture(look.ground), from * size, from * size, size * (1 - 2 * from), size * (1 - 2 * from));
}

// blossoms are strewn over a board, thickest towards two of its corners; each lies between four crossings.
function blossoms(look, n) {
  const all = svg("g", { fill: look.ground.high }), taken = new Set(), between = n - 1, seed = look.ground.seed;
  for (let i = 0; i < 2 * n; i++) {
    const near = (salt) => Math.floor(Math.pow(random(seed, i, salt), 1.7) * between);
    let col = near(1), row = near(2);
    if (i % 2) [col, row] = [between - 1 - col, between - 1 - row];
    if (taken.has(row * n + col)) continue;
    for (const d of [0, 1, -1, n, -n]) taken.add(row * n + col + d);
    const r = 100 * (.27 + .1 * random(seed, i, 3)), turn = 7 * random(seed, i, 4);
    const petal = [`M0 0C${-.55 * r} ${-.3 * r} ${-.56 * r} ${-1.05 * r} ${-.17 * r} ${-1.2 * r}`,
      `L0 ${-1.06 * r}L${.17 * r} ${-1.2 * r}C${.56 * r} ${-1.05 * r} ${.55 * r} ${-.3 * r} 0 0`].join("");
    const flower = svg("g", { transform: `translate(${100 * col + 100} ${100 * row + 100}) rotate(${turn * 57.3})` });
    for (let p = 0; p < 5; p++) flower.append(svg("path", { d: petal, transform: `rotate(${72 * p})` }));
    flower.append(svg("circle", { r: .18 * r, fill: look.bevel[1] }));
    all.append(flower);
  }
  return all;
}
