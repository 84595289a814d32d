// What there is to do in a channel, each a press: the one table of the commands that the page itself uses.

import { el, icon } from "./dom.js";
import { word } from "./words.js";

// play is the command that begins a game, with these options against the bot.
export const play = "play";
export const bot = { with: "bot" };

// offers are a sign, a command, its options beside the game, the button of its answer that is pressed, and what goes
// into the form that opens. A word of the catalogue says each, and the same with ".about" what comes of it. Those with
// manager are for who manages the server.
const offers = [
  { word: "offer.challenge", sign: "people", command: play, options: (env) => ({ opponent: partner(env)?.id }), may: partner },
  { word: "offer.puzzle", sign: "puzzle", command: "puzzle" },
  { word: "offer.learn", sign: "book", command: "learn" },
  { word: "offer.cup", sign: "cup", command: "event", manager: true, press: () => "1:0:0:open:event create", form: (game) => ({ name: word("cup"), kind: "knockout", game, pace: "5m", starts: "1m" }) },
  { word: "offer.watch", sign: "eye", command: play, options: () => ({ with: "engines" }) },
  { word: "offer.together", sign: "vote", command: play, options: () => ({ with: "channel", clock: "1m" }) },
  { word: "offer.simul", sign: "many", command: play, options: () => ({ with: "many" }) },
  { word: "offer.ladder", sign: "ladder", command: "ladder", manager: true, press: (game) => `1:0:0:ladder:${game}.setup`, form: (game) => ({ game }) },
];

// partner is a member to challenge: one who answers, and is there.
function partner(env) {
  const free = env.people.filter((p) => p.answers && p.id !== env.me);
  const here = free.filter((p) => !p.away);
  return here[Math.floor(Math.random() * here.length)] ?? free[0];
}

// tiles draws the offers of a place. leaves are the commands that can be used there; game gives the game that is
// chosen, and run does one thing and says what went wrong.
export function tiles(place, leaves, env, game, run) {
  const manages = env.meName === env.people[0].name;
  return offers.flatMap((o) => {
    const command = leaves.find((c) => c.name === o.command);
    if (!command || o.manager && !manages || o.may && !(place.guild && o.may(env))) return [];
    // A command may know fewer games than there are: 9×9 is then played as 15×15.
    const fitting = () => {
      const known = command.options.find((x) => x.name === "game")?.choices?.map((x) => x.value);
      if (!known) return undefined;
      return known.find((x) => x === game()) ?? known.find((x) => game()?.startsWith(x)) ?? known[0];
    };
    const node = el("button.offer", { type: "button", data: { offer: o.word },
      onclick: () => run(node, command.name, values({ game: fitting(), ...o.options?.(env) }), o.press?.(fitting() ?? game()), o.form && values(o.form(fitting() ?? game()))) },
    icon(o.sign), el("span.label", {}, word(o.word)), el("span.detail", {}, word(o.word + ".about")));
    return [node];
  });
}

// values are options or fields as an action has them, without those that are not given.
export const values = (given) => Object.entries(given).filter(([, value]) => value !== undefined).map(([name, value]) => ({ name, value }));
