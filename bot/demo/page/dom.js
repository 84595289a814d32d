// Building the page. All that comes from members or from the bot becomes text and
// properties here; nothing is ever parsed as markup.

// el makes an element: el("button.icon", {type: "button", onclick: f}, "text", child).
// Properties are set by name; those with a dash, role and the like become attributes.
export function el(name, props, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "vars") for (const [v, x] of Object.entries(value)) node.style.setProperty(v, x);
    else if (key === "data") Object.assign(node.dataset, value);
    else if (key in node && !key.includes("-") && key !== "role" && key !== "list" && key !== "form") node[key] = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  put(node, children);
  return node;
}

// put appends text and nodes, flattening lists and leaving out what is not there.
export function put(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    node.append(child);
  }
  return node;
}

// fill replaces what a node holds.
export function fill(node, ...children) {
  node.replaceChildren();
  return put(node, ...children);
}

export const $ = (id) => document.getElementById(id);

const svgSpace = "http://www.w3.org/2000/svg";

// The icons are strokes on a grid of 24.
const icons = {
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  people: "M9 11a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 9 11zM3 19c.4-3.4 2.8-5 6-5s5.6 1.6 6 5M16 11.200a2.7 2.7 0 1 0-1-5.100M17.2 14.200c2.2.5 3.5 2 3.8 4.3",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.500v2M12 19.500v2M4.2 4.200l1.4 1.400M18.4 18.400l1.4 1.400M2.5 12h2M19.5 12h2M4.2 19.800l1.4-1.400M18.4 5.600l1.4-1.4",
  moon: "M20 14.200A8.2 8.2 0 0 1 9.8 4 8.2 8.2 0 1 0 20 14.200z",
  auto: "M12 3.500a8.5 8.5 0 1 0 0 17zM12 3.500a8.5 8.5 0 0 1 0 17",
  hash: "M10 4L8 20M16 4l-2 16M5 9h15M4 15h15",
  thread: "M5 5v7a3 3 0 0 0 3 3h10M14.5 11.500L18 15l-3.5 3.5",
  send: "M4 12L20 4.5 14.5 20l-3-6.500z",
  plus: "M12 5v14M5 12h14",
  down: "M6 9.500l6 6 6-6",
  dots: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  file: "M7 3.500h7l4 4V20.500H7zM14 3.500v4h4",
  save: "M12 4v11M7.5 11l4.5 4.5 4.5-4.500M5 20h14",
  open: "M9 5H5v14h14v-4M13 4.500h6.500V11M19 5l-8.5 8.5",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.500a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  reply: "M20 18v-4a4 4 0 0 0-4-4H5M9 5.500L4.5 10 9 14.5",
  check: "M5 12.500l4.5 4.500L19 7.5",
  left: "M15.5 6v12l-8.5-6z", right: "M8.5 6v12l8.5-6z", up: "M6 15.500h12L12 7z", lower: "M6 8.500h12L12 17z",
  leftup: "M6 18V6h12z", rightup: "M6 6h12v12z", leftdown: "M6 6v12h12z", rightdown: "M18 6v12H6z",
  parts: "M4 4h4v4H4zM10 4h4v4h-4zM16 4h4v4h-4zM4 10h4v4H4zM10 10h4v4h-4zM16 10h4v4h-4zM4 16h4v4H4zM10 16h4v4h-4zM16 16h4v4h-4z",
  first: "M18 6v12l-8.5-6zM6.5 6v12", last: "M6 6v12l8.5-6zM17.5 6v12", more: "M6 12h.01M12 12h.01M18 12h.01",
  puzzle: "M5 5h4.200a2.1 2.100 0 1 1 4 0H19v4.200a2.1 2.100 0 1 0 0 4V19H5z",
  book: "M12 6.500C10 5 7 4.500 4 4.500v14c3 0 6 .5 8 2 2-1.500 5-2 8-2v-14c-3 0-6 .5-8 2zM12 6.500v14",
  cup: "M7 4.500h10v5a5 5 0 0 1-10 0zM7 6.500H4v1a3 3 0 0 0 3 3M17 6.500h3v1a3 3 0 0 1-3 3M12 14.500v3.500M8.5 20h7",
  vote: "M5 5h14v14H5zM8.5 12l2.5 2.500 4.500-5",
  many: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  ladder: "M8 3.500v17M16 3.500v17M8 8h8M8 12h8M8 16h8",
  small: "M4 5h16v14H4zM12 12h5.500v4.500H12z", large: "M4 5h16v14H4z", board: "M4 4h16v16H4zM9.300 4v16M14.7 4v16M4 9.300h16M4 14.700h16",
  warn: "M12 4L2.8 19.500h18.400zM12 10v4.500M12 17h.01",
};

// icon is one of the icons, silent for screen readers.
export function icon(name) {
  const svg = document.createElementNS(svgSpace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("glyph", "glyph-" + name);
  const path = document.createElementNS(svgSpace, "path");
  path.setAttribute("d", icons[name]);
  svg.append(path);
  return svg;
}

// say tells a screen reader something, once.
let saying = 0;
export function say(text) {
  clearTimeout(saying);
  const box = $("announce");
  box.textContent = "";
  saying = setTimeout(() => { box.textContent = text; }, 80);
}

const tints = ["#b4532a", "#2e7562", "#7d5ba6", "#8a6d1f", "#2f6690"];

// avatar is the round picture of a member; the bot has the icon of the page.
export function avatar(user, people) {
  if (user.bot) return el("img.avatar", { src: "icon.svg", alt: "", width: 40, height: 40 });
  const n = people.findIndex((p) => p.id === user.id);
  const name = user.global_name || user.username || user.name || "?";
  return el("span.avatar", { "aria-hidden": "true", vars: { "--tint": tints[n < 0 ? 4 : n % tints.length] } }, [...name][0].toUpperCase());
}
