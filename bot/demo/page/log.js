// The list of messages of the place that is open: drawing, scrolling, and keeping the
// keyboard where it was while messages change under it.

import { $, el, fill, say } from "./dom.js";
import { draw, fetchPictures, follows, spoken } from "./message.js";
import { tongue } from "./words.js";

const shown = 60; // messages drawn at once; more on demand

export class Log {
  constructor(env) {
    this.env = env;
    this.list = [];
    this.from = 0;
    this.box = $("log");
    this.items = $("messages");
    this.bottom = true;
    this.box.addEventListener("scroll", () => this.scrolled());
    new ResizeObserver(() => this.bottom && this.toEnd()).observe(this.items);
    new ResizeObserver(() => this.bottom && this.toEnd()).observe(this.box);
    $("jump").addEventListener("click", () => this.toEnd());
    $("earlier").addEventListener("click", () => this.earlier());
    this.items.addEventListener("keydown", (e) => this.arrows(e));
  }

  // load shows a place from its newest message up.
  load(list) {
    this.list = list;
    this.from = Math.max(0, list.length - shown);
    this.paint();
    this.toEnd();
  }

  paint() {
    $("earlier").hidden = this.from === 0;
    const out = [];
    for (let i = this.from; i < this.list.length; i++) out.push(this.divider(i), this.draw(i));
    fill(this.items, out);
  }

  draw(i) { return draw(this.list[i], i > this.from && !this.newDay(i) ? this.list[i - 1] : undefined, this.env); }

  newDay(i) {
    const day = (m) => new Date(m.timestamp).toDateString();
    return i === 0 || day(this.list[i]) !== day(this.list[i - 1]);
  }

  divider(i) {
    if (!this.newDay(i) || i === this.from && i > 0) return undefined;
    const text = new Date(this.list[i].timestamp).toLocaleDateString(tongue, { dateStyle: "long" });
    return el("li.day", { role: "separator", "aria-label": text }, el("span", {}, text));
  }

  earlier() {
    const before = this.box.scrollHeight - this.box.scrollTop;
    const first = this.list[this.from];
    this.from = Math.max(0, this.from - shown);
    this.paint();
    this.box.scrollTop = this.box.scrollHeight - before;
    document.querySelector("#m-" + first.id + " article")?.focus({ preventScroll: true });
  }

  index(id) { return this.list.findLastIndex((m) => m.id === id); }

  // apply shows what happened to one message. Pictures are fetched first.
  async apply(e) {
    if (e.kind === "delete") return this.remove(e.id);
    await fetchPictures(e.message);
    if (e.message.channel_id !== this.env.at) return; // gone to another place meanwhile
    const i = this.index(e.message.id);
    if (i < 0) this.add(e.message);
    else this.change(i, e.message);
  }

  add(m) {
    if (this.list.length && BigInt(m.id) < BigInt(this.list[0].id)) return;
    const mine = m.author.id === this.env.me || m.interaction_metadata?.user.id === this.env.me; // what I asked for
    const stick = this.bottom || mine;
    this.list.push(m);
    const i = this.list.length - 1;
    for (const node of [this.divider(i), this.draw(i)]) if (node) this.items.append(node);
    if (m.author.id !== this.env.me) say(spoken(m, this.env));
    if (stick) this.toEnd();
    else $("jump").hidden = false;
  }

  change(i, m) {
    const old = $("m-" + m.id);
    const was = this.list[i];
    this.list[i] = m;
    if (!old) return;
    const keep = this.focused(old);
    const veil = [...old.querySelectorAll(".picture")].map((p) => p.classList.contains("veiled"));
    const item = this.draw(i);
    old.replaceWith(item);
    [...item.querySelectorAll(".picture")].forEach((p, n) => veil[n] === false && p.classList.remove("veiled"));
    if (keep) this.refocus(item, keep);
    const text = spoken(m, this.env);
    if (text !== spoken(was, this.env)) say(text);
    if (this.bottom) this.toEnd();
  }

  remove(id) {
    const i = this.index(id);
    if (i < 0) return;
    const item = $("m-" + id);
    const held = item?.contains(document.activeElement);
    this.list.splice(i, 1);
    if (i < this.from) this.from--;
    item?.remove();
    if (item && i < this.list.length) {
      const next = $("m-" + this.list[i].id);
      if (next && follows(this.list[i], this.list[i - 1]) !== next.classList.contains("joined")) next.replaceWith(this.draw(i));
    }
    if (held) (document.querySelector("#composer textarea, #composer input") ?? this.box).focus({ preventScroll: true });
  }

  // focused tells which control of a message has the keyboard: by its id and by where it
  // stands, since a new board has new ids.
  focused(item) {
    const at = document.activeElement;
    if (!item.contains(at)) return undefined;
    const all = controls(item);
    return { key: at.dataset.key, label: at.textContent, n: all.indexOf(at), row: rowOf(item, at), col: all.filter((x) => x.parentNode === at.parentNode).indexOf(at) };
  }

  refocus(item, keep) {
    const all = controls(item);
    const rows = [...item.querySelectorAll(".row")];
    const can = (x) => x && !x.disabled;
    const row = rows[keep.row] ? controls(rows[keep.row]) : [];
    const target = [
      all.find((x) => x.dataset.key && x.dataset.key === keep.key),
      keep.row >= 0 ? row.find((x) => x.textContent === keep.label) : undefined,
      keep.row >= 0 ? row[keep.col] : undefined,
      keep.row >= 0 ? row.find(can) : undefined,
    ].find(can);
    (target ?? item.querySelector("article")).focus({ preventScroll: true });
  }

  // arrows move between the buttons of a message as they lie, and between messages.
  arrows(e) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[e.key];
    const at = e.target;
    if (!step || e.ctrlKey || e.altKey || e.metaKey || e.shiftKey) return;
    const item = at.closest("li.message");
    if (at.matches("article")) {
      if (!step[0]) return;
      let next = item;
      do next = step[0] < 0 ? next.previousElementSibling : next.nextElementSibling; while (next && !next.matches(".message"));
      next?.querySelector("article").focus();
      e.preventDefault();
      return;
    }
    const row = at.closest(".row");
    if (!row) return;
    const rows = [...item.querySelectorAll(".row")];
    const grid = rows.map((r) => [...r.children].filter((x) => x.matches("button, a")));
    let r = rows.indexOf(row), c = grid[r].indexOf(at);
    for (;;) {
      r += step[0];
      c += step[1];
      const line = grid[r];
      if (!line || c < 0 || (step[1] && c >= line.length)) return;
      const node = line[Math.min(c, line.length - 1)];
      if (!node.disabled) {
        node.focus();
        e.preventDefault();
        return;
      }
    }
  }

  // go brings a message into view and marks it for a moment.
  go(id) {
    const i = this.index(id);
    if (i < 0) return false;
    if (i < this.from) {
      this.from = Math.max(0, i - 10);
      this.paint();
    }
    const item = $("m-" + id);
    item.scrollIntoView({ block: "center" });
    item.querySelector("article").focus({ preventScroll: true });
    item.classList.add("found");
    setTimeout(() => item.classList.remove("found"), 1600);
    return true;
  }

  scrolled() {
    this.bottom = this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight < 60;
    if (this.bottom) $("jump").hidden = true;
  }

  toEnd() {
    this.box.scrollTop = this.box.scrollHeight;
    this.bottom = true;
    $("jump").hidden = true;
  }
}

const controls = (node) => [...node.querySelectorAll(".body button, .body a, .only button")].concat(node.matches(".row") ? [...node.querySelectorAll("button, a")] : []);
const rowOf = (item, at) => [...item.querySelectorAll(".row")].indexOf(at.closest(".row"));
