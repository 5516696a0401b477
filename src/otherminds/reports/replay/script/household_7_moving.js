// Moving through the turns.

const panels = mindPanels(el("minds"), story.minds);
function draw() {
  drawMap();
  seats.forEach((_, seat) => drawCard(seat));
  drawTime();
  drawSides();
  drawLog();
  panels.forEach((panel) => panel.draw(first + now));
  if (document.activeElement !== el("step")) el("step").value = first + now;
}
const go = (frame) => { now = Math.max(0, Math.min(last - first, frame)); draw(); };
function play(on) {
  clearInterval(playing);
  playing = 0;
  el("play").textContent = on ? "❚❚ pause" : "▶ play";
  if (!on) return;
  if (now === last - first) go(0);
  playing = setInterval(() => { go(now + 1); if (now === last - first) play(false); }, 1000 / speed);
}
function jump(way) {
  const step = first + now;
  const to = way > 0 ? stops.find((stop) => stop > step) : stops.findLast((stop) => stop < step);
  if (to !== undefined) go(to - first);
}

for (const choice of [...new Set([...SPEEDS, speed])].sort((a, b) => a - b)) {
  const option = element("option", "", `${choice} turn${choice === 1 ? "" : "s"} a second`, el("speed"));
  option.value = String(choice);
}
el("speed").value = String(speed);
el("speed").addEventListener("change", () => { speed = Number(el("speed").value); if (playing) play(true); });
el("previous").disabled = el("next").disabled = !stops.length;
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
  Home: () => go(0), End: () => go(last - first),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input[type=number]")) return;
  if (!keys[event.key]) return;
  event.preventDefault();
  if (event.key === " ") document.activeElement?.blur();
  keys[event.key](event.shiftKey ? 10 : 1);
});

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
