// What stands beside the board: who plays, what the bot says and asks, and what the member may do.

// plates shows who plays: at the near side the member who looks, or Black.
function plates(state, you, counts, turn) {
  const near = you && you.seat >= 0 ? colorOf(state, you) : "b";
  for (const [id, color] of [["plate-far", other(near)], ["plate-near", near]]) {
    const node = $(id), i = color === "b" ? 0 : 1, label = state.seats?.[i] ?? "", name = you?.names?.[i];
    const disk = () => svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true", class: "disc" }, svg("use"));
    const rest = () => [el("span.who"), el("span.also"), el("span.count"), el("span.clock", { role: "timer" })];
    if (!node.firstChild) node.append(disk(), ...rest());
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
  fill(node, list.map((a) => {
    if (a.href) return el("a", { class: "act", href: a.href, download: true }, a.label);
    return button(a, a.style, (e) => (a.sure ? sure(a, e.target, press) : press(a, e.target)));
  }));
}

// button is one that does something; its style is a class.
const button = ({ label }, style, onclick) =>
  el("button", { type: "button", class: "act " + (style ?? "secondary"), onclick }, label);

function sure(a, pressed, press) {
  ask(a.sure, [
    button(a, a.style ?? "danger", () => (shut(), press(a, pressed))),
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
  const field = el("input", { type: "url", readOnly: true, value: url, "aria-label": word("share.link"),
    onfocus: (e) => e.target.select() });
  const copy = el("button.act.primary", { type: "button", onclick: async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(url);
    } catch {
      document.execCommand("copy"); // where a frame may not write
    }
    text(copy, word("copied"));
  } }, word("copy"));
  const close = button({ label: word("close") }, "secondary", shut);
  ask(title, [copy, ...buttons, close], el("p", {}, about), field, ...more);
}

// shareDialog shows the link of a game that is shared. In a frame its file opens outside.
function shareDialog(url, stop) {
  const file = url + ".sgf", outside = frame && ((e) => (e.preventDefault(), frame.open(file)));
  const stops = button({ label: word("share.stop") }, "danger", () => (shut(), stop()));
  linkDialog(word("share.title"), word("share.about"), url, [stops],
    el("p", {}, el("a", { href: file, download: true, onclick: outside }, word("sgf"))));
}
