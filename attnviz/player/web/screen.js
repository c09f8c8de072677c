// The projector's picture: film or slide, caption, bar, what a screen reader is told. It draws `state`, and changes
// nothing of it.

const ICONS = {
  back: "M15 5 8 12l7 7",
  next: "M9 5l7 7-7 7",
  pause: "M8 5v14M16 5v14",
  play: "M8 5l11 7-11 7z",
  loop: "M17 3l3 3-3 3M4 12V9a3 3 0 0 1 3-3h13M7 21l-3-3 3-3M20 12v3a3 3 0 0 1-3 3H4",
  captions: "M3 6h18v12H3zM7 14h4M13 14h4",
  inspect: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13M15.5 15.5 21 21",
  pen: "M4 20l1-5L16 4l4 4L9 19z",
  contents: "M5 6h14M5 12h14M5 18h9",
  presenter: "M3 4h18v11H3zM8 20h8M12 15v5",
  help: "M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .5-1.5 1-1.5 2.3M12 18v.5",
  fullscreen: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
};
const BUTTONS = [
  ["back", "Back to the end of the beat before (←)"],
  ["pause", "Pause (P)"],
  ["next", "Next (→)"],
  ["loop", "Loop the beat (L)"],
  ["captions", "Captions (C)"],
  ["inspect", "Inspect the numbers (I)"],
  ["pen", "Pen (D)"],
  ["contents", "Go to a beat (G)"],
  ["presenter", "Presenter window (N)"],
  ["help", "Keys (?)"],
  ["fullscreen", "Full screen (F)"],
];

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  const path = svg.appendChild(document.createElementNS(svg.namespaceURI, "path"));
  path.setAttribute("d", ICONS[name]);
  return svg;
}

/** What counts beats: the cover is none. */
const ordinal = (number) => `${number} of ${steps.length - 1}`;

function buildBar(act) {
  const buttons = BUTTONS.map(([name, title]) => {
    const button = make("button", {
      type: "button",
      title,
      "aria-label": title,
      "data-act": name,
      onclick: () => act(name),
    });
    button.append(icon(name));
    return button;
  });
  const marks = steps.slice(1).map((each, place) =>
    make("button", {
      type: "button",
      class: each.opens ? "mark opens" : "mark",
      title: `${place + 1}. ${each.title}`,
      tabindex: -1,
      "aria-label": `Go to beat ${place + 1}: ${each.title}`,
      onclick: () => act("goto", place + 1),
    }),
  );
  byId("bar").append(
    ...buttons.slice(0, 3),
    make("span", { id: "where" }),
    make("span", { id: "track" }, ...marks),
    ...buttons.slice(3),
  );
}

/** Whether a film is seen now; where the browser cannot play it, the step is told in words. */
const hasPicture = () => hasFilm(state.step) && !film().isBroken;

function drawSlide() {
  const { title, lines, picture, alt, note, kind, described } = step();
  const slide = byId("slide");
  slide.hidden = hasPicture();
  if (slide.hidden || slide.dataset.step === String(state.step)) return;
  slide.dataset.step = state.step;
  slide.className = picture ? "picture" : kind;
  const parts = (lines ?? described ?? []).map((line) => make("p", {}, line));
  if (picture) parts.push(make("img", { src: picture, alt }));
  if (kind === "cover") parts.push(make("p", { class: "hint" }, note));
  slide.replaceChildren(...(title ? [make("h1", {}, title)] : []), ...parts);
}

function drawFilms() {
  films.forEach((each, index) => {
    each.video.hidden = index !== state.film || !hasPicture();
  });
}

function drawBar() {
  if (isPresenter) return;
  byId("where").textContent = state.step ? ordinal(state.step) : "";
  const isPlaying = state.phase === "playing";
  const pause = byId("bar").querySelector("[data-act=pause]");
  pause.replaceChildren(icon(isPlaying ? "pause" : "play"));
  pause.title = isPlaying ? "Pause (P)" : "Play (P)";
  pause.setAttribute("aria-label", pause.title);
  for (const [name, on] of [
    ["loop", state.isLooping],
    ["captions", state.hasCaptions],
  ]) {
    byId("bar").querySelector(`[data-act=${name}]`).setAttribute("aria-pressed", on);
  }
  [...byId("track").children].forEach((mark, place) => {
    mark.classList.toggle("past", place + 1 < state.step);
    mark.classList.toggle("now", place + 1 === state.step);
  });
}

function drawShade() {
  const shade = byId("shade");
  shade.hidden = !state.shade;
  shade.className = state.shade;
}

let saidStep = -1;

/** Tell a screen reader once a beat: its number, title and caption. */
function say() {
  if (saidStep === state.step) return;
  saidStep = state.step;
  const { title, caption, alt, lines } = step();
  byId("said").textContent = [state.step ? `Beat ${ordinal(state.step)}.` : "", title, caption, alt, ...(lines ?? [])]
    .filter(Boolean)
    .join(" ");
}

function draw() {
  const caption = byId("caption");
  caption.textContent = step().caption ?? "";
  caption.hidden = !state.hasCaptions || !caption.textContent;
  drawFilms();
  drawSlide();
  drawBar();
  drawShade();
  say();
  document.body.dataset.phase = state.phase;
  document.body.dataset.step = state.step;
}

/** Fit the stage to the window, at the film's own shape; everything on it is measured in its width. */
function fit() {
  const ratio = page.size[0] / page.size[1];
  const stage = byId("stage");
  stage.style.aspectRatio = ratio;
  stage.classList.toggle("wide", ratio > 1);
  stage.style.width = isPresenter ? "100%" : `${Math.min(innerWidth, innerHeight * ratio)}px`;
  const width = stage.clientWidth;
  stage.style.fontSize = `${Math.min(width, (width / ratio) * 1.2) / 40}px`;
  ["left", "top", "width", "height"].forEach((side, at) =>
    stage.style.setProperty(`--caption-${side}`, `${page.captionBox[at] * 100}%`),
  );
}

let barTimer = 0;

/** The bar and the mouse's arrow are there while the mouse moves, and while a key walks through the bar. */
function showBar() {
  document.body.classList.add("busy");
  clearTimeout(barTimer);
  barTimer = setTimeout(() => document.body.classList.remove("busy"), 2500);
}
