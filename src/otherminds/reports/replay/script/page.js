// What every page needs. All parts of a page are one module.

const el = (id) => document.getElementById(id);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const signed = (x) => (x > 0 ? "+" : x < 0 ? "−" : "") + Math.abs(x).toFixed(Number.isInteger(x) ? 0 : 2);

async function unpack(id) {
  const bytes = Uint8Array.from(atob(el(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function element(kind, classes, text, parent) {
  const made = document.createElement(kind);
  if (classes) made.className = classes;
  if (text) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

// A canvas of so many points, sharp on every screen, and empty.
function sharp(canvas, w, h) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(w * ratio);
  canvas.height = Math.round(h * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, w, h);
  return context;
}

// Scrolls `box` to where `row` is seen below so many points that stay in place; to its top where there is no row.
function reveal(box, row, head = 0) {
  const top = row ? row.offsetTop : 0, bottom = top + (row ? row.offsetHeight : 0);
  if (top < box.scrollTop + head || bottom > box.scrollTop + box.clientHeight) box.scrollTop = Math.max(0, bottom - box.clientHeight * 0.7);
}
