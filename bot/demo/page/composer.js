// The box at the foot: plain messages, and commands with their options as fields.

import { $, el, fill, icon } from "./dom.js";
import { Suggest, menu } from "./popup.js";
import { readFile } from "./net.js";
import { size } from "./message.js";
import { Field, isFile, maxFile } from "./field.js";
import { word } from "./words.js";

// Kinds of options that are no values, by Discord's numbers.
const SUB = 1, GROUP = 2;

// leaves are the commands that can be used: those without subcommands, and subcommands.
// They have names (shown) and descriptions in the member's language.
export function leaves(commands, locale) {
  const out = [];
  const inTongue = (o) => ({ shown: o.name_localizations?.[locale] ?? o.name, about: o.description_localizations?.[locale] ?? o.description });
  const walk = (name, shown, c, options) => {
    const subs = (options ?? []).filter((o) => o.type === SUB || o.type === GROUP);
    subs.forEach((s) => walk(name + " " + s.name, shown + " " + inTongue(s).shown, s, s.options));
    if (subs.length) return;
    out.push({ name, shown, about: inTongue(c).about, options: (options ?? []).map((o) => ({
      ...o, ...inTongue(o), choices: o.choices?.map((x) => ({ value: x.value, name: x.name_localizations?.[locale] ?? x.name })),
    })) });
  };
  commands.filter((c) => c.type === 1).forEach((c) => walk(c.name, inTongue(c).shown, c, c.options));
  return out.sort((a, b) => a.shown.localeCompare(b.shown));
}

export class Composer {
  constructor(env) {
    this.env = env;
    this.box = $("composer");
    this.commands = [];
    this.drafts = new Map();
    this.files = [];
    this.wrong = el("p.wrong", { role: "alert", hidden: true });
    this.text();
  }

  // open is called when a place is shown: its commands, its name, its draft.
  open(at, name, commands) {
    if (this.input) this.drafts.set(this.at, this.input.value);
    this.at = at;
    this.name = name;
    this.commands = leaves(commands, this.env.locale);
    this.text(this.drafts.get(at) ?? "", false);
  }

  known(commands) { this.commands = leaves(commands, this.env.locale); }

  // speak says what the box says in the language of the page.
  speak() {
    if (this.input) this.text(this.input.value, document.activeElement === this.input);
  }

  complain(text) {
    this.wrong.textContent = text;
    this.wrong.hidden = !text;
  }

  focus() { (this.fields ? this.fields.find((f) => !f.value())?.input ?? this.fields[0]?.input ?? this.sendButton : this.input).focus(); }

  // type puts a text into the box as if it had been typed.
  type(text) {
    this.text(text);
    this.typed();
  }

  // text shows the box for plain messages.
  text(value = "", focus = true) {
    this.suggest?.close();
    this.fields?.forEach((f) => f.suggest?.close());
    this.fields = this.command = undefined;
    this.complain("");
    const label = word("message", { Place: this.name ?? "" });
    this.input = el("textarea", {
      rows: 1, value, maxLength: 2000, placeholder: innerWidth > 480 ? word("message.hint", { Message: label }) : label, "aria-label": word("message.label", { Message: label }),
      oninput: () => this.typed(), onkeydown: (e) => this.key(e), onbeforeinput: (e) => this.broken(e), onblur: () => this.suggest.close(),
      onpaste: (e) => e.clipboardData.files.length && (e.preventDefault(), this.attach(e.clipboardData.files)),
    });
    const add = el("button.icon", {
      type: "button", "aria-label": word("add.label"), "aria-haspopup": "menu", "aria-expanded": "false",
      onclick: () => menu(add, word("add"), [
        { label: word("add.command"), icon: "hash", act: () => this.type("/") },
        { label: word("add.file"), icon: "file", act: () => picker.click() },
      ]),
    }, icon("plus"));
    const picker = el("input", { type: "file", multiple: true, hidden: true, tabIndex: -1, onchange: () => this.attach(picker.files) });
    this.sendButton = el("button.icon.send", { type: "button", "aria-label": word("send"), onclick: () => this.send() }, icon("send"));
    this.chips = el("div.files");
    fill(this.box, this.wrong, el("div.bar", {}, add, picker, el("div.grow", {}, this.chips, this.input), this.sendButton));
    this.suggest = new Suggest(this.input, { anchor: this.box.lastChild, label: word("commands"), pick: (o) => this.start(o.value) });
    this.showFiles();
    this.grow();
    this.shift = false;
    this.lastKey = "Enter";
    if (focus) {
      this.input.focus();
      this.input.setSelectionRange(value.length, value.length);
    }
  }

  grow() {
    this.input.style.height = "auto";
    this.input.style.height = Math.min(this.input.scrollHeight, 160) + "px";
    this.sendButton.disabled = !this.input.value.trim() && !this.files.length;
  }

  attach(list) {
    for (const file of list) {
      if (file.size > maxFile) this.complain(word("file.large", { File: file.name }));
      else if (this.files.length < 10) this.files.push(file);
    }
    this.showFiles();
    this.grow();
    this.input.focus();
  }

  showFiles() {
    fill(this.chips, this.files.map((file) => el("span.chip", {}, icon("file"), file.name, el("span.detail", {}, size(file.size)),
      el("button.icon", { type: "button", "aria-label": word("file.remove", { File: file.name }), onclick: () => {
        this.files = this.files.filter((f) => f !== file);
        this.showFiles();
        this.grow();
        this.input.focus();
      } }, icon("close")))));
  }

  // typed follows the text: from a slash on it is a command.
  typed() {
    this.grow();
    this.complain("");
    const value = this.input.value;
    if (!value.startsWith("/") || value.includes("\n")) return this.suggest.close();
    const line = value.slice(1);
    const names = this.commands.flatMap((c) => [{ c, name: c.name }, { c, name: c.shown }]);
    const whole = names.filter((n) => line.toLowerCase().startsWith(n.name + " ")).sort((a, b) => b.name.length - a.name.length)[0];
    if (whole) return this.start(whole.c, line.slice(whole.name.length + 1));
    const found = this.matching(line.trim().toLowerCase());
    this.suggest.show(found.map((c) => ({
      label: "/" + c.shown, detail: c.about, value: c,
      note: c.options.filter((o) => o.required).map((o) => o.shown).join(" "),
    })), { note: found.length ? "" : this.commands.length ? word("commands.none") : word("commands.yet"), title: word("commands.of", { Bot: this.env.bot.name }) });
  }

  matching(text) {
    const rank = (c) => {
      if (c.name.startsWith(text) || c.shown.startsWith(text)) return 0;
      if ((c.name + " " + c.shown).split(" ").some((w) => w.startsWith(text))) return 1;
      if (c.name.includes(text)) return 2;
      return text.length > 2 && c.about.toLowerCase().includes(text) ? 3 : 9;
    };
    return this.commands.filter((c) => rank(c) < 9).sort((a, b) => rank(a) - rank(b));
  }

  // broken takes a new line that was typed without Shift as the wish to send: a keyboard on
  // the screen reports no keys.
  broken(e) {
    if (!["insertLineBreak", "insertParagraph"].includes(e.inputType) || this.shift) return;
    e.preventDefault();
    if (this.lastKey !== "Enter") this.suggest.active ? this.suggest.pick(this.suggest.active) : this.send();
  }

  key(e) {
    this.shift = e.shiftKey;
    this.lastKey = e.key;
    if (e.isComposing) return;
    if (this.suggest.key(e)) return;
    if (e.key === "Enter" && !e.shiftKey) {
      e.preventDefault();
      this.send();
    } else if (e.key === "Escape") {
      this.complain("");
    } else if (e.key === "ArrowUp" && !this.input.value) {
      const last = [...document.querySelectorAll("#messages article")].pop();
      if (last) {
        e.preventDefault();
        last.focus();
      }
    }
  }

  async send() {
    const text = this.input.value.trim();
    const whole = this.commands.find((c) => "/" + c.name === text || "/" + c.shown === text);
    if (whole) return this.start(whole);
    if (!text && !this.files.length) return;
    if (text.startsWith("/") && /^\/[a-z]/i.test(text)) return this.complain(word("commands.unknown", { Command: text.split(" ")[0] }));
    const input = this.input;
    input.readOnly = true;
    try {
      const files = await Promise.all(this.files.map(readFile));
      await this.env.act({ do: "say", at: this.at, text, files });
      this.files = [];
      this.text();
    } catch (err) {
      input.readOnly = false;
      this.complain(err.message);
    }
  }

  // start shows a command with its options as fields. rest is what was typed after it.
  start(command, rest = "") {
    this.suggest?.close();
    this.complain("");
    this.command = command;
    this.input = undefined;
    this.fields = [];
    this.hint = el("p.hint", { id: "hint" }, command.about);
    this.row = el("div.fields", { role: "group", "aria-label": word("options.of", { Command: "/" + command.shown }) });
    this.moreButton = el("button.quiet.optional", {
      type: "button", "aria-haspopup": "menu", "aria-expanded": "false", onclick: () => this.offer(),
      onfocus: () => this.tell(),
      onkeydown: (e) => {
        if (e.key === "Backspace") {
          e.preventDefault();
          this.drop(this.fields.at(-1));
        } else this.fieldKey(e);
      },
    });
    this.sendButton = el("button.icon.send", { type: "button", "aria-label": word("send.command", { Command: "/" + command.shown }), onclick: () => this.run() }, icon("send"));
    const leave = el("button.icon", { type: "button", "aria-label": word("leave"), onclick: () => this.text() }, icon("close"));
    fill(this.box, this.wrong, this.hint, el("div.bar.command", { onkeydown: (e) => this.formKey(e) }, leave,
      el("div.grow", {}, el("span.used", {}, "/" + command.shown), this.row), this.sendButton));
    const given = parse(rest, command.options);
    for (const o of command.options) {
      if (o.required || given.has(o.name)) this.add(o, given.get(o.name));
    }
    this.row.append(this.moreButton);
    this.showMore();
    this.focus();
  }

  left() { return this.command.options.filter((o) => !this.fields.some((f) => f.option === o)); }

  showMore() {
    const n = this.left().length;
    this.moreButton.hidden = n === 0;
    fill(this.moreButton, icon("plus"), n === 1 ? this.left()[0].shown : word("options.more", { Number: n }));
    this.moreButton.setAttribute("aria-label", word("options.add", { Names: this.left().map((o) => o.shown).join(", ") }));
  }

  offer() {
    const left = this.left();
    if (left.length === 1) return this.add(left[0], undefined, true);
    menu(this.moreButton, word("options"), left.map((o) => ({ label: o.shown, detail: o.about, act: () => this.add(o, undefined, true) })));
  }

  add(option, value, focus) {
    const field = new Field(this, option, value);
    this.fields.push(field);
    if (this.moreButton.isConnected) this.row.insertBefore(field.node, this.moreButton);
    else this.row.append(field.node);
    this.showMore();
    if (focus) field.input.focus();
  }

  // drop takes an optional field away again; from the first field on, the whole command.
  drop(field) {
    if (!field) return this.text("/" + this.command.name), this.typed();
    const at = this.fields.indexOf(field);
    if (field.option.required) {
      if (at > 0) return this.fields[at - 1].input.focus();
      this.text("/" + this.command.name);
      return this.typed();
    }
    field.suggest?.close();
    field.node.remove();
    this.fields.splice(at, 1);
    this.showMore();
    (this.fields[at - 1]?.input ?? this.moreButton).focus();
  }

  // tell shows what the field that has the keyboard is for.
  tell(option) {
    fill(this.hint, option ? [el("b", {}, option.shown), " ", option.about, option.required ? "" : " " + word("optional")] : this.command.about);
  }

  next(field) {
    const open = this.fields.find((f) => f.option.required && !f.filled());
    const at = this.fields.indexOf(field);
    (open ?? this.fields[at + 1])?.input.focus();
    if (!open && !this.fields[at + 1]) field.input.focus();
  }

  fieldKey(e) {
    if (e.key === "Enter" && e.target !== this.moreButton) {
      e.preventDefault();
      this.run();
    }
  }

  formKey(e) {
    if (e.key === "Escape" && !e.defaultPrevented) {
      e.preventDefault();
      this.text();
    }
  }

  // values are the filled fields as options; the focused one last, for autocomplete.
  async values(last) {
    const out = [];
    for (const f of this.fields) {
      if (f === last || !f.filled()) continue;
      out.push(isFile(f.option) ? { name: f.option.name, file: await readFile(f.file) } : { name: f.option.name, value: f.value() });
    }
    return out;
  }

  async run() {
    if (this.running) return;
    this.complain("");
    for (const f of this.fields) {
      const wrong = f.check();
      f.input.setAttribute("aria-invalid", String(Boolean(wrong)));
      if (wrong) {
        this.complain(wrong);
        f.input.focus();
        f.suggest?.close();
        return;
      }
    }
    this.running = true;
    this.fields.forEach((f) => f.suggest?.close());
    let options;
    try {
      options = await this.values(); // files are read here
      await new Promise((done) => setTimeout(done)); // the key that sent this is not the next box's
    } catch (err) {
      return this.complain(err.message);
    } finally {
      this.running = false;
    }
    // The box is free at once. What Discord would not take comes back into it, unless
    // something else is being written there by then.
    const back = { at: this.at, nodes: [...this.box.childNodes], command: this.command, fields: this.fields, hint: this.hint, row: this.row, moreButton: this.moreButton, sendButton: this.sendButton };
    this.text();
    const empty = this.input;
    try {
      await this.env.act({ do: "slash", at: back.at, name: "/" + back.command.name, options });
    } catch (err) {
      if (this.input === empty && !empty.value && this.at === back.at) {
        const { nodes, at: _, ...state } = back;
        Object.assign(this, state, { input: undefined });
        this.box.replaceChildren(...nodes);
        this.focus();
      }
      this.complain(err.message);
    }
  }
}

// parse reads "at:H8 note:a long text"; what stands before the first name is for the
// first option.
function parse(rest, options) {
  const out = new Map();
  let name = options[0]?.name;
  for (const word of rest.split(" ")) {
    const cut = word.indexOf(":");
    const o = cut > 0 && options.find((x) => x.name === word.slice(0, cut));
    if (o) {
      name = o.name;
      out.set(name, word.slice(cut + 1));
    } else if (name && word) {
      out.set(name, ((out.get(name) ?? "") + " " + word).trim());
    }
  }
  return out;
}
