// Discord's markdown, as far as chat messages use it, made into nodes.

import { el, put } from "./dom.js";
import { tongue, word } from "./words.js";

// mark makes nodes of a text. env knows names: person(id), place(id), go(place, message).
export function mark(text, env) {
  return blocks(text.replaceAll("\r\n", "\n"), env);
}

// blocks splits a text into its lines and the shapes that lines make.
function blocks(text, env) {
  const out = [];
  const lines = text.split("\n");
  let plain = [];
  const flush = () => {
    if (plain.length) out.push(el("p", {}, inline(plain.join("\n"), env)));
    plain = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    let m;
    if (line.startsWith("```")) {
      const rest = lines.slice(i).join("\n");
      const end = rest.indexOf("```", 3);
      if (end > 0) {
        flush();
        let code = rest.slice(3, end);
        const first = code.indexOf("\n");
        if (first >= 0 && /^[a-z0-9_+-]*$/i.test(code.slice(0, first))) code = code.slice(first + 1);
        out.push(el("pre", { tabIndex: 0 }, el("code", {}, code.replace(/\n$/, ""))));
        const used = rest.slice(0, end + 3).split("\n").length;
        const tail = rest.slice(end + 3).split("\n", 1)[0];
        i += used - 1;
        if (tail.trim()) plain.push(tail);
        continue;
      }
    }
    if ((m = /^(#{1,3}) +(\S.*)$/.exec(line))) {
      flush();
      // The page itself has level 1; headings of a message are two levels below theirs.
      out.push(el("div.h" + m[1].length, { role: "heading", "aria-level": m[1].length + 2 }, inline(m[2], env)));
    } else if ((m = /^-# +(\S.*)$/.exec(line))) {
      flush();
      out.push(el("small.sub", {}, inline(m[1], env)));
    } else if (line.startsWith(">>> ")) {
      flush();
      out.push(el("blockquote", {}, blocks([line.slice(4), ...lines.slice(i + 1)].join("\n"), env)));
      break;
    } else if (line.startsWith("> ")) {
      flush();
      const quoted = [];
      while (i < lines.length && (lines[i].startsWith("> ") || lines[i] === ">")) quoted.push(lines[i++].slice(2));
      i--;
      out.push(el("blockquote", {}, blocks(quoted.join("\n"), env)));
    } else if (/^ *[-*] +\S/.test(line)) {
      flush();
      const list = el("ul");
      while (i < lines.length && (m = /^( *)[-*] +(\S.*)$/.exec(lines[i]))) {
        put(list, el(m[1].length > 1 ? "li.inner" : "li", {}, inline(m[2], env)));
        i++;
      }
      i--;
      out.push(list);
    } else if ((m = /^ *(\d{1,9})\. +(\S.*)$/.exec(line)) && numbered(lines, i)) {
      flush();
      const list = el("ol", { start: Number(m[1]) });
      while (i < lines.length && (m = /^ *\d{1,9}\. +(\S.*)$/.exec(lines[i]))) {
        put(list, el("li", {}, inline(m[1], env)));
        i++;
      }
      i--;
      out.push(list);
    } else {
      plain.push(line);
    }
  }
  flush();
  return out;
}

// numbered: a single line such as "12. H8" is a move more often than a list.
const numbered = (lines, i) => /^ *\d{1,9}\. +\S/.test(lines[i + 1] ?? "");

// Each rule of inline text: a pattern that matches at the start of what is left, and the
// node that it makes.
const rules = [
  [/^\\([^\p{L}\p{N}\s])/u, (m) => m[1]],
  [/^(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/, (m) => el("code", {}, m[2].trim() || m[2])],
  [/^\*\*\*(\S[\s\S]*?)\*\*\*(?!\*)/, (m, env) => el("strong", {}, el("em", {}, inline(m[1], env)))],
  [/^\*\*([\s\S]+?)\*\*(?!\*)/, (m, env) => el("strong", {}, inline(m[1], env))],
  [/^__([\s\S]+?)__(?!_)/, (m, env) => el("u", {}, inline(m[1], env))],
  [/^\*([^\s*](?:[\s\S]*?[^\s*])?)\*(?!\*)/, (m, env) => el("em", {}, inline(m[1], env))],
  [/^_([^_]+)_(?![\p{L}\p{N}])/u, (m, env, before) => /[\p{L}\p{N}]$/u.test(before) ? undefined : el("em", {}, inline(m[1], env))],
  [/^~~([\s\S]+?)~~/, (m, env) => el("s", {}, inline(m[1], env))],
  [/^\|\|([\s\S]+?)\|\|/, (m, env) => spoiler(inline(m[1], env))],
  [/^<@!?(\d+)>/, (m, env) => member(m[1], env)],
  [/^<@&\d+>/, () => el("span.mention", {}, "@" + word("role"))],
  [/^<#(\d+)>/, (m, env) => channel(m[1], undefined, env)],
  [/^<\/([^:<>]{1,100}):\d+>/, (m, env) => command(m[1], env)],
  [/^<t:(-?\d{1,13})(?::([tTdDfFR]))?>/, (m) => time(Number(m[1]), m[2] ?? "f")],
  [/^<a?:(\w+):(\d+)>/, (m) => emoji({ name: m[1], id: m[2] })],
  [/^\[((?:\\.|[^\[\]\\]|\[[^\]]*\])+)\]\(\s*<?(https?:\/\/[^\s<>)]+)>?(?:\s+"[^"]*")?\s*\)/, (m, env) => link(m[2], inline(m[1], env), env)],
  [/^<(https?:\/\/[^\s<>]+)>/, (m, env) => link(m[1], undefined, env)],
  [/^https?:\/\/[^\s<>]*[^\s<>.,:;"')\]!?*_~|]/, (m, env) => link(m[0], undefined, env)],
  [/^(?:⚫|⚪|\u{1F534}|\u{1F535})\uFE0F?/u, (m) => stone(m[0])],
  [/^\n/, () => el("br")],
];

const special = /[\\`*_~|<\[\n⚫⚪\u{1F534}\u{1F535}]|https?:\/\//u;

function inline(text, env) {
  const out = [];
  let plain = "", before = "";
  const flush = () => {
    if (plain) out.push(plain);
    plain = "";
  };
  while (text) {
    const at = text.search(special);
    if (at !== 0) {
      const part = at < 0 ? text : text.slice(0, at);
      plain += part;
      before = part;
      text = text.slice(part.length);
      continue;
    }
    let made, used = 0;
    for (const [pattern, make] of rules) {
      const m = pattern.exec(text);
      if (m && (made = make(m, env, before)) !== undefined) {
        used = m[0].length;
        break;
      }
    }
    if (!used) {
      const first = String.fromCodePoint(text.codePointAt(0));
      plain += first;
      used = first.length;
    } else if (typeof made === "string") {
      plain += made;
    } else {
      flush();
      out.push(made);
    }
    before = text.slice(0, used);
    text = text.slice(used);
  }
  flush();
  return out;
}

function spoiler(children) {
  const show = (e) => {
    if (e.type === "keydown" && e.key !== "Enter" && e.key !== " ") return;
    e.preventDefault();
    e.currentTarget.classList.add("shown");
    e.currentTarget.removeAttribute("role");
  };
  return el("span.spoiler", { role: "button", tabIndex: 0, "aria-label": word("spoiler"), onclick: show, onkeydown: show }, children);
}

function member(id, env) {
  const person = env.person(id);
  const me = id === env.me;
  return el(me ? "span.mention.me" : "span.mention", { data: { member: id } }, "@" + (person?.name ?? word("nobody")));
}

function channel(id, message, env) {
  const place = env.place(id);
  if (!place) return el("span.mention", { data: { place: id, message: message ?? "" } }, "#" + word("nowhere"));
  return el("button.mention", { type: "button", onclick: () => env.go(id, message) }, message ? word("place.message", { Place: place.label }) : place.label);
}

// learn names the places that were not known when they were mentioned: a mention of a thread
// often comes before the thread itself.
export function learn(env) {
  for (const node of document.querySelectorAll(".mention[data-place]")) {
    if (env.place(node.dataset.place)) node.replaceWith(channel(node.dataset.place, node.dataset.message || undefined, env));
  }
}

// command shows a command under its name in the reader's language.
function command(name, env) {
  const shown = "/" + env.spoken(name);
  return el("button.mention", { type: "button", onclick: () => env.type(shown + " ") }, shown);
}

// placeOf is the place and the message that an address of Discord's leads to.
export const placeOf = (url) => /^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/channels\/(?:\d+|@me)\/(\d+)(?:\/(\d+))?\/?$/.exec(url ?? "")?.slice(1);

// link leads outside in a tab of its own; a link to a message of this place leads there.
function link(url, children, env) {
  const to = placeOf(url);
  if (to) {
    if (!children) return channel(...to, env);
    return el("button.link", { type: "button", onclick: () => env.go(...to) }, children);
  }
  return el("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, children ?? url);
}

// stone draws the emoji of a stone, since not every machine has a font for it; the
// character itself stays there to be read and copied.
export function stone(char) {
  const black = char.startsWith("⚫"), white = char.startsWith("⚪");
  if (!black && !white) return char;
  return el(black ? "span.stone.black" : "span.stone.white", { role: "img", "aria-label": word(black ? "sign.black" : "sign.white") }, char);
}

// emoji shows the emoji of a button or an option: a character, or a picture of the bot's own.
export function emoji(e) {
  if (!e.id) return el("span.emoji", {}, stone(e.name ?? ""));
  const img = el("img", { src: "emojis/" + encodeURIComponent(e.id), alt: called(e), width: 22, height: 22 });
  // The server has a blank of one point in place of an emoji that is gone.
  img.onload = () => img.naturalWidth > 1 || img.replaceWith(":" + e.name + ":");
  return el("span.emoji", {}, img);
}

// called is the name of an emoji as one says it.
export const called = (e) => (e.name ?? "").replace(/_\d+$/, "").replaceAll("_", " ");

const formats = {
  t: { timeStyle: "short" }, T: { timeStyle: "medium" }, d: { dateStyle: "short" }, D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" }, F: { dateStyle: "full", timeStyle: "short" },
};

function time(seconds, style) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return String(seconds);
  const full = date.toLocaleString(tongue, formats.F);
  const node = el("time.stamp", { dateTime: date.toISOString(), title: full });
  if (style === "R") {
    node.dataset.relative = String(seconds);
    node.textContent = relative(seconds);
  } else {
    node.textContent = date.toLocaleString(tongue, formats[style]);
  }
  return node;
}

const units = [["year", 31557600], ["month", 2629800], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

function relative(seconds) {
  const left = seconds - Date.now() / 1000;
  for (const [unit, size] of units) {
    if (Math.abs(left) >= size * 0.9999 || unit === "second") return new Intl.RelativeTimeFormat(tongue ?? "en", { numeric: "auto" }).format(Math.trunc(left / size + Math.sign(left) * 1e-4), unit);
  }
}

// tick brings relative times up to date; it is called every second.
export function tick() {
  for (const node of document.querySelectorAll("time[data-relative]")) {
    const text = relative(Number(node.dataset.relative));
    if (node.textContent !== text) node.textContent = text;
  }
}

// flat is a text without its marks, for screen readers and previews.
export function flat(text, env) {
  return inlineText(mark(text, env)).replace(/\s+/g, " ").trim();
}

function inlineText(nodes) {
  nodes.forEach((n) => n.querySelectorAll?.("br").forEach((b) => b.replaceWith("\n")));
  return nodes.map((n) => (typeof n === "string" ? n : n.textContent || n.querySelector?.("img")?.alt || "")).join(" ");
}
