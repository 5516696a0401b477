// Moving through time.
const panels = mindPanels(el("minds"), story.minds);
function draw() {
  drawMap();
  seats.forEach((_, seat) => drawCard(seat));
  drawMarks();
  drawCaption();
  drawTime();
  drawLog();
  panels.forEach((panel) => panel.draw(first + now));
  if (document.activeElement !== el("step")) el("step").value = first + now;
}
const go = (frame) => { now = Math.max(0, Math.min(last - first, frame)); draw(); };
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
function jump(way) {
  const step = first + now;
  const to = way > 0 ? stops.find((stop) => stop > step) : stops.findLast((stop) => stop < step);
  if (to !== undefined) go(to - first);
}
function faster(way) {
  const choices = [...el("speed").options].map(({ value }) => Number(value));
  const i = Math.max(0, Math.min(choices.length - 1, choices.indexOf(speed) + way));
  speed = choices[i];
  el("speed").value = String(speed);
}

// Controls.
for (const choice of [...new Set([...SPEEDS, speed])].sort((a, b) => a - b)) {
  const option = element("option", "", `${choice} steps a second`, el("speed"));
  option.value = String(choice);
}
el("speed").value = String(speed);
el("speed").addEventListener("change", () => { speed = Number(el("speed").value); });
el("previous").textContent = `◂ ${stage.stop}`;
el("next").textContent = `${stage.stop} ▸`;
el("previous").disabled = el("next").disabled = !stops.length;
el("stops").textContent = stage.stop;
el("step").min = first;
el("step").max = last;
el("step").addEventListener("change", () => go(Number(el("step").value) - first));
el("play").addEventListener("click", () => play(!playing));
el("back").addEventListener("click", () => go(now - 1));
el("on").addEventListener("click", () => go(now + 1));
el("previous").addEventListener("click", () => jump(-1));
el("next").addEventListener("click", () => jump(1));
const keys = {
  " ": () => play(!playing),
  ArrowLeft: (far) => go(now - far),
  ArrowRight: (far) => go(now + far),
  n: () => jump(1), p: () => jump(-1), N: () => jump(1), P: () => jump(-1),
  "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1),
  Home: () => go(0), End: () => go(last - first),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input[type=number]")) return;
  if (!keys[event.key]) return;
  event.preventDefault();
  if (event.key === " ") document.activeElement?.blur();
  keys[event.key](event.shiftKey ? 10 : 1);
});

// Scrubbing, and what is under the pointer.
const time = el("time"), tip = el("tip");
time.addEventListener("pointerdown", (event) => {
  time.setPointerCapture(event.pointerId);
  go(stepAt(event.offsetX));
});
time.addEventListener("pointermove", (event) => {
  if (event.buttons) go(stepAt(event.offsetX));
  const step = first + Math.max(0, Math.min(last - first, stepAt(event.offsetX)));
  const near = story.happenings.filter((h) => h.stop && Math.abs(across(h.step) - event.offsetX) < 5);
  tip.textContent = [`step ${step}`, ...near.slice(0, 4).map((h) => h.text)].join(" · ");
  tip.hidden = false;
  tip.style.left = `${Math.max(0, Math.min(event.offsetX + 12, wide - tip.offsetWidth))}px`;
  tip.style.top = `${event.offsetY + 16}px`;
});
time.addEventListener("pointerleave", () => { tip.hidden = true; });

const whole = () => {
  drawStill();
  panels.forEach((panel) => panel.still({ wide, edge: EDGE, tail: TAIL, x: across }));
  draw();
};
for (const { box } of panels) box.addEventListener("toggle", draw);
const asAddressed = () => { if (/^#\d+$/.test(location.hash)) go(Number(location.hash.slice(1)) - first); };
window.addEventListener("resize", whole);
window.addEventListener("hashchange", asAddressed);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", whole);
filter();
whole();
asAddressed();
