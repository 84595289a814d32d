// The loupe: what lies under the finger, larger and above it, with the name of the point.

class Loupe {
  constructor(node, drawing) {
    this.view = svg("svg", { "aria-hidden": "true" }, svg("use", { href: "#scene" }));
    this.name = el("b");
    Object.assign(this, { node, drawing });
    node.append(this.view, this.name);
  }

  // show puts the loupe over a place of the window, which lies on point p.
  show(p, x, y) {
    const { node, drawing } = this, [px, py] = drawing.at(p), reach = 190, size = 116;
    this.view.setAttribute("viewBox", [px - reach, py - reach, 2 * reach, 2 * reach].join(" "));
    text(this.name, nameOf(p, drawing.n));
    // Above the finger; near the top of the window beside it.
    const above = y - size - 44 > 4, left = above ? x - size / 2 : x > innerWidth / 2 ? x - size - 54 : x + 54;
    node.style.left = Math.min(Math.max(left, 4), innerWidth - size - 4) + "px";
    node.style.top = Math.max(above ? y - size - 44 : y - size / 2, 4) + "px";
    node.hidden = false;
  }

  hide() { this.node.hidden = true; }
}
