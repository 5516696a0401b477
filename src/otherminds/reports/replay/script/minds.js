// What minds think of others: values over time, and the hypotheses as they stand.

const TRAIN = 118, FOOT = 16, OPEN = 2;
const shade = (id) => `hsl(${(id * 67 + 210) % 360} 62% 48%)`;

// The last note at or before `step`, by its number; −1 if there is none yet.
function notedBy(notes, step) {
  let low = 0, high = notes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (notes[middle].step <= step) low = middle + 1; else high = middle;
  }
  return low - 1;
}

// The lowest and the highest value to be drawn.
function valuesOf({ scale, notes }) {
  const values = notes.flatMap((note) => note.thoughts.map(([, , value]) => value));
  const thresholds = notes.map((note) => note.threshold).filter((x) => x !== null);
  const least = scale === "probability" ? [0, 1] : [-1, 1];
  return [Math.min(...least, ...values, ...thresholds), Math.max(...least, ...values, ...thresholds)];
}

// How the one that was gone by did in the encounter that `notes[n]` looks back on.
function verdictAt(notes, n) {
  const used = n > 0 ? notes[n - 1].used : null;
  const thought = notes[n].thoughts.find(([id]) => id === used);
  return thought && notes[n].encounter > 0 ? thought[4] : null;
}

// One mind's thoughts of one other: `still` draws what stays, `draw` what is so at a step.
function mindPanel(parent, mind, open) {
  const { notes } = mind, [low, high] = valuesOf(mind);
  const box = element("details", "mind", "", parent);
  box.open = open;
  const head = element("summary", "", "", box);
  element("b", "", `${mind.seat} about ${mind.partner}`, head);
  const met = notes[notes.length - 1].encounter;
  element("i", "", `${mind.mind}, ${met} encounter${met === 1 ? "" : "s"}`, head);
  const canvas = element("canvas", "", "", box);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `Values of hypotheses of ${mind.seat} about ${mind.partner}`);
  const situation = element("p", "situation", "", box);
  const list = element("div", "thoughts", "", box);
  const y = (value) => TRAIN - FOOT - 8 - ((value - low) / (high - low)) * (TRAIN - FOOT - 16);
  let kept = null, width = 0, told = null;

  function lines(c, x, end) {
    for (const id of new Set(notes.flatMap((note) => note.thoughts.map(([id]) => id)))) {
      c.strokeStyle = c.fillStyle = shade(id);
      c.lineWidth = 1.6;
      c.beginPath();
      let held = false;
      notes.forEach((note, n) => {
        const thought = note.thoughts.find(([other]) => other === id), at = x(note.step);
        const until = n + 1 < notes.length ? x(notes[n + 1].step) : end;
        if (held && thought) c.lineTo(at, y(thought[2]));
        else if (thought) c.moveTo(at, y(thought[2]));
        if (thought) c.lineTo(until, y(thought[2]));
        held = Boolean(thought);
      });
      c.stroke();
    }
  }
  function marks(c, x) {
    c.font = "700 11px system-ui, sans-serif";
    c.textAlign = "center";
    notes.forEach((note, n) => {
      if (!note.encounter) return;
      const right = verdictAt(notes, n);
      c.fillStyle = css(right === true ? "--good" : right === false ? "--bad" : "--soft");
      c.fillText(right === true ? "✓" : right === false ? "✗" : "·", x(note.step), TRAIN - FOOT / 2);
    });
  }
  function still() {
    width = parent.clientWidth;
    const x = (step) => placed(step, width);
    canvas.style.height = `${TRAIN}px`;
    kept = document.createElement("canvas");
    const c = sharp(kept, width, TRAIN), end = width - TAIL;
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = "right";
    const named = (text, value) => {
      c.fillStyle = css("--soft");
      c.fillText(text, EDGE - 8, y(value), EDGE - 10);
    };
    const threshold = notes[notes.length - 1].threshold;
    for (const value of new Set([low, 0, high])) {
      c.strokeStyle = css("--line");
      c.beginPath(); c.moveTo(EDGE, y(value)); c.lineTo(end, y(value)); c.stroke();
      if (threshold === null || Math.abs(y(value) - y(threshold)) > 11) named(String(value), value);
    }
    c.save();
    c.beginPath(); c.rect(EDGE, 0, end - EDGE + 8, TRAIN); c.clip();
    c.fillStyle = css("--good");
    c.globalAlpha = 0.13;
    notes.forEach((note, n) => {
      const until = n + 1 < notes.length ? x(notes[n + 1].step) : end;
      if (note.validated !== null) c.fillRect(x(note.step), 2, until - x(note.step), TRAIN - FOOT - 4);
    });
    c.globalAlpha = 1;
    lines(c, x, end);
    marks(c, x);
    c.restore();
    if (threshold === null) return;
    named(`valid ${threshold}`, threshold);
    c.strokeStyle = css("--good");
    c.setLineDash([5, 4]);
    c.beginPath(); c.moveTo(EDGE, y(threshold)); c.lineTo(end, y(threshold)); c.stroke();
    c.setLineDash([]);
  }

  function tell(n) {
    const note = notes[n], rows = [];
    const met = note && `${note.encounter} encounter${note.encounter === 1 ? "" : "s"}`;
    const right = note ? verdictAt(notes, n) : null;
    const parts = !note ? [["nothing noted yet"]] : note.encounter ? [[`after ${met}`], [`came: ${note.came ?? "not known"}`, right]] : [["before the first encounter"]];
    if (note && note.target !== null) parts.push([`wants: ${note.target}`]);
    situation.replaceChildren(...parts.map(([text, hit]) => element("span", hit === true ? "right" : hit === false ? "wrong" : "", text)));
    const [zero, whole] = [Math.max(low, 0), Math.max(high, -low, 1e-9)];
    for (const [id, text, value, predicts, hit] of note ? [...note.thoughts].sort((a, b) => b[2] - a[2]) : []) {
      const row = element("div", id === note.validated ? "thought validated" : "thought");
      element("span", "swatch", "", row).style.background = shade(id);
      element("span", "value", value.toFixed(2), row);
      const bar = element("span", "worth", "", row), inner = element("span", "", "", bar);
      inner.style.width = `${(100 * Math.abs(value - zero)) / whole}%`;
      inner.style.background = value < zero ? css("--bad") : shade(id);
      const words = element("span", "words", "", row);
      element("span", hit === true ? "right" : hit === false ? "wrong" : "", text, words);
      if (predicts !== null) element("span", "predicts", `predicts ${predicts}`, words);
      if (id === note.validated) element("span", "badge good", "validated", words);
      if (id === note.used) element("span", "badge", "used", words);
      rows.push(row);
    }
    list.replaceChildren(...rows);
  }
  function draw(step) {
    if (!box.open || !kept) return;
    const c = sharp(canvas, width, TRAIN), n = notedBy(notes, step);
    c.drawImage(kept, 0, 0, width, TRAIN);
    c.strokeStyle = css("--accent");
    c.lineWidth = 1.5;
    c.beginPath(); c.moveTo(placed(step, width), 0); c.lineTo(placed(step, width), TRAIN - FOOT); c.stroke();
    if (n === told) return;
    told = n;
    tell(n);
  }
  return { box, still, draw };
}

// A panel for each; whom it met most comes first.
const panels = [...story.minds].sort((a, b) => b.notes.length - a.notes.length).map((mind, i) => mindPanel(el("minds"), mind, i < OPEN));
stills.push(() => panels.forEach((panel) => panel.still()));
draws.push(() => panels.forEach((panel) => panel.draw(first + now)));
for (const { box } of panels) box.addEventListener("toggle", draw);
// All parts are there: the first picture.

whole();
asAddressed();
