// Sort a table by the column whose heading is clicked: numbers downwards first, words upwards first, then the other way round.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  table.querySelectorAll("th").forEach((heading, column) => {
    const numeric = [...body.rows].some((row) => row.cells[column].classList.contains("number"));
    heading.classList.toggle("number", numeric);
    heading.querySelector("button").addEventListener("click", () => {
      const first = numeric ? "descending" : "ascending";
      const second = numeric ? "ascending" : "descending";
      const order = heading.getAttribute("aria-sort") === first ? second : first;
      const value = (row) => row.cells[column].dataset.sort;
      const compare = (a, b) => (numeric ? Number(a) - Number(b) : a.localeCompare(b));
      const rows = [...body.rows].sort((a, b) => {
        if (value(a) === "" || value(b) === "") return (value(a) === "") - (value(b) === "");
        return (order === "ascending" ? 1 : -1) * compare(value(a), value(b));
      });
      table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", order);
      body.append(...rows);
    });
  });
}

// What an address points to is shown, also inside details that are closed.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let box = target?.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  target?.scrollIntoView();
}
// The page scrolls inside <main>, which takes the keys for it.
if (!location.hash) document.querySelector("main").focus();
addEventListener("hashchange", reveal);
reveal();
