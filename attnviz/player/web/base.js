// What every other file uses: the page's data, elements, the memory of this window. No stepping, no drawing.

const page = JSON.parse(document.getElementById("page-data").textContent);
const steps = page.steps;
const isPresenter = location.hash.startsWith("#presenter");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const byId = (id) => document.getElementById(id);

/** Make an element: `make("p", {class: "caption"}, "text", child)`. Text stays text, whatever is in it. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Keep something for this window, through reloads; `recall` gives it back, or `otherwise`. */
function keep(name, value) {
  try {
    sessionStorage.setItem(`attnviz ${page.id} ${name}`, JSON.stringify(value));
  } catch {
    /* a browser that keeps nothing: the lecture starts at its cover after a reload */
  }
}

function recall(name, otherwise) {
  try {
    const text = sessionStorage.getItem(`attnviz ${page.id} ${name}`);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

let toastTimer = 0;

/** Show one line for a moment. */
function toast(text) {
  const line = byId("toast");
  line.textContent = text;
  line.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    line.hidden = true;
  }, 1800);
}

const clock = (seconds) => {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  return whole < 3600 ? `${Number(parts[0])}:${parts[1]}` : `${Math.floor(whole / 3600)}:${parts.join(":")}`;
};

/** The bytes of a film that lies in the page as base64. */
function unpack(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

const addresses = new Map();

/** Where the film of a theme lies: in this page, or beside it. One blob for every video that shows it. */
function addressOf(index) {
  if (!addresses.has(index)) {
    const inside = byId(`film-${index}`);
    const blob = () => URL.createObjectURL(new Blob([unpack(inside.textContent.trim())], { type: "video/mp4" }));
    addresses.set(index, inside ? blob() : page.films[index].file);
  }
  return addresses.get(index);
}
