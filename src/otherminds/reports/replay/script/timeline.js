// The time line of a page that says how TALL it is, what stays of it (`drawLine`) and what is `under` the pointer.

let wide = 0, still = null; // all of the time line but the hand
const across = (step) => placed(step, wide);
const stepAt = (x) => Math.max(first, Math.min(last, first + Math.round(((x - EDGE) / (wide - EDGE - TAIL)) * (last - first))));
stills.push(() => {
  wide = el("time").parentElement.clientWidth;
  el("time").style.height = `${TALL}px`;
  still = document.createElement("canvas");
  const c = sharp(still, wide, TALL);
  c.font = "11px system-ui, sans-serif";
  c.textBaseline = "middle";
  drawLine(c);
});
function label(c, text, y, colour) {
  c.textAlign = "right";
  c.fillStyle = colour || css("--soft");
  let fitting = text;
  while (c.measureText(fitting).width > EDGE - 12) fitting = `${fitting.slice(0, -2)}…`;
  c.fillText(fitting, EDGE - 8, y);
}
// The numbers of steps, at least so many points apart.
function axis(c, y, apart) {
  const even = [1, 2, 5, 10, 20, 50, 100, 200, 250, 500, 1000];
  const gap = even.find((size) => ((last - first) / size) * apart <= wide - EDGE - TAIL) || 2000;
  c.textAlign = "center";
  c.fillStyle = css("--soft");
  for (let step = Math.ceil(first / gap) * gap; step <= last; step += gap) {
    c.fillRect(across(step), y, 1, 4);
    c.fillText(String(step), across(step), y + 12);
  }
}
draws.push(() => {
  const c = sharp(el("time"), wide, TALL), x = across(first + now);
  c.drawImage(still, 0, 0, wide, TALL);
  c.strokeStyle = c.fillStyle = css("--accent");
  c.lineWidth = 1.5;
  c.beginPath(); c.moveTo(x, 0); c.lineTo(x, TALL - 18); c.stroke();
  c.beginPath(); c.arc(x, 3, 4, 0, 7); c.fill();
});

// Scrubbing, and what is under the pointer.
const time = el("time"), tip = el("tip");
time.addEventListener("pointerdown", (event) => {
  time.setPointerCapture(event.pointerId);
  go(stepAt(event.offsetX) - first);
});
time.addEventListener("pointermove", (event) => {
  if (event.buttons) go(stepAt(event.offsetX) - first);
  tip.textContent = under(event.offsetX, event.offsetY);
  tip.hidden = false;
  tip.style.left = `${Math.max(0, Math.min(event.offsetX + 12, wide - tip.offsetWidth))}px`;
  tip.style.top = `${event.offsetY + 16}px`;
});
time.addEventListener("pointerleave", () => { tip.hidden = true; });
// The log.
const kinds = [...new Set(story.log.map(([, kind]) => kind))];
const minor = new Set(story.happenings.filter((h) => !h.stop).map((h) => h.kind)); // asked for by a tick
const shown = new Set(kinds.filter((kind) => !minor.has(kind)));
const lines = story.log.map(([step, kind, who, text, more, right]) => {
  const row = element("div", "row");
  element("span", "step", String(step), row);
  const dots = element("span", "dots", "", row);
  for (const seat of who) {
    const dot = element("span", "", "", dots);
    dot.style.background = seats[seat].colour;
    dot.title = seats[seat].name;
  }
  element("span", "kind", kind, row);
  const words = element("div", "", "", row);
  element("span", right === true ? "right" : right === false ? "wrong" : "", text, words);
  if (more) element("pre", "", more, words);
  row.addEventListener("click", () => go(step - first));
  return { step, kind, row };
});
let visible = lines;
function filter() {
  visible = lines.filter(({ kind }) => shown.has(kind));
  const nothing = element("div", "empty", story.log.length ? "Nothing of what is chosen above." : "Nothing happened.");
  el("log").replaceChildren(...(visible.length ? visible.map(({ row }) => row) : [nothing]));
  drawLog();
}
for (const kind of kinds) {
  const box = element("input", "", "", element("label", "", "", el("kinds")));
  box.type = "checkbox";
  box.checked = shown.has(kind);
  box.parentElement.append(` ${kind} ${story.log.filter(([, k]) => k === kind).length}`);
  box.addEventListener("change", () => { shown[box.checked ? "add" : "delete"](kind); filter(); });
}
let marked = -1;
function drawLog() {
  let low = 0, high = visible.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (visible[middle].step <= first + now) low = middle + 1; else high = middle;
  }
  visible[marked]?.row.classList.remove("now");
  marked = low - 1;
  const row = visible[marked]?.row;
  row?.classList.add("now");
  reveal(el("log"), row);
}
draws.push(drawLog);
filter();
