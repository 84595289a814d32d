// The buttons over the board, one a point: what keyboards and screen readers have of it. One of them can be
// reached by Tab, arrows lead on from there.

class Cells {
  constructor(node, press) {
    Object.assign(this, { node, press, list: [], made: "", focus: 0, typed: "" });
    node.addEventListener("click", (e) => {
      const p = this.list.indexOf(e.target);
      if (p >= 0) press(p, e);
    });
    node.addEventListener("keydown", (e) => this.key(e));
    node.addEventListener("focusin", (e) => this.stop(this.list.indexOf(e.target)));
  }

  // fit makes the buttons of a board of n, the topmost row first.
  fit(n, topDown, inset) {
    this.node.style.inset = 100 * inset + "%";
    if (this.made === n + "," + topDown) return;
    Object.assign(this, { made: n + "," + topDown, n, topDown, list: [] });
    const rows = [];
    for (let y = 0; y < n; y++) {
      const row = topDown ? y : n - 1 - y, cells = [];
      for (let x = 0; x < n; x++) {
        cells.push(this.list[row * n + x] = el("button", { type: "button", role: "gridcell", tabIndex: -1 }));
      }
      rows.push(el("div", { role: "row", "aria-label": word("row", { Row: row + 1 }) }, cells));
    }
    fill(this.node, rows);
    this.stop(Math.floor(n / 2) * n + Math.floor(n / 2));
  }

  // name says what lies on each point.
  name(label) {
    this.list.forEach((cell, p) => {
      const said = label(p);
      if (cell.said !== said) cell.setAttribute("aria-label", cell.said = said);
    });
  }

  // stop is where Tab stops.
  stop(p) {
    if (p < 0) return;
    if (this.list[this.focus]) this.list[this.focus].tabIndex = -1;
    this.focus = p;
    this.list[p].tabIndex = 0;
  }

  go(p) {
    this.stop(p);
    this.list[p].focus({ preventScroll: true });
  }

  key(e) {
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    const { n, topDown } = this, col = this.focus % n, row = Math.floor(this.focus / n);
    const up = topDown ? -1 : 1, end = n - 1;
    const to = (x, y) => {
      e.preventDefault();
      this.go(Math.min(Math.max(y, 0), end) * n + Math.min(Math.max(x, 0), end));
    };
    switch (e.key) {
      case "ArrowLeft": return to(col - 1, row);
      case "ArrowRight": return to(col + 1, row);
      case "ArrowUp": return to(col, row + up);
      case "ArrowDown": return to(col, row - up);
      case "Home": return to(0, row);
      case "End": return to(end, row);
      case "PageUp": return to(col, topDown ? 0 : end);
      case "PageDown": return to(col, topDown ? end : 0);
    }
    this.type(e.key);
  }

  // type takes a point as it is typed: h8 goes to H8, and Enter plays there.
  type(key) {
    if (!/^[a-o0-9]$/i.test(key)) return false;
    this.typed = /\d/.test(key) ? this.typed + key : key;
    const p = pointOf(this.typed, this.n);
    if (p >= 0) this.go(p);
    return p >= 0;
  }
}
