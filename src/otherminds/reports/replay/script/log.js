// The log.
const kinds = [...new Set(story.log.map(([, kind]) => kind))];
const minor = new Set(story.happenings.filter((h) => !h.stop).map((h) => h.kind)); // asked for by a tick
const shown = new Set(kinds.filter((kind) => !minor.has(kind)));
const lines = story.log.map(([step, kind, who, text, more, right]) => {
  const row = element("div", "row");
  element("span", "step", String(step), row);
  const dots = element("span", "dots", "", row);
  for (const seat of who) {
    const dot = element("span", "", "", dots);
    dot.style.background = seats[seat].colour;
    dot.title = seats[seat].name;
  }
  element("span", "kind", kind, row);
  const words = element("div", "", "", row);
  element("span", right === true ? "right" : right === false ? "wrong" : "", text, words);
  if (more) element("pre", "", more, words);
  row.addEventListener("click", () => go(step - first));
  return { step, kind, row };
});
let visible = lines;
function filter() {
  visible = lines.filter(({ kind }) => shown.has(kind));
  const nothing = element("div", "empty", story.log.length ? "Nothing of what is chosen above." : "Nothing happened.");
  el("log").replaceChildren(...(visible.length ? visible.map(({ row }) => row) : [nothing]));
  drawLog();
}
for (const kind of kinds) {
  const box = element("input", "", "", element("label", "", "", el("kinds")));
  box.type = "checkbox";
  box.checked = shown.has(kind);
  box.parentElement.append(` ${kind} ${story.log.filter(([, k]) => k === kind).length}`);
  box.addEventListener("change", () => { shown[box.checked ? "add" : "delete"](kind); filter(); });
}
let marked = -1;
function drawLog() {
  let low = 0, high = visible.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (visible[middle].step <= first + now) low = middle + 1; else high = middle;
  }
  visible[marked]?.row.classList.remove("now");
  marked = low - 1;
  const row = visible[marked]?.row;
  row?.classList.add("now");
  reveal(el("log"), row);
}
draws.push(drawLog);
filter();
