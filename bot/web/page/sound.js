// Sounds, made here: a stone on wood, discs that turn, a short call before time runs out. They are off at first.

const sound = {
  on: false,

  turn(on) {
    this.on = on;
    if (!on) return;
    this.context ??= new (window.AudioContext ?? window.webkitAudioContext)();
    this.context.resume();
    this.stone();
  },

  // knock is a short noise through a filter: wood on wood.
  knock(after, pitch, loud) {
    const c = this.context, at = c.currentTime + after, length = .09;
    const buffer = c.createBuffer(1, c.sampleRate * length, c.sampleRate), data = buffer.getChannelData(0);
    for (let i = 0; i < data.length; i++) data[i] = (Math.random() * 2 - 1) * Math.exp(-i / data.length * 9);
    const noise = c.createBufferSource(), filter = c.createBiquadFilter(), gain = c.createGain();
    noise.buffer = buffer;
    Object.assign(filter, { type: "bandpass" });
    filter.frequency.value = pitch;
    filter.Q.value = 1.6;
    gain.gain.value = loud;
    noise.connect(filter).connect(gain).connect(c.destination);
    noise.start(at);
  },

  // tone is a soft note.
  tone(after, pitch, length, loud) {
    const c = this.context, at = c.currentTime + after, note = c.createOscillator(), gain = c.createGain();
    note.type = "sine";
    note.frequency.value = pitch;
    gain.gain.setValueAtTime(0, at);
    gain.gain.linearRampToValueAtTime(loud, at + .01);
    gain.gain.exponentialRampToValueAtTime(.0001, at + length);
    note.connect(gain).connect(c.destination);
    note.start(at);
    note.stop(at + length);
  },

  stone() {
    if (!this.on) return;
    this.knock(0, 1500, 1.1);
    this.knock(.004, 520, .8);
  },

  discs(count) {
    if (!this.on) return;
    this.stone();
    for (let i = 0; i < Math.min(count, 6); i++) this.knock(.13 + .03 * i, 1900, .35);
  },

  hurry() {
    if (!this.on) return;
    for (const at of [0, .22]) this.tone(at, 880, .15, .15);
  },

  end() {
    if (!this.on) return;
    [523, 659, 784].forEach((pitch, i) => this.tone(.12 + .1 * i, pitch, .7, .12));
  },
};
