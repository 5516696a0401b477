// The table of tasks: what is filtered, how it is sorted, and which task is shown.

const solvedBy = (one) => PLAIN.reduce((sum, team) => sum + named(one.levels, team, 0), 0);
const turnsOf = ({ turns, shortest }) => (turns === null ? "–" : shortest ? String(turns) : `≤ ${turns}`);
const columns = [
  { name: "task", of: (one) => one.id, cell: nameCell, kind: "name" },
  ...(severalPools ? [{ name: "split", of: (one) => one.pool }] : []),
  { name: "scene", of: (one) => one.scene, kind: "wide" },
  { name: "pattern", of: (one) => one.pattern },
  { name: "category", of: (one) => one.category, kind: "wide" },
  { name: "agents", of: (one) => one.agents, kind: "number" },
  { name: "depth", of: (one) => one.depth ?? "–", kind: "number" },
  { name: "mechanics", of: (one) => one.mechanics.map((name) => named(MECHANICS, name, name)).join(", "), kind: "wide" },
  { name: "T*", of: (one) => one.turns ?? Infinity, text: turnsOf, kind: "number", about: "turns of the shortest plan with all secrets public" },
  { name: "hard", of: (one) => one.hard, text: (one) => ({ yes: "hard", no: "" })[one.hard] ?? "?", about: "fair, and solved neither by broadcast nor by level 2" },
  { name: "levels", of: solvedBy, cell: (one, cell) => grades(one.levels, cell), about: "which reference teams solve it" },
  { name: "cheap", of: (one) => one.cheap ?? -1, text: ({ cheap }) => (cheap === null ? "–" : String(cheap)), kind: "number", about: `how many of ${story.cheap} teams without a model of partners solve it in T*, 2 T* or 4 T* turns; –: not tried` },
];
const FILTERS = [
  ["split", ({ pool }) => [pool]], ["category", ({ category }) => [category]], ["pattern", ({ pattern }) => [pattern]], ["depth", ({ depth }) => [String(depth ?? "–")]],
  ["agents", ({ agents }) => [String(agents)]], ["mechanics", ({ mechanics }) => mechanics], ["scene", ({ scene }) => [scene]], ["hard", ({ hard }) => [hard]],
];
const addressOf = (one) => `#task=${encodeURIComponent(severalPools ? `${one.pool}/${one.id}` : one.id)}`;
const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
let listed = story.tasks; // those that pass the filters, in their order
let sorted = null, down = false; // the column by which they are sorted; null: as in the pool

function nameCell(one, cell) {
  const link = element("a", "", one.id || "(no id)", cell);
  link.setAttribute("href", addressOf(one));
  link.addEventListener("click", (event) => event.stopPropagation());
  element("small", "", one.title, cell);
}
const said = new Set(["agents", "depth", "T*", "cheap"]); // columns whose heads are said in each row where there is no room for heads
const rowOf = new Map(story.tasks.map((one) => {
  const row = element("tr");
  for (const { name, of, text, cell, kind } of columns) {
    const box = element("td", kind, "", row);
    if (said.has(name)) box.dataset.head = name;
    if (cell) cell(one, box); else box.textContent = text ? text(one) : String(of(one));
  }
  row.addEventListener("click", () => { location.hash = addressOf(one); });
  return [one, row];
}));
const order = element("select", "", "", element("label", "sort", "sort", el("filters")));
order.autocomplete = "off";
element("option", "", "as in the pool", order).value = "";
columns.forEach((column, n) => [["▴", "+"], ["▾", "-"]].forEach(([way, sign]) => { element("option", "", `${column.name} ${way}`, order).value = `${sign}${n}`; }));
order.addEventListener("change", () => {
  [sorted, down] = order.value ? [columns[Number(order.value.slice(1))], order.value[0] === "-"] : [null, false];
  list();
});
for (const column of columns) {
  const head = element("th", column.kind, "", el("heads"));
  const button = element("button", "", column.name, head);
  button.type = "button";
  button.title = column.about ?? `sort by ${column.name}`;
  button.addEventListener("click", () => {
    [sorted, down] = sorted === column ? (down ? [null, false] : [column, true]) : [column, false];
    list();
  });
  column.head = head;
}
// A filter is left out where all tasks have the same.
const chosen = FILTERS.map(([name, valuesOf]) => {
  const counts = new Map();
  for (const one of story.tasks) for (const value of valuesOf(one)) counts.set(value, (counts.get(value) ?? 0) + 1);
  if ([...counts.values()].every((count) => count === story.tasks.length)) return null;
  const box = element("label", "", name, el("filters"));
  const choice = element("select", "", "", box);
  choice.autocomplete = "off";
  element("option", "", "any", choice).value = "";
  for (const value of [...counts.keys()].sort(compare)) {
    const option = element("option", "", `${Object.hasOwn(MECHANICS, value) ? value.replaceAll("_", " ") : value} (${counts.get(value)})`, choice);
    option.value = `=${value}`;
  }
  choice.addEventListener("change", list);
  return { choice, valuesOf };
}).filter(Boolean);
const sought = element("input", "", "", element("label", "", "search", el("filters")));
sought.type = "search";
sought.placeholder = "id, title, text";
sought.autocomplete = "off";
sought.addEventListener("input", list);
const clear = element("button", "", "clear", el("filters"));
clear.type = "button";
clear.addEventListener("click", () => {
  for (const { choice } of chosen) choice.value = "";
  sought.value = "";
  list();
});
const counted = element("span", "", "", el("filters"));
counted.id = "counted";
counted.setAttribute("role", "status");

const textOf = new Map(story.tasks.map((one) => {
  const { task: { task: told, agent_secrets = {} } } = one;
  return [one, [one.id, one.title, told, ...Object.values(agent_secrets).flat()].join("\n").toLowerCase()];
}));
function list() {
  const words = sought.value.toLowerCase();
  const fits = (one) => chosen.every(({ choice, valuesOf }) => !choice.value || valuesOf(one).includes(choice.value.slice(1)));
  listed = story.tasks.filter((one) => fits(one) && textOf.get(one).includes(words));
  if (sorted) listed.sort((a, b) => (down ? -1 : 1) * compare(sorted.of(a), sorted.of(b)));
  order.value = sorted ? `${down ? "-" : "+"}${columns.indexOf(sorted)}` : "";
  for (const column of columns) {
    if (column === sorted) column.head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else column.head.removeAttribute("aria-sort");
  }
  for (const { choice } of chosen) choice.classList.toggle("set", choice.value !== "");
  counted.textContent = `${listed.length} of ${story.tasks.length} tasks`;
  if (listed.length) el("rows").replaceChildren(...listed.map((one) => rowOf.get(one)));
  else {
    const cell = element("td", "empty", "No task passes these filters.");
    cell.colSpan = columns.length;
    el("rows").replaceChildren(element("tr"));
    el("rows").firstChild.append(cell);
  }
  walkable();
}
// The tasks before and after the one that is shown, among those that are listed.
const beside = (way) => { const at = listed.indexOf(task); return at < 0 ? undefined : listed[at + way]; };
function walkable() {
  el("before").disabled = !beside(-1);
  el("after").disabled = !beside(1);
}
for (const [name, way] of [["before", -1], ["after", 1]]) el(name).addEventListener("click", () => { location.hash = addressOf(beside(way)); });
el("up").addEventListener("click", () => el("listing").scrollIntoView());

for (const team of PLAIN) element("span", "", `${named(LETTERS, team, "")} ${team.replaceAll("_", " ")}`, el("legend"));
element("span", "", `full: solves ${story.runs} of ${story.runs} runs; half: some; empty: none`, el("legend"));
