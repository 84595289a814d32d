// The frame protocol of Discord's Activities, as far as the page needs it. The page works without any answer:
// each command has a time after which it counts as refused.

const parents = ["https://discord.com", "https://discordapp.com", "https://ptb.discord.com", "https://ptb.discordapp.com",
  "https://canary.discord.com", "https://canary.discordapp.com", "https://staging.discord.co", "https://pax.discord.com",
  "http://localhost:3333", "null"];

class Frame {
  constructor(app) {
    const query = new URLSearchParams(location.search);
    Object.assign(this, { app, id: query.get("frame_id"), instance: query.get("instance_id"), match: query.get("custom_id") ?? "",
      waiting: new Map(), listeners: new Map(), parent: window.parent.opener ?? window.parent });
    this.ready = new Promise((done) => { this.begun = done; });
    addEventListener("message", (e) => this.take(e));
    this.post(0, { v: 1, encoding: "json", client_id: app, frame_id: this.id });
  }

  post(opcode, payload) { this.parent.postMessage([opcode, payload], document.referrer ? new URL(document.referrer).origin : "*"); }

  take(e) {
    if (e.source !== this.parent || !parents.includes(e.origin) && e.origin !== location.origin || !Array.isArray(e.data)) return;
    const [opcode, m] = e.data;
    if (opcode === 2) { // the client has closed the frame
      for (const { fail } of this.waiting.values()) fail(new Error("closed"));
      this.waiting.clear();
    }
    if (opcode !== 1 || !m) return;
    if (m.cmd === "DISPATCH") {
      if (m.evt === "READY") this.begun();
      for (const hear of this.listeners.get(m.evt) ?? []) hear(m.data ?? {});
      return;
    }
    const { done, fail } = this.waiting.get(m.nonce) ?? {};
    this.waiting.delete(m.nonce);
    if (m.evt === "ERROR") fail?.(new Error(m.data?.message ?? ""));
    else done?.(m.data ?? {});
  }

  // ask runs a command. It fails where the client refuses it, or does not answer in time.
  async ask(cmd, args, { evt, patience = 5000 } = {}) {
    await this.ready;
    const nonce = this.nonce();
    return new Promise((done, fail) => {
      this.waiting.set(nonce, { done, fail });
      setTimeout(() => this.waiting.delete(nonce) && fail(new Error("no answer")), patience);
      this.post(1, { cmd, args, evt, nonce });
    });
  }

  async hear(evt, listener) {
    this.listeners.set(evt, [...(this.listeners.get(evt) ?? []), listener]);
    await this.ask("SUBSCRIBE", undefined, { evt }).catch(() => {}); // an old client has no such event
  }

  // code asks the member for consent; it is a code that the server trades for their number.
  async code() {
    const args = { client_id: this.app, response_type: "code", state: "", prompt: "none", scope: ["identify"] };
    return (await this.ask("AUTHORIZE", args, { patience: 120000 })).code;
  }

  // follow keeps to the layout: small pictures show the board alone, phones have edges that they need themselves.
  follow() {
    const root = document.documentElement;
    this.hear("ACTIVITY_LAYOUT_MODE_UPDATE", ({ layout_mode: mode }) => { root.dataset.layout = ["focused", "pip", "grid"][mode] ?? "focused"; });
    this.hear("ORIENTATION_UPDATE", () => dispatchEvent(new Event("resize")));
  }

  // invite opens Discord's dialog for inviting to this place. In direct messages there is none, and the one for links comes.
  async invite(match, message) {
    const dialog = { patience: 120000 }; // which may be answered when it closes
    await this.ask("OPEN_INVITE_DIALOG", undefined, dialog).catch(() => this.ask("SHARE_LINK", { message, custom_id: match }, dialog));
  }

  // link leads to this Activity, at a match.
  link(match) { return `https://discord.com/activities/${this.app}?custom_id=${match}`; }

  // close ends the frame.
  close() { this.post(2, { code: 1000, message: "", nonce: this.nonce() }); }

  nonce() { return crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join("-"); } // an old phone has none

  // open opens a link outside.
  open(url) { return this.ask("OPEN_EXTERNAL_LINK", { url }).catch(() => window.open(url, "_blank", "noopener")); }
}
