// Puts the parts together, in the projector's window or the presenter's.

function toggleFullscreen() {
  if (document.fullscreenElement) return document.exitFullscreen();
  return document.documentElement.requestFullscreen?.().catch(() => toast("this browser allows no full screen here"));
}

/** Esc: the pen, the inspector, and black or white go. */
function leave() {
  if (ink.isOn) togglePen();
  closeInspector();
  if (state.shade) actions.clear();
}

/** What both windows listen to. */
function wire(act, tell) {
  document.addEventListener("keydown", (event) => onKey(event, act));
  addEventListener("resize", () => {
    fit();
    drawInk();
    drawInspector();
  });
  listenToPen(byId("stage"), tell);
  listenToQuiz(act);
  listenInDialogs(act);
  buildHelp();
  buildContents(act);
  listenToInspector(byId("stage"), tell);
  fit();
}

function startProjector() {
  const session = recall("session", Math.random().toString(36).slice(2));
  keep("session", session);
  const link = new Link(session, (type, body) => {
    if (type === "hello") tellAll();
    if (type === "act") act(body[0], body[1]);
    if (type === "pointer") drawPointer(body);
    if (type === "ink") setInk(body);
    if (type === "inspect") followInspector(body);
  });
  const tellState = () => link.send("state", { ...state, frame: state.phase === "rest" ? step().rest : film().frame });
  const tellAll = () => {
    tellState();
    link.send("ink", ink.strokes);
    link.send("inspect", { path: look.path, spot: look.spot, isLarge: look.isLarge });
  };
  const openPresenter = () => {
    const address = `${location.href.split("#")[0]}#presenter=${session}`;
    link.window = window.open(address, `attnviz-${session}`, "popup,width=1200,height=760");
    if (!link.window) toast("the browser blocked the window: allow pop-ups for this page");
  };
  const local = {
    help: () => byId("help").showModal(),
    contents: openContents,
    fullscreen: toggleFullscreen,
    pen: togglePen,
    presenter: openPresenter,
    inspect: toggleInspector,
    zoom: zoomInspector,
    escape: leave,
    quiz: () => byId("answer").focus(),
    restart: () => {
      state.since = Date.now();
      changed();
    },
  };
  const act = (name, argument, event) => {
    if (event && inspectorKey(event)) return undefined;
    return (local[name] ?? actions[name])?.(argument);
  };
  films = page.films.map((_, index) => new Film(document.querySelectorAll("#stage .film")[index], index));
  films[0].ready.then(
    () => films[0].isBroken && toast("this browser cannot play the film (H.264): it is told in words"),
  );
  buildBar(act);
  wire(act, (type, body) => link.send(type, body));
  listenToTouch(byId("projector"), act, (event) => inspectAt(event));
  document.addEventListener("pointermove", showBar);
  document.addEventListener("focusin", showBar);
  onStep(() => {
    clearInk();
    closeInspector();
  });
  for (const listener of [draw, drawQuiz, drawInspector, tellState]) onChange(listener);
  addEventListener("pagehide", () => link.send("bye"));
  begin();
  tellAll(); // a presenter's window may be open since before a reload
}

/** Where to begin: where a reload left, or the beat in the address (`#3`), or the cover. */
function begin() {
  const { step: left = 0, ...kept } = recall("state", {});
  const asked = Number(location.hash.slice(1) || left);
  Object.assign(state, kept, { film: kept.film < films.length ? kept.film : 0, phase: "rest" });
  for (const each of films) each.rate = state.rate;
  end(Number.isInteger(asked) && asked >= 0 && asked < steps.length ? asked : 0);
}

if (isPresenter) startPresenter();
else startProjector();
