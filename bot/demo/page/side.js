// The two sides of the page: places and the members to be on the left, who is there on
// the right.

import { $, avatar, el, fill, icon } from "./dom.js";

// places draws the list of channels, threads and direct messages.
export function places(env, news) {
  const line = (p) => {
    const n = news.get(p.id) ?? {};
    const unread = n.count > 0;
    const node = el("a.place", {
      href: env.address(env.meName, p), "aria-current": p.id === env.at ? "page" : undefined,
      onclick: (e) => {
        if (e.ctrlKey || e.metaKey || e.shiftKey) return;
        e.preventDefault();
        env.go(p.id);
      },
    }, p.guild ? icon(p.parent ? "thread" : "hash") : avatar(env.bot, env.people), el("span.label", {}, p.guild ? p.short : env.bot.name),
    n.pings > 0 && el("span.pings", { "aria-label": n.pings + " for you" }, String(n.pings)),
    unread && el("span.unseen", {}, ", unread"));
    node.classList.toggle("unread", unread);
    if (p.parent) node.classList.add("inner");
    return el("li", {}, node);
  };
  const ours = env.places.filter((p) => p.guild && !p.parent);
  const list = ours.flatMap((p) => [line(p), ...env.places.filter((t) => t.parent === p.id).map(line)]);
  const direct = env.places.filter((p) => !p.guild);
  fill($("places"),
    el("h2", {}, env.server), el("ul", {}, list),
    el("h2", {}, "Direct messages"), el("ul", {}, direct.map(line)));
}

// account draws the members to be: who you are, and the others in tabs of their own.
export function account(env, place) {
  const people = env.people.filter((p) => !p.bot);
  fill($("account"),
    el("h2", { id: "you-are" }, "You are"),
    el(people.length > 6 ? "div.selves.many" : "div.selves", { role: "radiogroup", "aria-labelledby": "you-are", onkeydown: turn }, people.map((p) => el("button", {
      type: "button", role: "radio", "aria-checked": String(p.id === env.me), tabIndex: p.id === env.me ? 0 : -1, data: { name: p.name },
      onclick: () => env.become(p.name),
    }, avatar(p, env.people), el("span", {}, p.name)))),
    el("p.detail", {}, "Open ", others(env, place), " in a tab of its own to play one another."),
    el("button.quiet", { type: "button", "aria-haspopup": "menu", "aria-expanded": "false", onclick: (e) => env.languageMenu(e.currentTarget) },
      "Language: " + env.languages[env.locale]));
}

// others links the first members besides oneself, each to a tab of their own. The list of members
// opens the rest.
export function others(env, place) {
  const all = env.people.filter((p) => !p.bot && p.id !== env.me);
  const first = all.slice(0, 2);
  return [first.map((p, i) => [i > 0 && (all.length > 2 ? ", " : " or "), el("a", { href: env.address(p.name, place), target: "_blank" }, p.name, icon("open"))]),
    all.length > 2 && " or another member"];
}

function turn(e) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
  if (!step) return;
  e.preventDefault();
  const all = [...e.currentTarget.children];
  all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
}

// members draws who is there, each with the menu of the bot's commands for members.
export function members(env) {
  const line = (p) => el("li", {}, el("button.person", {
    type: "button", "aria-haspopup": "menu", "aria-expanded": "false", onclick: (e) => env.memberMenu(p.id, e.currentTarget),
    oncontextmenu: (e) => {
      e.preventDefault();
      env.memberMenu(p.id, e.currentTarget);
    },
  }, avatar(p, env.people), el("span.name", {}, p.name), p.id === env.me && el("span.detail", {}, "you"), p.bot && el("span.tag", {}, "BOT")));
  fill($("members"),
    el("h2", {}, "Members"), el("ul", {}, env.people.filter((p) => !p.bot).map(line)),
    el("h2", {}, "Bot"), el("ul", {}, env.people.filter((p) => p.bot).map(line)));
}
