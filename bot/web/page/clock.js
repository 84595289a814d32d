// Clocks, by the server's time: what the deadline was when the state was written, and how long ago that is.

class Clock {
  constructor(show, warn) {
    Object.assign(this, { show, warn, clock: undefined });
  }

  set(clock) {
    clearInterval(this.timer);
    this.clock = clock;
    this.came = performance.now();
    this.warned = false;
    if (!clock) return this.show("", false);
    this.tick();
    if (!clock.rested) this.timer = setInterval(() => this.tick(), 250);
  }

  tick() {
    const { deadline, now, rested } = this.clock, left = deadline - now - (rested ? 0 : performance.now() - this.came);
    this.show(spell(left), left < 20000 && !rested);
    if (left < 10000 && left > 0 && !this.warned) {
      this.warned = true;
      this.warn();
    }
  }
}

// spell is a time as clocks have it: 0:42, 4:05, 1:02:03; from a day on the days too.
function spell(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000)), two = (x) => String(x).padStart(2, "0");
  const d = Math.floor(s / 86400), h = Math.floor(s / 3600) % 24, m = Math.floor(s / 60) % 60;
  if (d) return word("clock.days", { Days: d, Time: two(h) + ":" + two(m) });
  return (h ? h + ":" + two(m) : m) + ":" + two(s % 60);
}
