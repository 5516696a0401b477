// The time line: a lane for each agent with its calls, messages from lane to lane, and what of the goal holds.

const EDGE = 168, TAIL = 16, LANE = 30, ROW = 14, TOP = 10;
const bands = [
  ...story.wishes.map(([whose, text], n) => ({ text: whose ? `${whose}: ${text}` : text, so: (turn) => turn.holding[n], shade: "--good" })),
  ...story.chains.map((text, n) => ({ text, so: (turn) => turn.known[n], shade: "--accent" })),
];
const below = TOP + seats.length * LANE + 4;
const TALL = below + bands.length * ROW + 22;
const laneOf = (seat) => TOP + (seat + 0.5) * LANE;
function drawLine(c) {
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
  axis(c, below + bands.length * ROW, 40);
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
function under(x, y) {
  const step = stepAt(x), seat = Math.floor((y - TOP) / LANE), band = bands[Math.floor((y - below) / ROW)];
  if (y >= below && band) return `turn ${step} · ${band.text}: ${band.so(story.turns[step - first]) ? "so" : "not so"}`;
  const did = seats[seat] && story.turns[step - first].agents[seat].did;
  return did ? `turn ${step} · ${seats[seat].name}: ${did[0]} → ${did[2]}` : `turn ${step}`;
}
