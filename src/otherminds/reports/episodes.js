// The list of episodes: sorted by a column, filtered by names, and the command for one of them.

const table = document.getElementById("episodes"), body = table.tBodies[0];
const heads = [...table.tHead.rows[0].cells], names = heads.map((head) => head.textContent);
let rows = [...body.rows];
const form = document.getElementById("filters");
const command = document.getElementById("command");
const more = document.getElementById("more");
const STEP = 500; // rows: a browser takes long to lay out a table of many thousands
const column = (name) => names.indexOf(name);
const texts = new Map(rows.map((row) => [row, [...row.cells].map((cell) => cell.firstChild?.textContent ?? "")]));
const textOf = (row, i) => texts.get(row)[i];
const sortBy = makeSortable(table, textOf, () => {
  rows = [...body.rows];
  filter();
});

// On a narrow page, where heads are hidden, a choice of columns sorts.
const sorted = document.querySelector("#sorted select");
sorted.append(...names.map((name) => new Option(name)));
sorted.addEventListener("change", () => sortBy(sorted.selectedIndex));

// A filter for each column of names that has several.
const FILTERED = ["scenario", "mind", "partner", "outcome"];
const filters = FILTERED.map(column).map((i) => {
  const counts = new Map();
  for (const row of rows) counts.set(textOf(row, i), (counts.get(textOf(row, i)) ?? 0) + 1);
  const label = document.createElement("label"), select = document.createElement("select");
  label.append(names[i], select);
  select.append(new Option(`all ${counts.size}`, ""), ...[...counts].map(([name, count]) => new Option(`${name} (${count})`, name)));
  select.addEventListener("change", () => filter());
  label.hidden = counts.size < 2;
  form.insertBefore(label, document.getElementById("sorted"));
  return { i, select };
});
// Shows the first `most` rows that fit.
function filter(most = STEP) {
  const wanted = filters.filter(({ select }) => select.value);
  let count = 0;
  for (const row of rows) {
    const fits = wanted.every(({ i, select }) => textOf(row, i) === select.value);
    count += fits;
    row.hidden = !fits || count > most;
  }
  document.getElementById("shown").textContent = `${count} of ${rows.length} episodes`;
  more.hidden = count <= most;
  more.textContent = `show more than ${most}`;
  more.onclick = () => filter(2 * most);
}
form.addEventListener("reset", () => {
  history.replaceState(null, "", location.pathname + location.search);
  requestAnimationFrame(() => filter());
});

// An address with the first row of a cell shows the episodes of this cell; one with its first place, those of its mind.
function asAddressed() {
  const place = location.hash && document.getElementById(location.hash.slice(1));
  const row = place && body.contains(place) && place.closest("tr");
  if (!row) return;
  const fixed = place === row ? ["scenario", "mind"] : ["mind"];
  for (const { i, select } of filters) select.value = fixed.includes(names[i]) ? textOf(row, i) : "";
  filter();
}

// The command that writes the page of an episode.
const copy = command.querySelector("button");
function choose(row) {
  for (const other of rows) other.classList.toggle("chosen", other === row);
  for (const id of command.querySelectorAll("b")) id.textContent = textOf(row, 0);
  copy.hidden = !navigator.clipboard;
  copy.textContent = "copy";
}
copy.addEventListener("click", async () => {
  await navigator.clipboard.writeText(command.querySelector("code").textContent);
  copy.textContent = "copied";
});
for (const row of rows) {
  const id = row.cells[0].querySelector(":scope > code");
  if (!id) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = id.textContent;
  button.addEventListener("click", () => choose(row));
  id.replaceWith(button);
}

// Up and down move from one id to the next that is shown.
body.addEventListener("keydown", (event) => {
  const way = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  let row = event.target.closest("tr");
  if (!way || !row) return;
  event.preventDefault();
  do row = row[way]; while (row?.hidden);
  row?.cells[0].querySelector("a, button")?.focus();
});

form.hidden = false;
filter();
asAddressed();
window.addEventListener("hashchange", asAddressed);
