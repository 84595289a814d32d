// The way to the server: one call for each thing done or read, and the feed of what
// happens.

import { word } from "./words.js";

async function ask(path, options) {
  let res;
  try {
    res = await fetch(path, options);
  } catch (err) {
    if (err.name === "AbortError") throw err;
    throw new Error(word("unreachable"));
  }
  let body;
  try {
    body = await res.json();
  } catch {
    throw new Error(word("unreachable"));
  }
  if (!res.ok) throw new Error(body.word ? word(body.word) : body.error ?? "HTTP " + res.status);
  return body;
}

const query = (fields) => new URLSearchParams(fields).toString();

export const world = (as) => ask("api/world?" + query({ as: as ?? "" }));
// words are the texts of the page in a language.
export const words = (locale) => ask("api/words?" + query({ locale }));
export const messages = (as, at) => ask("api/messages?" + query({ as, at }));
export const commands = (as, at) => ask("api/commands?" + query({ as, at }));

// act does one thing as a member. It resolves to the bot's answer, {} where there is none.
export const act = async (as, action, signal) => (await run(as, action, signal)).answer ?? {};

// authorize lets the bot know who a member is, and gives the code for that.
export const authorize = async (as) => (await run(as, { do: "authorize" })).text;

function run(as, action, signal) {
  return ask("api/do?" + query({ as }), {
    method: "POST", signal,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(action),
  });
}

// feed opens the stream of events for a member and opens it again whenever it breaks.
// The result closes it.
export function feed(as, { event, up, down }) {
  let socket, timer, closed = false, wait = 500;
  const open = () => {
    const url = new URL("api/feed?" + query({ as }), location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(url);
    socket.onmessage = (m) => {
      const e = JSON.parse(m.data);
      if (e.kind === "hello") {
        wait = 500;
        up();
      } else {
        event(e);
      }
    };
    socket.onclose = () => {
      if (closed) return;
      down();
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 1.6, 8000);
    };
  };
  open();
  return () => {
    closed = true;
    clearTimeout(timer);
    socket.close();
  };
}

const stores = ["https://cdn.discordapp.com/attachments/", "https://media.discordapp.net/attachments/"];

// fileURL is where an attachment lies here; undefined for anything that does not come
// from our own store.
export function fileURL(url) {
  for (const store of stores) {
    if (url?.startsWith(store)) return "files/" + url.slice(store.length);
  }
  return undefined;
}

// readFile makes of a chosen file what an action carries.
export function readFile(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, data: String(reader.result).split(",", 2)[1] ?? "" });
    reader.onerror = () => reject(new Error(word("file.unread")));
    reader.readAsDataURL(file);
  });
}
