"use strict";
// Sends clicks, and obeys the keyboard. What a page shows comes from the server; nothing here builds markup.
const page = document.body.dataset;
const token = document.querySelector("meta[name=page-token]").content;
const line = document.getElementById("status");
const comment = document.getElementById("comment");
const draft = `comment ${page.place} ${page.item} ${page.seen}`;
let busy = false;

function say(words, bad) {
  line.textContent = words;
  line.classList.toggle("bad", Boolean(bad));
}

// The name of a click: sent again with it, a click whose answer was lost is stored once.
function named() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function send(path, content) {
  const body = JSON.stringify(content);
  for (;;) {
    try {
      const answer = await fetch(path, { method: "POST", headers: { "content-type": "application/json", "x-page-token": token }, body });
      const told = await answer.json();
      return answer.ok ? told : { error: told.error };
    } catch {
      say("Not stored yet: no answer. Trying again, please leave this page open.", true);
      await new Promise((again) => setTimeout(again, 700));
    }
  }
}

// One thing at a time; what was refused is said, and the page stays as it is.
async function act(path, content) {
  if (busy) return null;
  busy = true;
  const told = await send(path, content);
  if (told.error === undefined) return told;
  busy = false;
  say(`${told.error} Press r to load the page again.`, true);
  return null;
}

let seen = 0, since = document.hidden ? null : performance.now();
document.addEventListener("visibilitychange", () => {
  if (since !== null) seen += performance.now() - since;
  since = document.hidden ? null : performance.now();
});
function seconds() {
  return (seen + (since === null ? 0 : performance.now() - since)) / 1000;
}

// To the list from which an older label was opened, or to the item that comes next.
function leave() {
  sessionStorage.removeItem(draft);
  if (page.back) location.assign(page.back);
  else location.reload();
}

function commented() {
  return comment.value.trim() !== comment.defaultValue.trim();
}

async function choose(button) {
  if (busy) return;
  if (button.classList.contains("present") && !commented()) {
    leave();
    return;
  }
  const choices = document.querySelectorAll(".choice");
  button.classList.add("chosen");
  for (const choice of choices) choice.disabled = true;
  const click = { click: named(), item: page.item, place: page.place, seen: page.seen, label: button.dataset.label };
  const practice = page.kind === "practice";
  if (!practice) Object.assign(click, { comment: comment.value, seconds: seconds() });
  const told = await act(practice ? "/clicks/practice" : "/clicks/label", click);
  if (told === null) {
    for (const choice of choices) choice.disabled = false;
    button.classList.remove("chosen");
  } else if (practice) {
    explain(told);
  } else {
    leave();
  }
}

function explain(told) {
  const feedback = document.getElementById("feedback");
  const [verdict, why] = feedback.querySelectorAll("b, span");
  feedback.classList.toggle("right", told.right);
  const name = document.querySelector(`.choice[data-label="${told.label}"] b`).textContent;
  verdict.textContent = told.right ? "Right." : `${name}, we think.`;
  why.textContent = told.because;
  feedback.hidden = false;
  document.getElementById("onward").focus();
}

async function undo(button) {
  const { item, seen, place } = button.dataset;
  if (await act("/clicks/undo", { click: named(), item, seen, place })) location.assign(place === "adjudication" ? "/adjudication" : `/label/${place}`);
}

async function plain(path, content) {
  if (await act(path, content)) location.reload();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.classList.contains("choice")) choose(button);
  else if (button.classList.contains("undo")) undo(button);
  else if (button.id === "keep") choose(document.querySelector(".choice.present"));
  else if (button.id === "skip") plain("/clicks/skip", { click: named(), item: page.item, place: page.place });
  else if (button.id === "join") plain("/clicks/join", { click: named() });
  else if (button.id === "sign-out") plain("/sign-out", {});
  else if (button.id === "onward") location.reload();
  else if (button.id === "guide-open") document.getElementById("guide").showModal();
});

// Up and down a list of labels.
const rows = [...document.querySelectorAll(".row")];
function walk(event) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step || !rows.length) return false;
  const at = rows.indexOf(document.activeElement);
  rows[Math.min(Math.max(at + step, 0), rows.length - 1)].focus();
  event.preventDefault();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (walk(event) || event.repeat) return;
  const writing = event.target.matches("input, textarea");
  if (writing) {
    if (event.key === "Escape") document.querySelector(".paper")?.focus();
    return;
  }
  const guide = document.getElementById("guide");
  if (guide?.open) {
    if (event.key === "g") guide.close();
    return;
  }
  const own = event.target.closest("button, a");
  if (event.key === "Enter" && own) return; // it is pressed itself
  if (event.key === "c" && comment) comment.focus();
  else if (event.key === "r" && line?.classList.contains("bad")) location.reload();
  else {
    const wanted = `[data-press="${CSS.escape(event.key)}"]`;
    const pressed = document.querySelector(`.choice${wanted}`) ?? document.querySelector(wanted); // whose keys guidelines name
    if (!pressed || pressed.closest("[hidden]")) return;
    pressed.click();
  }
  event.preventDefault();
});

if (comment) {
  const tell = () => page.back && !line.classList.contains("bad") && say(commented() ? "This comment is stored with a label, as soon as you give or keep one." : "");
  comment.value = sessionStorage.getItem(draft) ?? comment.defaultValue;
  comment.addEventListener("input", () => {
    sessionStorage.setItem(draft, comment.value);
    tell();
  });
  tell();
}

const form = document.getElementById("sign-in");
async function enter(given) {
  if (await act("/sign-in", given)) location.replace("/");
}
if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    enter(Object.fromEntries(new FormData(form)));
  });
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    history.replaceState(null, "", "/");
    enter({ token: given });
  }
}
for (const time of document.querySelectorAll("time")) {
  time.title = new Date(time.dateTime).toLocaleString();
  time.textContent = new Date(time.dateTime).toLocaleString([], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}
window.addEventListener("pageshow", (event) => event.persisted && location.reload());
