// The two sides of the page: places and the members to be on the left, who is there on
// the right.

import { $, avatar, el, fill, icon } from "./dom.js";
import { boards } from "./frame.js";
import { word, words } from "./words.js";

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
    n.pings > 0 && el("span.pings", { "aria-label": word("pings", { Number: n.pings }) }, String(n.pings)),
    unread && el("span.unseen", {}, word("unread")));
    node.classList.toggle("unread", unread);
    if (p.parent) node.classList.add("inner");
    return el("li", {}, node);
  };
  const ours = env.places.filter((p) => p.guild && !p.parent);
  const list = ours.flatMap((p) => [line(p), ...env.places.filter((t) => t.parent === p.id).map(line)]);
  const direct = env.places.filter((p) => !p.guild);
  fill($("places"),
    el("h2", {}, env.server), el("ul", {}, list),
    el("h2", {}, word("direct")), el("ul", {}, direct.map(line)));
}

// account draws the members to be: who you are, and the others in tabs of their own.
export function account(env, place) {
  const people = env.people.filter((p) => !p.bot);
  fill($("account"),
    el("h2", { id: "you-are" }, word("youAre")),
    el(people.length > 6 ? "div.selves.many" : "div.selves", { role: "radiogroup", "aria-labelledby": "you-are", onkeydown: turn }, people.map((p) => el("button", {
      type: "button", role: "radio", "aria-checked": String(p.id === env.me), tabIndex: p.id === env.me ? 0 : -1, data: { name: p.name },
      onclick: () => env.become(p.name),
    }, avatar(p, env.people), el("span", {}, p.name)))),
    el("p.detail", {}, words(people.some((p) => p.answers) ? "act.as" : "act.tab", { Others: others(env, place) })),
    el("button.quiet", { type: "button", "aria-haspopup": "menu", "aria-expanded": "false", onclick: (e) => env.languageMenu(e.currentTarget) },
      word("language", { Language: env.languages[env.locale] })),
    el("button.quiet", { type: "button", "aria-haspopup": "menu", "aria-expanded": "false", onclick: (e) => env.boardsMenu(e.currentTarget) },
      word("boards." + boards())));
}

// others links the first members besides oneself, each to a tab of their own. The list of members
// opens the rest.
export function others(env, place) {
  const all = env.people.filter((p) => !p.bot && p.id !== env.me);
  const first = all.slice(0, 2);
  return [first.map((p, i) => [i > 0 && (all.length > 2 ? word("comma") : word("or")), el("a", { href: env.address(p.name, place), target: "_blank" }, p.name, icon("open"))]),
    all.length > 2 && word("or.another")];
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
  }, avatar(p, env.people), el("span.name", {}, p.name), p.away && el("span.detail", {}, word("away")), p.id === env.me && el("span.detail", {}, word("you")), p.bot && el("span.tag", {}, word("tag"))));
  fill($("members"),
    el("h2", {}, word("members")), el("ul", {}, env.people.filter((p) => !p.bot).map(line)),
    el("h2", {}, word("bots")), el("ul", {}, env.people.filter((p) => p.bot).map(line)));
}
