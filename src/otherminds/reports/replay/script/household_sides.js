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
