// One option of a command while it is written: its input, what fits it, what is wrong with
// it.

import { el, fill, icon } from "./dom.js";
import { Suggest } from "./popup.js";
import { size } from "./message.js";
import { word } from "./words.js";

// Kinds of options, by Discord's numbers.
const TEXT = 3, INTEGER = 4, YES = 5, USER = 6, CHANNEL = 7, ROLE = 8, ANYONE = 9, NUMBER = 10, FILE = 11;

export const isFile = (option) => option.type === FILE;

export const maxFile = 10 << 20;

// Field is one option of a command that is being written.
export class Field {
  constructor(composer, option, value) {
    Object.assign(this, { composer, option, picked: undefined, turn: 0 });
    const id = "option-" + option.name;
    if (option.type === FILE) this.chooser(id);
    else this.line(id, value);
    this.input.addEventListener("focus", () => {
      composer.tell(option);
      this.look();
    });
    this.input.addEventListener("blur", () => {
      this.suggest?.close();
      this.settle();
    });
    this.node = el("div.field", { data: { option: option.name, required: Boolean(option.required) } },
      el("label", { htmlFor: id }, option.shown), this.input, this.picker);
  }

  line(id, value) {
    const numeric = (this.option.type === INTEGER || this.option.type === NUMBER) && !this.option.choices;
    this.input = el("input", {
      id, value: value ?? "", autocomplete: "off", spellcheck: false, "aria-describedby": "hint", maxLength: this.option.max_length ?? 6000,
      inputMode: numeric ? "numeric" : "text", size: 6,
      oninput: () => {
        this.picked = undefined;
        this.fit();
        this.look();
      },
      onkeydown: (e) => this.key(e),
    });
    if (this.fixed() || this.option.autocomplete) {
      this.suggest = new Suggest(this.input, {
        anchor: this.composer.box.querySelector(".bar"), label: this.option.shown,
        most: this.option.autocomplete ? 236 : undefined, // a board above it stays in sight
        pick: (o, key) => this.pick(o, key),
      });
    }
    this.fit();
  }

  chooser(id) {
    const picker = el("input", { type: "file", hidden: true, tabIndex: -1, onchange: () => {
      this.file = picker.files[0];
      fill(this.input, icon("file"), this.file ? this.file.name + " · " + size(this.file.size) : word("file.choose"));
    } });
    this.input = el("button.choose", { type: "button", id, "aria-describedby": "hint", onclick: () => picker.click(),
      onkeydown: (e) => e.key === "Backspace" ? (e.preventDefault(), this.composer.drop(this)) : undefined }, icon("file"), word("file.choose"));
    this.input.addEventListener("dragover", (e) => e.preventDefault());
    this.picker = picker;
  }

  fit() { this.input.style.width = Math.min(Math.max(this.input.value.length + 2, 6), 34) + "ch"; }

  // fixed are the choices that are known beforehand.
  fixed() {
    const o = this.option, env = this.composer.env;
    if (o.choices?.length) return o.choices.map((c) => ({ label: c.name, value: c.value }));
    switch (o.type) {
      case YES: return [{ label: word("true"), value: true }, { label: word("false"), value: false }];
      case USER: case ANYONE: return env.people.map((p) => ({ label: "@" + p.name, value: p.id, lead: env.face(p), detail: p.id === env.me ? word("you") : p.bot ? word("bot") : "" }));
      case CHANNEL: return env.places.filter((p) => p.guild).map((p) => ({ label: p.label, value: p.id }));
      case ROLE: return [];
    }
    return undefined;
  }

  // look brings the list of choices up to what is typed.
  look() {
    if (!this.suggest || document.activeElement !== this.input) return;
    const fixed = this.fixed();
    if (!fixed) return this.complete();
    const typed = this.picked ? "" : this.input.value.trim().toLowerCase().replace(/^[@#]/, "");
    const found = fixed.filter((c) => c.label.toLowerCase().includes(typed) || String(c.value).toLowerCase().startsWith(typed));
    found.forEach((c) => { c.chosen = this.picked && c.value === this.picked.value; });
    this.suggest.show(found, { note: found.length ? "" : word("none"), title: this.option.about });
  }

  // complete asks the bot what fits. Only the answer to the newest question counts.
  async complete() {
    const turn = ++this.turn;
    this.asking?.abort();
    if (this.picked) return this.suggest.close();
    await new Promise((done) => setTimeout(done, this.suggest.isOpen ? 120 : 0));
    if (turn !== this.turn || document.activeElement !== this.input) return;
    this.asking = new AbortController();
    const c = this.composer;
    try {
      const options = (await c.values(this)).filter((o) => !o.file);
      options.push({ name: this.option.name, value: this.input.value });
      const answer = await c.env.act({ do: "type", at: c.at, name: "/" + c.command.name, options }, this.asking.signal);
      if (turn !== this.turn || document.activeElement !== this.input) return;
      const found = (answer.choices ?? []).map((x) => ({ label: x.name, value: x.value }));
      this.suggest.show(found, {
        title: this.option.about, first: Boolean(this.input.value),
        note: answer.failed ? word("late") : found.length ? "" : word("propose"),
      });
    } catch (err) {
      if (err.name !== "AbortError" && turn === this.turn) this.suggest.show([], { note: err.message });
    }
  }

  pick(o, key) {
    this.turn++;
    this.picked = o;
    this.input.value = o.label;
    this.input.setAttribute("aria-invalid", "false");
    this.fit();
    this.suggest.close();
    if (this.composer.fields.some((f) => f.option.required && !f.filled()) || key === "Tab") this.composer.next(this);
  }

  // settle takes what was typed for the choice that it names.
  settle() {
    const fixed = this.fixed();
    if (this.picked || !fixed || !this.input.value) return;
    const typed = this.input.value.trim().toLowerCase().replace(/^[@#]/, "");
    const named = (c) => c.label.toLowerCase().replace(/^[@#]/, "");
    const one = fixed.find((c) => named(c) === typed || String(c.value).toLowerCase() === typed);
    if (one) {
      this.picked = one;
      this.input.value = one.label;
      this.fit();
    }
  }

  key(e) {
    if (e.isComposing) return;
    if (this.suggest?.key(e)) return;
    if (e.key === "Backspace" && !this.input.value) {
      e.preventDefault();
      this.composer.drop(this);
    } else if (e.key === "ArrowDown" && this.suggest && !this.suggest.isOpen) {
      e.preventDefault();
      this.picked = undefined;
      this.look();
    } else {
      this.composer.fieldKey(e);
    }
  }

  filled() { return this.option.type === FILE ? Boolean(this.file) : this.input.value.trim() !== ""; }

  value() {
    if (this.option.type === FILE) return this.file;
    if (this.picked) return this.picked.value;
    return this.option.type === TEXT ? this.input.value : this.input.value.trim();
  }

  // check tells what is wrong with the field, if anything.
  check() {
    const o = this.option;
    this.settle?.();
    if (!this.filled()) return o.required ? word("field.needed", { Field: o.shown }) : "";
    if (o.type === FILE) return this.file.size > maxFile ? word("file.large", { File: this.file.name }) : "";
    if (this.fixed() && !this.picked) return word("field.choice", { Value: this.input.value, Field: o.shown });
    const n = Number(this.input.value);
    if ((o.type === INTEGER || o.type === NUMBER) && !this.picked) {
      if (Number.isNaN(n) || (o.type === INTEGER && !Number.isInteger(n))) return word("field.number", { Field: o.shown });
      if (o.min_value !== undefined && n < o.min_value) return word("field.least", { Field: o.shown, Number: o.min_value });
      if (o.max_value !== undefined && n > o.max_value) return word("field.most", { Field: o.shown, Number: o.max_value });
    }
    if (o.min_length && this.input.value.length < o.min_length) return word("field.short", { Field: o.shown, Number: o.min_length });
    return "";
  }
}
