// List, filter, open and download rows. The browser itself unpacks the data; what an open row looks like is in a file of its own,
// whose function `opened(row, dossier)` gives the elements. All elements are made of text nodes, never of markup.
const $ = (id) => document.getElementById(id);
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const words = (name) => name.replaceAll("_", " ");

function make(tag, name, ...content) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...content.filter((part) => part !== null));
  return element;
}

async function unpacked(id) {
  const packed = atob($(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at++) bytes[at] = packed.charCodeAt(at);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

const list = $("list"), rows = $("rows"), main = $("dossier"), search = $("search"), deep = $("deep"), order = $("order");
let index, facets, keys, outcomeBits, total, haystack, deepHaystack = null;
let matching = []; // numbers of the rows that the filters leave, in the order shown
let current = -1; // number of the row that is open
let applied = null; // the filters of the list, as in the address
let ROW = 88; // pixels, measured once
const pieces = new Map(); // number of a piece -> promise of its dossiers

function piece(number) {
  if (!pieces.has(number)) pieces.set(number, unpacked(`piece-${number}`));
  return pieces.get(number);
}

async function dossierOf(row) {
  const number = index.dossier[row];
  return (await piece(Math.floor(number / index.together)))[number % index.together];
}

// --- filtering

function* texts(value) {
  if (typeof value === "string") yield value;
  else if (value && typeof value === "object") for (const part of Object.values(value)) yield* texts(part);
}

async function searchable() {
  const found = [];
  for (let number = 0; number < Math.ceil(index.titles.length / index.together); number++) {
    for (const dossier of await unpacked(`piece-${number}`)) found.push(plain([...texts(dossier)].join("\n")));
  }
  return found;
}

const wantedBits = () => index.findings[$("filter-finding").selectedIndex - 1]?.bits ?? 0;

// The columns that the choices of keys leave, each key but `without`: a column without a key is not chosen by it.
function activeColumns(without) {
  return index.columns.flatMap((column, at) => {
    const fits = ({ name, select, values }) =>
      name === without || select.selectedIndex < 1 || column[name] === undefined || column[name] === values[select.selectedIndex - 1];
    return keys.every(fits) ? [at] : [];
  });
}

function filter() {
  const asked = plain(search.value).split(/\s+/).filter(Boolean);
  const wanted = facets.map((facet) => facet.select.selectedIndex - 1);
  const counts = facets.map((facet) => new Uint32Array(facet.values.length));
  const deepTexts = deep.checked ? deepHaystack : null;
  const finding = wantedBits(), columns = activeColumns(), any = finding || ~0;
  const chosenKeys = keys.filter(({ select }) => select.selectedIndex > 0);
  const needed = finding ? [columns] : chosenKeys.map(({ name }) => columns.filter((at) => index.columns[at][name] !== undefined));
  const ofFindings = new Uint32Array(index.findings.length);
  const ofKeys = keys.map(({ name, values }) => {
    const places = activeColumns(name).filter((at) => index.columns[at][name] !== undefined);
    return { counts: new Uint32Array(values.length), last: new Int32Array(values.length).fill(-1), columns: places, values: places.map((at) => values.indexOf(index.columns[at][name])) };
  });
  matching = [];
  for (let row = 0; row < total; row++) {
    const has = (word) => haystack[row].includes(word) || deepTexts?.[index.dossier[row]].includes(word);
    if (!asked.every(has)) continue;
    let misses = 0, missed = -1;
    for (let at = 0; at < facets.length && misses < 2; at++) {
      if (wanted[at] >= 0 && facets[at].codes[row] !== wanted[at]) misses++, (missed = at);
    }
    if (misses > 1) continue;
    const fits = needed.every((group) => group.some((at) => outcomeBits[at][row] & any));
    if (misses === 1) {
      if (fits) counts[missed][facets[missed].codes[row]]++; // what another choice there would give
      continue;
    }
    let bits = 0;
    for (const at of columns) bits |= outcomeBits[at][row];
    index.findings.forEach((entry, at) => entry.bits & bits && ofFindings[at]++);
    for (const key of ofKeys) {
      for (let at = 0; at < key.columns.length; at++) {
        const value = key.values[at];
        if (key.last[value] !== row && outcomeBits[key.columns[at]][row] & any) key.counts[value]++, (key.last[value] = row);
      }
    }
    if (!fits) continue;
    matching.push(row);
    facets.forEach((facet, at) => counts[at][facet.codes[row]]++);
  }
  if (order.value) {
    const sizes = index[order.value].map((value) => (order.value === "margin" ? Math.abs(value) : -(value ?? -2)));
    matching.sort((a, b) => sizes[a] - sizes[b] || a - b);
  }
  facets.forEach((facet, at) => label(facet.select, facet.values.map(facet.is_name ? String : words), counts[at]));
  keys.forEach((key, at) => label(key.select, key.values, ofKeys[at].counts));
  label($("filter-finding"), index.findings.map((entry) => entry.words), ofFindings);
  const active = facets.filter(({ select }) => select.selectedIndex > 0 && $("more").contains(select)).length;
  $("chosen").textContent = active ? ` (${active} chosen)` : "";
  $("reset").hidden = !`${filters()}`;
  $("count").textContent = `${matching.length.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  $("space").style.height = `${matching.length * ROW}px`;
  list.scrollTop = 0;
  applied = `${filters()}`;
  draw();
}

function label(select, names, counts) {
  names.forEach((name, at) => (select.options[at + 1].label = `${name} (${counts[at].toLocaleString("en")})`));
}

// --- the address: filters and the open row, so that both can be sent to somebody

function filters() {
  return new URLSearchParams([...new FormData($("filters"))].filter(([, value]) => value));
}

function address(row = current) {
  const state = filters();
  if (row >= 0) state.set("row", index.id[row]);
  return `#${state}`;
}

function remember() {
  history.replaceState(null, "", address());
}

function go(row) {
  location.hash = address(row);
}

async function follow() {
  const state = new URLSearchParams(location.hash.slice(1));
  for (const control of $("filters").elements) {
    if (control.type === "checkbox") control.checked = state.has(control.name);
    else if (control.name) control.value = state.get(control.name) ?? "";
    if (control.tagName === "SELECT" && control.selectedIndex < 0) control.selectedIndex = 0; // no such value here
  }
  if (facets.some(({ name, select }) => state.has(name) && $("more").contains(select))) $("more").open = true;
  if (`${filters()}` !== applied) {
    await unpackForSearch();
    filter();
  }
  const row = index.id.indexOf(state.get("row"));
  document.body.classList.toggle("open", row >= 0);
  if (row < 0) return;
  await open(row);
  reveal(matching.indexOf(row));
}

async function unpackForSearch() {
  if (!deep.checked || deepHaystack) return;
  $("count").textContent = "Unpacking…";
  deepHaystack = await searchable();
}

// --- the list: only the rows in sight are there

function draw() {
  if (!index) return; // nothing is unpacked yet, and so nothing is missing
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
  const last = Math.min(matching.length, first + Math.ceil(list.clientHeight / ROW) + 9);
  rows.style.transform = `translateY(${first * ROW}px)`;
  const shown = [];
  for (let at = first; at < last; at++) shown.push(line(matching[at], at));
  rows.replaceChildren(...(matching.length ? shown : [make("p", "empty", "Nothing is like that.")]));
  const active = $(`row-${current}`);
  if (active) list.setAttribute("aria-activedescendant", active.id);
  else list.removeAttribute("aria-activedescendant");
}

function line(row, at) {
  const element = make("div", "row", make("div", "text", ...marked(index.text[row])), badges(row));
  element.id = `row-${row}`;
  element.title = index.text[row];
  element.setAttribute("role", "option");
  element.setAttribute("aria-selected", row === current);
  element.setAttribute("aria-posinset", at + 1);
  element.setAttribute("aria-setsize", matching.length);
  return element;
}

const valueOf = (name, row) => {
  const facet = facets.find((entry) => entry.name === name);
  return facet.values[facet.codes[row]];
};

// Of the list: the row's main values, and whose cells have the outcome that is looked for.
function badges(row) {
  const shown = make("div", "badges");
  const bits = wantedBits();
  const whose = bits ? activeColumns().filter((at) => outcomeBits[at][row] & bits).map((at) => index.columns[at].name) : [];
  if (whose.length) shown.append(make("span", "doubt", whose.slice(0, 2).join("; ") + (whose.length > 2 ? `; ${whose.length - 2} more` : "")));
  for (const name of BADGES) shown.append(make("span", `${name}-${valueOf(name, row)}`, badge(name, valueOf(name, row))));
  return shown;
}

// Text with the words that are searched marked.
function marked(text) {
  const asked = search.value.split(/\s+/).filter(Boolean).map((word) => word.replace(/[\\^$.*+?()[\]{}|\/]/g, "\\$&"));
  if (!asked.length) return [text];
  const parts = text.split(new RegExp(`(${asked.join("|")})`, "giu"));
  return parts.map((part, at) => (at % 2 ? make("mark", "", part) : part));
}

function reveal(at) {
  if (at < 0) return;
  if (at * ROW < list.scrollTop) list.scrollTop = at * ROW;
  else if ((at + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (at + 1) * ROW - list.clientHeight;
  draw();
}

// --- one row with all that belongs to it

function card(title, ...content) {
  return make("section", "card", make("h3", "soft", title), ...content);
}

function grid(headings) {
  const cells = headings.map((heading) => make("th", "text", heading));
  cells.forEach((cell) => cell.setAttribute("scope", "col"));
  return make("table", "", make("tr", "", ...cells));
}

function framed(table, name) {
  const frame = make("div", "wide", table);
  Object.entries({ tabindex: "0", role: "region", "aria-label": name }).forEach((pair) => frame.setAttribute(...pair));
  return frame;
}

async function open(row) {
  current = row;
  draw();
  const dossier = await dossierOf(row);
  if (current !== row) return; // another one was opened meanwhile
  const same = main.dataset.dossier === dossier.id ? main.scrollTop : 0;
  main.replaceChildren(back(), ...opened(dossier.rows[index.place[row]], dossier));
  main.dataset.dossier = dossier.id;
  main.scrollTop = same;
}

function back() {
  const button = make("button", "", `← All`);
  button.id = "back";
  button.addEventListener("click", () => close());
  return button;
}

function close() {
  current = -1;
  location.hash = address();
}

// --- the selection as a file with the columns of the whole

// As in ragassay/text/characters.py: what steers a terminal, turns a line about or is no character.
const UNFIT = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Noncharacter_Code_Point}\p{Surrogate}]/gu;

function valueAt(row, dossier, [first, ...rest]) {
  const start = first === "^" ? dossier : row?.[first];
  const value = rest.reduce((inner, step) => inner?.[step], start);
  const text = (Array.isArray(value) ? value.join("; ") : `${value ?? ""}`).replaceAll(UNFIT, "");
  const guarded = typeof value !== "number" && /^[=+\-@\t\r']/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

// Piece by piece, none of which is kept, so that a large selection does not fill the memory.
async function table() {
  const ofPieces = new Map();
  matching.forEach((row, at) => {
    const number = Math.floor(index.dossier[row] / index.together);
    ofPieces.set(number, [...(ofPieces.get(number) ?? []), [row, at]]);
  });
  const lines = new Array(matching.length);
  for (const [number, places] of ofPieces) {
    const dossiers = await unpacked(`piece-${number}`);
    for (const [row, at] of places) {
      const dossier = dossiers[index.dossier[row] % index.together];
      lines[at] = index.csv.map(([, ...path]) => valueAt(dossier.rows[index.place[row]], dossier, path)).join(",");
    }
  }
  const heading = index.csv.map(([title]) => valueAt({ title }, null, ["title"])).join(",");
  return `${[heading, ...lines].join("\n")}\n`;
}

async function download() {
  const link = make("a", ""), shown = $("count").textContent;
  $("count").textContent = "Writing…";
  link.href = URL.createObjectURL(new Blob([await table()], { type: "text/csv" }));
  link.download = "selection.csv";
  link.click();
  $("count").textContent = shown;
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// --- what people do

function step(at) {
  if (!matching.length) return;
  go(matching[Math.min(Math.max(at, 0), matching.length - 1)]);
}

list.addEventListener("scroll", () => requestAnimationFrame(draw));
window.addEventListener("resize", () => draw());
window.addEventListener("hashchange", follow);
list.addEventListener("click", (event) => {
  const at = event.target.closest(".row")?.getAttribute("aria-posinset");
  if (at) go(matching[at - 1]);
});
list.addEventListener("keydown", (event) => {
  const at = matching.indexOf(current), page = Math.floor(list.clientHeight / ROW);
  const steps = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: matching.length - 1 };
  if (event.key in steps) step(steps[event.key]);
  else if (event.key === "Enter" && at >= 0) document.body.classList.add("open"), main.focus();
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.matches("input, select")) search.focus(), event.preventDefault();
  if (event.key === "Escape" && main.contains(event.target)) close(), list.focus();
});
$("download").addEventListener("click", download);
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("filters").addEventListener("reset", () => setTimeout(() => (filter(), remember())));
$("filters").addEventListener("input", async (event) => {
  await unpackForSearch();
  filter();
  remember();
  if (current >= 0 && event.target === search) open(current); // what is searched is marked there too
});

async function start() {
  index = await unpacked("index");
  total = index.text.length;
  haystack = index.text.map((text, row) => plain(`${text}\n${index.titles[index.dossier[row]]}`));
  outcomeBits = index.codes.map((codes) => Int32Array.from(codes, (code) => (code === "-" ? 0 : 1 << (code.charCodeAt(0) - 97))));
  const seen = outcomeBits.reduce((bits, column) => column.reduce((a, b) => a | b, bits), 0);
  for (const entry of index.findings) entry.bits = entry.outcomes.reduce((bits, at) => bits | (1 << at), 0);
  index.findings = index.findings.filter((entry) => entry.bits & seen);
  fill($("filter-finding"), "all", index.findings.map(({ name, words }) => [name, words]));
  facets = index.facets.map((facet) => ({ ...facet, select: $(`filter-${facet.name}`) }));
  for (const { select, values, is_name } of facets) fill(select, "any", values.map((value) => [value, is_name ? value : words(value)]));
  keys = [...document.querySelectorAll(".facets select")].filter((select) => !facets.some((facet) => facet.select === select) && select !== order);
  keys = keys.map((select) => ({ name: select.name, select, values: [...new Set(index.columns.map((column) => column[select.name]).filter((value) => value !== undefined))] }));
  for (const { select, values } of keys) fill(select, "any", values.map((value) => [value, value]));
  if (matchMedia("(min-width: 56rem) and (min-height: 60rem)").matches) $("more").open = true;
  filter();
  ROW = rows.firstElementChild?.offsetHeight || ROW;
  await follow();
  if (current < 0 && total && matchMedia("(min-width: 56rem)").matches) await open(matching[0] ?? 0);
  performance.mark("ready");
}

// A choice that has one value or none is no choice.
function fill(select, nothing, values) {
  select.append(new Option(nothing, ""), ...values.map(([value, text]) => new Option(text, value)));
  select.parentElement.hidden = values.length < (select.id === "filter-finding" ? 1 : 2);
}

start().catch((error) => ($("count").textContent = `This browser cannot unpack the data: ${error.message}`));
