// The task that is shown: its map and run, turn by turn, and all that is fixed about it.

const code = (text, parent, kind = "formula") => element("code", kind, text, parent);
const MOST = 64; // agents of a task
const agentsOf = (one) => Array.from({ length: Math.min(one.agents, MOST) }, (_, n) => `agent_${n}`);

// The markup was made by the page's own maker, which escapes every name; the texts of tasks are never in it.
function drawMap() {
  if (!task.run) return;
  el("moment").innerHTML = task.map.turns[now].map((number) => task.map.marks[number]).join("");
}
function setMap() {
  const { size, floors, still } = story.scenes[task.map_of];
  el("drawn").setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
  el("floors").innerHTML = floors;
  el("still").innerHTML = still + task.map.still;
}

el("larger").addEventListener("click", () => {
  const large = el("map").classList.toggle("large");
  el("larger").setAttribute("aria-pressed", String(large));
  el("larger").textContent = large ? "smaller map" : "larger map";
});

let lines = [], parts = [];
function drawTurns() {
  lines.forEach((line, turn) => { line.className = turn === now ? "now" : ""; });
  if (lines[now]) reveal(el("turns"), lines[now]);
  parts.forEach((part, n) => { part.className = task.run.holding[now][n] ? "holds" : "fails"; });
}
draws.push(() => { if (task) { drawMap(); drawTurns(); } });

function actOf(turn, agent, did, parent) {
  const line = element("div", "act", "", parent);
  line.style.setProperty("--seat", colourOf(agent));
  element("b", "", `agent_${agent} `, line);
  if (!did) {
    line.classList.add("idle");
    line.append("is done");
    return;
  }
  const [call, worked, said] = did;
  const sent = task.run.messages.find(([step, sender]) => step === turn && sender === agent);
  line.classList.toggle("idle", /^\s*(Wait|Done)\b/.test(call));
  line.classList.toggle("failed", !worked);
  if (!sent) {
    code(call, line, "");
    if (!line.classList.contains("idle")) element("span", "", ` ${said}`, line);
    return;
  }
  const [, , to, text, delivered, why] = sent;
  line.append(`to ${to === "all" ? "all" : to}:`);
  element("q", "", text, line);
  if (!delivered) element("span", "why", why, line);
}
function setRun() {
  const { run } = task;
  el("ended").textContent = run.fault ? "" : `${run.solved ? "Solved" : "Not solved"} after ${last} turn${last === 1 ? "" : "s"}. ${run.certified
    ? "The calls are those of the certificate, played again in the simulator." : "There is no certificate to take the calls from: the team has played again."}`;
  if (run.fault) element("span", "warn", `The simulator rejects the episode of the certificate: ${run.fault}`, el("ended"));
  lines = run.turns.map((acts, turn) => {
    const line = element("li");
    element("span", "step", String(turn), line);
    const box = element("div", "", "", line);
    if (turn) acts.forEach((did, agent) => actOf(turn, agent, did, box));
    else element("div", "act idle", "the start", box);
    line.addEventListener("click", () => go(turn));
    return line;
  });
  el("turns").replaceChildren(...lines);
}
function setGoal() {
  const { goal, task: { problem_pddl, private_goals = {} } } = task;
  parts = (goal ?? []).map(([whose, words, formula]) => {
    const part = element("li", "", words);
    if (whose) element("span", "whose", ` (a private goal of ${whose})`, part);
    code(formula, part);
    return part;
  });
  el("goal").replaceChildren(...parts);
  el("formal").open = !parts.length;
  el("pddl").textContent = [problem_pddl, ...Object.entries(private_goals).map(([agent, text]) => `; private goal of ${agent}\n${text}`)].join("\n\n");
}
function setSecrets() {
  const { agent_secrets = {}, agent_knows = {} } = task.task;
  const agents = new Set([...agentsOf(task), ...Object.keys(agent_secrets), ...Object.keys(agent_knows)]);
  el("secrets").replaceChildren(...[...agents].map((agent, n) => {
    const box = element("section", "seat");
    box.style.setProperty("--seat", colourOf(n));
    element("h3", "", `Secrets of ${agent}`, box);
    const told = element("ul", "", "", box), secrets = named(agent_secrets, agent, []), formulas = named(agent_knows, agent, []);
    for (const secret of secrets) element("li", "", secret, told);
    if (!secrets.length) element("li", "empty", "none", told);
    if (formulas.length) {
      const more = element("details", "", "", box);
      element("summary", "", `as ${formulas.length} formula${formulas.length === 1 ? "" : "s"}`, more);
      for (const formula of formulas) code(formula, more);
    } else if (secrets.length) element("p", "empty", "There are no formulas for these secrets.", box);
    return box;
  }));
}
function setBindings() {
  el("bindings").replaceChildren(...task.bindings.map(({ name, words }, n) => {
    const box = element("div");
    if (name !== task.bindings[n - 1]?.name) element("h4", "", name.replaceAll("_", " "), box);
    const told = element("ul", "", "", box);
    for (const line of words) element("li", "", line, told);
    return box;
  }));
  el("facts").replaceChildren(...task.bindings.flatMap(({ facts }) => facts.map((fact) => code(fact))));
  el("facts").parentElement.hidden = !el("facts").children.length;
  if (!task.bindings.length) element("p", "empty", "none", el("bindings"));
}
function setProofs() {
  el("verdicts").replaceChildren(...task.verdicts.map(([name, status, says, decisive]) => {
    const row = element("tr", decisive ? "" : "minor");
    element("td", "", decisive ? name : `(${name})`, row);
    element("td", `status ${["proved", "refuted"].find((word) => decisive && status.startsWith(word)) ?? ""}`, status, row);
    element("td", "", says, row);
    return row;
  }));
  el("graded").replaceChildren(...[...new Set([...story.teams, ...Object.keys(task.levels)])].map((team) => {
    const row = element("tr");
    element("td", "", team.replaceAll("_", " "), row);
    grade(team, task.levels, element("span", "grades", "", element("td", "", "", row)));
    element("td", "", Object.hasOwn(task.levels, team) ? `${task.levels[team]} of ${story.runs} runs` : "not known", row);
    return row;
  }));
  const [fault, command] = task.proof, box = el("certificate");
  box.replaceChildren();
  element("p", "digest", `sha256 ${task.certificate}`, box);
  if (fault) element("p", "warn", `Not used: ${fault}.`, box);
  if (command) {
    element("p", "", "This command checks it, and plays its episodes again:", box);
    element("pre", "", command, box);
  }
  element("p", "", "The digests of the task and of its structure:", box);
  element("p", "digest", `task ${task.sha256}`, box);
  element("p", "digest", `structure ${task.structure}`, box);
}
function fileOf() {
  if (el("file").open && task) el("json").textContent = task.file;
}
el("file").addEventListener("toggle", fileOf);

function show(one) {
  play(false);
  if (task) rowOf.get(task).classList.remove("now");
  task = one;
  rowOf.get(task).classList.add("now");
  last = task.run ? task.run.turns.length - 1 : 0;
  stops = task.run ? [...new Set(task.run.messages.map(([step]) => step))] : [];
  el("step").max = last;
  el("previous").disabled = el("next").disabled = !stops.length;
  el("task").hidden = false;
  el("played").hidden = !task.run;
  el("name").textContent = task.title || task.id;
  el("told").textContent = task.task.task;
  el("fault").textContent = task.fault;
  const agents = `${task.agents} agents`, best = task.turns === null ? "not calibrated" : `T* ${turnsOf(task)}, ${2 * task.turns} turns an episode`;
  const depth = task.depth === null ? "depth not known" : `depth ${task.depth}`;
  const tags = [task.id, ...(severalPools ? [task.pool] : []), task.scene, task.pattern, task.category, agents, depth, best, `seed ${task.seed}`];
  el("tags").replaceChildren(...tags.map((text) => element("li", "", text)));
  if (task.hard === "yes") element("li", "hard", "hard", el("tags"));
  if (task.run) { setMap(); setRun(); }
  setGoal();
  setSecrets();
  setBindings();
  setProofs();
  fileOf();
  walkable();
  go(0);
}
function asNamed(far) {
  const one = story.tasks.find((any) => addressOf(any) === location.hash);
  if (one && one !== task) show(one);
  if (one && far) el("task").scrollIntoView();
}
// Space, Home and End move the page, which is longer than a replay.
for (const key of [" ", "Home", "End"]) delete keys[key];
window.addEventListener("hashchange", () => asNamed(true));
list();
if (story.tasks.length) show(story.tasks[0]);
asNamed(true);
