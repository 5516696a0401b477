// What the page holds, unpacked.

const SPEEDS = [0.5, 1, 2, 5, 10];
const story = JSON.parse(new TextDecoder().decode(await unpack("story")));
const { seats, first, last } = story;
const stops = [...new Set(story.messages.map(({ step }) => step))];
let now = 0, playing = 0, focus = -1, speed = story.speed;

document.body.classList.toggle("crowd", seats.length > 3);
