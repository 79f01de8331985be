/* Agent Room: reconnect, drag, keyboard and draft-keeping. Every page reads and acts without it. */
"use strict";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);
document.documentElement.classList.add("scripted");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/* Ages: the words of board/words.py, kept true ------------------------------------------------------------- */

const span = (seconds) => {
  if (seconds < 60) return "less than a minute";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) {
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor(seconds / 60) % 60;
    return hours >= 10 || !minutes ? `${hours} h` : `${hours} h ${minutes} min`;
  }
  const days = Math.floor(seconds / 86400);
  return days === 1 ? "1 day" : `${days} days`;
};

const ago = (instant, now) => {
  const seconds = Math.trunc((now - instant) / 1000);
  if (seconds < 0) return `in ${span(-seconds)}`;
  return seconds < 60 ? "just now" : `${span(seconds)} ago`;
};

const tellAges = () => {
  for (const time of all("time[datetime]")) {
    const words = ago(Date.parse(time.dateTime), Date.now());
    if (time.textContent !== words) time.textContent = words;
  }
};
setInterval(tellAges, 30_000);

/* Live: the socket says that something changed, the page pulls what it shows ------------------------------ */

const SILENCE_MS = 10_000;
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const SESSION_ENDED = 4401;
const NOT_A_MEMBER = 4403;

class Live {
  constructor(room) {
    this.room = room.dataset.room;
    this.seen = Number(room.dataset.seq);
    this.tries = 0;
    this.lostAt = null;
    this.sign = one("#live");
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
    this.connect();
  }

  async connect() {
    clearTimeout(this.timer);
    this.watchdog();
    try {
      const answer = await fetch(`/rooms/${this.room}/ticket`, { signal: AbortSignal.timeout(5000), redirect: "manual" });
      if (answer.type === "opaqueredirect" || answer.status === 403) return location.reload();
      if (!answer.ok) throw new Error(String(answer.status));
      const { ticket } = await answer.json();
      const scheme = location.protocol === "https:" ? "wss" : "ws";
      this.socket = new WebSocket(`${scheme}://${location.host}/ws/rooms/${this.room}?ticket=${encodeURIComponent(ticket)}`);
      this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
      this.socket.onclose = (event) => this.closed(event.code);
    } catch {
      this.lose();
    }
  }

  hear({ seq, kind }) {
    this.watchdog();
    const returned = this.lostAt !== null;
    this.tries = 0;
    this.lostAt = null;
    this.say("Live", "live");
    const isCursor = kind === "hello" || kind === "beat";
    if (returned || (isCursor && seq > this.seen)) refresh();
    else if (!isCursor) refresh(kind);
    this.seen = Math.max(this.seen, seq);
  }

  watchdog() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.lose(), SILENCE_MS);
  }

  closed(code) {
    if (code === SESSION_ENDED || code === NOT_A_MEMBER) return location.reload();
    return this.lose();
  }

  lose() {
    clearTimeout(this.silence);
    if (this.socket) {
      this.socket.onclose = this.socket.onmessage = null;
      this.socket.close();
      this.socket = null;
    }
    this.lostAt ??= new Date();
    const clock = this.lostAt.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
    this.say(`Not live since ${clock}. Trying again.`, "lost");
    const wait = RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)];
    this.timer = setTimeout(() => this.connect(), wait * (0.75 + Math.random() / 2));
  }

  hurry() {
    if (this.lostAt === null) return;
    this.tries = 0;
    this.connect();
  }

  say(words, state) {
    this.sign.hidden = false;
    if (this.sign.dataset.state === state && state === "live") return;
    this.sign.dataset.state = state;
    one(".words", this.sign).textContent = words;
  }
}

/* A pull waits while the person holds something that it would take away. */
const waiting = new Set();
const refresh = (kind = "") => {
  waiting.add(kind);
  if (dragged !== null) return;
  const kinds = [...waiting];
  waiting.clear();
  for (const part of all("[data-live]")) {
    const told = part.dataset.live.split(" ");
    const wanted = kinds.filter((name) => name === "" || told.includes(name));
    if (!wanted.length) continue;
    if (one("details.menu[open]", part)) wanted.forEach((name) => waiting.add(name));
    else htmx.trigger(part, "live");
  }
};
document.addEventListener("toggle", (event) => event.target.matches?.("details.menu:not([open])") && catchUp(), true);
const catchUp = () => waiting.size && refresh([...waiting][0]);
document.addEventListener("changed", () => refresh());

/* Motion: only what moved, from where it was --------------------------------------------------------------- */

/* Two answers may bring the same message: what the page shows already is left out. */
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (event.detail.target.id !== "messages") return;
  for (const line of all("li[id]", event.detail.fragment)) if (document.getElementById(line.id)) line.remove();
  one("#silence")?.remove();
});
document.addEventListener("htmx:oobAfterSwap", (event) => {
  if (event.detail.target.id === "messages") stayBelow();
});
const stayBelow = () => one("#messages")?.scrollTo({ top: 1e9, behavior: calm.matches ? "instant" : "smooth" });

const places = new Map();
const notePlaces = () => {
  places.clear();
  for (const card of all(".card[id]")) places.set(card.id, card.getBoundingClientRect());
};
const showMoves = () => {
  if (calm.matches || !places.size) return;
  for (const card of all(".card[id]")) {
    const from = places.get(card.id);
    const to = card.getBoundingClientRect();
    if (!from) card.animate([{ opacity: 0 }, { opacity: 1 }], 180);
    else if (from.x !== to.x || Math.abs(from.y - to.y) > 4) {
      const start = `translate(${from.x - to.x}px, ${from.y - to.y}px)`;
      card.animate([{ transform: start }, { transform: "none" }], { duration: 200, easing: "cubic-bezier(.2,.7,.2,1)" });
    }
  }
  places.clear();
};
document.addEventListener("htmx:beforeSwap", notePlaces);
document.addEventListener("htmx:afterOnLoad", () => { showMoves(); tellAges(); });

/* Moving a card: to another agent, or to another place of its lane -------------------------------------------- */

let dragged = null;

const cardsOf = (lane) => all(".card", lane);
const laneOf = (card) => card.closest(".lane");
const openerOf = (card) => one("a.open", card);
const pathOf = (card) => openerOf(card).pathname;

/* Show the move at once; when it is refused the card goes back and the notice says why. */
const move = (card, lane, before) => {
  const home = card.parentElement;
  const next = card.nextElementSibling;
  const isSame = lane === laneOf(card);
  if (!isSame && !("takes" in lane.dataset)) return;
  if (isSame && (before === card || before === next)) return;
  notePlaces();
  one(".cards", lane).insertBefore(card, isSame ? before : null);
  showMoves();
  openerOf(card).focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest" });
  const { fence, revision } = card.dataset;
  const values = isSame ? { before: before?.id.replace("task-", "") ?? "", revision } : { assignee: lane.dataset.plate, fence };
  const back = () => {
    const held = [document.body, openerOf(card)].includes(document.activeElement);
    if (home.isConnected && card.isConnected) {
      notePlaces();
      home.insertBefore(card, next?.parentElement === home ? next : null);
      showMoves();
    } else card.remove();
    // Whoever moved it by keys goes on from it; taken out of its place it lost the focus.
    if (held) openerOf(document.getElementById(card.id) ?? card).focus({ preventScroll: true });
    refresh();
  };
  post(card, pathOf(card) + (isSame ? "/place" : "/assignment"), values, back);
};

const post = async (source, path, values, refused) => {
  const answered = new AbortController();
  for (const what of ["htmx:responseError", "htmx:sendError"]) source.addEventListener(what, refused, { signal: answered.signal });
  await htmx.ajax("POST", path, { source, target: "#notices", swap: "innerHTML", values }).catch(() => {});
  answered.abort();
};

document.addEventListener("dragstart", (event) => {
  const card = event.target.closest?.(".card[draggable]");
  if (!card) return;
  dragged = card;
  card.classList.add("dragged");
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", openerOf(card).textContent);
});
const laneUnder = (event) => {
  const lane = dragged && event.target.closest?.(".lane");
  return lane && (lane === laneOf(dragged) || "takes" in lane.dataset) ? lane : null;
};
document.addEventListener("dragover", (event) => {
  const lane = laneUnder(event);
  for (const other of all(".lane.over")) other.classList.toggle("over", other === lane);
  if (!lane) return;
  event.preventDefault();
  lane.classList.add("over");
});
document.addEventListener("drop", (event) => {
  const lane = laneUnder(event);
  if (!lane) return;
  event.preventDefault();
  const card = dragged;
  const below = cardsOf(lane).find((other) => other !== card && event.clientY < middle(other)) ?? null;
  letGo();
  move(card, lane, below);
});
const middle = (card) => card.getBoundingClientRect().top + card.offsetHeight / 2;
const letGo = () => {
  dragged?.classList.remove("dragged");
  for (const lane of all(".lane.over")) lane.classList.remove("over");
  dragged = null;
  catchUp();
};
document.addEventListener("dragend", letGo);

/* The menu of a card: one, filled when it opens, so that two hundred cards do not carry two hundred menus ------ */

const menu = one("#menu");
const openMenu = async (button) => {
  const { bottom, right } = button.getBoundingClientRect();
  await htmx.ajax("GET", `${button.pathname}/menu`, { target: menu, swap: "innerHTML" });
  menu.showPopover();
  menu.style.left = `${Math.max(8, Math.min(right, innerWidth - 8) - menu.offsetWidth)}px`;
  menu.style.top = `${Math.max(8, Math.min(bottom + 4, innerHeight - menu.offsetHeight - 8))}px`;
  one("button:not(:disabled), a", menu)?.focus();
};
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-menu]");
  if (!menu || !button || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  openMenu(button).catch(() => { location.href = button.href; });
});

/* Buttons of cards and menus belong to one form; sent this way the page stays where it is. */
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (event.target.id !== "act" || !button || !button.closest("#menu, .lanes, .talk")) return;
  event.preventDefault();
  menu?.hidePopover();
  post(one("#notices"), button.getAttribute("formaction"), button.name ? { [button.name]: button.value } : {}, () => refresh());
});

/* Keyboard --------------------------------------------------------------------------------------------------- */

const STEP = { ArrowUp: [0, -1], k: [0, -1], ArrowDown: [0, 1], j: [0, 1], ArrowLeft: [-1, 0], h: [-1, 0], ArrowRight: [1, 0], l: [1, 0] };

const neighbour = (card, [across, down]) => {
  const cards = cardsOf(laneOf(card));
  if (down) return cards[cards.indexOf(card) + down];
  const lanes = all(".lane").filter((lane) => one(".card", lane));
  const there = lanes[lanes.indexOf(laneOf(card)) + across];
  return there && cardsOf(there)[Math.min(cards.indexOf(card), cardsOf(there).length - 1)];
};

const shift = (card, [across, down]) => {
  if (!card.draggable) return;
  const lane = laneOf(card);
  if (across) {
    const lanes = all(".lane").filter((other) => other === lane || "takes" in other.dataset);
    const there = lanes[lanes.indexOf(lane) + across];
    if (there) move(card, there, null);
    return;
  }
  const cards = cardsOf(lane);
  const place = cards.indexOf(card) + down;
  if (place >= 0 && place < cards.length) move(card, lane, cards[down > 0 ? place + 1 : place] ?? null);
};

const onCard = (event, card) => {
  const step = STEP[event.key];
  if (step && event.shiftKey) shift(card, step);
  else if (step) {
    const other = neighbour(card, step);
    if (other) openerOf(other).focus();
  } else if (event.key === "m") openMenu(one("[data-menu]", card));
  else return false;
  return true;
};

const onPage = (event) => {
  const chosen = one(`[data-key="${CSS.escape(event.key)}"]`);
  if (chosen?.tagName === "DIALOG") chosen.showModal();
  else if (chosen?.matches("a, button")) chosen.click();
  else if (chosen) chosen.focus();
  else if (event.key === "/") location.href = "/search";
  else if (STEP[event.key] && !event.shiftKey && (isNowhere(event.target) || !event.key.startsWith("Arrow"))) return enterBoard();
  else return false;
  return true;
};

/* Arrows scroll where something else is focused. */
const isNowhere = (target) => target === document.body || target.id === "main";
const enterBoard = () => {
  const first = one(".lane .card a.open");
  first?.focus();
  return Boolean(first);
};

const isTyping = (target) => target.matches("input:not([type=checkbox], [type=radio]), textarea, select");

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") return event.target.form?.requestSubmit();
  if (event.key === "Escape") for (const open of all("details.menu[open]")) open.open = false;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return undefined;
  const card = event.target.closest("dialog, #menu") ? null : event.target.closest(".card");
  if (event.target.closest("dialog, #menu")) return undefined;
  if ((card && onCard(event, card)) || onPage(event)) event.preventDefault();
  return undefined;
});

document.addEventListener("click", (event) => {
  for (const open of all("details.menu[open]")) if (!open.contains(event.target)) open.open = false;
  event.target.closest?.("[data-dismiss]")?.closest(".notice").remove();
  const copy = event.target.closest?.("[data-copy]");
  if (copy) navigator.clipboard?.writeText(one(copy.dataset.copy).textContent).then(() => { copy.textContent = "Copied"; });
});

/* Drafts: kept for this tab until the server says that they arrived ----------------------------------------- */

const draftKey = (form) => `draft ${location.pathname} ${form.dataset.draft}`;
const written = (form) => all("textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=password])", form);

const keepDraft = (form) => {
  const values = Object.fromEntries(written(form).map((field) => [field.name, field.value]));
  if (Object.values(values).some(Boolean)) sessionStorage.setItem(draftKey(form), JSON.stringify(values));
  else sessionStorage.removeItem(draftKey(form));
};
const forgetDraft = (name) => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith("draft ") && key.endsWith(` ${name}`)) sessionStorage.removeItem(key);
};
const bringBack = (form) => {
  const kept = JSON.parse(sessionStorage.getItem(draftKey(form)) ?? "{}");
  for (const field of written(form)) if (kept[field.name] && field.value === field.defaultValue && !form.dataset.refused) field.value = kept[field.name];
};
const readClears = (root) => all("[data-clears]", root).forEach((notice) => forgetDraft(notice.dataset.clears));

document.addEventListener("input", (event) => event.target.form?.dataset.draft && keepDraft(event.target.form));
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.detail.elt;
  if (!form.dataset.draft || !event.detail.successful) return;
  form.reset();
  forgetDraft(form.dataset.draft);
});

/* The composer: "@sc" narrows the people and agents to tick; Tab or Enter ticks the first -------------------- */

const askedFor = (area) => /(?:^|\s)@(\S*)$/.exec(area.value.slice(0, area.selectionStart));
const picks = (form) => all(".pick", form);

const narrow = (area) => {
  const asked = askedFor(area);
  for (const pick of picks(area.form)) pick.hidden = Boolean(asked) && !pick.dataset.name.toLowerCase().includes(asked[1].toLowerCase());
};
const pickFirst = (event) => {
  const area = event.target;
  const asked = askedFor(area);
  const pick = asked && picks(area.form).find((other) => !other.hidden);
  if (!pick || !["Tab", "Enter"].includes(event.key) || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  one("input", pick).checked = true;
  const from = area.selectionStart - asked[1].length - 1;
  area.setRangeText(`@${pick.dataset.name} `, from, area.selectionStart, "end");
  narrow(area);
  keepDraft(area.form);
};
document.addEventListener("input", (event) => event.target.matches("[data-mentions]") && narrow(event.target));
document.addEventListener("keydown", (event) => event.target.matches?.("[data-mentions]") && pickFirst(event), true);

/* Begin ------------------------------------------------------------------------------------------------------- */

tellAges();
readClears(document);
all("form[data-draft]").forEach(bringBack);
if (one("#messages")) {
  // The newest line stays in sight while the composer below grows, unless the person has scrolled up.
  const talk = one("#messages");
  let atEnd = true;
  talk.addEventListener("scroll", () => { atEnd = talk.scrollTop + talk.clientHeight > talk.scrollHeight - 40; });
  new ResizeObserver(() => { if (atEnd) talk.scrollTo(0, 1e9); }).observe(talk);
}
if (one("[data-room]")) new Live(one("[data-room]"));
