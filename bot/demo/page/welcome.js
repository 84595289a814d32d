// The head of a place: what this is, and one button that begins a game against the bot.
// Which games and levels there are is read from the bot's own command.

import { $, el, fill } from "./dom.js";
import { select } from "./dialog.js";
import { leaves } from "./composer.js";
import { others } from "./side.js";

const texts = {
  gomoku: "Five stones in a row win. Play it here against the bot or against another member.",
  renju: "Gomoku with the forbidden moves that take Black's advantage away. The bot knows them all.",
  reversi: "Turn your opponent's discs and have more of them at the end.",
};

// welcome draws the head for a place. ready is false while the bot has no commands yet.
export function welcome(place, commands, env) {
  const box = $("welcome");
  const play = leaves(commands, env.locale).find((c) => c.name === "play bot");
  const games = play?.options.find((o) => o.name === "game")?.choices ?? [];
  const levels = play?.options.find((o) => o.name === "level")?.choices ?? [];
  const fitting = gamesHere(place, games, env);
  let game = fitting[0]?.value, level;
  const wrong = el("p.wrong", { role: "alert", hidden: true });
  const start = el("button.primary.start", { type: "button", id: "start" }, "Play against the bot");
  start.addEventListener("click", async () => {
    wrong.hidden = true;
    start.disabled = true;
    start.setAttribute("aria-busy", "true");
    const options = [];
    if (game !== undefined) options.push({ name: "game", value: game });
    if (level !== undefined) options.push({ name: "level", value: level });
    try {
      const answer = await env.act({ do: "slash", at: place.id, name: "/play bot", options });
      if (answer.failed) throw new Error("The bot did not answer in time. Please try again.");
    } catch (err) {
      wrong.textContent = err.message;
      wrong.hidden = false;
    }
    start.disabled = false;
    start.removeAttribute("aria-busy");
  });
  fill(box,
    el("img", { src: "icon.svg", alt: "", width: 72, height: 72 }),
    el("h2", {}, place.guild ? "Welcome to " + place.label : "You and " + env.bot.name),
    el("p", {}, texts[place.short] ?? (place.guild ? "A thread of its own for one game." : "Direct messages with the bot, seen by you alone.")),
    el("p.standin", {}, "This page is a stand-in that looks like a chat. The bot is the real one; Discord is not involved, and nothing leaves this machine."),
    play && el("div.starter", { role: "group", "aria-label": "A game against the bot" },
      fitting.length > 1 && select({ type: 3, placeholder: "Game", custom_id: "welcome-game",
        options: fitting.map((c, i) => ({ label: c.name, value: String(i), default: i === 0 })) }, env, "welcome-game", ([i]) => { game = fitting[i].value; }),
      levels.length > 0 && select({ type: 3, placeholder: "Level", custom_id: "welcome-level",
        options: [{ label: "Usual level", value: "", default: true }, ...levels.map((c, i) => ({ label: c.name, value: String(i) }))] }, env, "welcome-level",
      ([i]) => { level = i === "" ? undefined : levels[i].value; }),
      start),
    !play && el("p.detail", {}, "The bot is not here yet. A moment…"),
    wrong,
    place.guild && el("p.detail.second", {}, "Two can play too: open a second tab as ",
      others(env, place),
      ", then challenge one another with ", el("button.mention", { type: "button", onclick: () => env.type("/play member ") }, "/play member"), "."));
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
