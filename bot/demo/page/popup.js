// Lists and menus that open over the page: the choices of a select, what fits a field
// that is being typed, and the menus of members and messages.

import { el, fill, icon } from "./dom.js";
import { emoji } from "./text.js";
import { word } from "./words.js";

let serial = 0;
let open; // the one popup that has the focus: { close }

// place puts a popup beside its anchor, where there is room, and lets it scroll. most is
// its largest height.
function place(box, anchor, wide, most = 420) {
  const margin = 8;
  const view = window.visualViewport ?? { width: innerWidth, height: innerHeight, offsetTop: 0 };
  const r = anchor.getBoundingClientRect();
  const width = Math.min(wide ? r.width : Math.max(r.width, 240), innerWidth - 2 * margin);
  const below = view.height - r.bottom - margin - 6, above = r.top - margin - 6;
  box.style.width = wide || r.width > 240 ? width + "px" : "";
  box.style.minWidth = Math.min(width, innerWidth - 2 * margin) + "px";
  box.style.maxWidth = innerWidth - 2 * margin + "px";
  box.style.maxHeight = Math.min(most, Math.max(below, above)) + "px";
  const up = below < Math.min(box.scrollHeight, most) && above > below;
  box.style.top = up ? "" : r.bottom + 6 + "px";
  box.style.bottom = up ? innerHeight - r.top + 6 + "px" : "";
  box.style.left = Math.max(margin, Math.min(r.left, innerWidth - box.offsetWidth - margin)) + "px";
}

const home = (anchor) => anchor.closest("dialog") ?? document.body;

// option is one line of a list: label, its detail, an emoji.
function option(o, id) {
  return el("div.option", { role: "option", id, "aria-selected": o.chosen ? "true" : "false" },
    o.emoji && emoji(o.emoji),
    o.lead,
    el("span.words", {}, el("span.label", {}, o.label), o.detail && el("span.detail", {}, o.detail)),
    o.note && el("span.note", {}, o.note),
    icon("check"));
}

// hold keeps a popup open until the member goes elsewhere. It gives the function that
// closes it.
function hold(box, anchor, { back = true, closed } = {}) {
  open?.close();
  const outside = (e) => {
    if (!box.contains(e.target) && !anchor.contains(e.target)) close(false);
  };
  const scrolled = (e) => {
    if (!box.contains(e.target)) place(box, anchor);
  };
  const close = (focus = back) => {
    if (open !== self) return;
    open = undefined;
    document.removeEventListener("pointerdown", outside, true);
    document.removeEventListener("scroll", scrolled, true);
    removeEventListener("resize", scrolled);
    box.remove();
    anchor.setAttribute("aria-expanded", "false");
    closed?.();
    if (focus) anchor.focus();
  };
  const self = { close };
  open = self;
  document.addEventListener("pointerdown", outside, true);
  document.addEventListener("scroll", scrolled, true);
  addEventListener("resize", scrolled);
  anchor.setAttribute("aria-expanded", "true");
  return close;
}

// shut closes the popup that is open, if any.
export const shut = () => open?.close(false);

// pickFrom opens the list of a select. Where most is above one, the member ticks several
// options and then presses Done. Where least is zero, the chosen option is taken back by
// choosing it again.
export function pickFrom(anchor, { label, options, least = 1, most = 1, picked }) {
  const id = "list" + ++serial;
  const several = most > 1;
  let chosen = options.filter((o) => o.chosen).map((o) => o.value);
  const nodes = options.map((o, i) => option(o, id + "-" + i));
  const list = el("div.options", { role: "listbox", id, tabIndex: 0, "aria-label": label, "aria-multiselectable": several ? "true" : undefined }, nodes);
  const done = several && el("button.primary", { type: "button", onclick: () => finish(chosen) }, word("done"));
  const box = el("div.popup", {}, list, done);
  let at = Math.max(0, options.findIndex((o) => o.chosen));
  const show = (i) => {
    nodes[at]?.classList.remove("active");
    at = (i + nodes.length) % nodes.length;
    nodes[at].classList.add("active");
    list.setAttribute("aria-activedescendant", nodes[at].id);
    nodes[at].scrollIntoView({ block: "nearest" });
  };
  const mark = () => {
    nodes.forEach((n, i) => n.setAttribute("aria-selected", String(chosen.includes(options[i].value))));
    if (done) done.disabled = chosen.length < least || chosen.length > most;
  };
  const finish = (values) => {
    close();
    picked(values);
  };
  const pick = (i) => {
    const value = options[i].value;
    if (!several) return finish(least === 0 && chosen.includes(value) ? [] : [value]);
    chosen = chosen.includes(value) ? chosen.filter((v) => v !== value) : [...chosen, value];
    mark();
  };
  nodes.forEach((n, i) => {
    n.addEventListener("click", () => pick(i));
    n.addEventListener("pointermove", () => { if (at !== i) show(i); });
  });
  let typed = "", timer;
  list.addEventListener("keydown", (e) => {
    const jump = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: nodes.length - 1 }[e.key];
    if (jump !== undefined) show(jump);
    else if (e.key === "Enter" || (e.key === " " && !typed)) pick(at);
    else if (e.key.length === 1 && !e.ctrlKey && !e.metaKey) {
      clearTimeout(timer);
      timer = setTimeout(() => { typed = ""; }, 700);
      typed += e.key.toLowerCase();
      const found = options.findIndex((o) => o.label.toLowerCase().startsWith(typed));
      if (found >= 0) show(found);
    } else return;
    e.preventDefault();
  });
  box.addEventListener("keydown", (e) => {
    if (e.key === "Escape" || (e.key === "Tab" && !several)) {
      e.preventDefault();
      e.stopPropagation();
      close();
    }
  });
  home(anchor).append(box);
  const close = hold(box, anchor);
  place(box, anchor);
  mark();
  show(at);
  list.focus();
}

// menu opens a menu of actions: { label, icon, act, danger, chosen }, or "-" for a line.
export function menu(anchor, label, items) {
  const nodes = [];
  const box = el("div.popup.menu", { role: "menu", "aria-label": label }, items.map((item) => {
    if (item === "-") return el("div.rule", { role: "separator" });
    if (item.heading) return el("div.heading", { role: "presentation" }, item.heading);
    const node = el(item.danger ? "button.danger" : "button", {
      type: "button", role: item.chosen === undefined ? "menuitem" : "menuitemradio", tabIndex: -1,
      "aria-checked": item.chosen === undefined ? undefined : String(item.chosen),
      onclick: () => {
        close();
        item.act();
      },
      onpointermove: () => node.focus(),
    }, item.lead, el("span.words", {}, el("span.label", {}, item.label), item.detail && el("span.detail", {}, item.detail)), item.chosen && icon("check"), item.icon && icon(item.icon));
    nodes.push(node);
    return node;
  }));
  box.addEventListener("keydown", (e) => {
    const at = nodes.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: nodes.length - 1 }[e.key];
    if (to !== undefined) nodes[(to + nodes.length) % nodes.length].focus();
    else if (e.key === "Escape" || e.key === "Tab") close();
    else if (e.key.length === 1 && e.key !== " ") {
      const key = e.key.toLowerCase();
      [...nodes.slice(at + 1), ...nodes].find((n) => n.textContent.toLowerCase().startsWith(key))?.focus();
    } else return;
    e.preventDefault();
    e.stopPropagation();
  });
  home(anchor).append(box);
  const close = hold(box, anchor);
  place(box, anchor);
  (nodes.find((n) => n.getAttribute("aria-checked") === "true") ?? nodes[0])?.focus();
}

// Suggest is the list below (or above) a field that is being typed; the focus stays in
// the field. pick(option) is called for the option chosen.
export class Suggest {
  constructor(input, { pick, anchor, label, most }) {
    Object.assign(this, { input, pick, most, anchor: anchor ?? input, id: "list" + ++serial, options: [], at: -1 });
    this.list = el("div.options", { role: "listbox", id: this.id, "aria-label": label });
    this.note = el("p.empty");
    this.box = el("div.popup.suggest", { onpointerdown: (e) => e.preventDefault() }, this.list, this.note);
    for (const [k, v] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.id, autocomplete: "off" })) {
      input.setAttribute(k, v);
    }
    this.moved = () => this.isOpen && place(this.box, this.anchor, true, this.most);
  }

  get isOpen() { return this.box.isConnected; }
  get active() { return this.isOpen ? this.options[this.at] : undefined; }

  // show opens the list with options, the first one active unless first is false. With
  // no options it shows the note, and with neither it closes.
  show(options, { note = "", first = true, title } = {}) {
    this.options = options;
    this.at = -1;
    if (!options.length && !note) return this.close();
    let group;
    this.nodes = options.map((o, i) => option(o, this.id + "-" + i));
    fill(this.list, title && el("div.heading", { role: "presentation" }, title), options.map((o, i) => {
      const node = this.nodes[i];
      node.addEventListener("click", () => this.pick(o));
      node.addEventListener("pointermove", () => this.move(i, true));
      const head = o.group !== group && el("div.heading", { role: "presentation" }, o.group);
      group = o.group;
      return [head, node];
    }));
    this.note.textContent = note;
    this.note.hidden = !note;
    if (!this.isOpen) {
      home(this.anchor).append(this.box);
      addEventListener("resize", this.moved);
      window.visualViewport?.addEventListener("resize", this.moved);
    }
    this.list.hidden = !options.length;
    this.input.setAttribute("aria-expanded", "true");
    this.input.removeAttribute("aria-activedescendant");
    place(this.box, this.anchor, true, this.most);
    if (options.length && first) this.move(0);
  }

  move(i, quiet) {
    if (!this.options.length) return;
    this.nodes[this.at]?.classList.remove("active");
    this.nodes[this.at]?.setAttribute("aria-selected", "false");
    this.at = (i + this.options.length) % this.options.length;
    const node = this.nodes[this.at];
    node.classList.add("active");
    node.setAttribute("aria-selected", "true");
    this.input.setAttribute("aria-activedescendant", node.id);
    if (!quiet) {
      if (this.at === 0) this.box.scrollTop = 0;
      node.scrollIntoView({ block: "nearest" });
    }
  }

  close() {
    if (!this.isOpen) return;
    this.box.remove();
    removeEventListener("resize", this.moved);
    window.visualViewport?.removeEventListener("resize", this.moved);
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  // key takes a key of the field; true where it was for the list.
  key(e) {
    if (!this.isOpen) return false;
    const page = Math.max(1, Math.floor(this.box.clientHeight / 48));
    const to = { ArrowDown: this.at + 1, ArrowUp: this.at < 0 ? -1 : this.at - 1, PageDown: Math.min(this.at + page, this.options.length - 1), PageUp: Math.max(this.at - page, 0) }[e.key];
    if (to !== undefined && this.options.length) this.move(to);
    else if (e.key === "Escape") this.close();
    else if ((e.key === "Enter" || e.key === "Tab") && !e.shiftKey && this.active) {
      this.pick(this.active, e.key);
    } else return false;
    e.preventDefault();
    e.stopPropagation();
    return true;
  }
}
