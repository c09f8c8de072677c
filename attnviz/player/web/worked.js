// How a number was made, written out: the dot product term by term, the exponent and the sum. Elements, but no spots.

const INFIX = { sum: " + ", difference: " − ", product: " × ", quotient: " ÷ " };
const AROUND = {
  exp: ["exp(", ")"],
  ln: ["ln(", ")"],
  root: ["√(", ")"],
  size: ["|", "|"],
  float32: ["float32(", ")"],
  same: ["", ""],
};
const ROUNDING = 1e-6; // of the largest term: what float32 may lose in a short sum
const FULL = 4; // numbers from which on each is worked out too

/** A recorded number within a sum: its symbol and place small, its value; a press goes into it. */
function leaf(data, id, go) {
  const entry = entryOf(data, id);
  const name = `${entry.stage.symbol} ${placeOf(entry)}`.trim();
  return make(
    "button",
    { type: "button", class: "leaf", title: addressOfEntry(entry), "data-entry": id, onclick: () => go(id) },
    make("small", {}, name),
    make("span", {}, pretty(entry.text)),
  );
}

/** The last coordinates of an address, as `[2, 0]`. */
function placeOf({ stage, coords }) {
  const shown = coords.filter((_, at) => !["batch", "head", "kv_head"].includes(stage.axes[at]));
  return shown.length ? `[${shown.join(", ")}]` : "";
}

/** An expression on one line. */
function inline(data, tree, go) {
  if (typeof tree === "number") return [leaf(data, tree, go)];
  const [operation, ...parts] = tree;
  if (operation === "known") return [make("span", { class: "known" }, pretty(parts[0]), make("small", {}, parts[1]))];
  if (operation === "told") return [make("em", {}, parts[0])];
  if (AROUND[operation]) return [AROUND[operation][0], ...inline(data, parts[0], go), AROUND[operation][1]];
  const sign = INFIX[operation] ?? ", ";
  const terms = parts.flatMap((part, at) => [...(at ? [sign] : []), ...grouped(data, operation, part, go)]);
  return operation === "largest" ? ["the largest of ", ...terms] : terms;
}

/** In brackets where the signs would read otherwise. */
function grouped(data, operation, part, go) {
  const weak = ["sum", "difference"].includes(part[0]) && operation !== "sum";
  return weak || (part[0] === "quotient" && operation === "quotient")
    ? ["(", ...inline(data, part, go), ")"]
    : inline(data, part, go);
}

/** A sum or a maximum with each of its parts on a line, and what each gives. */
function listed(data, [operation, ...parts], go) {
  const values = parts.map((part) => evaluate(data, part));
  const best = operation === "largest" ? values.indexOf(Math.max(...values)) : -1;
  return make(
    "table",
    { class: operation },
    make(
      "tbody",
      {},
      ...parts.map((part, at) =>
        make(
          "tr",
          { class: at === best ? "best" : null },
          make("td", { class: "sign" }, at && operation === "sum" ? "+" : ""),
          make("td", {}, ...inline(data, part, go)),
          typeof part === "number" || Number.isNaN(values[at])
            ? null
            : make("td", { class: "part" }, `= ${rounded(values[at])}`),
        ),
      ),
    ),
  );
}

/** The line that a number ends with: equal, as far as its type can hold it beside the largest of its terms; or near. */
function result(data, entry) {
  const gives = evaluate(data, entry.tree);
  const terms = Array.isArray(entry.tree)
    ? entry.tree.slice(1).filter((part) => typeof part !== "string")
    : [entry.tree];
  const largest = Math.max(
    Math.abs(entry.value),
    ...terms.map((part) => Math.abs(evaluate(data, part))).filter(Number.isFinite),
  );
  if (Number.isNaN(gives) && !Number.isNaN(entry.value)) return make("p", { class: "result" }, pretty(entry.text));
  const isSame =
    Object.is(gives, entry.value) || gives === entry.value || Math.abs(gives - entry.value) <= ROUNDING * largest;
  const rounding = isSame
    ? null
    : make("small", {}, ` that is ${rounded(gives)}, rounded in ${entry.record.dtype} on the way`);
  return make("p", { class: "result" }, `${isSame ? "=" : "≈"} ${pretty(entry.text)}`, rounding);
}

/** How one number was made; a number that was given says so. */
function worked(data, entry, go) {
  if (entry.tree === null) return [make("p", { class: "given" }, "Given: it is an input of the computation.")];
  const isList = Array.isArray(entry.tree) && ["sum", "largest"].includes(entry.tree[0]) && entry.tree.length > 2;
  const how = isList ? listed(data, entry.tree, go) : make("p", { class: "line" }, ...inline(data, entry.tree, go));
  return [how, result(data, entry)];
}

/** The numbers that a short expression is made of, each worked out in turn: an exponent, and the sum below it. */
function workedInputs(data, entry, go) {
  const inputs = inputsOf(entry.tree)
    .map((id) => entryOf(data, id))
    .filter((input) => input.tree !== null);
  if (inputs.length > FULL || ["sum", "largest"].includes(entry.tree?.[0])) return [];
  return inputs.map((input) =>
    make(
      "section",
      {},
      make("h3", {}, `${input.stage.symbol} ${placeOf(input)}`, make("small", {}, ` ${input.stage.title}`)),
      ...worked(data, input, go),
    ),
  );
}
