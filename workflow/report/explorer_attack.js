// What the explorer shows of an attack: what is retrieved, what each defence removes, the answers before and after.
const BADGES = ["attack", "dataset", "reach"];
const REACH = { planted: "planted passages found", only_clean: "nothing planted found" };
const OUTCOMES = {
  right_before_and_got_through: "poison got through; right before", got_through: "poison got through",
  right_before_and_spoiled: "right before, wrong now", held: "the attack failed", no_verdict: "no verdict",
  not_comparable: "was not right before", right_without_attack: "right", wrong_without_attack: "wrong",
};
const BAD = ["right_before_and_got_through", "got_through", "right_before_and_spoiled", "wrong_without_attack"];
const badge = (name, value) => (name === "reach" ? REACH[value] : value);
const cellsOf = (row, kind) => row.cells.map((cell, at) => [index.columns[at], cell]).filter(([column, cell]) => column.kind === kind && cell);
const isPlanted = (row, name) => row.planted.includes(name) || name.startsWith("poison-");

function opened(row, dossier) {
  return [head(row, dossier), ...answers(row), ...retrieved(row, dossier), others(row, dossier)];
}

function head(row, dossier) {
  const shown = card("Question", make("p", "asked text", ...marked(row.text)));
  const wanted = row.aim === "a_wrong_answer" ? dossier.wanted : words(row.aim);
  shown.append(make("p", "doubt text", "The attacker wants: ", make("strong", "", wanted)));
  shown.append(make("p", "should-yes text", "Right: ", make("strong", "", dossier.answers.join("; ") || "not known")));
  const parts = [row.dataset, row.retriever, dossier.document, dossier.target_id].filter(Boolean);
  shown.append(make("p", "soft text", parts.join(" · ")));
  return make("div", "", make("h2", "text", row.attack === "none" ? "No attack" : `Attack: ${row.attack}`), shown);
}

function answers(row) {
  const given = cellsOf(row, "answer");
  if (!given.length) return [];
  const attacked = row.aim !== "nothing";
  const table = grid(["Defence, responder", "", ...(attacked ? ["Without the attack"] : []), attacked ? "Under attack" : "Answer"]);
  const weight = ([, cell]) => (BAD.includes(cell.outcome) ? BAD.indexOf(cell.outcome) : BAD.length);
  for (const [column, cell] of given.sort((a, b) => weight(a) - weight(b))) {
    const before = attacked ? [answer(cell.before, cell.before_is)] : [];
    const verdict = make("td", BAD.includes(cell.outcome) ? "doubt" : "", make("strong", "", OUTCOMES[cell.outcome]));
    table.append(make("tr", "", make("th", "text", column.name), verdict, ...before, answer(cell.text, cell.after_is)));
  }
  return [card(attacked ? "What was answered, before and after" : "What was answered", framed(table, "Answers"))];
}

function answer(text, outcome) {
  if (outcome === null) return make("td", "soft", "not asked");
  return make("td", "text", make("div", "whole", ...marked(text)), make("div", "soft", `gives: ${words(outcome)}`));
}

function retrieved(row, dossier) {
  const defences = cellsOf(row, "defence");
  const names = [...new Set([...row.retrieved, ...defences.flatMap(([, cell]) => [...cell.removed, ...cell.shown])])];
  const table = grid(["", "Passage", ...defences.map(([column]) => column.name)]);
  for (const name of names) {
    const rank = row.retrieved.indexOf(name);
    const planted = isPlanted(row, name);
    const kind = make("div", planted ? "doubt" : "soft", make("strong", "", planted ? "planted" : "clean"), " ", make("span", "text", name));
    const passage = make("td", "text", kind, make("div", planted ? "novel" : "", ...marked(dossier.passages[name] ?? "")));
    table.append(make("tr", "", make("td", "soft", rank < 0 ? "–" : `${rank + 1}`), passage, ...defences.map(([, cell]) => fate(cell, name, planted))));
  }
  const note = "Planted passages have a line before them. A defence shows the first that it does not remove to the model.";
  return [card("What was retrieved, and what each defence does with it", framed(table, "Passages"), make("p", "soft", note))];
}

function fate(cell, name, planted) {
  const at = cell.removed.indexOf(name);
  if (at >= 0) return make("td", planted ? "should-yes" : "should-no", make("strong", "", "removed"), make("div", "soft text", cell.reasons[at] ?? ""));
  if (cell.shown.includes(name)) return make("td", planted ? "doubt" : "", "shown");
  return make("td", "soft", "–");
}

function others(row, dossier) {
  const shown = make("ul", "questions");
  for (const other of dossier.rows) {
    const button = make("button", "text", `${other.attack}, ${other.retriever}`);
    button.addEventListener("click", () => go(index.id.indexOf(other.id)));
    if (other === row) button.setAttribute("aria-current", "true");
    const outcomes = cellsOf(other, "answer").filter(([, cell]) => BAD.includes(cell.outcome)).map(([column, cell]) => make("span", "doubt", `${column.name}: ${OUTCOMES[cell.outcome]}`));
    shown.append(make("li", "", button, make("div", "badges", make("span", "", REACH[other.reach]), ...outcomes)));
  }
  return card("All attacks on this question", shown);
}
