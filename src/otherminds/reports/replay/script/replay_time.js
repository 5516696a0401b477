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
