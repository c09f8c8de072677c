// The presenter's window: what is on now and what comes next, notes, clock. It asks the projector's window for every
// step and follows what that one says; nothing here decides where the lecture is.

let nextFilm = null;

function buildDesk(act) {
  const button = (name, label) => make("button", { type: "button", onclick: () => act(name) }, label);
  byId("desk").append(
    make(
      "header",
      {},
      make("b", { id: "desk-where" }),
      make("span", { id: "desk-title" }),
      make("span", { id: "desk-clock" }),
      make("span", { id: "desk-elapsed", role: "timer" }),
      button("restart", "Restart clock"),
    ),
    make("div", { id: "desk-now" }, byId("stage")),
    make(
      "aside",
      {},
      make("h2", { id: "desk-next-title" }),
      make(
        "div",
        { id: "desk-next" },
        make("video", { muted: true, playsinline: true, preload: "auto", "aria-hidden": true }),
        make("p", { id: "desk-next-slide", hidden: true }),
      ),
      make("p", { id: "desk-caption" }),
      make("div", { id: "desk-notes" }),
    ),
    make(
      "footer",
      {},
      button("back", "← Back"),
      button("replay", "Replay"),
      button("pause", "Pause"),
      button("loop", "Loop"),
      button("black", "Black"),
      button("contents", "Go to …"),
      button("next", "Next →"),
      make("span", { id: "desk-link" }),
    ),
  );
  byId("desk").hidden = false;
  byId("projector").hidden = true;
  document.body.classList.add("presenter");
  nextFilm = new Film(byId("desk-next").querySelector("video"), 0);
  setInterval(drawClock, 500);
}

function drawClock() {
  byId("desk-clock").textContent = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const elapsed = state.since ? (Date.now() - state.since) / 1000 : 0;
  const plan = step().plan ?? page.minutes;
  const line = byId("desk-elapsed");
  line.textContent = clock(elapsed) + (plan ? ` of ${clock(plan * 60)}` : "");
  line.title = step().plan ? "elapsed, of the time at which this part should end" : "elapsed, of the whole lecture";
  line.classList.toggle("late", Boolean(plan) && elapsed > plan * 60);
}

function drawNext() {
  const next = steps[state.step + 1];
  const isFilm = Boolean(next) && hasFilm(state.step + 1);
  byId("desk-next-title").textContent = next ? `Next: ${next.title || next.alt}` : "Next: the end";
  byId("desk-next").querySelector("video").hidden = !isFilm;
  if (isFilm) nextFilm.show(next.rest);
  const slide = byId("desk-next-slide");
  slide.hidden = isFilm || !next;
  slide.textContent = next && !isFilm ? [next.title, ...(next.lines ?? []), next.alt].filter(Boolean).join("\n") : "";
}

function drawDesk() {
  const { title, caption, note } = step();
  byId("desk-where").textContent = state.step ? ordinal(state.step) : "Cover";
  byId("desk-title").textContent = title ?? "";
  byId("desk-caption").textContent = caption ?? "";
  byId("desk-notes").replaceChildren(...(note ?? "").split("\n").map((line) => make("p", {}, line)));
  const words = [
    state.phase === "playing" ? "playing" : "",
    state.phase === "paused" ? "paused" : "",
    state.shade,
    state.isLooping ? "loop" : "",
    state.rate === 1 ? "" : `${state.rate}×`,
    state.answers[state.step] ? "answer kept" : "",
  ];
  byId("desk-link").textContent = words.filter(Boolean).join(" · ");
  drawClock();
}

let drawnNext = -1;

/** Take over what the projector says, and show the same. */
function follow(said) {
  const isNews = said.step !== state.step || said.phase !== state.phase || said.frame !== state.frame;
  if (said.step !== state.step) setInk([]);
  const { film: _, ...rest } = said; // here one film is enough, in whatever theme
  Object.assign(state, rest);
  film().rate = state.rate;
  film().video.playbackRate = state.rate;
  if (isNews && !hasFilm(state.step)) film().hold();
  else if (isNews && state.phase === "playing") film().play(said.frame, step().rest, step().end);
  else if (isNews) film().show(said.frame);
  if (drawnNext !== state.step) drawNext();
  drawnNext = state.step;
  draw();
  drawQuiz();
  drawDesk();
}

function startPresenter() {
  let hasNews = false;
  const link = new Link(location.hash.split("=")[1] ?? "", (type, body) => {
    if (type === "state") {
      hasNews = true;
      follow(body);
    }
    if (type === "pointer") drawPointer(body);
    if (type === "ink") setInk(body);
    if (type === "inspect") followInspector(body);
    if (type === "bye") byId("desk-link").textContent = "the lecture's window was closed";
  });
  const local = {
    help: () => byId("help").showModal(),
    contents: openContents,
    fullscreen: toggleFullscreen,
    pen: togglePen,
    presenter: () => toast("this is the presenter window"),
    inspect: toggleInspector,
    zoom: zoomInspector,
    escape: leave,
    quiz: () => byId("answer").focus(),
  };
  const act = (name, argument, event) => {
    if (event && inspectorKey(event)) return;
    if (local[name]) local[name]();
    else link.send("act", [name, argument]);
  };
  buildDesk(act);
  films = [new Film(document.querySelector("#stage .film"), 0)];
  wire(act, (type, body) => link.send(type, body));
  const ask = () => {
    if (hasNews) return;
    byId("desk-link").textContent = "waiting for the lecture's window";
    link.send("hello");
    setTimeout(ask, 1000);
  };
  ask();
}
