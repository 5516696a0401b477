// The map: what changes from turn to turn is put between what stays. One jumps between messages.

const stops = [...new Set(story.messages.map(({ step }) => step))];

// The markup was made by the page's own maker, which escapes every name; what agents say is never in it.
const BELIEFS = [".view", ".knows", ".ghost", ".astray", ".wrong", ".ghost-number", ".ghost-name"].map((kind) => `#map ${kind}`).join(", ");
function drawMap() {
  el("views").innerHTML = story.turns[now].views;
  el("moment").innerHTML = story.turns[now].moment;
  for (const mark of document.querySelectorAll(BELIEFS)) mark.classList.toggle("away", focus >= 0 && !mark.classList.contains(`a${focus}`));
}
draws.push(drawMap);
// A card for each agent: where it is, what it did, what it heard, what it believes.

const cards = seats.map((seat) => {
  const card = element("section", "seat", "", el("seats"));
  const name = element("button", "name", "", card);
  name.title = "show this agent's view and beliefs alone";
  nameOf(seat, name);
  const where = element("p", "", "", card), did = element("p", "did", "", card), heard = element("div", "", "", card);
  const wrong = element("ul", "", "", card);
  const graph = element("details", "", "", card);
  const known = element("summary", "", "", graph), list = element("ul", "graph", "", graph);
  const own = element("details", "", "", card);
  element("summary", "", "what it alone was told, and what binds it", own);
  for (const line of [...seat.secrets, ...seat.binds]) element("p", "", line, own);
  choosable(card, name, drawMap);
  return { where, did, heard, wrong, known, list };
});
function drawCard(i) {
  const { where, did, heard, wrong, known, list } = cards[i], agent = story.turns[now].agents[i];
  where.textContent = `in ${agent.room}${agent.holds.length ? `, holding ${agent.holds.join(", ")}` : ""}`;
  did.replaceChildren();
  did.classList.toggle("failed", Boolean(agent.did && !agent.did[1]));
  if (agent.did) {
    element("code", "", agent.did[0], did);
    element("span", "", agent.did[2], did);
  } else element("span", "", now ? "is done" : "has not acted yet", did);
  const arrived = story.messages.filter(({ step, reached }) => step === now && reached.includes(i));
  heard.replaceChildren(...arrived.map(({ sender, text }) => {
    const line = element("p", "heard");
    element("b", "", `${seats[sender].name}: `, line);
    line.append(text);
    return line;
  }));
  const false_ = agent.beliefs.filter(([, , truth]) => truth !== null);
  wrong.replaceChildren(...false_.map(([about, believed, truth]) => {
    const line = element("li", "false");
    line.append(`${about} `);
    element("del", "", believed, line);
    element("span", "", ` ${truth}`, line);
    return line;
  }));
  known.textContent = `its graph: ${agent.beliefs.length} belief${agent.beliefs.length === 1 ? "" : "s"}, ${false_.length} false`;
  list.replaceChildren(...agent.beliefs.map(([about, believed, truth]) => element("li", truth === null ? "" : "false", `${about} ${believed}`)));
}
draws.push(() => seats.forEach((_, seat) => drawCard(seat)));
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
// Messages, what of the goal holds, and the questions at the end.

const told = story.messages.map(({ step, sender, to, text, reached, why }) => {
  const row = element("li", "", "", el("messages"));
  element("span", "step", String(step), row);
  const words = element("div", "", "", row);
  const who = element("b", "", `${seats[sender].name} → ${to}`, words);
  who.style.color = seats[sender].colour;
  element("q", "", text, words);
  if (!reached.length) element("span", "why", why, words);
  row.addEventListener("click", () => go(step - first));
  return { step, row, blocked: !reached.length };
});
if (!told.length) element("li", "empty", "Nobody wrote to anybody.", el("messages"));
const wanted = [
  ...story.wishes.map(([whose, text], n) => ({ row: wish(text, whose && `for ${whose} alone`), so: (turn) => turn.holding[n] })),
  ...story.chains.map((text, n) => ({ row: wish(text, "known, by what was seen and truthfully told"), so: (turn) => turn.known[n] })),
];
function wish(text, about) {
  const row = element("li", "", text, el("wishes"));
  if (about) element("span", "whose", ` (${about})`, row);
  return row;
}
const ROLES = { probe: "", foil: "a foil", helper: "asked for another question's sake" };
const KNOWN = { unread: "depends on a message that was not read", outdated: "what was seen or told is no longer so, or never was" };
for (const { seat, role, text, answer, truth, right, known } of story.probes) {
  const row = element("li", right === true ? "right" : right === false ? "wrong" : "", "", el("probes"));
  element("b", "", `${seats[seat].name}: `, row).style.color = seats[seat].colour;
  row.append(`${text} → `);
  element("b", "", answer, row);
  const truly = truth && right === false ? `, true: ${truth}` : "";
  const about = [ROLES[role], KNOWN[known]].filter(Boolean).join("; ");
  element("span", "soft", `${truly}${about && ` (${about})`}`, row);
}
if (!story.probes.length) element("li", "empty", "Nothing was asked.", el("probes"));

function drawSides() {
  const step = first + now, turn = story.turns[now];
  for (const one of told) one.row.className = `${one.blocked ? "blocked " : ""}${one.step === step ? "now" : one.step > step ? "later" : ""}`;
  for (const { row, so } of wanted) row.className = so(turn) ? "holds" : "fails";
  reveal(el("messages"), told.findLast((one) => one.step <= step)?.row);
}
draws.push(drawSides);
