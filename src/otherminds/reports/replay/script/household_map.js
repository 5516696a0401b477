// The map: what changes from turn to turn is put between what stays. One jumps between messages.

const stops = [...new Set(story.messages.map(({ step }) => step))];

// The markup was made by the page's own maker, which escapes every name; what agents say is never in it.
const BELIEFS = [".view", ".knows", ".ghost", ".astray", ".wrong", ".ghost-number", ".ghost-name"].map((kind) => `#map ${kind}`).join(", ");
function drawMap() {
  el("views").innerHTML = story.turns[now].views;
  el("moment").innerHTML = story.turns[now].moment;
  for (const mark of document.querySelectorAll(BELIEFS)) mark.classList.toggle("away", focus >= 0 && !mark.classList.contains(`a${focus}`));
}
draws.push(drawMap);
