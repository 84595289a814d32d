// Looking back: steps through the moves, their list, and after the end the graph of chances with its remarks. While a
// fault is tried again (trial.js), the steps go through the line of the verdict.

class Past {
  constructor(show) {
    Object.assign(this, { show, at: undefined, total: 0, review: undefined, trial: undefined });
    const step = (name, to) => {
      const onclick = () => this.go(to());
      return el("button.step", { type: "button", "aria-label": word("step." + name), onclick }, icon(name));
    };
    const slid = () => this.go(Number(this.slider.value));
    this.slider = el("input", { type: "range", min: 0, step: 1, "aria-label": word("step.move"), oninput: slid });
    this.buttons = [step("first", () => 0), step("back", () => this.now() - 1), step("on", () => this.now() + 1),
      step("last", () => this.end())];
    fill($("steps"), this.buttons.slice(0, 2), this.slider, this.buttons.slice(2));
    $("moves").addEventListener("click", (e) => {
      const k = Number(e.target.closest("li")?.dataset.move);
      if (k) this.leave(k);
    });
    $("graph").addEventListener("pointerdown", (e) => {
      const box = $("graph").getBoundingClientRect();
      this.leave(Math.round((e.clientX - box.left) / box.width * this.total));
    });
  }

  now() { return this.trial?.at ?? this.at ?? this.total; }

  end() { return this.trial?.line.length ?? this.total; }

  // go looks at the board after so many moves; at the last one it is the present.
  go(k) {
    k = Math.min(Math.max(k, 0), this.end());
    if (this.trial) this.trial.at = k;
    else this.at = k === this.total && !this.remark(k) ? undefined : k;
    text($("announce"), this.remarked()?.says ?? "");
    this.show();
  }

  // leave looks at a move of the game, where a fault is tried no more.
  leave(k) {
    this.trial = this.asked = undefined;
    this.go(k);
  }

  // moved takes the moves of a new state. What came anew is looked at.
  moved(list) {
    if (list.length !== this.total) this.at = this.trial = undefined;
    this.total = list.length;
    this.list = list;
  }

  // chance is Black's after so many moves, in percent.
  chance(k) { return (this.review.chances[k - 1] ?? 500) / 10; }

  // roll steps by a mouse's wheel, one move a notch; what a pad sends is gathered.
  roll(delta) {
    this.rolled = (this.rolled ?? 0) + Math.min(Math.max(delta, -60), 60);
    if (Math.abs(this.rolled) < 60) return;
    this.go(this.now() + Math.sign(this.rolled));
    this.rolled = 0;
  }

  remark(k) { return this.review?.notes?.find((n) => n.move === k); }

  // remarked is the remark on the move that is looked at: it stands beside the board.
  remarked() { return this.at === undefined || this.trial ? undefined : this.remark(this.at); }

  // next is the next move with a remark, after the one that is looked at; the first after the last.
  next() {
    const all = (this.review?.notes ?? []).map((n) => n.move);
    return all.find((k) => this.at !== undefined && k > this.at) ?? all[0];
  }

  draw(state) {
    const { slider, trial } = this, now = this.now(), total = this.end(), n = state.size, move = trial?.move ?? now;
    Object.assign(slider, { max: total, value: now, disabled: !total });
    const point = now ? nameOf((trial?.line ?? this.list)[now - 1].at, n) : "";
    slider.setAttribute("aria-valuetext",
      now ? word("step.at", { Move: now, Total: total, Point: point }) : word(trial ? "try" : "step.begin"));
    this.buttons.forEach((b, i) => { b.disabled = i < 2 ? now === 0 : now === total; });
    this.listing(move, n);
    this.chances(move);
    const of = this.at === undefined ? "" : word("step.of", { Move: move, Total: this.total });
    const told = of && this.review?.chances && !trial;
    const chance = told ? word("chance", { Percent: Math.round(this.chance(move)) }) : "";
    text($("remark"), [of, chance].filter(Boolean).join(" · "));
  }

  listing(now, n) {
    const box = $("moves");
    while (box.children.length > this.total) box.lastChild.remove();
    this.list.forEach((m, i) => {
      const li = box.children[i] ?? box.appendChild(el("li")), remark = this.remark(i + 1);
      li.dataset.move = i + 1;
      li.dataset.color = m.color;
      li.dataset.fault = String(Boolean(remark));
      text(li, nameOf(m.at, n));
      if (i + 1 === now) li.setAttribute("aria-current", "step");
      else li.removeAttribute("aria-current");
    });
    const li = box.children[now - 1];
    if (li) box.scrollTop = li.offsetTop - box.clientHeight / 2;
    else box.scrollTop = 0;
  }

  chances(now) {
    const box = $("graph"), r = this.review;
    box.hidden = $("gauge").hidden = !r?.chances?.length;
    if (box.hidden) return;
    $("gauge").firstChild.style.width = this.chance(this.trial ? now - 1 : now) + "%";
    const w = 300, h = 72, x = (i) => w * i / Math.max(1, this.total), y = (c) => h - c / 1000 * h;
    const curve = [500, ...r.chances].map((c, i) => `${x(i).toFixed(1)} ${y(c).toFixed(1)}`).join("L");
    const view = { viewBox: `0 0 ${w} ${h}`, preserveAspectRatio: "none", role: "img", "aria-label": word("graph") };
    fill(box, svg("svg", view,
      svg("rect", { class: "light", width: w, height: h }), svg("path", { class: "dark", d: `M0 ${h}L${curve}V${h}Z` }),
      svg("line", { class: "even", x1: 0, x2: w, y1: h / 2, y2: h / 2 }),
      svg("line", { class: "here", x1: x(now), x2: x(now), y1: 0, y2: h })),
      (r.notes ?? []).map((note) => {
        const dot = el("i");
        dot.style.insetInlineStart = 100 * note.move / Math.max(1, this.total) + "%";
        dot.style.top = 100 - this.chance(note.move) + "%";
        return dot;
      }));
  }
}
