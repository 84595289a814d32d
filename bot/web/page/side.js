// What stands beside the board: who plays, what the bot says and asks, and what the member may do.

// plates shows who plays: at the near side the member who looks, or Black.
function plates(state, you, counts, turn) {
  const near = you && you.seat >= 0 ? colorOf(state, you) : "b";
  for (const [id, color] of [["plate-far", other(near)], ["plate-near", near]]) {
    const node = $(id), i = color === "b" ? 0 : 1, label = state.seats?.[i] ?? "", name = you?.names?.[i];
    if (!node.firstChild) node.append(svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true", class: "disc" }, svg("use")),
      el("span.who"), el("span.also"), el("span.count"), el("span.clock", { role: "timer" }));
    const [disc, who, also, count, clock] = node.children;
    disc.firstChild.setAttribute("href", "#piece-" + color);
    text(who, name || label);
    text(also, you?.seat >= 0 && color === near ? word("you") : name && label !== name ? label : "");
    text(count, counts ? String(counts[color]) : "");
    node.dataset.turn = String(turn === color);
    clock.dataset.color = color;
    if (turn !== color) {
      const left = state.clock?.left?.[i] ?? -1; // it stands while the other's runs
      text(clock, left < 0 ? "" : spell(left));
      clock.classList.remove("low");
    }
  }
}

// colorOf is the colour of the seat of the one who looks.
const colorOf = (state, you) => you.color || (you.seat === 1 ? "w" : "b");

// acts shows the buttons, or links; sure asks before what cannot be taken back.
function acts(node, list, press) {
  const made = JSON.stringify(list);
  if (node.made === made) return;
  node.made = made;
  fill(node, list.map((a) => a.href ? el("a", { class: "act", href: a.href, download: true }, a.label) : el("button", { type: "button", class: "act " + (a.style ?? "secondary"), onclick: (e) => (a.sure ? sure(a, e.target, press) : press(a, e.target)) }, a.label)));
}

function sure(a, button, press) {
  ask(a.sure, [
    el("button", { type: "button", class: "act " + (a.style ?? "danger"), onclick: () => (shut(), press(a, button)) }, a.label),
    el("button", { type: "button", class: "act secondary", onclick: shut, autofocus: true }, word("cancel")),
  ]);
}

// ask opens the dialog with a title and what stands below it.
function ask(title, buttons, ...more) {
  const dialog = $("dialog");
  fill(dialog, el("h2", { id: "dialog-title" }, title), more, el("div.row", {}, buttons));
  if (!dialog.open) dialog.showModal();
}

const shut = () => $("dialog").close();

// linkDialog shows a link to be copied, with what else may be done with it.
function linkDialog(title, about, url, buttons = [], ...more) {
  const field = el("input", { type: "url", readOnly: true, value: url, "aria-label": word("share.link"), onfocus: (e) => e.target.select() });
  const copy = el("button.act.primary", { type: "button", onclick: async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(url);
    } catch {
      document.execCommand("copy"); // where a frame may not write
    }
    text(copy, word("copied"));
  } }, word("copy"));
  ask(title, [copy, ...buttons, el("button.act.secondary", { type: "button", onclick: shut }, word("close"))], el("p", {}, about), field, ...more);
}

// shareDialog shows the link of a game that is shared. In a frame its file opens outside.
function shareDialog(url, stop) {
  const file = url + ".sgf", outside = frame && ((e) => (e.preventDefault(), frame.open(file)));
  linkDialog(word("share.title"), word("share.about"), url, [el("button.act.danger", { type: "button", onclick: () => (shut(), stop()) }, word("share.stop"))],
    el("p", {}, el("a", { href: file, download: true, onclick: outside }, word("sgf"))));
}
