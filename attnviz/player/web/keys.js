// Keys, clicks and touches to actions, by name. What an action does lives elsewhere.

const KEYS = {
  ArrowRight: "next",
  PageDown: "next",
  " ": "next",
  Enter: "next",
  ArrowLeft: "back",
  PageUp: "back",
  Backspace: "back",
  Home: "first",
  End: "last",
  "+": "faster",
  "=": "faster",
  "-": "slower",
  ".": "black",
  ",": "white",
  "?": "help",
  Escape: "escape",
  r: "replay",
  p: "pause",
  l: "loop",
  b: "black",
  w: "white",
  f: "fullscreen",
  c: "captions",
  t: "theme",
  n: "presenter",
  ArrowUp: "up",
  ArrowDown: "down",
  g: "contents",
  h: "help",
  i: "inspect",
  z: "zoom",
  d: "pen",
  a: "quiz",
};
const HELP = [
  ["→  PageDown  space", "next beat; while one plays, its end"],
  ["←  PageUp", "the end of the beat before; again: replay it"],
  ["R", "replay the beat"],
  ["P", "pause, go on"],
  ["L", "loop the beat while you talk"],
  ["1 2 … Enter", "go to a beat by number"],
  ["G", "go to a beat by name"],
  ["Home  End", "the cover, the last beat"],
  ["+  −", "faster, slower"],
  ["B  W", "black, white"],
  ["F", "full screen"],
  ["C", "captions"],
  ["T", "the other theme, if it is in the file"],
  ["N", "presenter window"],
  ["I", "inspect: arrows move, Enter goes into an input, Esc leaves"],
  ["Z", "larger inspector"],
  ["hold the mouse", "pointer"],
  ["D", "pen; cleared at the next step"],
  ["A", "write the audience's answer to a question"],
  ["touch", "left third back, right third next, middle pause; a cell: inspect"],
];
const DIGITS_WAIT = 1500; // milliseconds after the last digit
const SWIPE = 60; // pixels
let digits = "";
let digitsTimer = 0;

function typeDigit(digit, act) {
  digits += digit;
  toast(`go to ${digits}`);
  clearTimeout(digitsTimer);
  digitsTimer = setTimeout(() => goTyped(act), DIGITS_WAIT);
}

function goTyped(act) {
  clearTimeout(digitsTimer);
  const number = Number(digits);
  digits = "";
  act("goto", number);
}

function onKey(event, act) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, dialog")) return;
  const name = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const isOnButton = event.target.closest?.("button") && (event.key === "Enter" || event.key === " ");
  if (isOnButton) return;
  if (digits && event.key === "Enter") goTyped(act);
  else if (/^\d$/.test(event.key)) typeDigit(event.key, act);
  else if (name) act(name, null, event);
  else return;
  event.preventDefault();
}

/** Which third of the screen: the left one goes back, the right one on, the middle one pauses. */
function third(x) {
  return ["back", "pause", "next"][Math.min(2, Math.floor((3 * x) / innerWidth))];
}

function listenToTouch(target, act, isTaken) {
  let start = null;
  target.addEventListener("pointerdown", (event) => {
    start = event.pointerType === "touch" ? event : null;
  });
  target.addEventListener("pointerup", (event) => {
    if (!start || event.target.closest("nav, form, #inspector")) return;
    const [x, y] = [event.clientX - start.clientX, event.clientY - start.clientY];
    if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) act(x < 0 ? "next" : "back");
    else if (Math.hypot(x, y) < 20 && !isTaken(event)) act(third(event.clientX));
    start = null;
  });
}

function buildHelp() {
  const rows = HELP.map(([key, what]) => make("tr", {}, make("th", { scope: "row" }, key), make("td", {}, what)));
  byId("help").append(
    make("h2", { tabindex: -1, autofocus: true }, "Keys"),
    make("table", {}, make("tbody", {}, ...rows)),
    closer("help"),
  );
}

function closer(id) {
  return make("button", { type: "button", class: "close", onclick: () => byId(id).close() }, "Close (Esc)");
}

/** The list of beats: typing finds one, Enter goes there. */
function buildContents(act) {
  const items = steps.map((each, place) =>
    make(
      "li",
      {},
      make(
        "button",
        {
          type: "button",
          "data-step": place,
          onclick: () => {
            byId("contents").close();
            act("goto", place);
          },
        },
        make("b", {}, place ? String(place) : ""),
        make("span", {}, each.title || each.alt || "Cover"),
      ),
    ),
  );
  const list = make("ol", {}, ...items);
  const field = make("input", { type: "search", placeholder: "a number or a word", "aria-label": "Find a beat" });
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    items.forEach((item, place) => {
      item.hidden = !`${place} ${item.textContent}`.toLowerCase().includes(wanted);
    });
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const exact = items.find((item, place) => String(place) === field.value.trim());
    (exact ?? items.find((item) => !item.hidden))?.querySelector("button").click();
  });
  byId("contents").append(make("h2", {}, "Go to a beat"), field, list, closer("contents"));
}

function openContents() {
  const box = byId("contents");
  box.querySelector("input").value = "";
  box.querySelectorAll("li").forEach((item, place) => {
    item.hidden = false;
    item.classList.toggle("now", place === state.step);
  });
  box.showModal();
  box.querySelector("li.now").scrollIntoView({ block: "center" });
}

/** The same key that opened a dialog closes it, and those of a clicker go on with the lecture. */
function listenInDialogs(act) {
  for (const [id, keys] of [
    ["help", ["?", "h"]],
    ["contents", []],
  ]) {
    byId(id).addEventListener("keydown", (event) => {
      if (event.key === "PageDown" || event.key === "PageUp" || keys.includes(event.key)) {
        byId(id).close();
        if (event.key.startsWith("Page")) act(KEYS[event.key]);
        event.preventDefault();
      }
    });
  }
}
