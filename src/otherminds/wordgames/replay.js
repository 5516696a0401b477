// The page of a word game: its rounds are in the page, and the one that is played next is marked.

const EDGE = 84, TAIL = 16;
const { stops } = story;
let drawn = false;
const rows = [...el("rounds").querySelectorAll("[data-step]")];
draws.push(() => {
  for (const row of rows) row.classList.toggle("now", Number(row.dataset.step) === first + now);
  if (drawn) rows[Math.min(now, rows.length - 1)]?.scrollIntoView({ block: "nearest" });
  drawn = true;
  el("at").textContent = `round ${first + now} of ${last}`;
});
