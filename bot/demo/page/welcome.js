// The head of a place: what this is, and what there is to do here, each a press. Which games and levels there are is
// read from the bot's own commands.

import { $, el, fill } from "./dom.js";
import { select } from "./dialog.js";
import { leaves } from "./composer.js";
import { bot, play, tiles, values } from "./offers.js";
import { others } from "./side.js";
import { tongue, word, words } from "./words.js";

// welcome draws the head for a place. It has no buttons while the bot has no commands yet.
export function welcome(place, commands, env) {
  const here = leaves(commands, env.locale);
  const begin = here.find((c) => c.name === play);
  const games = begin?.options.find((o) => o.name === "game")?.choices ?? [];
  const levels = begin?.options.find((o) => o.name === "level")?.choices ?? [];
  const fitting = gamesHere(place, games, env);
  let game = fitting[0]?.value, level;
  const wrong = el("p.wrong", { role: "alert", hidden: true });
  const run = async (node, name, options, press, form) => {
    wrong.hidden = true;
    node.disabled = true;
    node.setAttribute("aria-busy", "true");
    try {
      let answer = await env.act({ do: "slash", at: place.id, name: "/" + name, options }, undefined, form);
      if (press && !answer.failed) answer = await env.act({ do: "press", at: answer.message.id, name: press }, undefined, form);
      if (answer.failed) throw new Error(word("again"));
    } catch (err) {
      wrong.textContent = err.message;
      wrong.hidden = false;
    }
    node.disabled = false;
    node.removeAttribute("aria-busy");
  };
  const start = el("button.primary.start", { type: "button", id: "start", onclick: () => run(start, play, values({ ...bot, game, level })) }, word("start"));
  const about = ["gomoku", "renju", "reversi"].includes(place.short) ? "about." + place.short : place.guild ? "about.thread" : "about.direct";
  const offers = place.parent ? [] : tiles(place, here, env, () => game, run);
  fill($("welcome"),
    el("div.greeting", {}, el("img", { src: "icon.svg", alt: "", width: 56, height: 56 }),
      el("div", {}, el("h2", {}, place.guild ? word("welcome", { Place: place.label }) : word("welcome.direct", { Bot: env.bot.name })),
        el("p", {}, word(about)))),
    el("p.standin", {}, word("standin")),
    begin && el("div.starter", { role: "group", "aria-label": word("starter") },
      fitting.length > 1 && select({ type: 3, placeholder: word("game"), custom_id: "welcome-game",
        options: fitting.map((c, i) => ({ label: c.name, value: String(i), default: i === 0 })) }, env, "welcome-game", ([i]) => { game = fitting[i].value; }),
      levels.length > 0 && select({ type: 3, placeholder: word("level"), custom_id: "welcome-level",
        options: [{ label: word("level.usual"), value: "", default: true }, ...levels.map((c, i) => ({ label: c.name, value: String(i) }))] }, env, "welcome-level",
      ([i]) => { level = i === "" ? undefined : levels[i].value; }),
      start),
    offers.length > 0 && el("div.offers", { role: "group", "aria-label": word("offers") }, offers),
    !begin && el("p.detail", {}, word("waiting")),
    wrong,
    place.guild && el("p.detail.second", {}, env.people.some((p) => p.answers)
      ? word("answering", { Names: new Intl.ListFormat(tongue ?? "en").format(env.people.filter((p) => p.answers && p.id !== env.me).map((p) => p.name)) })
      : words("second", { Others: others(env, place),
        Command: el("button.mention", { type: "button", onclick: () => env.type("/" + play + " ") }, "/" + env.spoken(play)) })));
}

// gamesHere are the games of a channel: the ones called like it, else all that no other
// channel is called like.
function gamesHere(place, games, env) {
  if (!place.guild) return games;
  const named = (name) => games.filter((g) => String(g.value).startsWith(name));
  const mine = named(place.short);
  const elsewhere = new Set(env.places.filter((p) => p.guild && p.short !== place.short).flatMap((p) => named(p.short)));
  const rest = games.filter((g) => !mine.includes(g) && !elsewhere.has(g));
  if (place.short !== "gomoku") return mine.length ? mine : games;
  return [...mine, ...rest];
}
