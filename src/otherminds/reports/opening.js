// Sorts the table of verdicts by the column whose head is pressed: first from the top, then the other way.
const table = document.getElementById("verdicts");
const heads = [...table.tHead.rows[0].cells];
const letters = new Intl.Collator(undefined, { numeric: true });
const textOf = (row, i) => row.cells[i].dataset.value;
heads.forEach((head, i) => head.querySelector("button").addEventListener("click", () => {
  const numeric = !head.classList.contains("left");
  const first = numeric ? "descending" : "ascending";
  const order = head.getAttribute("aria-sort") === first ? (numeric ? "ascending" : "descending") : first;
  const way = order === "descending" ? -1 : 1;
  const number = (row) => Number(textOf(row, i));
  table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => {
    if (!numeric) return way * letters.compare(textOf(a, i), textOf(b, i));
    // What has no number comes last in both directions.
    return Number.isNaN(number(a)) - Number.isNaN(number(b)) || way * (number(a) - number(b)) || 0;
  }));
  for (const other of heads) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
}));
