// A question holds the film: here is the field for what the audience says, and the reminder of it beside the answer.

/** The question before a step, if what it shows is the answer to one. */
function questionBefore(number) {
  if (steps[number]?.kind !== "answer") return -1;
  for (let at = number - 1; at > 0 && steps[at].scene === steps[number].scene; at -= 1)
    if (steps[at].kind === "question") return at;
  return -1;
}

function drawQuiz() {
  const asks = step().kind === "question" && state.phase === "rest";
  byId("quiz").hidden = !asks;
  const field = byId("answer");
  if (!asks) field.blur();
  if (document.activeElement !== field) field.value = state.answers[state.step] ?? "";
  const said = state.answers[questionBefore(state.step)];
  byId("answered").hidden = !said;
  byId("answered").textContent = said ? `You said: ${said}` : "";
}

function listenToQuiz(act) {
  const field = byId("answer");
  byId("quiz").addEventListener("submit", (event) => {
    event.preventDefault();
    act("answer", [state.step, field.value.trim()]);
    field.blur();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") field.blur();
    if (event.key !== "PageDown" && event.key !== "PageUp") return;
    if (event.key === "PageDown") act("answer", [state.step, field.value.trim()]);
    act(KEYS[event.key]);
    event.preventDefault();
  });
}
