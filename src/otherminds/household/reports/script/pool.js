// The tasks of all pools, the one that is shown, and its frames.

const story = JSON.parse(new TextDecoder().decode(await unpack("story")));
const severalPools = story.pools.length > 1;
const first = 0;
let last = 0, stops = [];
let task = null; // the task that is shown
const WHOLE = " with whole memories";
const PLAIN = story.teams.filter((team) => !team.endsWith(WHOLE));
const LETTERS = { random: "r", no_message: "n", broadcast: "b", "level 1": "1", "level 2": "2", "level 3": "3", informed: "i" };
const MECHANICS = {
  room_restriction: "rooms", limited_bandwidth: "bandwidth", restricted_communication: "recipients",
  remote_control: "remote", state_mirroring: "mirroring", inverse_state: "inverse",
};
// The value of a name that a task gives, which may be one that every object has.
const named = (object, name, other) => (Object.hasOwn(object, name) ? object[name] : other);
const colourOf = (agent) => story.colours[agent % story.colours.length];

// The runs of a team as a small square: empty for none, half for some, full for all of them.
function grade(team, levels, parent) {
  const known = Object.hasOwn(levels, team), solved = named(levels, team, 0);
  const kind = !known ? "unknown" : solved >= story.runs ? "all" : solved ? "some" : "none";
  const box = element("i", kind, named(LETTERS, team.replace(WHOLE, ""), ""), parent);
  box.title = known ? `${team}: ${solved} of ${story.runs} runs` : `${team}: not known`;
}
function grades(levels, parent) {
  const strip = element("span", "grades", "", parent);
  for (const team of PLAIN) grade(team, levels, strip);
  strip.setAttribute("role", "img");
  strip.setAttribute("aria-label", PLAIN.map((team) => `${team}: ${named(levels, team, "?")} of ${story.runs}`).join(", "));
}
