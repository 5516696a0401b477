// What every page needs. All parts of a page are one module; those of its own follow, then what starts it.

const el = (id) => document.getElementById(id);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const signed = (x) => (x > 0 ? "+" : x < 0 ? "−" : "") + Math.abs(x).toFixed(Number.isInteger(x) ? 0 : 2);

async function unpack(id) {
  const bytes = Uint8Array.from(atob(el(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function element(kind, classes, text, parent) {
  const made = document.createElement(kind);
  if (classes) made.className = classes;
  if (text) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

// A canvas of so many points, sharp on every screen, and empty.
function sharp(canvas, w, h) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(w * ratio);
  canvas.height = Math.round(h * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, w, h);
  return context;
}

// Scrolls `box` to where `row` is seen below so many points that stay in place; to its top where there is no row.
function reveal(box, row, head = 0) {
  const top = row ? row.offsetTop : 0, bottom = top + (row ? row.offsetHeight : 0);
  if (top < box.scrollTop + head || bottom > box.scrollTop + box.clientHeight) box.scrollTop = Math.max(0, bottom - box.clientHeight * 0.7);
}

const story = JSON.parse(new TextDecoder().decode(await unpack("story")));
const { seats, first, last } = story;

// Where a step stands in a chart so wide, with EDGE points for names before it and TAIL behind it.
const placed = (step, wide) => EDGE + ((step - first) / Math.max(1, last - first)) * (wide - EDGE - TAIL);
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
  if (!keys[event.key]) return;
  event.preventDefault();
  if (event.key === " ") document.activeElement?.blur();
  keys[event.key](event.shiftKey ? 10 : 1);
});
window.addEventListener("resize", whole);
window.addEventListener("hashchange", asAddressed);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", whole);
// Who sits where, at the head of a seat's card; and the one card that was chosen, or −1.

let focus = -1;
const choices = [];
document.body.classList.toggle("crowd", seats.length > 3);

function nameOf(seat, parent) {
  element("b", "", seat.name, parent);
  const granted = seat.grants.length ? ` [granted: ${seat.grants.join(", ")}]` : "";
  element("i", "", seat.mind + granted, parent).title = seat.mind + granted;
}
// A click on `button` chooses `card`, or no card if it was chosen; `redraw` shows which.
function choosable(card, button, redraw) {
  const i = choices.push({ card, button }) - 1;
  card.style.setProperty("--seat", seats[i].colour);
  button.type = "button";
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    focus = focus === i ? -1 : i;
    choices.forEach((other, j) => {
      other.card.classList.toggle("chosen", j === focus);
      other.button.setAttribute("aria-pressed", String(j === focus));
    });
    redraw();
  });
}
