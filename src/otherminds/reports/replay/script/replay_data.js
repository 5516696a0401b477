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
