// What opens in front of everything: the form that a bot asks to be filled in, and a
// picture at full size.

import { el, icon, fill } from "./dom.js";
import { mark } from "./text.js";
import { pickFrom } from "./popup.js";
import { readFile } from "./net.js";
import { word } from "./words.js";

// show opens a dialog; it is gone from the page once closed, and the focus goes back.
function show(node) {
  const before = document.activeElement;
  document.body.append(node);
  node.addEventListener("close", () => {
    node.remove();
    if (before?.isConnected) before.focus();
  });
  // A press beside the dialog closes it, as everywhere.
  node.addEventListener("pointerdown", (e) => {
    const r = node.getBoundingClientRect();
    const inside = e.clientX >= r.left && e.clientX <= r.right && e.clientY >= r.top && e.clientY <= r.bottom;
    if (e.target === node && !inside) node.close();
  });
  node.showModal();
}

// ask asks something, with a button that does it; it is whether that was pressed.
export const ask = (title, text, yes) => new Promise((done) => {
  const node = el("dialog.form.asks", { "aria-label": title, onclose: () => done(node.returnValue === "yes") },
    el("h2", {}, title), el("p", {}, text),
    el("div.buttons", {}, el("button", { type: "button", onclick: () => node.close() }, word("cancel")),
      el("button.primary", { type: "button", autofocus: true, onclick: () => node.close("yes") }, yes)));
  show(node);
});

// enlarge shows a picture as large as the window allows, with its description.
export function enlarge(url, alt) {
  const close = el("button.icon", { type: "button", "aria-label": word("close"), onclick: () => node.close() }, icon("close"));
  const node = el("dialog.lightbox", { "aria-label": word("picture") },
    el("img", { src: url, alt: alt ?? "" }),
    el("div.caption", {},
      alt && el("p", {}, alt),
      el("a", { href: url, target: "_blank", rel: "noopener" }, icon("open"), word("tab")),
      el("a", { href: url + "?save", download: "" }, icon("save"), word("save"))),
    close);
  show(node);
  close.focus();
}

// form opens a bot's form. send(fields) resolves when it was taken and throws what was
// wrong with it.
export function form(modal, env, send) {
  const id = "form" + Math.random().toString(36).slice(2);
  const fields = [];
  const rows = modal.components.map((row, i) => {
    if (row.type === 10) return el("div.prose", {}, mark(row.content, env));
    const c = row.type === 18 ? row.component : row.components?.[0];
    if (!c) return undefined;
    const label = row.type === 18 ? row.label : c.label;
    const field = control(c, id + "-" + i, label, env);
    fields.push({ ...field, name: c.custom_id, required: c.required !== false, label });
    return el("div.field", {},
      el("label", { htmlFor: id + "-" + i, id: id + "-" + i + "-label" }, label, c.required !== false && el("span.required", { "aria-hidden": "true" }, " *")),
      row.description && el("p.detail", {}, row.description),
      field.node);
  });
  const wrong = el("p.wrong", { role: "alert", hidden: true });
  const ok = el("button.primary", { type: "submit" }, word("submit"));
  const inner = el("form", {
    noValidate: true,
    oninput: () => { wrong.hidden = true; },
    onsubmit: async (e) => {
      e.preventDefault();
      wrong.hidden = true;
      const missing = fields.find((f) => f.required && !f.value());
      if (missing) {
        wrong.textContent = word("form.missing", { Field: missing.label });
        wrong.hidden = false;
        return missing.focus();
      }
      ok.disabled = true;
      try {
        await send(await Promise.all(fields.filter((f) => !f.file || f.file()).map(async (f) =>
          f.file ? { name: f.name, file: await readFile(f.file()) } : { name: f.name, value: f.value() })));
        node.close();
      } catch (err) {
        wrong.textContent = err.message;
        wrong.hidden = false;
      } finally {
        ok.disabled = false;
      }
    },
  }, rows, wrong, el("div.buttons", {},
    el("button", { type: "button", onclick: () => node.close() }, word("cancel")), ok));
  const node = el("dialog.form", { "aria-labelledby": id }, el("h2", { id }, modal.title),
    el("p.detail", {}, word("form.from", { Bot: env.bot.name })), inner);
  show(node);
  fields[0]?.focus();
}

// control is the input of one field with the ways to read and focus it.
function control(c, id, label, env) {
  if (c.type === 4) {
    const node = el(c.style === 2 ? "textarea" : "input", {
      id, value: c.value ?? "", placeholder: c.placeholder ?? "", maxLength: c.max_length || 4000,
      rows: c.style === 2 ? 4 : undefined, autocomplete: "off", required: c.required !== false,
    });
    return { node, value: () => node.value, focus: () => node.focus() };
  }
  if (c.type === 19) {
    const node = el("input", { id, type: "file" });
    return { node, file: () => node.files[0], value: () => node.value, focus: () => node.focus() };
  }
  if (c.type >= 21) return boxes(c, id, label);
  let chosen = choices(c, env).filter((o) => o.chosen).map((o) => o.value);
  const node = select(c, env, id, (values) => { chosen = values; });
  node.setAttribute("aria-labelledby", id + "-label " + id);
  return { node, value: () => chosen.join(","), focus: () => node.focus() };
}

// boxes are the choices of a radio group or of checkboxes, all in sight, or one checkbox.
function boxes(c, id, label) {
  const type = c.type === 21 ? "radio" : "checkbox";
  const options = c.options ?? [{ label, value: "true", default: c.default }];
  const inputs = options.map((o) => el("input", { type, name: id, value: o.value, checked: Boolean(o.default) }));
  const node = el("div.boxes", { role: type === "radio" ? "radiogroup" : "group", "aria-labelledby": id + "-label" },
    options.map((o, i) => el("label", {}, inputs[i], el("span", {}, o.label, o.description && el("span.detail", {}, " " + o.description)))));
  const ticked = () => inputs.filter((x) => x.checked).map((x) => x.value);
  return { node, value: () => c.type === 23 ? String(inputs[0].checked) : ticked().join(","), focus: () => (inputs.find((x) => x.checked) ?? inputs[0]).focus() };
}

// select is a menu of a message or a form. The words for the choices of members and
// channels come from env.
export function select(c, env, id, picked) {
  const options = choices(c, env);
  const shown = el("span.label");
  const node = el("button.select", { type: "button", id, disabled: c.disabled, "aria-haspopup": "listbox", "aria-expanded": "false" }, shown, icon("down"));
  const paint = () => {
    const chosen = options.filter((o) => o.chosen);
    fill(shown, chosen.length ? chosen.map((o) => o.label).join(", ") : c.placeholder || word("choose"));
    shown.classList.toggle("hint", !chosen.length);
    node.setAttribute("aria-label", [c.placeholder || word("choose"), chosen.map((o) => o.label).join(", ")].filter(Boolean).join(": "));
  };
  node.dataset.key = c.custom_id;
  node.addEventListener("click", () => pickFrom(node, {
    label: c.placeholder || word("choose"), options, least: c.min_values ?? 1, most: c.max_values ?? 1,
    picked: (values) => {
      for (const o of options) o.chosen = values.includes(o.value);
      paint();
      picked(values, node);
    },
  }));
  paint();
  return node;
}

function choices(c, env) {
  if (c.type === 3) return (c.options ?? []).map((o) => ({ label: o.label, value: o.value, detail: o.description, emoji: o.emoji, chosen: o.default }));
  const preset = new Set((c.default_values ?? []).map((d) => d.id));
  const people = env.people.map((p) => ({ label: p.name, value: p.id, chosen: preset.has(p.id) }));
  const places = env.places.filter((p) => p.guild).map((p) => ({ label: p.label, value: p.id, chosen: preset.has(p.id) }));
  return { 5: people, 6: [], 7: people, 8: places }[c.type] ?? [];
}

