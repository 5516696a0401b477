// What the page holds: the packed blocks, unpacked.

const TILE = 8;
const DX = [0, 1, 0, -1], DY = [-1, 0, 1, 0];
const TYPES = { uint8: Uint8Array, uint16: Uint16Array, int16: Int16Array };

// Frames are stored as what changed since the one before.
function read(buffer, arrays) {
  const found = {};
  let at = 0;
  for (const { name, type, shape } of arrays) {
    const count = shape.reduce((a, b) => a * b, 1);
    const size = count * TYPES[type].BYTES_PER_ELEMENT;
    const values = new TYPES[type](buffer.slice(at, at + size));
    const row = shape[0] ? count / shape[0] : 0;
    for (let i = row; i < count; i++) values[i] ^= values[i - row];
    found[name] = { values, of: (frame) => values.subarray(frame * row, (frame + 1) * row) };
    at += size;
  }
  return found;
}

function highest(values, from, by) {
  let found = 0;
  for (let i = from; i < values.length; i += by) found = Math.max(found, values[i]);
  return found;
}

const frames = read(await unpack("frames"), story.arrays);
const atlas = new Image();
atlas.src = story.stage.tiles;
await atlas.decode();
const { stage } = story;
const [width, height] = stage.size;
const [left, right, forward, backward] = stage.view;
const spectator = seats.length;
const things = Object.fromEntries(stage.things.map((thing) => [thing.name, thing.colour]));
const stops = [...new Set(story.happenings.filter((h) => h.stop).map((h) => h.step))];
const most = Math.max(stage.most, ...stage.things.map((_, k) => highest(frames.counts.values, k, stage.things.length)));

// What each seat has earned by each frame.
const totals = seats.map(() => new Float64Array(last - first + 1));
story.totals.forEach(([from, sums], i) => {
  const to = i + 1 < story.totals.length ? story.totals[i + 1][0] : last - first + 1;
  sums.forEach((sum, seat) => totals[seat].fill(sum, from, to));
});
const chosen = seats.map((_, i) => story.skills.filter(([seat]) => seat === i));
const holding = (seat, step) => chosen[seat].find(([, from, to]) => from <= step && step < to);
const underway = (step) => story.happenings.filter((h) => h.steps && h.step <= step && step < h.step + h.steps);
// The whole map, and what is drawn over it.

// A sheet of tiles draws only those that are not what they were.
function sheet(canvas, columns, rows) {
  canvas.width = columns * TILE;
  canvas.height = rows * TILE;
  const context = canvas.getContext("2d"), drawn = new Int32Array(columns * rows).fill(-1);
  context.imageSmoothingEnabled = false;
  return (n, number) => {
    if (drawn[n] === number) return;
    drawn[n] = number;
    const sx = (number % stage.across) * TILE, sy = Math.floor(number / stage.across) * TILE;
    const x = (n % columns) * TILE, y = Math.floor(n / columns) * TILE;
    context.drawImage(atlas, sx, sy, TILE, TILE, x, y, TILE, TILE);
  };
}
const map = sheet(el("map"), width, height);
function drawMap() {
  const codes = frames.codes.of(now), look = stage.looks[spectator][0];
  for (let n = 0; n < codes.length; n++) map(n, look[codes[n]]);
}
function drawWindow(seat, draw) {
  const [x, y, facing] = frames.stands.of(now).subarray(3 * seat, 3 * seat + 3);
  const codes = frames.codes.of(now), look = stage.looks[seat][facing], side = (facing + 1) % 4;
  for (let row = 0; row < forward + backward + 1; row++)
    for (let column = 0; column < left + right + 1; column++) {
      const ahead = forward - row, aside = column - left;
      const cx = x + ahead * DX[facing] + aside * DX[side], cy = y + ahead * DY[facing] + aside * DY[side];
      const inside = x >= 0 && cx >= 0 && cx < width && cy >= 0 && cy < height;
      draw(row * (left + right + 1) + column, look[inside ? codes[cy * width + cx] : 0]);
    }
}

// Windows, names and running duels over the map.
function drawMarks() {
  const box = el("map").getBoundingClientRect(), cell = box.width / width;
  const c = sharp(el("marks"), box.width, box.height), stands = frames.stands.of(now);
  const at = (seat) => [(stands[3 * seat] + 0.5) * cell, (stands[3 * seat + 1] + 0.5) * cell];
  seats.forEach(({ colour }, seat) => {
    const [x, y, facing] = stands.subarray(3 * seat, 3 * seat + 3);
    if (x < 0) return;
    const reach = [forward, right, backward, left]; // to N, E, S, W of one who faces N
    const [n, e, s, w] = [0, 1, 2, 3].map((way) => reach[(way - facing + 4) % 4]);
    c.globalAlpha = focus < 0 ? (seats.length > 3 ? 0.6 : 1) : focus === seat ? 1 : 0.15;
    c.strokeStyle = colour;
    c.lineWidth = focus === seat ? 3 : 1.75;
    const inset = 2 * (seat % 2); // two who face each other may see the same cells
    c.strokeRect((x - w) * cell + inset, (y - n) * cell + inset, (w + e + 1) * cell - 2 * inset, (n + s + 1) * cell - 2 * inset);
    c.globalAlpha = 1;
  });
  for (const h of underway(first + now)) {
    if (h.seats.length < 2 || h.seats.some((seat) => stands[3 * seat] < 0)) continue;
    const [[x1, y1], [x2, y2]] = h.seats.map(at);
    c.setLineDash([4, 3]);
    c.strokeStyle = "#ffffff";
    c.lineWidth = 1.5;
    c.beginPath(); c.moveTo(x1, y1); c.lineTo(x2, y2); c.stroke();
    c.setLineDash([]);
  }
  // A name stands above, or below where it would hide another.
  const above = (seat) => seats.some((_, i) => stands[3 * i] === stands[3 * seat] && stands[3 * i + 1] === stands[3 * seat + 1] - 1);
  const size = Math.max(9, Math.min(13, cell * 0.55));
  c.font = `600 ${size}px system-ui, sans-serif`;
  c.textAlign = "center";
  c.textBaseline = "middle";
  seats.forEach(({ name, colour }, seat) => {
    if (stands[3 * seat] < 0) return;
    const [x, y] = at(seat);
    c.strokeStyle = colour;
    c.lineWidth = 2;
    c.strokeRect(x - cell / 2, y - cell / 2, cell, cell);
    const text = short(name), half = c.measureText(text).width / 2 + 4, high = size + 4;
    const top = y - cell / 2 - high < 0 || above(seat) ? y + cell / 2 : y - cell / 2 - high;
    const middle = Math.min(Math.max(x, half), box.width - half);
    c.fillStyle = colour;
    c.fillRect(middle - half, top, 2 * half, high);
    c.fillStyle = ink(colour);
    c.fillText(text, middle, top + high / 2 + 0.5);
  });
}
const short = (name) => name.replace("partner_", "p").replace("agent_", "a");
function ink(colour) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#000000" : "#ffffff";
}

// What goes on, or else the last that did.
function drawCaption() {
  const step = first + now, running = underway(step);
  const lately = story.happenings.findLast((h) => h.stop && h.step <= step);
  const told = running.length ? running : lately ? [lately] : [];
  el("caption").replaceChildren(...told.map((h) => element("li", h.step + h.steps > step || h.step === step ? "" : "over", `${h.step}: ${h.text}`)));
}
draws.push(drawMap, drawMarks, drawCaption);
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
// The time line: rewards so far, a strip for each seat, questions and replies.
const CHART = 96, GAP = 10, EDGE = 84, TAIL = 56;
const strip = seats.length > 3 ? 17 : 26;
const asked = story.log.filter(([, kind]) => kind === "question");
const replies = story.log.filter(([, kind]) => kind === "reply");
const rows = (asked.length ? 1 : 0) + (replies.length ? 1 : 0);
const TALL = CHART + GAP + seats.length * strip + rows * 16 + 22;
const shades = {};
for (const [, , , words] of story.skills) shades[words] ??= (Object.keys(shades).length * 47 + 200) % 360;
function drawLine(c) {
  chart(c);
  seats.forEach((_, seat) => stripOf(c, seat));
  let y = CHART + GAP + seats.length * strip;
  const ticks = (name, lines, colour) => {
    label(c, name, y + 8);
    for (const line of lines) {
      c.fillStyle = colour(line);
      c.fillRect(across(line[0]) - 1, y + 3, 2, 10);
    }
    y += 16;
  };
  const verdict = ([, , , , , right]) => css(right === true ? "--good" : right === false ? "--bad" : "--soft");
  if (asked.length) ticks("questions", asked, verdict);
  if (replies.length) ticks("replies", replies, () => css("--accent"));
  axis(c, y, 60);
}
function chart(c) {
  const low = Math.min(0, ...totals.map((sums) => Math.min(...sums)));
  const high = Math.max(0, ...totals.map((sums) => Math.max(...sums)));
  const y = (value) => CHART - 4 - ((value - low) / (high - low || 1)) * (CHART - 14);
  c.strokeStyle = css("--line");
  for (const value of new Set([low, 0, high])) {
    c.beginPath(); c.moveTo(EDGE, y(value)); c.lineTo(wide - TAIL, y(value)); c.stroke();
    if (value === 0 || Math.abs(y(value) - y(0)) > 11) label(c, signed(value) || "0", y(value));
  }
  const ends = seats.map((_, seat) => ({ seat, y: y(totals[seat][last - first]) })).sort((a, b) => a.y - b.y);
  seats.forEach(({ colour }, seat) => {
    c.strokeStyle = colour;
    c.lineWidth = 1.75;
    c.beginPath();
    totals[seat].forEach((sum, frame) => {
      if (frame && sum !== totals[seat][frame - 1]) c.lineTo(across(first + frame), y(totals[seat][frame - 1]));
      if (!frame || sum !== totals[seat][frame - 1] || frame === last - first) c.lineTo(across(first + frame), y(sum));
    });
    c.stroke();
  });
  ends.forEach((end, i) => { if (i) end.y = Math.max(end.y, ends[i - 1].y + 11); });
  ends[ends.length - 1].y = Math.min(ends[ends.length - 1].y, CHART + 4);
  for (let i = ends.length - 2; i >= 0; i--) ends[i].y = Math.min(ends[i].y, ends[i + 1].y - 11);
  c.textAlign = "left";
  for (const end of ends) {
    c.fillStyle = seats[end.seat].colour;
    c.fillText(signed(totals[end.seat][last - first]) || "0", wide - TAIL + 6, end.y);
  }
}
function stripOf(c, seat) {
  const top = CHART + GAP + seat * strip, high = strip - 5, colour = seats[seat].colour;
  label(c, seats[seat].name, top + high / 2, css("--ink"));
  c.fillStyle = css("--band");
  c.fillRect(EDGE, top, wide - EDGE - TAIL, high);
  for (const [, from, to, words] of chosen[seat]) {
    c.fillStyle = `hsl(${shades[words]} 45% 55% / .4)`;
    const start = across(Math.max(from, first));
    c.fillRect(start, top + high - 4, across(Math.min(to, last)) - start, 4);
  }
  c.fillStyle = css("--line");
  const away = (frame) => frame <= last - first && frames.stands.of(frame)[3 * seat] < 0;
  for (let frame = 0; frame <= last - first; frame++) {
    const from = frame;
    while (away(frame)) frame++;
    if (frame > from) c.fillRect(across(first + from), top, across(Math.min(first + frame, last)) - across(first + from), high);
  }
  for (const h of story.happenings) {
    const place = h.seats.indexOf(seat);
    if (place < 0 || !(h.stop || h.did[place])) continue;
    const x = across(Math.max(h.step, first)), end = across(Math.min(h.step + h.steps, last));
    c.fillStyle = colour;
    c.globalAlpha = 0.45;
    if (end > x) c.fillRect(x, top, end - x, high);
    c.globalAlpha = 1;
    c.fillStyle = things[h.did[place]] || css("--soft");
    if (!h.stop) {
      c.fillRect(x, top + high / 2, 2, high / 2);
      continue;
    }
    c.fillRect(x - 3, top, 6, high - (chosen[seat].length ? 4 : 0));
    c.strokeStyle = css("--ink");
    c.lineWidth = 0.75;
    c.strokeRect(x - 3, top, 6, high - (chosen[seat].length ? 4 : 0));
  }
}
function under(x) {
  const near = story.happenings.filter((h) => h.stop && Math.abs(across(h.step) - x) < 5);
  return [`step ${stepAt(x)}`, ...near.slice(0, 4).map((h) => h.text)].join(" · ");
}
