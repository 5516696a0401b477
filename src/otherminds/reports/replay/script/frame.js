// What every page of an episode needs. Its own parts follow, then what starts it.

const story = JSON.parse(new TextDecoder().decode(await unpack("story")));
const { seats, first, last } = story;

// Where a step stands in a chart so wide, with EDGE points for names before it and TAIL behind it.
const placed = (step, wide) => EDGE + ((step - first) / Math.max(1, last - first)) * (wide - EDGE - TAIL);
// Who sits where, at the head of a seat's card; and the one card that was chosen, or −1.

let focus = -1;
const choices = [];
document.body.classList.toggle("crowd", seats.length > 3);

function nameOf(seat, parent) {
  element("b", "", seat.name, parent);
  const granted = seat.grants.length ? ` [granted: ${seat.grants.join(", ")}]` : "";
  element("i", "", seat.mind + granted, parent).title = seat.mind + granted;
}
// A click on `button` chooses `card`, or no card if it was chosen; `redraw` shows which.
function choosable(card, button, redraw) {
  const i = choices.push({ card, button }) - 1;
  card.style.setProperty("--seat", seats[i].colour);
  button.type = "button";
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    focus = focus === i ? -1 : i;
    choices.forEach((other, j) => {
      other.card.classList.toggle("chosen", j === focus);
      other.button.setAttribute("aria-pressed", String(j === focus));
    });
    redraw();
  });
}
