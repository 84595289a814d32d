// The frame of the page: the channel list of a narrow window, the list of members, the
// colors.

import { $, fill, icon } from "./dom.js";
import { shut } from "./popup.js";
import { word } from "./words.js";

// drawer opens and closes the channel list of a narrow window.
export function drawer(open) {
  if (document.body.classList.contains("drawn") === open) return;
  document.body.classList.toggle("drawn", open);
  $("open-side").setAttribute("aria-expanded", String(open));
  $("shade").hidden = !open;
  $("main").inert = open;
  $("members").inert = open;
  $(open ? "close-side" : "open-side").focus();
}

function showMembers(shown) {
  document.body.classList.toggle("with-members", shown);
  $("who").setAttribute("aria-expanded", String(shown));
}

const themes = {
  auto: "auto",
  light: "sun",
  dark: "moon",
};

function theme(name) {
  document.documentElement.dataset.theme = name;
  remember("theme", name);
  fill($("theme"), icon(themes[name]));
  nameTheme();
}

// nameTheme says which colors there are, for the pointer and for those who hear the page.
export function nameTheme() {
  const label = word("theme." + document.documentElement.dataset.theme);
  $("theme").setAttribute("aria-label", label);
  $("theme").title = label;
}

function nextTheme() {
  const names = Object.keys(themes);
  theme(names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length]);
}

// remember and recall hold a choice over visits, in browsers that keep anything.
export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch { /* then only for this visit */ }
}

export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

// boards is how boards open: in a frame as on a computer, in one as on a phone, or in a tab of their own.
export const boards = () => recall("boards") ?? (innerWidth > 760 ? "computer" : "phone");

// frame sets the frame up, once.
export function frame() {
  fill($("open-side"), icon("menu"));
  fill($("close-side"), icon("close"));
  fill($("who"), icon("people"));
  theme(recall("theme") in themes ? recall("theme") : "auto");
  showMembers(innerWidth >= 1200);
  $("theme").addEventListener("click", nextTheme);
  $("open-side").addEventListener("click", () => drawer(true));
  $("close-side").addEventListener("click", () => drawer(false));
  $("shade").addEventListener("click", () => drawer(false));
  $("who").addEventListener("click", () => showMembers(!document.body.classList.contains("with-members")));
  document.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || e.defaultPrevented) return;
    shut();
    drawer(false);
  });
  matchMedia("(min-width: 761px)").addEventListener("change", () => drawer(false));
  matchMedia("(min-width: 1200px)").addEventListener("change", (e) => showMembers(e.matches));
}
