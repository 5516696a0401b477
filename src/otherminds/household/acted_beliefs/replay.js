// Encounters: the strip to jump between them, what came of the one that is shown, the map, and a card for each agent.

const { encounters, turns } = story;
const stops = encounters.map(({ step }) => step);
const kindOf = ({ right }) => (right === null ? "" : right ? "right" : "wrong");
const buttons = encounters.map((one, n) => {
  const button = element("button", kindOf(one), "", el("strip"));
  element("b", kindOf(one), String(n + 1), button);
  button.type = "button";
  button.title = one.facts.map(([label, words]) => `${label}: ${words}`).join("\n");
  element("i", "", one.earned === null ? "stopped" : signed(one.earned), button);
  element("span", "", "", element("span", "pay", "", button)).style.width = `${100 * one.share}%`;
  button.addEventListener("click", () => go(one.step));
  return button;
});
function fill(list, rows) {
  list.replaceChildren();
  for (const [label, words, kind] of rows) {
    element("dt", "", label, list);
    const cell = element("dd", "", "", list);
    for (const line of [words].flat()) element("p", "", "", cell).append(element("span", kind, line));
  }
}
// The markup was made by the page's own maker, which escapes every name; what agents say is never in it.
function drawMap() {
  el("views").innerHTML = turns[now].views;
  el("moment").innerHTML = turns[now].moment;
  for (const mark of document.querySelectorAll("#map :is(.view, .knows, .ghost, .astray, .ghost-name)")) {
    mark.classList.toggle("away", focus >= 0 && !mark.classList.contains(`a${focus}`));
  }
}
const cards = seats.map((seat) => {
  const card = element("section", "seat", "", el("seats")), name = element("button", "name", "", card);
  name.title = "show this agent's view and belief alone";
  nameOf(seat, name);
  choosable(card, name, drawMap);
  return element("dl", "", "", card);
});
const judged = ([words, right]) => [`${words}: ${right ? "true" : "false"}`, right ? "true" : "false"];
draws.push(drawMap, () => {
  const number = turns[now].encounter;
  buttons.forEach((button, n) => button.classList.toggle("now", n === number));
  el("number").textContent = `Encounter ${number + 1} of ${story.planned}`;
  el("text").textContent = turns[now].text;
  fill(el("facts"), encounters[number].facts);
  turns[now].agents.forEach((agent, n) => fill(cards[n], [
    ["in", agent.room, ""],
    ["saw it", agent.saw, ""],
    ...(agent.told.length ? [["was told", agent.told, ""]] : []),
    ["believes it", ...judged(agent.believes)],
    ...(agent.of_ego ? [[`thinks that ${seats[0].name} believes it`, ...judged(agent.of_ego)]] : []),
    ...(agent.goes ? [["went to", agent.goes, ""]] : []),
  ]));
});
// The time line: encounters, and in each turn whether the partner's belief is true.
const EDGE = 76, TAIL = 16, ROW = 16, TALL = 4 * ROW + 24;
const lanes = [
  ["encounter", (turn) => (turn.encounter % 2 ? "--line" : "--band")],
  ["prediction", (turn) => ({ right: "--good", wrong: "--bad" })[kindOf(encounters[turn.encounter])] ?? "--band"],
  ["belief", (turn) => (turn.agents[1].believes[1] ? "--good" : "--bad")],
  ["payoff", (turn) => (encounters[turn.encounter].earned === null ? "--band" : "--accent"), (turn) => encounters[turn.encounter].share],
];
function drawLine(c) {
  lanes.forEach(([text, colour, share = () => 1], row) => {
    label(c, text, row * ROW + ROW / 2);
    turns.forEach((turn, t) => {
      const left = Math.max(EDGE, across(t - 0.5)), right = Math.min(wide - TAIL, across(t + 0.5)), high = (ROW - 4) * share(turn);
      c.fillStyle = css(colour(turn));
      c.fillRect(left, row * ROW + ROW - 2 - high, right - left + 0.5, high);
    });
  });
  axis(c, lanes.length * ROW, 40);
}
function under(x) {
  const turn = turns[stepAt(x)];
  return `encounter ${turn.encounter + 1} · ${turn.text}`;
}
