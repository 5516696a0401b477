// The time line: a lane for each agent with its calls, messages from lane to lane, and what of the goal holds.

const EDGE = 168, TAIL = 16, LANE = 30, ROW = 14, TOP = 10;
const bands = [
  ...story.wishes.map(([whose, text], n) => ({ text: whose ? `${whose}: ${text}` : text, so: (turn) => turn.holding[n], shade: "--good" })),
  ...story.chains.map((text, n) => ({ text, so: (turn) => turn.known[n], shade: "--accent" })),
];
const below = TOP + seats.length * LANE + 4;
const tall = below + bands.length * ROW + 22;
let wide = 0, still = null; // all of it but the hand
const across = (step) => EDGE + ((step - first) / Math.max(1, last - first)) * (wide - EDGE - TAIL);
const stepAt = (x) => Math.max(first, Math.min(last, Math.round(((x - EDGE) / (wide - EDGE - TAIL)) * (last - first))));
const laneOf = (seat) => TOP + (seat + 0.5) * LANE;
function drawStill() {
  wide = el("time").parentElement.clientWidth;
  el("time").style.height = `${tall}px`;
  still = document.createElement("canvas");
  const c = sharp(still, wide, tall);
  c.font = "11px system-ui, sans-serif";
  c.textBaseline = "middle";
  seats.forEach((seat, i) => {
    label(c, seat.name, laneOf(i), css("--ink"));
    c.strokeStyle = css("--line");
    c.beginPath(); c.moveTo(EDGE, laneOf(i)); c.lineTo(wide - TAIL, laneOf(i)); c.stroke();
  });
  bands.forEach((band, n) => {
    const y = below + n * ROW;
    label(c, band.text, y + ROW / 2);
    c.fillStyle = css("--band");
    c.fillRect(EDGE, y + 2, wide - EDGE - TAIL, ROW - 4);
    c.fillStyle = css(band.shade);
    story.turns.forEach((turn, t) => {
      const left = Math.max(EDGE, across(t - 0.5)), right = Math.min(wide - TAIL, across(t + 0.5));
      if (band.so(turn)) c.fillRect(left, y + 2, right - left + 0.5, ROW - 4);
    });
  });
  story.turns.forEach((turn, t) => turn.agents.forEach(({ did }, i) => {
    if (!did) return;
    const quiet = /^\s*(Wait|Done|Communicate)\b/.test(did[0]);
    c.beginPath(); c.arc(across(t), laneOf(i), quiet ? 2 : 4.5, 0, 7);
    c.fillStyle = did[1] ? seats[i].colour : css("--paper");
    c.fill();
    c.strokeStyle = did[1] ? seats[i].colour : css("--bad");
    c.lineWidth = 1.5;
    c.stroke();
  }));
  for (const message of story.messages) arrows(c, message);
  axis(c, below + bands.length * ROW);
}
function label(c, text, y, colour) {
  c.textAlign = "right";
  c.fillStyle = colour || css("--soft");
  let fitting = text;
  while (c.measureText(fitting).width > EDGE - 12) fitting = `${fitting.slice(0, -2)}…`;
  c.fillText(fitting, EDGE - 8, y);
}
// A message leaves in its turn and arrives at its end; one that is blocked goes nowhere.
function arrows(c, { step, sender, reached }) {
  const from = across(step - 1), to = across(step), y = laneOf(sender);
  c.strokeStyle = c.fillStyle = seats[sender].colour;
  c.lineWidth = 1.5;
  if (!reached.length) {
    c.strokeStyle = css("--bad");
    const x = (from + to) / 2, way = sender ? -1 : 1, end = y + way * LANE * 0.45;
    c.beginPath(); c.moveTo(from, y); c.lineTo(x, end); c.stroke();
    for (const tilt of [-1, 1]) { c.beginPath(); c.moveTo(x - 4, end - 4 * tilt); c.lineTo(x + 4, end + 4 * tilt); c.stroke(); }
    return;
  }
  for (const other of reached) {
    const end = laneOf(other) - Math.sign(other - sender) * 6, angle = Math.atan2(end - y, to - from);
    c.beginPath(); c.moveTo(from, y); c.lineTo(to, end); c.stroke();
    c.beginPath(); c.moveTo(to, end);
    for (const turn of [-0.4, 0.4]) c.lineTo(to - 8 * Math.cos(angle + turn), end - 8 * Math.sin(angle + turn));
    c.fill();
  }
}
function axis(c, y) {
  const gap = [1, 2, 5, 10, 20, 50, 100].find((size) => ((last - first) / size) * 40 <= wide - EDGE - TAIL) || 200;
  c.textAlign = "center";
  c.fillStyle = css("--soft");
  for (let step = first; step <= last; step += gap) {
    c.fillRect(across(step), y, 1, 4);
    c.fillText(String(step), across(step), y + 12);
  }
}
function drawTime() {
  const c = sharp(el("time"), wide, tall), x = across(first + now);
  c.drawImage(still, 0, 0, wide, tall);
  c.strokeStyle = c.fillStyle = css("--accent");
  c.lineWidth = 1.5;
  c.beginPath(); c.moveTo(x, 0); c.lineTo(x, tall - 18); c.stroke();
  c.beginPath(); c.arc(x, 3, 4, 0, 7); c.fill();
}
// What is under the pointer.
function under(x, y) {
  const step = stepAt(x), seat = Math.floor((y - TOP) / LANE), band = bands[Math.floor((y - below) / ROW)];
  if (y >= below && band) return `turn ${step} · ${band.text}: ${band.so(story.turns[step - first]) ? "so" : "not so"}`;
  const did = seats[seat] && story.turns[step - first].agents[seat].did;
  return did ? `turn ${step} · ${seats[seat].name}: ${did[0]} → ${did[2]}` : `turn ${step}`;
}
