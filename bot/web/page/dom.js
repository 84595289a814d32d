// Making nodes. All that comes from the server becomes text and properties here; nothing is ever
// parsed as markup.

const $ = (id) => document.getElementById(id);

// el makes an element: el("button.act", {type: "button", onclick: f}, "text", child). What is no property of the
// node becomes an attribute.
function el(name, props, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key in node && !key.includes("-") && key !== "role") node[key] = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((c) => c !== undefined && c !== null && c !== ""));
  return node;
}

// fill replaces what a node holds.
function fill(node, ...children) {
  node.replaceChildren(...children.flat().filter((c) => c !== undefined && c !== null && c !== ""));
  return node;
}

// text puts a text into a node. One that is there already is left alone, so that nothing is drawn or said anew.
function text(node, said) {
  if (node.textContent !== said) node.textContent = said;
}

// svg makes an element of a drawing.
function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes ?? {})) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

// The icons are strokes on a grid of 24.
const icons = {
  first: "M17.5 6l-8 6 8 6zM6.5 6v12", back: "M15.500 6l-8 6 8 6z",
  on: "M8.500 6l8 6-8 6z", last: "M6.500 6l8 6-8 6zM17.5 6v12",
  sound: "M4 9.500v5h3.500l4.500 4v-13l-4.500 4zM15.500 9a4.200 4.200 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11",
  mute: "M4 9.500v5h3.500l4.500 4v-13l-4.500 4zM15.500 9.500l5 5M20.500 9.500l-5 5",
  numbers: "M5 8l2.500-2V18M13 8.500c0-3.500 6-3.500 6 0 0 3-6 5.500-6 9.500h6.500",
  close: "M6 6l12 12M18 6L6 18",
};

function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" }, svg("path", { d: icons[name] }));
}

// still is whether things should not move.
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
