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
