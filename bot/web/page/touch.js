// Fingers and the mouse on the board. Pressing shows the point, sliding corrects it, lifting plays it, and sliding
// off the board plays nothing.

class Touch {
  constructor(node, { place, show, play }) {
    Object.assign(this, { node, place, show, play, held: undefined, lifted: -1e9 });
    node.addEventListener("pointerdown", (e) => this.down(e));
    node.addEventListener("pointermove", (e) => this.move(e));
    node.addEventListener("pointerup", (e) => this.up(e));
    node.addEventListener("pointercancel", (e) => this.cancel(e));
    node.addEventListener("pointerleave", (e) => this.held === undefined && this.show(-1, e));
  }

  // echo is whether a click is only the echo of a finger or a mouse that was answered already.
  echo(e) { return e.detail !== 0 && e.timeStamp - this.lifted < 700; }

  down(e) {
    if (this.held !== undefined) return this.cancel(e); // a second finger: nobody plays with two
    if (e.button !== 0) return;
    Object.assign(this, { held: e.pointerId, since: performance.now() });
    try {
      this.node.setPointerCapture(e.pointerId);
    } catch { /* the pointer has gone again */ }
    this.show(this.place(e), e, true);
  }

  move(e) {
    const { held } = this, mine = held === undefined ? e.pointerType === "mouse" : e.pointerId === held;
    if (mine) this.show(this.place(e), e, held !== undefined);
  }

  up(e) {
    if (e.pointerId !== this.held) return;
    this.held = undefined;
    this.lifted = e.timeStamp;
    const p = this.place(e);
    this.show(-1, e);
    if (p >= 0) this.play(p, this.since);
  }

  cancel(e) {
    this.held = undefined;
    this.lifted = e.timeStamp;
    this.show(-1, e);
  }
}
