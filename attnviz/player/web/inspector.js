// The inspector: which number is looked at, its panel, the boxes in the picture. Only where the film stands still: the
// score says what is drawn at the ends of beats, and where.

const DWELL = 350; // milliseconds that the mouse rests on a number before its panel opens
const LARGE = [1.5, 1.3, 1.15, 1, 0.85, 0.7]; // em: sizes to try where it is to be read from the back row
const look = { path: [], spot: -1, isPinned: false, isLarge: false, tell: () => {} };

const canInspect = () => hasPicture() && state.phase !== "playing" && spotsOf(state.step).length > 0;
const isOpen = () => look.path.length > 0;

/** The spot at a point in shares of the picture: of several, the smallest, and of those the last that was painted. */
function spotAt([x, y]) {
  let [best, size] = [-1, Infinity];
  spotsOf(state.step).forEach(([, left, top, wide, high], at) => {
    const inside = x >= left && x <= left + wide && y >= top && y <= top + high;
    if (inside && wide * high <= size * 1.001) [best, size] = [at, wide * high];
  });
  return best;
}

function openSpot(at, isPinned) {
  look.spot = at;
  look.isPinned = isPinned;
  open([spotsOf(state.step)[at][0]]);
}

/** Show the number at the end of a path of ids; below zero they name words. */
function open(path) {
  look.path = path;
  drawInspector();
  look.tell("inspect", { path, spot: look.spot, isLarge: look.isLarge });
}

function closeInspector() {
  if (!isOpen()) return;
  look.spot = -1;
  look.isPinned = false;
  open([]);
}

function followInspector(said) {
  Object.assign(look, said, { isPinned: true });
  drawInspector();
}

function toggleInspector() {
  if (isOpen()) return closeInspector();
  if (!canInspect())
    return toast(
      hasFilm(state.step) ? "numbers can be inspected where the beat stands still: →" : "there are no numbers here",
    );
  return openSpot(firstSpot(), true);
}

/** Where the inspector begins: at the computed number that was painted last, as what a beat works out comes last. */
function firstSpot() {
  const data = dataOf(state.step);
  return Math.max(
    0,
    spotsOf(state.step).findLastIndex(([id]) => id >= 0 && data.entries[id][3] !== null),
  );
}

function zoomInspector() {
  look.isLarge = !look.isLarge;
  if (isOpen()) open(look.path);
  else toggleInspector();
}

function drawInspector() {
  const panel = byId("inspector");
  panel.hidden = !isOpen() || !canInspect();
  drawMarks();
  if (panel.hidden) return;
  const id = look.path.at(-1);
  const data = dataOf(state.step);
  panel.replaceChildren(...(id < 0 ? tokenPanel(data.tokens[-1 - id]) : entryPanel(data, entryOf(data, id))));
  panel.classList.toggle("large", look.isLarge);
  fitPanel(panel);
  const spot = spotsOf(state.step)[look.spot];
  panel.classList.toggle("left", Boolean(spot) && spot[1] + spot[3] / 2 > 0.5);
  panel.scrollTop = 0;
}

/** As large as there is room for all of it. */
function fitPanel(panel) {
  panel.style.fontSize = "";
  for (const size of look.isLarge ? LARGE : []) {
    panel.style.fontSize = `${size}em`;
    if (panel.scrollHeight <= panel.clientHeight) return;
  }
}

function entryPanel(data, entry) {
  const go = (id) => {
    look.isPinned = true;
    open([...look.path, id]);
  };
  const words = whereabouts(entry).map(([name, text]) =>
    make("span", {}, make("small", {}, `${name} `), make("bdi", {}, text)),
  );
  const back =
    look.path.length > 1
      ? make("button", { type: "button", class: "up", onclick: () => open(look.path.slice(0, -1)) }, "← back")
      : null;
  return [
    make(
      "header",
      {},
      make("span", { class: "symbol" }, entry.stage.symbol),
      make("span", {}, entry.stage.title),
      back,
    ),
    make("p", { class: "value" }, pretty(entry.text)),
    make("p", { class: "address", title: addressOfEntry(entry) }, shortAddress(entry)),
    make("p", { class: "words" }, ...words),
    make("div", { class: "how" }, ...worked(data, entry, go)),
    ...workedInputs(data, entry, go),
  ];
}

function tokenPanel([axis, position, text]) {
  const points = [...text].map((letter) => `U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
  return [
    make("header", {}, make("span", {}, "word")),
    make("p", { class: "value" }, make("bdi", {}, text)),
    make("p", { class: "address" }, `${axis}=${position}`),
    make("p", { class: "words" }, `${points.length} letters: ${points.slice(0, 40).join(" ")}`),
  ];
}

/** Boxes: the number that is looked at, and those it was made of, where they are in the picture. */
function drawMarks() {
  const svg = byId("marks");
  svg.replaceChildren();
  if (!isOpen() || !canInspect()) return;
  const id = look.path.at(-1);
  const inputs = id < 0 ? [] : inputsOf(dataOf(state.step).entries[id][3]);
  spotsOf(state.step).forEach(([what, ...box], at) => {
    if (inputs.includes(what)) svg.append(mark(box, "input"));
    else if (what === id && (look.path.length > 1 || at === look.spot)) svg.append(mark(box, "looked"));
  });
}

function mark([left, top, wide, high], name) {
  const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const sides = { x: left, y: top, width: wide, height: high };
  for (const [side, share] of Object.entries(sides)) box.setAttribute(side, `${share * 100}%`);
  box.setAttribute("class", name);
  return box;
}

/** The nearest spot in a direction, as one moves over a page: little aside counts more than little ahead. */
function neighbour(at, [dx, dy]) {
  const spots = spotsOf(state.step);
  const center = ([, left, top, wide, high]) => [(left + wide / 2) * page.size[0], (top + high / 2) * page.size[1]];
  const [x, y] = center(spots[at]);
  let [best, cost] = [at, Infinity];
  spots.forEach((spot, other) => {
    const [ahead, aside] = [
      (center(spot)[0] - x) * dx + (center(spot)[1] - y) * dy,
      (center(spot)[0] - x) * dy + (center(spot)[1] - y) * dx,
    ];
    const far = ahead + 3 * Math.abs(aside);
    if (ahead > 1 && far < cost) [best, cost] = [other, far];
  });
  return best;
}

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** A key while the panel is open: true where it is meant for the inspector. */
function inspectorKey(event) {
  if (!isOpen() || byId("inspector").hidden) return false;
  if (ARROWS[event.key]) openSpot(neighbour(Math.max(0, look.spot), ARROWS[event.key]), true);
  else if (event.key === "Enter") goInto();
  else if (event.key === "Backspace" && look.path.length > 1) open(look.path.slice(0, -1));
  else if (event.key === "Escape") closeInspector();
  else return false;
  return true;
}

/** Into the first number that the one looked at was made of, if it was. */
function goInto() {
  const id = look.path.at(-1);
  const first = id < 0 ? undefined : inputsOf(dataOf(state.step).entries[id][3])[0];
  if (first !== undefined) open([...look.path, first]);
}

/** A click or a tap: on a number it opens, elsewhere it closes; true where it was taken. */
function inspectAt(event) {
  if (!canInspect()) return false;
  const at = spotAt(shareOf(event, byId("stage")));
  if (at < 0 && !isOpen()) return false;
  if (at < 0) closeInspector();
  else openSpot(at, true);
  return true;
}

function listenToInspector(target, tell) {
  look.tell = tell;
  let timer = 0;
  let pressed = 0;
  target.addEventListener("pointermove", (event) => {
    clearTimeout(timer);
    if (
      event.pointerType === "touch" ||
      event.buttons ||
      ink.isOn ||
      look.isPinned ||
      !canInspect() ||
      event.target.closest("#inspector")
    )
      return;
    const at = spotAt(shareOf(event, target));
    if (at !== look.spot) timer = setTimeout(() => (at < 0 ? closeInspector() : openSpot(at, false)), DWELL);
  });
  target.addEventListener("pointerleave", () => clearTimeout(timer));
  target.addEventListener("pointerdown", () => {
    clearTimeout(timer);
    pressed = Date.now();
  });
  target.addEventListener("click", (event) => {
    const isHeld = Date.now() - pressed > HOLD;
    if (event.pointerType === "touch" || isHeld || ink.isOn || event.target.closest("#inspector, form")) return;
    inspectAt(event);
  });
}
