// A card for each agent: where it is, what it did, what it heard, what it believes.

const cards = seats.map((seat) => {
  const card = element("section", "seat", "", el("seats"));
  const name = element("button", "name", "", card);
  name.title = "show this agent's view and beliefs alone";
  nameOf(seat, name);
  const where = element("p", "", "", card), did = element("p", "did", "", card), heard = element("div", "", "", card);
  const wrong = element("ul", "", "", card);
  const graph = element("details", "", "", card);
  const known = element("summary", "", "", graph), list = element("ul", "graph", "", graph);
  const own = element("details", "", "", card);
  element("summary", "", "what it alone was told, and what binds it", own);
  for (const line of [...seat.secrets, ...seat.binds]) element("p", "", line, own);
  choosable(card, name, drawMap);
  return { where, did, heard, wrong, known, list };
});
function drawCard(i) {
  const { where, did, heard, wrong, known, list } = cards[i], agent = story.turns[now].agents[i];
  where.textContent = `in ${agent.room}${agent.holds.length ? `, holding ${agent.holds.join(", ")}` : ""}`;
  did.replaceChildren();
  did.classList.toggle("failed", Boolean(agent.did && !agent.did[1]));
  if (agent.did) {
    element("code", "", agent.did[0], did);
    element("span", "", agent.did[2], did);
  } else element("span", "", now ? "is done" : "has not acted yet", did);
  const arrived = story.messages.filter(({ step, reached }) => step === now && reached.includes(i));
  heard.replaceChildren(...arrived.map(({ sender, text }) => {
    const line = element("p", "heard");
    element("b", "", `${seats[sender].name}: `, line);
    line.append(text);
    return line;
  }));
  const false_ = agent.beliefs.filter(([, , truth]) => truth !== null);
  wrong.replaceChildren(...false_.map(([about, believed, truth]) => {
    const line = element("li", "false");
    line.append(`${about} `);
    element("del", "", believed, line);
    element("span", "", ` ${truth}`, line);
    return line;
  }));
  known.textContent = `its graph: ${agent.beliefs.length} belief${agent.beliefs.length === 1 ? "" : "s"}, ${false_.length} false`;
  list.replaceChildren(...agent.beliefs.map(([about, believed, truth]) => element("li", truth === null ? "" : "false", `${about} ${believed}`)));
}
draws.push(() => seats.forEach((_, seat) => drawCard(seat)));
