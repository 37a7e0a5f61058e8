// What the explorer shows of a question: its document, whether it should be answered, what was answered, what detectors and the gate say.
const BADGES = ["should", "topic", "status"];
const SHOULD = { yes: "should be answered", no: "should not be answered", unclear: "unclear if it should be" };
const OUTCOMES = {
  answered_out_of_scope: "wrong: answered although out of scope", refused_in_scope: "wrong: refused although in scope",
  declined_out_of_scope: "right: declined or corrected", answered_in_scope: "answered", no_verdict: "no verdict",
  missed: "wrong: misses it", false_alarm: "wrong: false alarm", right: "right", not_comparable: "nobody knows",
  out_of_knowledge: "out of knowledge", in_knowledge: "in knowledge", undecided: "not decided",
};
const badge = (name, value) => (name === "should" ? SHOULD[value] : words(value));
const isWrong = (outcome) => OUTCOMES[outcome].startsWith("wrong");

function opened(row, dossier) {
  const text = card("Document", make("div", "whole text", ...marked(dossier.text)));
  const right = make("div", "column", origin(row, dossier), others(row, dossier));
  const columns = make("div", "columns", make("div", "column", text), right);
  return [head(dossier), asked(row), ...answers(row), ...predictions(row), columns, ...claims(row, dossier)];
}

function head(dossier) {
  let place = dossier.site ?? "";
  if (/^https?:\/\//i.test(dossier.url ?? "")) {
    place = make("a", "text", dossier.site ?? dossier.url);
    Object.assign(place, { href: dossier.url, target: "_blank", rel: "noopener noreferrer" });
  }
  const file = dossier.file === dossier.url ? null : dossier.file;
  const parts = [dossier.topic, dossier.published, place, file, make("span", "id", dossier.id)].filter(Boolean);
  const line = make("p", "soft text", ...parts.flatMap((part, at) => (at ? [" · ", part] : [part])));
  return make("div", "", make("h2", "text", dossier.title), line);
}

function asked(row) {
  const shown = card("Question", make("p", "asked text", ...marked(row.text)));
  const why = [`written as ${words(row.intended)}`, `judged ${words(row.label)}`, row.people === "(none)" ? null : `people say ${words(row.people)}`];
  shown.append(make("p", `should-${row.should}`, make("strong", "", SHOULD[row.should])));
  shown.append(make("p", "badges", ...[...why, words(row.status), words(row.hardness)].map((text) => text && make("span", "text", text))));
  for (const { judge, votes } of row.votes) {
    shown.append(make("div", "votes", make("span", "text", judge), dots(votes), make("span", "soft", sums(votes))));
  }
  if (row.nearness !== null) {
    shown.append(make("p", "soft", `Similarity to the nearest claim of the document: ${row.nearness.toFixed(2)} (${row.stratum}).`));
  }
  return shown;
}

function origin(row, dossier) {
  const claim = dossier.claims.find((entry) => entry.slot === row.slot);
  if (!claim) return card("Where it comes from", make("p", "", dossier.claims.length ? "Written from the document itself, to be answered by it." : "It came with its question set."));
  const way = make("ol", "way");
  const step = (name, text) => way.append(make("li", "", make("div", "soft", name), make("div", "text", ...marked(text))));
  step("Claim of the document", claim.text);
  for (const guess of claim.rounds.filter((entry) => entry.round <= row.round)) {
    step(`Guessed in its place in round ${guess.round}${guess.novel ? ": the document does not support it" : ""}`, guess.text);
  }
  step("Question", row.text);
  return card("Where it comes from", way);
}

const sided = (vote) => ["out_of_scope", "in_scope"].includes(vote);

function dots(votes) {
  const shown = make("span", "dots", ...votes.map((vote) => make("span", `dot ${sided(vote) ? vote : "other"}`)));
  shown.setAttribute("role", "img");
  shown.setAttribute("aria-label", sums(votes));
  shown.title = sums(votes);
  return shown;
}

function sums(votes) {
  const counts = new Map();
  for (const vote of votes) {
    const name = sided(vote) ? words(vote) : `abstained (${words(vote)})`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
}

const cellsOf = (row, kind) => row.cells.map((cell, at) => [index.columns[at], cell]).filter(([column, cell]) => column.kind === kind && cell);

function answers(row) {
  const given = cellsOf(row, "responder");
  if (!given.length) return [];
  const side = given.map(([column, cell]) => {
    const outcome = make("p", isWrong(cell.outcome) ? "doubt" : "", make("strong", "", OUTCOMES[cell.outcome]));
    return make("article", "", make("h3", "text", column.name), outcome, make("p", "soft text", cell.why), make("p", "whole text", ...marked(cell.text)));
  });
  return [card("What was answered", make("div", "answers", ...side))];
}

function predictions(row) {
  const given = cellsOf(row, "detector");
  const shown = gate(row);
  if (given.length) {
    const table = grid(["Detector", "Predicts", "Probability that it is out of scope", ""]);
    for (const [column, cell] of given) {
      const number = cell.probability === null ? "–" : cell.probability.toFixed(2);
      const note = OUTCOMES[cell.outcome] + (cell.part === "trained_on" ? " (trained on its document)" : "");
      const says = words(cell.predicts ?? "nothing: too long");
      table.append(make("tr", "", make("td", "text", column.name), make("td", "", says), make("td", "", number), make("td", isWrong(cell.outcome) ? "doubt" : "soft", note)));
    }
    shown.unshift(card("What detectors predict", framed(table, "Detectors")));
  }
  return shown;
}

function gate(row) {
  return cellsOf(row, "gate").map(([column, cell]) => {
    const decision = make("p", "", make("strong", "", OUTCOMES[cell.outcome]), cell.p_value === null ? "" : `, p = ${cell.p_value}`);
    const nearest = cell.passage === null ? "No document shares a word with it." : cell.is_own ? "The nearest document is its own." : cell.title ? `The nearest document is not its own: ${cell.title}` : `The nearest passage: ${cell.passage}`;
    const meaning = cell.p_value === null
      ? "There are too few in-scope questions to calibrate the gate."
      : "p: the share of in-knowledge questions that are at least as far from every document. A low one says that the documents do not know the subject, a high one not that they have the answer.";
    return card(`What the ${column.name} says`, decision, make("p", "text", nearest), make("p", "soft", meaning));
  });
}

function others(row, dossier) {
  const shown = make("ul", "questions");
  for (const question of dossier.rows) {
    const button = make("button", "text", question.text);
    button.addEventListener("click", () => go(index.id.indexOf(question.id)));
    if (question === row) button.setAttribute("aria-current", "true");
    const state = make("span", `should-${question.should}`, SHOULD[question.should]);
    shown.append(make("li", "", button, make("div", "badges", state, ...question.votes.map(({ votes }) => dots(votes)))));
  }
  return card("All questions about this document", shown);
}

function claims(row, dossier) {
  if (!dossier.claims.length) return [];
  const last = Math.max(0, ...dossier.claims.flatMap((claim) => claim.rounds.map((guess) => guess.round)));
  const table = grid(["", "Claim", ...Array.from({ length: last }, (_, at) => `Round ${at + 1}`)]);
  for (const claim of dossier.claims) {
    const cells = [make("td", "soft", `${claim.slot}`), make("td", "text", ...marked(claim.text))];
    for (let turn = 1; turn <= last; turn++) {
      const guess = claim.rounds.find((entry) => entry.round === turn);
      const cell = make("td", "text", guess ? make("div", guess.novel ? "novel" : "", ...marked(guess.text)) : "–");
      if (guess?.novel) cell.title = "not supported by the document: questions are asked about it";
      cells.push(cell);
    }
    table.append(make("tr", claim.slot === row.slot ? "current" : "", ...cells));
  }
  const note = "Guesses that the document does not support have a line before them; out-of-scope questions ask about those.";
  return [card("Claims, and what was guessed in their place", framed(table, "Claims and rounds"), make("p", "soft", note))];
}
