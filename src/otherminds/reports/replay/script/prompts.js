// Prompts and replies: a page of calls at a time, folded; a prompt is put together when it is opened.

const PAGE = 50;
const calls = JSON.parse(new TextDecoder().decode(await unpack("prompts")));
let found = calls, page = 0;

// A prompt shares `messages` whole messages and then `chars` characters with the prompt of call `base`.
function promptOf(n) {
  const path = [];
  for (let at = n; at >= 0; at = calls[at].base) path.unshift(calls[at]);
  let whole = [];
  for (const { messages, chars, added } of path) {
    const start = chars ? whole[messages][1].slice(0, chars) : "";
    whole = [...whole.slice(0, messages), ...added.map(([role, text], i) => [role, i ? text : start + text])];
  }
  return whole;
}

function nameOfCall({ seat, purpose, attempt, read }) {
  return `${seat}, ${purpose}${attempt ? `, try ${attempt + 1}` : ""}${read === "none" ? ", no answer could be read" : ""}`;
}

function fillPrompt(box, call) {
  for (const [role, text] of promptOf(call.n)) {
    element("div", "role", role, box);
    element("pre", "", text, box);
  }
}

function fillCall(box, call) {
  fillPrompt(box, call);
  if (call.reasoning) { element("div", "role", "reasoning", box); element("pre", "", call.reasoning, box); }
  element("div", "role", "reply", box);
  element("pre", "reply", call.reply, box);
}

function listCalls() {
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  page = Math.max(0, Math.min(pages - 1, page));
  el("calls").replaceChildren(...found.slice(page * PAGE, (page + 1) * PAGE).map((call) => {
    const box = element("details", "call");
    const head = element("summary", "", "", box);
    element("b", "", `${story.unit ?? "step"} ${call.step + 1}`, head);
    element("span", "", ` ${nameOfCall(call)} `, head);
    element("i", "", call.reply.slice(0, 160), head);
    box.addEventListener("toggle", () => { if (box.open && box.children.length === 1) fillCall(box, call); });
    return box;
  }));
  const shown = found.length === calls.length ? "" : ` of ${calls.length}`;
  el("counted").textContent = `${found.length}${shown} calls, page ${page + 1} of ${pages}`;
  el("earlier").disabled = page === 0;
  el("later").disabled = page === pages - 1;
}

el("prompted").hidden = !calls.length;
el("earlier").addEventListener("click", () => { page -= 1; listCalls(); });
el("later").addEventListener("click", () => { page += 1; listCalls(); });
el("sought").addEventListener("input", () => {
  const words = el("sought").value.toLowerCase();
  const has = (text) => text.toLowerCase().includes(words);
  found = calls.filter(({ seat, purpose, reply, reasoning, added }) => [seat, purpose, reply, reasoning, ...added.map(([, text]) => text)].some(has));
  page = 0;
  listCalls();
});
listCalls();
