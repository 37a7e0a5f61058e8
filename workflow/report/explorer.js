// List, filter and open all questions. The data is unpacked by the browser itself; what one document looks like is in dossier.js.
const $ = (id) => document.getElementById(id);
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

async function unpacked(id) {
  const packed = atob($(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at++) bytes[at] = packed.charCodeAt(at);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

const list = $("list"), rows = $("rows"), dossier = $("dossier"), search = $("search"), deep = $("deep"), order = $("order");
let index, facets, total, haystack, deepHaystack = null;
let found = []; // numbers of the questions that the filters leave, in the order shown
let chosen = -1; // number of the question that is open
let ROW = 88; // pixels, measured once
const pieces = new Map(); // number of a piece -> promise of its documents

const facetOf = (name) => facets.find((facet) => facet.name === name);
const valueOf = (facet, question) => facet.values[facet.codes[question]];

function documentOf(question) {
  const number = index.document[question], piece = Math.floor(number / index.together);
  if (!pieces.has(piece)) pieces.set(piece, unpacked(`piece-${piece}`));
  return pieces.get(piece).then((documents) => documents[number % index.together]);
}

// --- finding

async function searchable() {
  const texts = [];
  const count = Math.ceil(index.titles.length / index.together);
  for (let piece = 0; piece < count; piece++) {
    for (const document of await unpacked(`piece-${piece}`)) {
      const guesses = document.claims.flatMap((claim) => [claim.text, ...claim.rounds.map((round) => round.text)]);
      texts.push(plain([document.text, ...guesses].join("\n")));
    }
  }
  return texts;
}

function filter() {
  const asked = plain(search.value).split(/\s+/).filter(Boolean);
  const wanted = facets.map((facet) => facet.select.selectedIndex - 1);
  const counts = facets.map((facet) => new Uint32Array(facet.values.length));
  const texts = deep.checked ? deepHaystack : null;
  found = [];
  for (let question = 0; question < total; question++) {
    const has = (word) => haystack[question].includes(word) || texts?.[index.document[question]].includes(word);
    if (!asked.every(has)) continue;
    let misses = 0, missed = -1;
    for (let at = 0; at < facets.length && misses < 2; at++) {
      if (wanted[at] >= 0 && facets[at].codes[question] !== wanted[at]) misses++, (missed = at);
    }
    if (misses === 0) {
      found.push(question);
      facets.forEach((facet, at) => counts[at][facet.codes[question]]++);
    } else if (misses === 1) counts[missed][facets[missed].codes[question]]++; // what another choice there would give
  }
  const key = order.value === "nearness" ? index.nearness.map((value) => -(value ?? -2)) : index.margin.map(Math.abs);
  if (order.value !== "document") found.sort((a, b) => key[a] - key[b] || a - b);
  facets.forEach((facet, at) => {
    facet.values.forEach((value, code) => {
      const option = facet.select.options[code + 1];
      option.label = `${words(value)} (${counts[at][code].toLocaleString("en")})`;
    });
  });
  const active = wanted.filter((code) => code >= 0).length;
  $("chosen").textContent = active ? ` (${active} chosen)` : "";
  $("reset").hidden = !active && !asked.length && order.value === "document";
  $("count").textContent = `${found.length.toLocaleString("en")} of ${total.toLocaleString("en")} questions`;
  $("space").style.height = `${found.length * ROW}px`;
  list.scrollTop = 0;
  draw();
}

// --- the list: only the rows in sight are there

function draw() {
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
  const last = Math.min(found.length, first + Math.ceil(list.clientHeight / ROW) + 9);
  rows.style.transform = `translateY(${first * ROW}px)`;
  const shown = [];
  for (let at = first; at < last; at++) shown.push(row(found[at], at));
  rows.replaceChildren(...(found.length ? shown : [make("p", "empty", "No question is like that.")]));
  const active = $(`question-${chosen}`);
  if (active) list.setAttribute("aria-activedescendant", active.id);
  else list.removeAttribute("aria-activedescendant");
}

function row(question, at) {
  const element = make("div", "row", make("div", "text", ...marked(index.text[question])), badges(question, ["topic", "intended", "status", "hardness"]));
  element.id = `question-${question}`;
  element.title = index.text[question];
  element.setAttribute("role", "option");
  element.setAttribute("aria-selected", question === chosen);
  element.setAttribute("aria-posinset", at + 1);
  element.setAttribute("aria-setsize", found.length);
  return element;
}

function badges(question, names) {
  const shown = make("div", "badges");
  for (const name of names) {
    const value = valueOf(facetOf(name), question);
    if (name === "hardness" && value !== "hard") continue;
    const kind = name === "topic" || name === "split" ? "" : value;
    shown.append(make("span", kind, name === "label" ? `judged ${words(value)}` : words(value)));
  }
  return shown;
}

function reveal(at) {
  if (at * ROW < list.scrollTop) list.scrollTop = at * ROW;
  else if ((at + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (at + 1) * ROW - list.clientHeight;
}

// --- one document with all that was made of it

async function open(question) {
  chosen = question;
  draw();
  const about = await documentOf(question);
  if (chosen !== question) return; // another one was opened meanwhile
  const own = about.questions.find((one) => one.id === index.id[question]);
  const same = dossier.dataset.document === about.id ? dossier.scrollTop : 0;
  const text = card("Document", make("div", "whole text", ...marked(about.text)));
  const right = make("div", "column", origin(own, about), others(about, own));
  const columns = make("div", "columns", make("div", "column", text), right);
  dossier.replaceChildren(back(), head(about), asked(own, question), ...answers(own), columns, claims(about, own));
  dossier.dataset.document = about.id;
  dossier.scrollTop = same;
}

// --- what people do

function follow() {
  const question = index.id.indexOf(location.hash.slice(1));
  document.body.classList.toggle("open", question >= 0);
  if (question >= 0) open(question);
  if (found.includes(chosen)) reveal(found.indexOf(chosen));
}

function go(at) {
  if (!found.length) return;
  at = Math.min(found.length - 1, Math.max(0, at));
  reveal(at);
  open(found[at]);
}

list.addEventListener("scroll", () => requestAnimationFrame(draw));
window.addEventListener("resize", () => draw());
window.addEventListener("hashchange", follow);
list.addEventListener("click", (event) => {
  const at = event.target.closest(".row")?.getAttribute("aria-posinset");
  if (at) location.hash = index.id[found[at - 1]];
});
list.addEventListener("keydown", (event) => {
  const at = found.indexOf(chosen), page = Math.floor(list.clientHeight / ROW);
  const steps = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: found.length - 1 };
  if (event.key in steps) go(steps[event.key]);
  else if (event.key === "Enter" && at >= 0) (location.hash = index.id[chosen]), follow(), dossier.focus();
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.matches("input, select")) search.focus(), event.preventDefault();
  if (event.key === "Escape" && dossier.contains(event.target)) (location.hash = ""), list.focus();
});
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("filters").addEventListener("reset", () => setTimeout(filter));
$("filters").addEventListener("input", async (event) => {
  if (deep.checked && !deepHaystack) {
    $("count").textContent = "Unpacking…";
    deepHaystack = await searchable();
  }
  filter();
  if (chosen >= 0 && event.target === search) open(chosen); // what is searched is marked there too
});

async function start() {
  index = await unpacked("index");
  facets = index.facets.filter((facet) => ($(`facet-${facet.name}`).parentElement.hidden = facet.values.length < 2) || true);
  total = index.text.length;
  haystack = index.text.map((text, question) => plain(`${text}\n${index.titles[index.document[question]]}`));
  for (const facet of facets) {
    facet.select = $(`facet-${facet.name}`);
    facet.select.append(make("option", "", "any"), ...facet.values.map((value) => make("option", "", words(value))));
  }
  if (matchMedia("(min-width: 56rem) and (min-height: 45rem)").matches) $("more").open = true;
  filter();
  ROW = rows.firstElementChild?.offsetHeight || ROW;
  filter();
  follow();
  if (chosen < 0 && total && matchMedia("(min-width: 56rem)").matches) open(found[0]);
  performance.mark("ready");
}

start().catch((error) => ($("count").textContent = `This browser cannot unpack the data: ${error.message}`));
