// The page as a whole: its parts, how it comes in, and its own buttons.

const drawing = new Drawing($("drawing"), $("ground"));
const loupe = new Loupe($("loupe"), drawing);
const frame = boot.way === "activity" ? new Frame(boot.app) : undefined;
const past = new Past(() => show());
const cells = new Cells($("grid"), (p, e) => touch.echo(e) || play(p, performance.now()));
const touch = new Touch($("grid"), { place, show: hover, play });
const clock = new Clock((said, low) => {
  for (const node of document.querySelectorAll(".clock")) if (node.dataset.color === state?.turn) {
    text(node, said);
    node.classList.toggle("low", low);
  }
}, () => you?.turn && sound.hurry());
const line = new Line({ hello, hear, up: (on) => text($("line"), on ? "" : word("offline")) });

function hello() {
  const m = { t: "hello", v: 1, way: boot.way, have: state?.v };
  switch (boot.way) {
    case "watch": return { ...m, share: location.pathname.split("/")[2] };
    case "activity": return { ...m, instance: frame.instance, pass, match: state?.match ?? frame.match };
  }
  return { ...m, match: member.match, me: you?.me ?? member.me };
}

// A member's link holds a secret after "#", good once. It is traded for a pass, and the address keeps the game alone.
// Behind the game stands who the page is of: a later link in the same browser may be another member's.
const member = { match: /^#m=([^/]+)/.exec(location.hash)?.[1], me: /^#m=[^/]+\/(.+)$/.exec(location.hash)?.[1] };
const remember = () => history.replaceState(null, "", "#m=" + member.match + (member.me ? "/" + member.me : ""));

async function enter() {
  const secret = location.hash.slice(1);
  if (boot.way !== "member" || member.match || !secret) return line.open();
  const n = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
  for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
    try {
      const headers = { "Content-Type": "application/json" };
      const res = await fetch("/pass", { method: "POST", headers, body: JSON.stringify({ secret, n }) });
      if (res.status === 404) return bye(word("link.old"), false);
      if (!res.ok) throw res; // the server is away, and the link may be good
      member.match = (await res.json()).match;
      remember();
      return line.open();
    } catch {
      text($("line"), word("offline"));
      await new Promise((later) => setTimeout(later, wait));
    }
  }
}

function tools() {
  const toggle = (node, name, on, set) => {
    const put = (now) => {
      node.setAttribute("aria-pressed", String(now));
      fill(node, icon(name(now)));
    };
    node.addEventListener("click", () => put(set(node.getAttribute("aria-pressed") !== "true")));
    put(on);
  };
  toggle($("sound"), (on) => (on ? "sound" : "mute"), false, (on) => (sound.turn(on), on));
  toggle($("numbers"), () => "numbers", false, (on) => {
    numbered = on;
    show();
    return on;
  });
  $("board").addEventListener("wheel", (e) => {
    if (!state || e.ctrlKey || !over() && !looking()) return;
    e.preventDefault();
    past.roll(e.deltaMode ? 60 * Math.sign(e.deltaY) : e.deltaY);
  }, { passive: false });
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.altKey || e.ctrlKey || e.metaKey || $("dialog").open || !state) return;
    if (/^(INPUT|TEXTAREA)$/.test(e.target.tagName) || $("grid").contains(e.target)) return;
    if (e.key === "ArrowLeft" || e.key === "ArrowRight") past.go(past.now() + (e.key === "ArrowLeft" ? -1 : 1));
    else if (e.key === "Home" || e.key === "End") past.go(e.key === "Home" ? 0 : past.total);
    else cells.type(e.key);
  });
  new ResizeObserver(() => state && ![0, fitted].includes($("board").clientWidth) && show()).observe($("board"));
}

speak();
tools();
frame?.follow();
if (boot.state) take(boot.state);
enter();
