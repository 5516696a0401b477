// A page without a map: the rounds beside what minds thought of them.

const EDGE = 84, TAIL = 16;

const table = element("table", "", "", el("rounds"));
const heads = element("tr", "", "", element("thead", "", "", table));
const numbers = new Set(["round", "reward", "so far"]);
for (const name of ["round", ...seats, ...story.predicted, "reward", "so far"]) element("th", numbers.has(name) ? "number" : "", name, heads);
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
draws.push(() => {
  for (const { step, row } of rows) row.className = step === now ? "now" : step > now ? "later" : "";
  reveal(el("rounds"), rows.findLast(({ step }) => step <= now)?.row, 40);
  el("at").textContent = now < last ? `before round ${now + 1} of ${last}` : `after ${last} rounds`;
});
