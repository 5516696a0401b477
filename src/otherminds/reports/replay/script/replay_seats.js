// A card for each seat.
const cards = seats.map((seat) => {
  const card = element("button", "seat", "", el("seats"));
  card.title = "show this seat's window alone";
  const name = element("div", "name", "", card);
  nameOf(seat, name);
  const total = element("span", "total", "", name);
  const body = element("div", "body", "", card);
  const tiles = sheet(element("canvas", "", "", body), left + right + 1, forward + backward + 1);
  const bars = element("div", "bars", "", body);
  const bar = (label, colour) => {
    element("span", "", label, bars);
    const inner = element("div", "", "", element("div", "bar", "", bars));
    inner.style.background = colour;
    return [inner, element("span", "number", "", bars)];
  };
  const counts = stage.things.map((thing) => bar(thing.name, thing.colour));
  const beam = bar("beam", "var(--accent)");
  const state = element("span", "say state", "", bars), doing = element("span", "say", "", bars);
  choosable(card, card, drawMarks);
  return { total, tiles, counts, beam, state, doing };
});
document.documentElement.style.setProperty("--window", seats.length > 3 ? "7.2rem" : "11.5rem");
function drawCard(seat) {
  const { total, tiles, counts, beam, state, doing } = cards[seat];
  const kinds = stage.things.length, step = first + now;
  drawWindow(seat, tiles);
  total.textContent = signed(totals[seat][now]);
  counts.forEach(([inner, number], k) => {
    const count = frames.counts.of(now)[seat * kinds + k];
    inner.style.width = `${Math.min(100, (100 * count) / most)}%`;
    number.textContent = count;
  });
  const charged = frames.beams.of(now)[seat];
  beam[0].style.width = `${charged}%`;
  beam[1].textContent = charged === 100 ? "✓" : "";
  const running = underway(step).find((h) => h.seats.includes(seat));
  const rewards = running && running.rewards.length ? `, ${signed(running.rewards[running.seats.indexOf(seat)])}` : "";
  state.textContent = stage.states[frames.states.of(now)[seat]] + rewards;
  const skill = holding(seat, step), action = now < last - first ? stage.actions[frames.actions.of(now)[seat]] : "";
  doing.textContent = (skill ? `${skill[3]}: ` : "") + (action ? `next: ${action}` : "the end");
  doing.title = doing.textContent;
}
draws.push(() => seats.forEach((_, seat) => drawCard(seat)));
