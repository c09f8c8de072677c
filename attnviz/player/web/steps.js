// Where the lecture is, and how it goes on. A step is the cover, a beat of a film, or a slide of the lecturer's.
// Nothing here touches the page but the film: who wants to know of a change says so to `onChange`.

const state = {
  step: 0,
  phase: "rest", // rest, playing, paused
  isBack: false, // whether a step back led here: the next one replays
  isLooping: false,
  hasCaptions: page.captions,
  shade: "", // "", black, white
  film: 0, // which theme's
  rate: 1,
  since: 0, // when the lecture left its cover, in milliseconds
  answers: {}, // what the audience said, by step
};
const LOOP_PAUSE = 900; // milliseconds between two rounds of a loop
const RATES = [0.5, 0.75, 1, 1.25, 1.5, 2];
const listeners = [];
let moves = 0; // counts what was asked for: what comes later ends a change of themes that is under way
let films = [];

const onChange = (listener) => listeners.push(listener);
const film = () => films[state.film];
const step = () => steps[state.step];
const hasFilm = (number) => steps[number].end > steps[number].start;
const stepped = [];
/** Hear of every move before it is shown, and whether it leaves the picture that was there. */
const onStep = (listener) => stepped.push(listener);

function changed() {
  keep("state", { ...state, phase: "rest", isBack: false });
  for (const listener of listeners) listener();
}

function enter(number, phase) {
  moves += 1;
  for (const listener of stepped) listener(number !== state.step || phase === "playing");
  if (number > 0 && !state.since) state.since = Date.now();
  Object.assign(state, { step: number, phase, isBack: false, shade: "" });
}

/** Play a beat from its first frame until it stands still; a slide is simply shown. */
async function play(number) {
  const { start, rest, end } = steps[number];
  enter(number, hasFilm(number) ? "playing" : "rest");
  if (!hasFilm(number)) {
    film().hold();
    return changed();
  }
  return run(start, rest, end);
}

async function run(from, rest, end) {
  const playing = film().play(from, rest, end, changed);
  keep("state", { ...state, phase: "rest", isBack: false });
  if (!(await playing)) return;
  state.phase = "rest";
  changed();
  if (state.isLooping) setTimeout(() => state.isLooping && state.phase === "rest" && play(state.step), LOOP_PAUSE);
}

/** Show the end of a step at once; `how` changes what is said of it. */
async function end(number, how = {}) {
  enter(number, "rest");
  Object.assign(state, how);
  if (!hasFilm(number)) film().hold();
  else if (!(await film().show(steps[number].rest))) return;
  changed();
}

const actions = {
  next() {
    if (state.shade) return actions.clear();
    if (state.phase !== "rest") return end(state.step);
    if (state.step === steps.length - 1) return toast("the end");
    return calm.matches ? end(state.step + 1) : play(state.step + 1);
  },
  back() {
    if (state.shade) return actions.clear();
    if (state.isBack && state.phase === "rest") return play(state.step);
    return end(Math.max(0, state.step - 1), { isBack: state.step > 0 });
  },
  replay: () => play(state.step),
  pause() {
    moves += 1;
    if (state.phase === "playing") {
      film().hold();
      state.phase = "paused";
      return changed();
    }
    if (state.phase !== "paused") return hasFilm(state.step) ? play(state.step) : undefined;
    state.phase = "playing";
    return run(film().frame, step().rest, step().end);
  },
  loop() {
    state.isLooping = !state.isLooping;
    toast(state.isLooping ? "loop" : "loop off");
    changed();
    if (state.isLooping && state.phase === "rest" && hasFilm(state.step)) play(state.step);
  },
  first: () => end(0),
  last: () => end(steps.length - 1),
  goto(number) {
    if (!(number >= 0 && number < steps.length)) return toast(`there is no beat ${number}`);
    return calm.matches ? end(number) : play(number);
  },
  faster: () => setRate(1),
  slower: () => setRate(-1),
  black: () => setShade("black"),
  white: () => setShade("white"),
  clear: () => setShade(""),
  captions() {
    state.hasCaptions = !state.hasCaptions;
    changed();
  },
  async theme() {
    if (films.length < 2) return toast("this file holds one theme; write it with --also light");
    const [from, other] = [film(), 1 - state.film];
    const { start, rest, end: stop } = step();
    const frame = state.phase === "rest" ? rest : Math.min(Math.max(from.frame, start), Math.max(stop - 1, 0));
    const mine = (moves += 1);
    from.hold();
    if (!(await films[other].show(frame)) || mine !== moves) return undefined;
    state.film = other;
    changed();
    return state.phase === "playing" ? run(frame, rest, stop) : undefined;
  },
  answer([number, text]) {
    state.answers = { ...state.answers, [number]: text };
    changed();
  },
};

function setRate(direction) {
  const place = RATES.indexOf(state.rate) + direction;
  state.rate = RATES[Math.min(RATES.length - 1, Math.max(0, place))];
  for (const each of films) {
    each.rate = state.rate;
    each.video.playbackRate = state.rate;
  }
  toast(`speed ${state.rate}×`);
  changed();
}

function setShade(shade) {
  state.shade = state.shade === shade ? "" : shade;
  changed();
}
