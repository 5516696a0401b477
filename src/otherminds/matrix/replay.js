// The page of a matrix game: its rounds are in the page; below each unfold the replies of language models.

const EDGE = 84, TAIL = 16;
const { stops } = story;
let drawn = false;

// What a model was asked and wrote in a round; its prompt is folded once more.
function unfoldRound(box, step) {
  for (const call of calls.filter((one) => one.step === step)) {
    const part = element("div", "call", "", box);
    element("div", "role", nameOfCall(call), part);
    if (call.reasoning) element("pre", "", call.reasoning, part);
    element("pre", "reply", call.reply, part);
    const prompt = element("details", "", "", part);
    element("summary", "", "prompt", prompt);
    prompt.addEventListener("toggle", () => { if (prompt.open && prompt.children.length === 1) fillPrompt(prompt, call); });
  }
}
function foldable(row) {
  const count = Number(row.dataset.calls);
  if (!count) return;
  const button = element("button", "", `${count} ${count === 1 ? "reply" : "replies"}`, row.lastElementChild);
  button.type = "button";
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-label", `replies in round ${Number(row.dataset.step) + 1}`);
  let fold = null;
  button.addEventListener("click", () => {
    if (!fold) {
      fold = element("tr", "fold");
      const cell = element("td", "wide", "", fold);
      cell.colSpan = row.closest("table").tHead.rows[0].cells.length;
      unfoldRound(cell, Number(row.dataset.step));
      row.after(fold);
      fold.hidden = true;
    }
    fold.hidden = !fold.hidden;
    button.setAttribute("aria-expanded", String(!fold.hidden));
  });
}

const rows = [...el("rounds").querySelectorAll("[data-step]")];
rows.forEach(foldable);
draws.push(() => {
  for (const row of rows) row.classList.toggle("now", Number(row.dataset.step) === now && now < last);
  if (drawn) rows[Math.min(now, rows.length - 1)]?.scrollIntoView({ block: "nearest" });
  drawn = true;
  el("at").textContent = now < last ? `before round ${now + 1} of ${last}` : `after ${last} rounds`;
});
