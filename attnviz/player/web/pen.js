// The pointer (a held mouse) and the pen, in shares of the picture: so they stand in the same place in every window.
// Steps clear what was drawn.

const HOLD = 220; // milliseconds after which a pressed mouse points
const ink = { isOn: false, strokes: [], tell: () => {} };

/** Where an event is, in shares of the picture. */
function shareOf(event, target) {
  const box = target.getBoundingClientRect();
  return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
}

function drawPointer(at) {
  const dot = byId("pointer");
  dot.hidden = !at;
  if (at) Object.assign(dot.style, { left: `${at[0] * 100}%`, top: `${at[1] * 100}%` });
}

function drawInk() {
  const canvas = byId("ink");
  const box = canvas.getBoundingClientRect();
  canvas.width = Math.round(box.width * devicePixelRatio);
  canvas.height = Math.round(box.height * devicePixelRatio);
  const pencil = canvas.getContext("2d");
  Object.assign(pencil, { lineWidth: canvas.width / 320, lineCap: "round", lineJoin: "round" });
  pencil.strokeStyle = getComputedStyle(document.body).getPropertyValue("--pen");
  for (const stroke of ink.strokes) {
    pencil.beginPath();
    for (const [x, y] of stroke) pencil.lineTo(x * canvas.width, y * canvas.height);
    if (stroke.length === 1) pencil.lineTo(stroke[0][0] * canvas.width + 0.1, stroke[0][1] * canvas.height);
    pencil.stroke();
  }
}

function setInk(strokes) {
  ink.strokes = strokes;
  drawInk();
}

function clearInk() {
  setInk([]);
  drawPointer(null);
  ink.tell("ink", []);
}

function togglePen() {
  ink.isOn = !ink.isOn;
  document.body.classList.toggle("drawing", ink.isOn);
  toast(ink.isOn ? "pen" : "pen off");
}

/** Listen on the picture: a held mouse points; with the pen on it draws. `tell` hears "pointer" and "ink". */
function listenToPen(target, tell) {
  let isDown = false;
  let timer = 0;
  let points = false;
  ink.tell = tell;
  const point = (at) => {
    points = Boolean(at);
    drawPointer(at);
    tell("pointer", at);
  };
  target.addEventListener("pointerdown", (event) => {
    if (
      event.button !== 0 ||
      event.target.closest("nav, form, #inspector, button") ||
      (event.pointerType === "touch" && !ink.isOn)
    )
      return;
    isDown = true;
    const at = shareOf(event, target);
    if (ink.isOn) setInk([...ink.strokes, [at]]);
    else timer = setTimeout(() => point(at), HOLD);
  });
  window.addEventListener("pointermove", (event) => {
    if (!isDown) return;
    const at = shareOf(event, target);
    if (!ink.isOn) return void (points && point(at));
    ink.strokes.at(-1).push(at);
    drawInk();
  });
  window.addEventListener("pointerup", () => {
    clearTimeout(timer);
    if (isDown && ink.isOn) tell("ink", ink.strokes);
    if (points) point(null);
    isDown = false;
  });
}
