// Moving through time. Each part of a page says what it draws at every frame, and what only when the window changes.

const draws = [], stills = [];
let now = 0; // the frame that is shown, counted from `first`
let playing = false, due = 0, before = 0, speed = story.speed;

function draw() {
  for (const part of draws) part();
  if (!el("step").matches("[type=number]:focus")) el("step").value = first + now;
}
function whole() {
  for (const part of stills) part();
  draw();
}
function go(frame) {
  now = Math.max(0, Math.min(last - first, frame));
  draw();
}
function play(on) {
  playing = on;
  el("play").textContent = on ? "❚❚ pause" : "▶ play";
  if (on && now === last - first) go(0);
  if (on) requestAnimationFrame((time) => { before = time; due = 0; requestAnimationFrame(tick); });
}
function tick(time) {
  if (!playing) return;
  due += ((time - before) / 1000) * speed;
  before = time;
  if (due >= 1) {
    go(now + Math.floor(due));
    due %= 1;
  }
  if (now === last - first) play(false);
  else requestAnimationFrame(tick);
}
const asAddressed = () => { if (/^#\d+$/.test(location.hash)) go(Number(location.hash.slice(1)) - first); };

el("step").min = first;
el("step").max = last;
el("step").addEventListener(el("step").type === "number" ? "change" : "input", () => go(Number(el("step").value) - first));
el("play").addEventListener("click", () => play(!playing));
el("back").addEventListener("click", () => go(now - 1));
el("on").addEventListener("click", () => go(now + 1));
const keys = {
  " ": () => play(!playing),
  ArrowLeft: (far) => go(now - far),
  ArrowRight: (far) => go(now + far),
  Home: () => go(0), End: () => go(last - first),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input[type=number], input[type=search]")) return;
  if (!keys[event.key] || (event.key === " " && event.target.matches("summary, [aria-expanded]"))) return;
  event.preventDefault();
  if (event.key === " ") document.activeElement?.blur();
  keys[event.key](event.shiftKey ? 10 : 1);
});
window.addEventListener("resize", whole);
window.addEventListener("hashchange", asAddressed);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", whole);
