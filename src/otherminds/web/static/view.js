// Keeps the part "live" of a page up to date: the server says when it has changed, and the page is asked for again.
// Whatever was unfolded stays so, and the focus stays where it was.
const live = document.getElementById("live");
const places = (root) => [...root.querySelectorAll("a, button, summary, [tabindex]")];
const folds = (root) => [...root.querySelectorAll("details")];

async function refresh() {
  const answer = await fetch(location.href);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  if (!fresh) return;
  const focused = places(live).indexOf(document.activeElement);
  const open = folds(live).map((fold) => fold.open);
  live.replaceChildren(...fresh.childNodes);
  live.dataset.state = fresh.dataset.state;
  folds(live).forEach((fold, i) => { fold.open ||= open[i] ?? false; });
  if (focused >= 0) places(live)[focused]?.focus();
}

if (live) {
  const events = new EventSource(live.dataset.events);
  let latest = live.dataset.state, busy = false;
  events.addEventListener("message", async (event) => {
    latest = event.data;
    if (busy) return;
    busy = true;
    try {
      // What changes while the page is asked for is told meanwhile, and only once: it is asked for again.
      for (let last = ""; latest !== last && latest !== live.dataset.state;) {
        last = latest;
        await refresh();
      }
    } finally {
      busy = false;
    }
  });
}

// Up and down move through a list of episodes from one to the next.
document.getElementById("episodes")?.addEventListener("keydown", (event) => {
  const way = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  const row = event.target.closest("tbody tr");
  if (!way || !row) return;
  event.preventDefault();
  row[way]?.querySelector("a")?.focus();
});
