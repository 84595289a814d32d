// The way to the server: one socket, or, where none opens, a question every two seconds. What was done and not
// answered is sent again under the same number, so that it is done once.

const silence = 45000, pollEvery = 2000;

class Line {
  constructor({ hello, hear, up }) {
    Object.assign(this, { hello, hear, up, acts: new Map(), failed: 0, queue: [], ahead: 0 });
    this.count = BigInt(Math.floor(Math.random() * 0x80000));
    addEventListener("online", () => this.socket ?? this.open());
    document.addEventListener("visibilitychange", () => this.send(this.seen()));
  }

  seen() { return { t: "seen", visible: document.visibilityState === "visible" }; }

  open() {
    clearTimeout(this.later);
    clearTimeout(this.polling);
    if (this.closed) return;
    const address = new URL("/live", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    let socket, heard = false;
    try {
      socket = new WebSocket(address);
    } catch {
      return this.again();
    }
    this.socket = socket;
    this.hark();
    socket.onopen = () => {
      this.greet((m) => socket.send(JSON.stringify(m)));
    };
    socket.onmessage = (e) => {
      this.hark();
      heard = true;
      this.failed = 0;
      this.take(JSON.parse(e.data));
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = undefined;
      clearTimeout(this.quiet);
      if (!heard) this.failed++; // a server in trouble opens sockets too, and says nothing
      this.again();
    };
  }

  // reopen opens the way again that was closed.
  reopen() {
    this.closed = false;
    this.failed = 0;
    this.open();
  }

  // greet is what a new connection begins with.
  greet(send) {
    send(this.hello());
    for (const act of this.acts.values()) send(act);
    while (this.queue.length) send(this.queue.shift());
    if (document.visibilityState !== "visible") send(this.seen());
  }

  // hark waits for the next word; a line that is silent is cut, and opened anew.
  hark() {
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this.cut(), silence);
  }

  cut() {
    const { socket } = this;
    socket?.close();
    socket?.onclose?.(); // a dead line says nothing of its own end
  }

  // again opens a new connection after a while that differs from page to page.
  again() {
    if (this.closed) return;
    this.up(false);
    clearTimeout(this.later);
    const most = Math.min(1000 * 2 ** Math.min(this.failed, 4), 10000);
    this.later = setTimeout(() => this.open(), 500 + Math.random() * (most - 500));
    if (this.failed >= 3) this.poll();
  }

  // poll asks without a socket, while none opens.
  async poll() {
    clearTimeout(this.polling);
    if (this.closed || this.socket?.readyState === 1) return;
    const [act] = this.acts.values(), body = { ...this.hello(), ...(act ?? this.queue.shift()) };
    try {
      // As text: JSON is asked for first, and frames may not.
      const res = await fetch("/poll", { method: "POST", body: JSON.stringify(body) });
      if (res.ok) for (const m of await res.json()) this.take(m);
    } catch { /* the next one may come through */ }
    clearTimeout(this.polling);
    this.polling = setTimeout(() => this.poll(), pollEvery);
  }

  take(m) {
    if (m.now) this.ahead = m.now - Date.now();
    if (m.t === "done") this.acts.delete(m.n);
    this.up(true);
    this.hear(m);
  }

  send(m) {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(m));
    else if (m.t !== "seen" && m.t !== "state") this.queue.push(m);
  }

  // act sends what a member does, until it is answered. Its number grows with the server's time, and is never used
  // twice.
  act(fields) {
    const n = ((BigInt(Math.round(Date.now() + this.ahead)) << 20n) + ++this.count).toString();
    const m = { t: "act", n, ...fields };
    this.acts.set(n, m);
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(m));
    else if (this.failed >= 3) this.poll();
    return n;
  }

  close() {
    this.closed = true;
    clearTimeout(this.later);
    clearTimeout(this.polling);
    clearTimeout(this.quiet);
    const { socket } = this;
    this.socket = undefined;
    socket?.close();
  }
}
