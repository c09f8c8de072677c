// The numbers of the film that is shown: values, addresses, what each was made of. No elements, no stepping.

/** The inspector's data of a scene that a step shows. */
const dataOf = (number) => (steps[number].place ? page.inspected[steps[number].place[0]] : null);

/** What can be pointed at: all of a beat's last picture; on the way there, only what stood so in the one before. */
function spotsOf(number) {
  const all = dataOf(number)?.spots ?? {};
  const [now, before] = [0, 1].map((back) => all[(steps[number].place ?? [0, 0])[1] - back] ?? []);
  if (state.phase === "rest") return now;
  const stood = new Set(before.map(String));
  return now.filter((spot) => stood.has(String(spot)));
}

/** One recorded number, ready to be told. */
function entryOf(data, id) {
  const [stageId, coords, text, tree] = data.entries[id];
  const stage = data.stages[stageId];
  return { id, stage, coords, text, tree, record: data.records[stage.record], value: valueOf(text, stage.dtype) };
}

/** The number that a record holds: its text is the shortest that names it in its own type. */
function valueOf(text, dtype) {
  const value = Number(text);
  return dtype === "float32" && Number.isFinite(value) ? Math.fround(value) : value;
}

const addressOfEntry = ({ stage, coords }) =>
  `${stage.name}[${stage.axes.map((axis, at) => `${axis}=${coords[at]}`).join(", ")}]`;

/** The same without batch and head: what is drawn is one of each. */
function shortAddress({ stage, coords }) {
  const shown = stage.axes
    .map((axis, at) => [axis, coords[at]])
    .filter(([axis]) => axis !== "batch" && axis !== "head" && axis !== "kv_head");
  return shown.length ? `${stage.name}[${shown.map(([axis, at]) => `${axis}=${at}`).join(", ")}]` : stage.name;
}

/** A number as it is read aloud: a true minus, the signs of infinity. */
const pretty = (text) => String(text).replace(/^-/, "−").replace("e-", "e−").replace("Infinity", "∞");

/** A result of ours, with as many digits as float32 holds, and no more. */
function rounded(value) {
  if (!Number.isFinite(value)) return pretty(value);
  const text = Number(value.toPrecision(8));
  return pretty(Math.abs(text) >= 1e-4 && Math.abs(text) < 1e9 ? text : text === 0 ? "0" : text.toExponential());
}

const OPERATIONS = {
  same: ([value]) => value,
  sum: (values) => values.reduce((total, value) => total + value, 0),
  difference: ([one, other]) => one - other,
  product: (values) => values.reduce((total, value) => total * value, 1),
  quotient: ([one, other]) => one / other,
  exp: ([value]) => Math.exp(value),
  ln: ([value]) => Math.log(value),
  root: ([value]) => Math.sqrt(value),
  size: ([value]) => Math.abs(value),
  largest: (values) => Math.max(...values),
  float32: ([value]) => Math.fround(value),
};

/** What an expression gives in float64; NaN where a part of it is only told. */
function evaluate(data, tree) {
  if (typeof tree === "number") return entryOf(data, tree).value;
  const [operation, ...parts] = tree;
  if (operation === "known") return Number(parts[0]);
  if (operation === "told") return NaN;
  return OPERATIONS[operation](parts.map((part) => evaluate(data, part)));
}

/** The ids of the recorded numbers in an expression, each once. */
function inputsOf(tree) {
  if (typeof tree === "number") return [tree];
  return [...new Set((tree ?? []).slice(1).flatMap((part) => (typeof part === "string" ? [] : inputsOf(part))))];
}

/** Where a number stands in words: the tokens of its positions, its tile. */
function whereabouts({ stage, coords, record }) {
  const told = stage.axes
    .map((axis, at) => {
      const token = record.tokens[axis]?.[coords[at]];
      return token === undefined ? null : [axis.replace("_pos", ""), token];
    })
    .filter(Boolean);
  const at = (axis) => coords[stage.axes.indexOf(axis)];
  const hasTile = stage.axes.includes("query_tile");
  if (hasTile)
    told.push([
      "tile",
      `queries ${span(record, "query", at("query_tile"))}` +
        (stage.axes.includes("key_tile") ? `, keys ${span(record, "key", at("key_tile"))}` : ""),
    ]);
  if (hasTile && stage.axes.includes("key_tile")) told.push(["step", `${at("key_tile") + 1} of this row of tiles`]);
  const place = (side, axis) => record.tokens[`${side}_pos`]?.[at(`${side}_tile`) * record.tiles[side] + at(axis)];
  if (hasTile && stage.axes.includes("row") && place("query", "row") !== undefined)
    told.push(["query", place("query", "row")]);
  if (hasTile && stage.axes.includes("column") && place("key", "column") !== undefined)
    told.push(["key", place("key", "column")]);
  return told;
}

/** The positions that a tile covers, the ragged last one too. */
function span(record, side, tile) {
  const size = record.tiles[side];
  const count = record.tokens[`${side}_pos`]?.length || Infinity;
  return `${tile * size} to ${Math.min((tile + 1) * size, count) - 1}`;
}
