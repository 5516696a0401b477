// The page of a game of Hanabi: all tables are in the page, and the one of the turn is shown.

const EDGE = 84, TAIL = 16;
const { stops } = story;
const tables = [...el("turns").querySelectorAll("[data-step]")];
draws.push(() => tables.forEach((table, number) => table.classList.toggle("now", number === now)));
