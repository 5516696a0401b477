// Jumps between what the page calls its stops, and how fast it plays.

function jump(way) {
  const step = first + now;
  const to = way > 0 ? stops.find((stop) => stop > step) : stops.findLast((stop) => stop < step);
  if (to !== undefined) go(to - first);
}
function faster(way) {
  const choice = el("speed");
  choice.selectedIndex = Math.max(0, Math.min(choice.options.length - 1, choice.selectedIndex + way));
  speed = Number(choice.value);
}
el("speed").addEventListener("change", () => { speed = Number(el("speed").value); });
el("previous").disabled = el("next").disabled = !stops.length;
el("previous").addEventListener("click", () => jump(-1));
el("next").addEventListener("click", () => jump(1));
Object.assign(keys, {
  n: () => jump(1), p: () => jump(-1), N: () => jump(1), P: () => jump(-1),
  "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1),
});
