// The page as a whole: who the visitor is, where they look, and what the feed brings.

import { $, fill, icon, avatar, say } from "./dom.js";
import * as net from "./net.js";
import { learn, tick } from "./text.js";
import { Log } from "./log.js";
import { Composer, leaves } from "./composer.js";
import { form } from "./dialog.js";
import { Activity } from "./activity.js";
import { menu } from "./popup.js";
import { preview } from "./message.js";
import { welcome } from "./welcome.js";
import { speak as language, word } from "./words.js";
import { boards, drawer, frame, nameTheme, recall, remember } from "./frame.js";
import * as side from "./side.js";

const news = new Map(); // what happened at places that are not open: { count, pings }
let closeFeed = () => {};
let queue = Promise.resolve(); // events are shown one after another
const newest = new Map(); // by message, while it waits in the queue
let held; // events that arrive while a place is being read
let commandsTimer;

// env is what the parts of the page know of one another.
const env = {
  me: "", meName: "", at: "", server: "", people: [], places: [], bot: { name: "" }, commands: [],
  locale: "en-US", languages: { "en-US": "English", "zh-CN": "简体中文" },
  person: (id) => env.people.find((p) => p.id === id),
  place: (id) => env.places.find((p) => p.id === id),
  message: (id) => log.list.find((m) => m.id === id),
  face: (p) => avatar(p, env.people),
  // act does something, and opens the form that the bot asks for, or fills it in.
  act: async (action, signal, fill) => {
    const answer = await net.act(env.meName, action, signal);
    if (answer.instance) activity.open(answer.instance, env.place(env.at));
    if (answer.modal) fill ? await submit(answer.interaction, fill) : form(answer.modal, env, (fields) => submit(answer.interaction, fields));
    return answer;
  },
  type: (text) => composer.type(text),
  spoken: (name) => leaves(env.commands, env.locale).find((c) => c.name === name)?.shown ?? name,
  address: (name, place) => "?" + new URLSearchParams({ as: name, in: place?.path ?? "" }),
  go, become, press, choose, dismiss, messageMenu, memberMenu, languageMenu, boardsMenu,
};

async function submit(interaction, fields) {
  const answer = await env.act({ do: "submit", modal: interaction, options: fields });
  if (answer.failed) throw new Error(word("again"));
}

// A press is shown on its button until the bot has answered.
async function press(m, c, node) {
  await busy(m, node, { do: "press", at: m.id, name: c.custom_id });
}

async function choose(m, c, values, node) {
  await busy(m, node, { do: "choose", at: m.id, name: c.custom_id, values });
}

async function busy(m, node, action) {
  if (node.getAttribute("aria-busy")) return;
  node.setAttribute("aria-busy", "true");
  try {
    const answer = await env.act(action);
    if (answer.failed) throw new Error(word("again"));
  } catch (err) {
    complain(m, err.message);
  } finally {
    node.removeAttribute("aria-busy");
  }
}

// complain says below a message what went wrong with it.
function complain(m, text) {
  const body = document.querySelector("#m-" + m.id + " .content");
  if (!body) return composer.complain(text);
  body.querySelector(".failed-note")?.remove();
  const note = document.createElement("p");
  note.className = "failed-note";
  note.setAttribute("role", "alert");
  note.textContent = text;
  body.append(note);
}

async function dismiss(m) {
  try {
    await env.act({ do: "delete-message", at: m.id });
  } catch (err) {
    complain(m, err.message);
  }
}

// use runs a menu's command; what goes wrong is said at the foot.
async function use(action) {
  try {
    const answer = await env.act(action);
    if (answer.failed) composer.complain(word("again"));
  } catch (err) {
    composer.complain(err.message);
  }
}

function messageMenu(m, anchor) {
  const own = m.author.id === env.me, rules = env.meName === env.people[0].name;
  const apps = m.flags & 64 ? [] : env.commands.filter((c) => c.type === 3);
  menu(anchor, word("message.menu"), [
    ...apps.map((c) => ({ label: c.name, lead: avatar(env.bot, env.people), act: () => use({ do: "message-menu", name: c.name, target: m.id }) })),
    ...(apps.length ? ["-"] : []),
    { label: word("copy"), act: () => navigator.clipboard?.writeText(preview(m, env)).then(() => say(word("copied"))) },
    ...(m.flags & 64 ? [{ label: word("dismiss"), act: () => dismiss(m) }]
      : own || rules ? [{ label: word(own ? "delete" : "delete.moderator"), danger: true, act: () => dismiss(m) }] : []),
  ]);
}

function memberMenu(id, anchor) {
  const p = env.person(id);
  if (!p) return;
  const place = env.place(env.at);
  const apps = env.commands.filter((c) => c.type === 2);
  menu(anchor, p.name, [
    { heading: p.name },
    ...apps.map((c) => ({ label: c.name, lead: avatar(env.bot, env.people), act: () => use({ do: "user-menu", at: env.at, name: c.name, target: id }) })),
    ...(apps.length && !p.bot && id !== env.me ? ["-"] : []),
    ...(!p.bot && id !== env.me ? [
      { label: word("be", { Name: p.name }), act: () => become(p.name) },
      { label: word("be.tab", { Name: p.name }), icon: "open", act: () => open(env.address(p.name, place), "_blank", "noopener") },
    ] : []),
    ...(p.bot ? [{ label: word("launch"), act: () => use({ do: "launch", at: env.at }) }] : []),
    ...(p.bot ? [{ label: word("direct"), act: () => go(env.places.find((x) => !x.guild)?.id) }] : []),
  ]);
}

// languageMenu chooses the language of the page, which the member's Discord tells the bot too, and sets it for the
// member's boards.
function languageMenu(anchor) {
  menu(anchor, word("language.menu"), Object.entries(env.languages).map(([locale, label]) => ({
    label, chosen: locale === env.locale, act: async () => {
      remember("locale-" + env.meName, locale);
      await speak(locale);
      await use({ do: "slash", at: env.at, name: "/settings", options: [{ name: "language", value: label }] });
      await show(env.at, true);
      composer.speak();
    },
  })));
}

// boardsMenu chooses how boards open. A client that opens no Activities gets links.
function boardsMenu(anchor) {
  menu(anchor, word("boards.menu"), ["computer", "phone", "tab"].map((way) => ({
    label: word("boards." + way), chosen: way === boards(), act: async () => {
      remember("boards", way);
      await activity.close();
      await opensBoards();
      paintSides();
    },
  })));
}

const opensBoards = () => net.act(env.meName, { do: "activities", text: boards() === "tab" ? "off" : "on" }).catch(() => {});

async function speak(locale) {
  env.locale = locale in env.languages ? locale : "en-US";
  await Promise.all([language(env.locale), net.act(env.meName, { do: "locale", text: env.locale }).catch(() => {})]);
  nameTheme();
}

// topic is what a place is for.
const topic = (place) => !place.guild ? word("direct") : ["gomoku", "renju", "reversi"].includes(place.short) ? word("topic." + place.short) : "";

// go opens a place, and there perhaps a message.
async function go(id, message, { keep } = {}) {
  if (!env.place(id)) return;
  if (id !== env.at || keep) await show(id, keep);
  if (message && !log.go(message)) say(word("gone"));
}

async function become(name) {
  if (name === env.meName) return;
  history.pushState(null, "", env.address(name, env.place(env.at)));
  await enter();
}

// show reads a place and draws it.
async function show(id, keep) {
  const place = env.place(id);
  env.at = id;
  news.delete(id);
  if (!keep) history.pushState(null, "", env.address(env.meName, place));
  drawer(false);
  fill($("place"), icon(place.guild ? (place.parent ? "thread" : "hash") : "people"), place.guild ? place.short : env.bot.name);
  $("topic").textContent = topic(place);
  paintSides();
  held = [];
  const mine = held;
  try {
    const [list, commands] = await Promise.all([net.messages(env.meName, id), net.commands(env.meName, id)]);
    if (env.at !== id || held !== mine) return; // gone elsewhere meanwhile
    held = undefined;
    env.commands = commands;
    welcome(place, commands, env);
    log.load(list);
    if (keep && composer.at === id) composer.known(commands); // what is half typed stays
    else composer.open(id, place.label, commands);
    if (matchMedia("(hover: hover)").matches && idle()) composer.focus();
    mine.forEach(event);
    if (!commands.length) again();
  } catch (err) {
    if (held === mine) held = undefined;
    offline(err.message);
  }
}

// again asks for the commands until the bot has registered them.
function again() {
  clearTimeout(commandsTimer);
  const id = env.at;
  commandsTimer = setTimeout(async () => {
    if (env.at !== id) return;
    const commands = await net.commands(env.meName, id).catch(() => []);
    if (env.at !== id) return;
    if (!commands.length) return again();
    env.commands = commands;
    composer.known(commands);
    welcome(env.place(id), commands, env);
  }, 300);
}

function paintSides() {
  side.places(env, news);
  side.account(env, env.place(env.at));
  side.members(env);
  let pings = 0;
  for (const n of news.values()) pings += n.pings;
  document.title = (pings ? "(" + pings + ") " : "") + (env.place(env.at)?.label ?? "") + " · " + env.meName + " · " + word("title");
}

// event takes one thing that the feed brings.
function event(e) {
  switch (e.kind) {
    case "message": case "edit": case "delete":
      if (e.place === env.at) {
        if (held) held.push(e);
        else enqueue(e);
      } else if (e.kind === "message") {
        const n = news.get(e.place) ?? { count: 0, pings: 0 };
        n.count++;
        if (e.ping || !env.place(e.place)?.guild) n.pings++;
        news.set(e.place, n);
        paintSides();
      }
      if (e.ping && document.hidden) document.title = "● " + document.title.replace(/^● /, "");
      break;
    case "places": case "people": case "lost":
      refresh(e.kind === "lost");
  }
}

// enqueue shows an event after those before it. An edit that a newer one has overtaken
// is left out: its pictures may be gone already.
function enqueue(e) {
  const id = e.message?.id;
  if (id) newest.set(id, e);
  queue = queue.then(() => {
    if (e.place !== env.at || (e.kind === "edit" && newest.get(id) !== e)) return undefined;
    return log.apply(e);
  }).catch((err) => console.error(err)).finally(() => {
    if (newest.get(id) === e) newest.delete(id);
  });
}

// refresh reads who and what is there anew; with all, also the open place.
async function refresh(all) {
  const world = await net.world(env.meName).catch(() => undefined);
  if (!world || world.me.id !== env.me) return;
  take(world);
  if (!env.place(env.at)) return show(env.places[0].id);
  paintSides();
  learn(env);
  if (all) await show(env.at, true);
}

function take(world) {
  Object.assign(env, { me: world.me.id, meName: world.me.name, people: world.people, server: world.server });
  env.bot = world.people.find((p) => p.bot);
  env.places = world.places.filter((p) => p.guild || p.name === "@" + env.bot.name).map((p) => {
    const short = p.guild ? p.name.slice(p.name.search(/[#/][^#/]*$/) + 1) : p.name;
    return { ...p, short, label: p.guild ? (p.parent ? short : "#" + short) : env.bot.name, path: p.parent ? p.id : p.guild ? p.name.replace("#", "") : "bot" };
  });
}

// enter begins as the member that the address names, at its place.
async function enter() {
  closeFeed();
  activity.close();
  const wanted = new URLSearchParams(location.search);
  let world;
  try {
    world = await net.world(wanted.get("as"));
  } catch (err) {
    offline(err.message);
    setTimeout(enter, 1000);
    return;
  }
  news.clear();
  take(world);
  const place = env.places.find((p) => p.path === wanted.get("in")) ?? env.places[0];
  env.at = place.id;
  await opensBoards();
  await speak(recall("locale-" + env.meName) ?? (navigator.language.startsWith("zh") ? "zh-CN" : "en-US"));
  history.replaceState(null, "", env.address(env.meName, place));
  let first = true;
  closeFeed = net.feed(env.meName, {
    event,
    up: () => {
      offline("");
      // What happened before the feed was open is read, what happens from here on comes.
      if (first) show(env.at, true);
      else refresh(true);
      first = false;
    },
    down: () => offline(word("lost")),
  });
}

function offline(text) {
  $("offline").textContent = text;
  $("offline").hidden = !text;
}

// idle reports whether nothing in particular has the keyboard.
const idle = () => [document.body, $("log"), null].includes(document.activeElement) || Boolean(document.activeElement?.closest("#places"));

// What is typed while nothing has the keyboard goes into the message box.
document.addEventListener("keydown", (e) => {
  if (e.key.length !== 1 || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.defaultPrevented) return;
  if (!idle() && !document.activeElement.closest("#messages article") || e.key === " ") return;
  if (!document.querySelector("dialog[open], .popup")) composer.focus();
});
addEventListener("popstate", enter);
addEventListener("focus", () => env.at && paintSides());

const log = new Log(env);
const composer = new Composer(env);
const activity = new Activity(env);
setInterval(tick, 1000);
frame();
enter();
