// The Activity: the board in a frame over the page, as Discord shows it, large or as a small picture. What the frame
// asks for goes through dialogs of this page.

import { $, el, fill, icon } from "./dom.js";
import { ask } from "./dialog.js";
import { boards } from "./frame.js";
import { authorize } from "./net.js";
import { Parent } from "./parent.js";
import { word } from "./words.js";

const cancelled = { code: 5000, message: "OAuth2: the member has cancelled" };

export class Activity {
  constructor(env) {
    this.env = env;
    this.consents = new Set(); // of members, who are asked once
  }

  async open(instance, place) {
    if (this.instance === instance) return this.shape(0);
    await this.close();
    const { env } = this, phone = boards() === "phone";
    const query = new URLSearchParams({ instance_id: instance, frame_id: "frame-" + instance, platform: phone ? "mobile" : "desktop", channel_id: place.id });
    const frame = el("iframe", { title: word("activity", { Place: place.label }), src: "activity/?" + query, referrerPolicy: "origin", allow: "clipboard-write" });
    if (phone) frame.setAttribute("sandbox", "allow-scripts allow-popups"); // it has no origin
    Object.assign(this, { instance, place, phone, before: document.activeElement });
    this.parent = new Parent(frame, this.commands());
    this.sizes = el("button.icon", { type: "button", onclick: () => this.shape(this.layout ? 0 : 1) });
    fill($("activity"),
      el("header", {}, icon("board"), el("strong", {}, env.bot.name), el("span.detail", {}, place.label), this.sizes,
        el("button.icon", { type: "button", "aria-label": word("activity.close"), onclick: () => this.close() }, icon("close"))),
      frame);
    $("activity").setAttribute("aria-label", word("activity", { Place: place.label }));
    $("activity").hidden = false;
    this.shape(0);
    frame.focus();
  }

  // shape makes the frame large (0) or a small picture (1).
  shape(layout) {
    this.layout = layout;
    $("activity").classList.toggle("small", layout === 1);
    const label = word(layout ? "activity.large" : "activity.small");
    Object.assign(this.sizes, { title: label, ariaLabel: label });
    fill(this.sizes, icon(layout ? "large" : "small"));
    $("app").inert = layout === 0;
    this.parent.tell("ACTIVITY_LAYOUT_MODE_UPDATE", { layout_mode: layout });
    this.parent.tell("ORIENTATION_UPDATE", { screen_orientation: innerWidth > innerHeight ? 2 : 1 });
    this.edge();
  }

  // edge tells a phone's page which edge is covered. As on phones this comes late.
  edge() { if (this.phone) setTimeout(() => this.parent?.frame.contentWindow?.postMessage({ safeTop: this.layout ? "0" : "24" }, "*"), 800); }

  async close() {
    if (!this.instance) return;
    const { instance, place } = this;
    this.instance = undefined;
    this.parent.end();
    this.parent = undefined;
    $("activity").hidden = true;
    fill($("activity"));
    $("app").inert = false;
    if (this.before?.isConnected) this.before.focus();
    if (instance) await this.env.act({ do: "close-activity", at: place.id }).catch(() => {});
  }

  commands() {
    const { env } = this, link = (match) => "https://discord.com/activities/" + env.bot.id + (match ? "?custom_id=" + match : "");
    return {
      AUTHORIZE: async () => {
        if (!this.consents.has(env.me) && !await ask(word("consent"), word("consent.about", { Bot: env.bot.name, Name: env.meName }), word("consent.yes"))) throw cancelled;
        this.consents.add(env.me);
        return { code: await authorize(env.meName) };
      },
      OPEN_EXTERNAL_LINK: async ({ url }) => {
        const opened = await ask(word("outside"), url, word("outside.yes"));
        if (opened) open(url, "_blank", "noopener");
        return { opened };
      },
      OPEN_INVITE_DIALOG: async () => {
        if (!this.place.guild) throw { code: 4000, message: "There are no invites in direct messages" };
        if (await ask(word("invite"), word("invite.about"), word("invite.yes"))) await this.says(link());
        return null;
      },
      SHARE_LINK: async ({ message, custom_id: match }) => {
        const sent = await ask(word("invite"), message, word("invite.yes"));
        if (sent) await this.says(message + " " + link(match));
        return { success: sent, didCopyLink: false, didSendMessage: sent };
      },
      CLOSE: () => this.close(),
    };
  }

  says(text) { return this.env.act({ do: "say", at: this.place.id, text }); }
}
