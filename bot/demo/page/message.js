// A message as a member sees it. draw makes the whole list item from the message alone;
// what a member does with it goes to env.

import { avatar, el, icon } from "./dom.js";
import { called, emoji, flat, placeOf, mark } from "./text.js";
import { fileURL } from "./net.js";
import { enlarge, select } from "./dialog.js";
import { tongue, word, words } from "./words.js";

const PRIVATE = 64, THINKING = 128;

export const isPrivate = (m) => (m.flags & PRIVATE) !== 0;
export const isThinking = (m) => (m.flags & THINKING) !== 0;

const clock = (iso) => new Date(iso).toLocaleTimeString(tongue, { timeStyle: "short" });
const full = (iso) => new Date(iso).toLocaleString(tongue, { dateStyle: "full", timeStyle: "short" });

// follows reports whether a message needs no head of its own after the one before.
export function follows(m, before) {
  return before && before.author.id === m.author.id && !before.interaction === !m.interaction && !m.interaction && !m.message_reference &&
    isPrivate(m) === isPrivate(before) && new Date(m.timestamp) - new Date(before.timestamp) < 7 * 60e3;
}

// draw makes the list item of a message. before is the message above it.
export function draw(m, before, env) {
  const joined = follows(m, before);
  const pinged = m.mentions?.some((u) => u.id === env.me) && m.author.id !== env.me;
  const classes = ["message", joined && "joined", isPrivate(m) && "private", pinged && "pinged", m.author.bot && "bot"].filter(Boolean);
  const name = el("span.name", { id: "by-" + m.id }, m.author.global_name || m.author.username);
  const body = el("div.body", {}, parts(m, env));
  const more = el("button.icon.more", {
    type: "button", "aria-label": word("actions"), "aria-haspopup": "menu", "aria-expanded": "false",
    onclick: (e) => env.messageMenu(m, e.currentTarget),
  }, icon("dots"));
  const article = el("article", { "aria-labelledby": "by-" + m.id + " at-" + m.id, tabIndex: -1 },
    origin(m, env),
    el("button.face", { type: "button", tabIndex: -1, "aria-hidden": "true", onclick: (e) => env.memberMenu(m.author.id, e.currentTarget) }, avatar(m.author, env.people)),
    el("div.head", {}, name, m.author.bot && el("span.tag", {}, word("tag")),
      el("time", { id: "at-" + m.id, dateTime: m.timestamp, title: full(m.timestamp) }, clock(m.timestamp))),
    el("div.content", {}, body, foot(m, env)),
    more);
  const item = el("li", { id: "m-" + m.id, data: { id: m.id } }, article);
  item.classList.add(...classes);
  article.addEventListener("contextmenu", (e) => {
    if (e.target.closest("a, img, input, textarea") || getSelection()?.toString()) return;
    e.preventDefault();
    env.messageMenu(m, more);
  });
  return item;
}

// origin is the line above a message that tells what it answers.
function origin(m, env) {
  if (m.interaction && m.type === 20) {
    const by = m.interaction.user;
    return el("p.origin", {}, icon("reply"), avatar(by, env.people), el("span", {}, words("used", { Who: el("b", {}, by.global_name || by.username), Command: el("span.used", {}, used(m.interaction.name, env)) })));
  }
  const target = m.message_reference?.message_id;
  if (!target) return undefined;
  const old = env.message(target);
  if (!old) return undefined;
  return el("p.origin", {}, icon("reply"), avatar(old.author, env.people),
    el("button.link", { type: "button", onclick: () => env.go(m.channel_id, target) },
      el("b", {}, old.author.global_name || old.author.username), " ", preview(old, env)));
}

// used is what an interaction was begun with: a slash command, a command of a menu, or a
// button, which comes in brackets.
function used(name, env) {
  const slash = !/^[[/<]/.test(name) && !env.commands.some((c) => c.type !== 1 && c.name === name);
  return (slash ? "/" : "") + name;
}

// preview is a message in a few words.
export function preview(m, env) {
  let text = m.content;
  const walk = (list) => list?.forEach((c) => {
    if (!text && c.type === 10) text = c.content;
    walk(c.components);
  });
  walk(m.components);
  text = flat(text ?? "", env);
  return text.length > 90 ? text.slice(0, 89) + "…" : text || word("preview");
}

// spoken is what a screen reader hears of a message that has come or changed: its texts
// and the descriptions of its pictures, not its buttons.
export function spoken(m, env) {
  if (isThinking(m)) return word("thinking", { Bot: m.author.username });
  const out = [m.content && flat(m.content, env)];
  const walk = (list) => list?.forEach((c) => {
    if (c.type === 10) out.push(flat(c.content, env));
    if (c.type === 12) c.items?.forEach((i) => out.push(i.description?.split(". ").slice(0, 3).join(". ")));
    walk(c.components);
  });
  walk(m.components);
  return m.author.username + ": " + out.filter(Boolean).join(". ").slice(0, 400);
}

function parts(m, env) {
  if (m.type === 18) return el("p.system", {}, words("thread", { Thread: el("b", {}, m.content) }));
  if (isThinking(m)) {
    return el("p.thinking", {}, el("span.dots", { "aria-hidden": "true" }, el("i"), el("i"), el("i")),
      word("thinking", { Bot: m.author.username }));
  }
  const lost = m.interaction && isPrivate(m) && m.content === "The application did not respond";
  return [
    m.content && el(lost ? "div.prose.failed" : "div.prose", {}, mark(m.content, env)),
    m.embeds?.map((e) => embed(e, env)),
    m.components?.map((c) => component(c, m, env)),
    !(m.flags & 32768) && m.attachments?.map((a) => attachment(a)),
    m.thread && el("button.thread", { type: "button", onclick: () => env.go(m.thread.id) }, icon("thread"), m.thread.name),
  ];
}

function foot(m, env) {
  const dismissible = isPrivate(m) && !isThinking(m);
  return [
    m.edited_timestamp && !isThinking(m) && el("span.edited", { title: full(m.edited_timestamp) }, word("edited")),
    isPrivate(m) && el("p.only", {}, icon("eye"), word("private"),
      dismissible && [" · ", el("button.link", { type: "button", onclick: () => env.dismiss(m) }, word("dismiss"))]),
  ];
}

function component(c, m, env) {
  switch (c.type) {
    case 1: return el(isPad(c) ? "div.row.pad" : "div.row", { role: "group" }, c.components?.map((x) => component(x, m, env)));
    case 2: return button(c, m, env);
    case 3: case 5: case 6: case 7: case 8:
      return select(c, env, undefined, (values, node) => env.choose(m, c, values, node));
    case 9: return el("div.section", {},
      el("div", {}, c.components?.map((x) => component(x, m, env))),
      c.accessory && (c.accessory.type === 11 ? el("div.thumb", {}, picture(c.accessory.media, c.accessory.description, c.accessory.spoiler)) : component(c.accessory, m, env)));
    case 10: return el("div.prose", {}, mark(c.content, env));
    case 12: return gallery(c.items ?? []);
    case 13: {
      const a = m.attachments?.find((x) => x.url === c.file?.url);
      return fileCard(c.file?.url, a?.filename, a?.size);
    }
    case 14: return c.divider === false ? el("div.gap", { data: { large: c.spacing === 2 } }) : el("hr", { data: { large: c.spacing === 2 } });
    case 17: return el("div.box", { vars: c.accent_color === undefined || c.accent_color === null ? {} : { "--edge": "#" + c.accent_color.toString(16).padStart(6, "0") } },
      c.components?.map((x) => component(x, m, env)));
  }
  return el("p.unknown", {}, word("unknown"));
}

// isPad: short buttons lie above those of the next row, as the points of a board do.
const isPad = (row) => row.components?.every((c) => c.type === 2 && (c.label ?? "").length <= 4);

const styles = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "secondary" };

// Signs that stand alone on a button are drawn, since not every machine has a font for
// them, and named for those who hear them.
const signs = {
  "◀": "left", "▶": "right", "▲": "up", "▼": "lower", "◤": "leftup", "◥": "rightup", "◣": "leftdown", "◢": "rightdown",
  "▦": "parts", "⏮": "first", "⏭": "last", "⋯": "more",
};

// What the names of the bot's own emojis say, where that is not the name of a sign.
const heard = {
  "black stone": "black", "white stone": "white", down: "lower", "upper left": "leftup", "upper right": "rightup",
  "lower left": "leftdown", "lower right": "rightdown", "parts of the board": "parts",
};

// named is the name of a sign, or of a picture that the bot has drawn of one, for those who hear it.
const known = new Set([...Object.values(signs), "black", "white"]);
const named = (sign) => known.has(heard[sign] ?? sign) ? word("sign." + (heard[sign] ?? sign)) : sign;

// bare reports whether an emoji stands on its button as it would on the board: a stone.
const bare = (e) => !e.id || /(^|_)stone(_|$)/.test(e.name);

function button(c, m, env) {
  const sign = signs[(c.label || c.emoji?.name || "").replace("\uFE0F", "")];
  const inside = sign && !(c.label && c.emoji) ? icon(sign) : [c.emoji && emoji(c.emoji), c.label && el("span", {}, c.label)];
  const to = c.style === 5 && placeOf(c.url);
  if (to) return el("button.button.secondary", { type: "button", onclick: () => env.go(...to) }, inside, icon("open"));
  if (c.style === 5) {
    return el("a.button.secondary", { href: /^https?:/.test(c.url) ? c.url : undefined, target: "_blank", rel: "noopener noreferrer nofollow" }, inside, icon("open"));
  }
  const drawn = !c.label && c.emoji?.id ? called(c.emoji) : undefined;
  const node = el("button.button." + (styles[c.style] ?? "secondary"), {
    type: "button", disabled: c.disabled, "aria-label": named(sign ?? drawn), data: { key: c.custom_id },
    onclick: () => env.press(m, c, node),
  }, inside);
  if (!c.label && c.emoji && !sign && bare(c.emoji)) node.classList.add("bare");
  return node;
}

// Pictures that were fetched before their message is drawn, so that a board changes
// without a blink.
const ready = new Map();

// fetchPictures resolves when the pictures of a message are there, or after a second.
export async function fetchPictures(m) {
  const urls = [];
  const walk = (list) => list?.forEach((c) => {
    c.items?.forEach((i) => urls.push(fileURL(i.media.url)));
    walk(c.components);
  });
  walk(m.components);
  const all = urls.filter(Boolean).map((url) => {
    const img = new Image();
    img.src = url;
    ready.set(url, img);
    setTimeout(() => ready.delete(url), 10e3);
    return img.decode().catch(() => {});
  });
  await Promise.race([Promise.all(all), new Promise((done) => setTimeout(done, 1000))]);
}

function picture(media, alt, hidden) {
  const url = fileURL(media?.url);
  if (!url) return el("p.unknown", {}, alt || word("picture.elsewhere"));
  const img = ready.get(url) ?? el("img", { src: url });
  ready.delete(url);
  img.alt = alt || word("picture.unnamed");
  img.decoding = "async";
  if (media.width) {
    img.width = media.width;
    img.height = media.height;
  }
  img.onerror = () => img.classList.add("broken");
  const node = el("button.picture", { type: "button", "aria-haspopup": "dialog", title: word("enlarge"),
    onclick: () => node.classList.contains("veiled") ? node.classList.remove("veiled") : enlarge(url, alt) }, img);
  if (hidden) node.classList.add("veiled");
  return node;
}

function gallery(items) {
  const first = items[0]?.media;
  return el("div.gallery", { data: { count: items.length }, vars: first?.width ? { "--ratio": first.width / first.height } : {} },
    items.map((i) => picture(i.media, i.description, i.spoiler)));
}

function attachment(a) {
  if (/^image\/(png|gif|jpeg|webp)$/.test(a.content_type ?? "")) {
    return gallery([{ media: { url: a.url, width: a.width, height: a.height }, description: a.description || a.filename }]);
  }
  return fileCard(a.url, a.filename, a.size);
}

export const size = (n) => n < 1000 ? word("bytes", { Number: n }) : n < 1e6 ? (n / 1000).toFixed(1) + " kB" : (n / 1e6).toFixed(1) + " MB";

function fileCard(url, name, bytes) {
  const href = fileURL(url);
  name ??= decodeURIComponent((url ?? "").split("/").pop() || "file");
  return el("div.file", {}, icon("file"),
    el("div", {}, el("span.filename", {}, name), bytes !== undefined && el("span.detail", {}, size(bytes))),
    href && el("a.icon", { href: href + "?save", download: name, "aria-label": word("save.file", { File: name }) }, icon("save")));
}

// embed is the older kind of rich content; a bot of today has little of it.
function embed(e, env) {
  return el("div.box.embed", { vars: e.color ? { "--edge": "#" + e.color.toString(16).padStart(6, "0") } : {} },
    e.author?.name && el("div.prose.sub", {}, e.author.name),
    e.title && el("div.prose.h3", {}, mark(e.title, env)),
    e.description && el("div.prose", {}, mark(e.description, env)),
    e.fields?.map((f) => el("div.prose", {}, el("b", {}, mark(f.name, env)), mark(f.value, env))),
    e.image && picture(e.image, undefined),
    e.footer?.text && el("div.prose.sub", {}, e.footer.text));
}
