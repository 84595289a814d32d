// Discord's side of the frame of an Activity: it answers the handshake, once, and the commands that it knows. It knows
// nothing of this page; package page of the boards has the other side.

export class Parent {
  // does are functions by their commands: each gives the data of the answer, or throws { code, message }.
  constructor(frame, does) {
    Object.assign(this, { frame, does, heard: new Set() });
    this.listener = (e) => e.source === frame.contentWindow && Array.isArray(e.data) && this.take(...e.data);
    addEventListener("message", this.listener);
  }

  end() { removeEventListener("message", this.listener); }

  // A frame without an origin has no other address than any.
  post(message) { this.frame.contentWindow?.postMessage([1, { nonce: null, evt: null, ...message }], "*"); }

  take(opcode, m) {
    if (opcode === 0 && !this.begun) { // a frame that loads anew is not answered
      this.begun = true;
      const config = { cdn_host: "cdn.discordapp.com", api_endpoint: "//discord.com/api", environment: "production" };
      this.post({ cmd: "DISPATCH", evt: "READY", data: { v: 1, config } });
    } else if (opcode === 1 && this.begun) this.answer(m);
    else if (opcode === 2) this.does.CLOSE?.(m);
  }

  async answer({ cmd, args, evt, nonce }) {
    try {
      const data = cmd === "SUBSCRIBE" || cmd === "UNSUBSCRIBE" ? this.subscribe(cmd, evt) : await this.run(cmd, args);
      this.post({ cmd, nonce, data });
    } catch (err) {
      this.post({ cmd, nonce, evt: "ERROR", data: { code: err.code ?? 1000, message: err.message ?? "" } });
    }
  }

  run(cmd, args) {
    if (!Object.hasOwn(this.does, cmd)) throw { code: 4002, message: "Invalid command: " + cmd };
    return this.does[cmd](args ?? {});
  }

  subscribe(cmd, evt) {
    if (cmd === "SUBSCRIBE") this.heard.add(evt);
    else this.heard.delete(evt);
    return { evt };
  }

  // tell tells of an event, where the frame listens for it.
  tell(evt, data) { if (this.heard.has(evt)) this.post({ cmd: "DISPATCH", evt, data }); }
}
