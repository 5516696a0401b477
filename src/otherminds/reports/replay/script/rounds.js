// A page without a map: the rounds beside what minds thought of them.

const story = JSON.parse(new TextDecoder().decode(await unpack("story")));
const PACE = 700, EDGE = 84, TAIL = 16;
let now = 0, playing = 0;

const table = element("table", "", "", el("rounds"));
const heads = element("tr", "", "", element("thead", "", "", table));
const predicted = story.minds.map(({ seat }) => `${seat} predicted`);
const numbers = new Set(["round", "reward", "so far"]);
for (const name of ["round", ...story.seats, ...predicted, "reward", "so far"]) element("th", numbers.has(name) ? "number" : "", name, heads);
const body = element("tbody", "", "", table);
const rows = story.rounds.map(({ step, did, reward, total, said }) => {
  const row = element("tr", "", "", body);
  element("td", "number", String(step + 1), row);
  for (const behaviour of did) element("td", "", behaviour, row);
  for (const [text, right, validated] of said) {
    const cell = element("td", validated ? "validated" : "", "", row);
    element("span", right === true ? "right" : right === false ? "wrong" : "", text ?? "", cell);
  }
  element("td", "number", signed(reward) || "0", row);
  element("td", "number", signed(total) || "0", row);
  row.addEventListener("click", () => go(step));
  return { step, row };
});
const panels = mindPanels(el("minds"), story.minds);

function draw() {
  panels.forEach((panel) => panel.draw(now));
  for (const { step, row } of rows) row.className = step === now ? "now" : step > now ? "later" : "";
  const current = rows.findLast(({ step }) => step <= now)?.row, box = el("rounds");
  if (current) {
    const top = current.offsetTop, bottom = top + current.offsetHeight;
    if (top < box.scrollTop + 40 || bottom > box.scrollTop + box.clientHeight) box.scrollTop = Math.max(0, bottom - box.clientHeight * 0.7);
  }
  el("round").value = String(now);
  el("at").textContent = now < story.steps ? `before round ${now + 1} of ${story.steps}` : `after ${story.steps} rounds`;
}
const go = (step) => { now = Math.max(0, Math.min(story.steps, step)); draw(); };
function play(on) {
  clearInterval(playing);
  playing = 0;
  el("play").textContent = on ? "❚❚ pause" : "▶ play";
  if (!on) return;
  if (now === story.steps) go(0);
  playing = setInterval(() => { go(now + 1); if (now === story.steps) play(false); }, PACE);
}
function whole() {
  const wide = el("minds").clientWidth;
  const x = (step) => EDGE + (step / Math.max(1, story.steps)) * (wide - EDGE - TAIL);
  panels.forEach((panel) => panel.still({ wide, edge: EDGE, tail: TAIL, x }));
  draw();
}
const asAddressed = () => { if (/^#\d+$/.test(location.hash)) go(Number(location.hash.slice(1))); };

el("round").min = "0";
el("round").max = String(story.steps);
el("round").addEventListener("input", () => go(Number(el("round").value)));
el("play").addEventListener("click", () => play(!playing));
el("back").addEventListener("click", () => go(now - 1));
el("on").addEventListener("click", () => go(now + 1));
const keys = {
  " ": () => play(!playing),
  ArrowLeft: (far) => go(now - far),
  ArrowRight: (far) => go(now + far),
  Home: () => go(0), End: () => go(story.steps),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  if (event.key === " ") document.activeElement?.blur();
  keys[event.key](event.shiftKey ? 10 : 1);
});
for (const { box } of panels) box.addEventListener("toggle", draw);
window.addEventListener("resize", whole);
window.addEventListener("hashchange", asAddressed);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", whole);
whole();
asAddressed();
