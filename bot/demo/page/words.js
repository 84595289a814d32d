// What the page itself says, in the member's language. The texts are those of the bot's catalogue that begin with
// "demo."; what the bot says comes in its messages.

import { words as read } from "./net.js";

let texts = {};

// tongue is the language of the page; undefined in English, where dates are those of the browser.
export let tongue;

// speak changes the language.
export async function speak(locale) {
  texts = await read(locale);
  tongue = locale.startsWith("en") ? undefined : locale;
  document.documentElement.lang = locale;
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = word(node.dataset.word);
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", word(node.dataset.label));
}

// words is a text as a list, in which what goes in for its variables may be nodes.
export function words(key, args = {}) {
  return (texts[key] ?? key).split(/(\{\{\.\w+\}\})/).map((part) => {
    const name = /^\{\{\.(\w+)\}\}$/.exec(part)?.[1];
    return name ? args[name] ?? "" : part;
  });
}

// word is a text.
export const word = (key, args) => words(key, args).join("");
