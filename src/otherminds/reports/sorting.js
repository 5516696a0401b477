// Sorting, for every page with a table that can be sorted.
const letters = new Intl.Collator(undefined, { numeric: true });

// Makes the heads of a table buttons, which sort its rows by their column: numbers first from the highest, texts from A,
// then the other way. What has no number comes last in both directions. `textOf(row, i)` is what a row has in column i;
// `sorted` is called afterwards. Returns the function that sorts by a column.
function makeSortable(table, textOf, sorted = () => {}) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const numeric = (i) => heads[i].classList.contains("number");
  function sortBy(i, down = numeric(i)) {
    const way = down ? -1 : 1;
    const keys = new Map([...body.rows].map((row) => [row, numeric(i) ? Number(textOf(row, i)) : textOf(row, i)]));
    body.append(...[...keys.keys()].sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      return numeric(i) ? Number.isNaN(x) - Number.isNaN(y) || way * (x - y) || 0 : way * letters.compare(x, y);
    }));
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[i].setAttribute("aria-sort", down ? "descending" : "ascending");
    sorted();
  }
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    const first = numeric(i) ? "descending" : "ascending";
    button.addEventListener("click", () => sortBy(i, (head.getAttribute("aria-sort") === first) !== numeric(i)));
    head.replaceChildren(button);
  });
  return sortBy;
}
