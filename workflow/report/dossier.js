// What the explorer shows of one document: elements made of text nodes, never of markup.
const words = (name) => name.replaceAll("_", " ");

function make(tag, name, ...content) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...content.filter((one) => one !== null));
  return element;
}

// Text with the words that are searched marked.
function marked(text) {
  const asked = search.value.split(/\s+/).filter(Boolean).map((word) => word.replace(/[\\^$.*+?()[\]{}|\/]/g, "\\$&"));
  if (!asked.length) return [text];
  const parts = text.split(new RegExp(`(${asked.join("|")})`, "giu"));
  return parts.map((part, at) => (at % 2 ? make("mark", "", part) : part));
}

function card(title, ...content) {
  return make("section", "card", make("h3", "soft", title), ...content);
}

function back() {
  const button = make("button", "", "← All questions");
  button.id = "back";
  button.addEventListener("click", () => (location.hash = ""));
  return button;
}

function head(about) {
  let place = about.site ?? "";
  if (/^https?:\/\//i.test(about.url ?? "")) {
    place = make("a", "text", about.site ?? about.url);
    Object.assign(place, { href: about.url, target: "_blank", rel: "noopener noreferrer" });
  }
  const known = [about.topic, about.published, place, make("span", "id", about.id)].filter(Boolean);
  const line = make("p", "soft text", ...known.flatMap((one, at) => (at ? [" · ", one] : [one])));
  return make("div", "", make("h2", "text", about.title ?? "Without a headline"), line);
}

function asked(own, question) {
  const shown = card("Question", make("p", "asked text", ...marked(own.text)));
  shown.append(badges(question, ["intended", "label", "status", "hardness", "split"]));
  for (const { judge, votes } of own.votes) {
    shown.append(make("div", "votes", make("span", "text", judge), dots(votes), make("span", "soft", sums(votes))));
  }
  if (own.nearness !== null) {
    shown.append(make("p", "soft", `Similarity to the nearest claim of the document: ${own.nearness.toFixed(2)} (${own.stratum}).`));
  }
  return shown;
}

function origin(own, about) {
  const claim = about.claims.find((one) => one.slot === own.slot);
  if (!claim) return card("Where it comes from", make("p", "", "Written from the document itself, to be answered by it."));
  const way = make("ol", "way");
  const step = (name, text) => way.append(make("li", "", make("div", "soft", name), make("div", "text", ...marked(text))));
  step("Claim of the document", claim.text);
  for (const one of claim.rounds.filter((one) => one.round <= own.round)) {
    step(`Guessed in its place in round ${one.round}${one.novel ? ": the document does not support it" : ""}`, one.text);
  }
  step("Question", own.text);
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
  const told = new Map();
  for (const vote of votes) {
    const name = sided(vote) ? words(vote) : `abstained (${words(vote)})`;
    told.set(name, (told.get(name) ?? 0) + 1);
  }
  return [...told].map(([name, count]) => `${count} ${name}`).join(", ");
}

function answers(own) {
  if (!own.responses.length) return [];
  const side = own.responses.map((one) => {
    const label = one.label === null ? null : make("p", "badges", make("span", "", words(one.label)));
    return make("article", "", make("h3", "text", `${one.responder}, ${words(one.prompt)}`), label, make("p", "whole text", one.text));
  });
  return [card("Responses", make("div", "answers", ...side))];
}

function others(about, own) {
  const shown = make("ul", "questions");
  for (const one of about.questions) {
    const button = make("button", "text", one.text);
    button.addEventListener("click", () => (location.hash = one.id));
    if (one === own) button.setAttribute("aria-current", "true");
    const known = [make("span", one.intended, words(one.intended)), make("span", one.status, words(one.status))];
    shown.append(make("li", "", button, make("div", "badges", ...known, ...one.votes.map(({ votes }) => dots(votes)))));
  }
  return card("All questions about this document", shown);
}

function claims(about, own) {
  const last = Math.max(0, ...about.claims.flatMap((claim) => claim.rounds.map((one) => one.round)));
  const table = grid(["", "Claim", ...Array.from({ length: last }, (_, at) => `Round ${at + 1}`)]);
  for (const claim of about.claims) {
    const cells = [make("td", "soft", `${claim.slot}`), make("td", "text", ...marked(claim.text))];
    for (let turn = 1; turn <= last; turn++) {
      const guess = claim.rounds.find((one) => one.round === turn);
      const cell = make("td", "text", guess ? make("div", guess.novel ? "novel" : "", ...marked(guess.text)) : "–");
      if (guess?.novel) cell.title = "not supported by the document: questions are asked about it";
      cells.push(cell);
    }
    table.append(make("tr", claim.slot === own.slot ? "current" : "", ...cells));
  }
  const note = "Guesses that the document does not support have a line before them; out-of-scope questions ask about those.";
  return card("Claims, and what was guessed in their place", framed(table, "Claims and rounds"), make("p", "soft", note));
}

function grid(headings) {
  const cells = headings.map((heading) => make("th", "", heading));
  cells.forEach((cell) => cell.setAttribute("scope", "col"));
  return make("table", "", make("tr", "", ...cells));
}

function framed(table, name) {
  const frame = make("div", "wide", table);
  Object.entries({ tabindex: "0", role: "region", "aria-label": name }).forEach((pair) => frame.setAttribute(...pair));
  return frame;
}
