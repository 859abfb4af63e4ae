// The page at /verify: gets a bundle, lets the verifier look at it, and shows its report.
//
// Bundles may be hostile, so nothing of them is ever markup: all text goes in as text nodes.

import { Refused, readJson, readKeySet, verifyBundle } from "./verifier.js";

const GAME_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const DRAWS_AT_ONCE = 20;
/** How long the verifier may keep the page from painting. */
const MILLISECONDS_BETWEEN_PAINTS = 50;

const byId = (id) => document.getElementById(id);

// ---------------------------------------------------------------------------------------------------------------------
// Making elements
// ---------------------------------------------------------------------------------------------------------------------

/** An element with these attributes (a function is a listener) and children (elements or text). */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

const section = (title, ...children) => element("section", {}, element("h2", {}, title), ...children);

/** A table with a caption for those who can't see it. Each row's first cell is its header. */
function table(caption, heads, rows) {
  const headCells = heads.map((head) => element("th", { scope: "col" }, head));
  const bodyRows = rows.map(([first, ...cells]) =>
    element("tr", {}, element("th", { scope: "row" }, first), ...cells.map((cell) => element("td", {}, cell))),
  );
  return element(
    "div",
    { class: "scrolling", tabindex: "0", role: "region", "aria-label": caption },
    element(
      "table",
      {},
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, ...headCells)),
      element("tbody", {}, ...bodyRows),
    ),
  );
}

/** A list of terms and what they are. */
function terms(pairs) {
  return element(
    "dl",
    { class: "terms" },
    ...pairs.flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)]),
  );
}

const code = (text) => element("code", {}, text);

/** Children that are made when they are first looked at: a game may have thousands of draws. */
function unfolding(summary, makeChildren, isOpen = false) {
  const details = element("details", {}, element("summary", {}, ...summary));
  details.addEventListener("toggle", () => details.append(...makeChildren()), { once: true });
  details.open = isOpen;
  return details;
}

// ---------------------------------------------------------------------------------------------------------------------
// Cards
// ---------------------------------------------------------------------------------------------------------------------

const RANKS = { A: "ace", J: "jack", Q: "queen", K: "king", T: "10" };
/** The last character of each symbol asks for its plain form, not a coloured picture. */
const SUITS = {
  C: { name: "clubs", symbol: "♣\ufe0e", colour: "black" },
  D: { name: "diamonds", symbol: "♦\ufe0e", colour: "red" },
  H: { name: "hearts", symbol: "♥\ufe0e", colour: "red" },
  S: { name: "spades", symbol: "♠\ufe0e", colour: "black" },
};

function faceOf(card) {
  const [rank, suit] = card;
  if (rank === "X") return { name: `joker ${suit}`, rank: "★", symbol: suit, colour: "joker" };
  const { name, symbol, colour } = SUITS[suit];
  return { name: `${RANKS[rank] ?? rank} of ${name}`, rank: rank === "T" ? "10" : rank, symbol, colour };
}

function cardElement(card, place, isMoving = false) {
  const { name, rank, symbol, colour } = faceOf(card);
  return element(
    "li",
    { class: `card ${colour}${isMoving ? " moving" : ""}`, "aria-label": `${place}: ${name}` },
    element("span", { class: "face", "aria-hidden": "true" }, element("b", {}, rank), symbol),
    element("span", { class: "place", "aria-hidden": "true" }, String(place)),
  );
}

/** A small face in running text. */
function inlineCard(card) {
  const { name, rank, symbol, colour } = faceOf(card);
  return element("span", { class: `inline ${colour}`, role: "img", "aria-label": name }, rank, symbol);
}

function cardRow(label, cards, moving = []) {
  const items = cards.map((card, place) => cardElement(card, place, moving.includes(place)));
  return element("ol", { class: "cards", "aria-label": label, start: "0" }, ...items);
}

/** The swaps of a shuffle, in their order: which places, by which word, and which cards lay there. */
function swapsOf({ before, words }) {
  const cards = [...before];
  return words.map((word, n) => {
    const last = cards.length - 1 - n;
    const number = word % (last + 1);
    const swap = { word, last, number, high: cards[last], low: cards[number] };
    [cards[last], cards[number]] = [cards[number], cards[last]];
    return swap;
  });
}

/** The cards after so many swaps. */
function afterSwaps(before, swaps, count) {
  const cards = [...before];
  for (const { last, number } of swaps.slice(0, count)) [cards[last], cards[number]] = [cards[number], cards[last]];
  return cards;
}

function swapInWords({ word, last, number, high, low }) {
  const sum = [code(String(word)), ` mod ${last + 1} = `, element("strong", {}, String(number))];
  if (last === number) return [...sum, ": ", inlineCard(high), ` stays at ${last}.`];
  return [...sum, ": ", inlineCard(high), ` at ${last} changes places with `, inlineCard(low), ` at ${number}.`];
}

/** A shuffle to step through, with a slider, swap by swap. */
function shuffleStepper({ before, words }) {
  const swaps = swapsOf({ before, words });
  const stage = element("div", { class: "stage" });
  const line = element("p", { class: "swap", "aria-live": "polite" });
  const slider = element("input", {
    type: "range",
    min: "0",
    max: String(swaps.length),
    value: "0",
    "aria-label": "Swaps made",
    input: () => show(),
  });
  const step = (by) => () => {
    slider.valueAsNumber += by;
    show();
  };
  const back = element("button", { type: "button", class: "quiet", click: step(-1) }, "Back");
  const forth = element("button", { type: "button", class: "quiet", click: step(1) }, "Next");

  function show() {
    const made = slider.valueAsNumber;
    const swap = swaps[made - 1];
    stage.replaceChildren(
      cardRow(`The cards after ${made} swaps`, afterSwaps(before, swaps, made), swap ? [swap.last, swap.number] : []),
    );
    const words = swap ? [`Swap ${made} of ${swaps.length}. Word `, ...swapInWords(swap)] : ["Before the first swap."];
    line.replaceChildren(...words);
    slider.setAttribute("aria-valuetext", `${made} of ${swaps.length}`);
    back.disabled = made === 0;
    forth.disabled = made === swaps.length;
  }
  show();
  return [element("div", { class: "stepper" }, back, slider, forth), line, stage];
}

function swapTable(shuffle) {
  const rows = swapsOf(shuffle).map((swap, n) => [
    String(n + 1),
    code(String(swap.word)),
    String(swap.last + 1),
    String(swap.number),
    [inlineCard(swap.high), ` at ${swap.last} ↔ `, inlineCard(swap.low), ` at ${swap.number}`],
  ]);
  return table(
    "Every swap of this shuffle",
    ["Swap", "Word drawn", "modulo", "is", "so these change places"],
    rows.map(flattenCells),
  );
}

const flattenCells = (row) => row.map((cell) => (Array.isArray(cell) ? element("span", {}, ...cell) : cell));

// ---------------------------------------------------------------------------------------------------------------------
// The report
// ---------------------------------------------------------------------------------------------------------------------

const ANSWERS = {
  yes: { mark: "✓", word: "Yes" },
  no: { mark: "✗", word: "No" },
  not_yet: { mark: "…", word: "Not yet" },
  not_asked: { mark: "–", word: "Not asked" },
};

function chip(answer) {
  const { mark, word } = ANSWERS[answer];
  return element("span", { class: `chip ${answer}` }, element("span", { "aria-hidden": "true" }, mark), ` ${word}`);
}

const KINDS = {
  migraine: "Migraine",
  spite_and_malice: "Spite & Malice",
  generals: "Generals",
  tau_heed_kept: "Tau Heed Kept",
  random_chess: "Random Chess",
  fatetst_rpg: "The World's Fatetst RPG",
};

const PHASES = {
  open: "players are still sitting down",
  closed: "the seats' seeds are being opened",
  playing: "it is being played",
  ended: "it has ended",
  voided: "it became void",
};

const VERDICTS = {
  yes: {
    title: "It holds.",
    text: "Everything that can be checked without the game's rules was checked, and is as it should be. Below is what that means, and what it doesn't.",
  },
  no: { title: "Something is wrong.", text: "Don't rely on this log. Keep the file: it may be evidence." },
  not_yet: { title: "Not proved yet.", text: "Nothing wrong was found, but this is not a yes:" },
  unusable: { title: "This file can't be checked.", text: "" },
};

function reportElements(report) {
  if (report.verdict === "unusable") return [verdictBanner(report)];
  return [
    verdictBanner(report),
    accountSection(report),
    gameSection(report),
    checksSection(report),
    drawsSection(report),
    limitsSection(report),
  ].filter((part) => part !== null);
}

function verdictBanner(report) {
  const { title, text } = VERDICTS[report.verdict];
  const heading = element("h2", { id: "verdict", tabindex: "-1" }, title);
  return element("section", { class: `verdict ${report.verdict}` }, heading, ...verdictText(report, text));
}

function verdictText({ verdict, problem, questions }, text) {
  if (verdict === "unusable") return [element("p", {}, `${problem}.`)];
  const first = questions.filter(({ fault }) => fault !== null).sort((a, b) => placeOf(a) - placeOf(b))[0];
  if (first !== undefined) return [element("p", { class: "sentence" }, first.fault.sentence), element("p", {}, text)];
  const reasons = new Set(questions.filter(({ answer }) => answer === "not_yet").map(({ waits }) => waits));
  const list =
    reasons.size === 0 ? null : element("ul", {}, ...[...reasons].map((reason) => element("li", {}, reason)));
  return [element("p", {}, text), ...(list === null ? [] : [list])];
}

/** What has no event of its own comes last. */
const placeOf = ({ fault }) => fault.seq ?? Infinity;

function accountSection({ account }) {
  const items = account.map(({ about, answer, text }) =>
    element("li", {}, element("h3", {}, about, " ", chip(answer)), element("p", {}, text)),
  );
  return section("What this shows, and against whom", element("ul", { class: "account" }, ...items));
}

const SEEDS = {
  contributed: "gave a seed",
  committed: "bound to a seed, not opened yet",
  withheld: "withheld its seed",
  none: "gave none",
};

function gameSection({ game, keys }) {
  if (game === null) return null;
  const { id, kind, phase, events, seats, result } = game;
  const facts = [
    ["Game", code(id)],
    ["Kind", KINDS[kind]],
    ["State", `${PHASES[phase]}; the file holds ${events} events`],
    ...(result === null ? [] : [["Result", resultInWords(result)]]),
    ["Keys", keysInWords(keys)],
  ];
  const rows = seats.map(({ seat, name, seed, key }) => [
    String(seat),
    name,
    SEEDS[seed],
    key === null ? "none: the server could act for it" : code(key),
  ]);
  const seatTable =
    seats.length === 0 ? null : table("Who sat at the table", ["Seat", "Player", "Seed", "Own key"], rows);
  return section("The game", terms(facts), ...(seatTable === null ? [] : [seatTable]));
}

function resultInWords({ winners, scores, reason }) {
  const who = winners.length === 0 ? "nobody won" : `won by seat ${winners.join(", ")}`;
  const points = scores.length === 0 ? "" : `, scores ${scores.join(" : ")}`;
  return `${who}${points} (${reason})`;
}

function keysInWords({ came_apart: cameApart, signatures }) {
  const source = cameApart
    ? "yours, got apart from the file"
    : "out of the file itself; they prove nothing about their owner";
  const used = Object.entries(signatures).map(([id, count]) =>
    element("li", {}, code(id), ` signed ${count} event${count === 1 ? "" : "s"}`),
  );
  return element("div", {}, source, element("ul", { class: "plain" }, ...used));
}

function checksSection({ questions }) {
  const items = questions.map(({ title, answer, done, waits, fault }) =>
    element(
      "li",
      { class: answer },
      element("h3", {}, title),
      chip(answer),
      element("p", {}, done),
      waits === null ? null : element("p", { class: "waits" }, waits),
      fault === null ? null : faultElement(fault),
    ),
  );
  return section("Check by check", element("ol", { class: "checks", start: "0" }, ...items));
}

function faultElement({ sentence, check, expected, found }) {
  const pairs = [
    ["Check", check],
    ["Expected", code(expected)],
    ["Found", code(found)],
  ];
  return element("div", { class: "fault" }, element("p", { class: "sentence" }, sentence), terms(pairs));
}

function drawsSection({ draws, game }) {
  if (draws.length === 0) return null;
  const list = element("div", { class: "draws" });
  const more = element("button", { type: "button", class: "quiet", click: () => showMore() }, "Show more draws");
  let shown = 0;
  function showMore() {
    const next = draws.slice(shown, shown + DRAWS_AT_ONCE);
    const firstShuffle = draws.find(({ shuffle }) => Boolean(shuffle));
    list.append(...next.map((draw) => drawElement(draw, game.seats, draw === firstShuffle)));
    shown += next.length;
    more.hidden = shown === draws.length;
  }
  showMore();
  const lead = element(
    "p",
    {},
    "Every use of chance is one draw. Its numbers follow from seeds that were bound before anybody could know the others, so anyone can work them out again.",
  );
  return section("Draws and shuffles", lead, list, more);
}

function drawElement(draw, seats, isOpen) {
  const { number, purpose, seq, seed, shuffle } = draw;
  const what = seed === undefined ? "not disclosed yet" : shuffle ? `${shuffle.before.length} cards` : "numbers";
  const summary = [
    element("span", { class: "name" }, `Draw ${number}`),
    element("span", { class: "purpose" }, purpose),
    element("span", { class: "what" }, `${what}, event ${seq}`),
  ];
  const contents = () =>
    seed === undefined ? [undisclosed()] : [...seedElements(draw, seats), ...shuffleElements(draw)];
  return unfolding(summary, contents, isOpen);
}

function undisclosed() {
  return element(
    "p",
    {},
    "Its seed isn't public, or isn't good, so nobody but the server can work it out. The server is bound to it all the same.",
  );
}

function seedElements({ number, server_seed: serverSeed, player_seeds: playerSeeds, seed, words }, seats) {
  const players = playerSeeds.map((playerSeed, seat) => [
    `Seat ${seat}, ${seats[seat]?.name ?? "nobody"}`,
    playerSeed === null ? "gave no seed" : code(playerSeed),
  ]);
  return [
    element("h4", {}, "How its seed was made"),
    terms([[`The server's seed ${number}`, code(serverSeed)], ...players, ["Hashed together", code(seed)]]),
    element("p", {}, "That hash is the key of a ChaCha20 key stream. Its first words: ", code(words.join(" ")), " …"),
  ];
}

function shuffleElements({ shuffle }) {
  if (!shuffle) return [element("p", {}, "Which numbers were taken from these words is told by the game's rules.")];
  return [
    element("h4", {}, "Before"),
    cardRow("The deck before the shuffle, top first", shuffle.before),
    element("h4", {}, "After"),
    cardRow("The deck after the shuffle, top first", shuffle.after),
    element("p", { class: "help" }, "The card at 0 is the top of the deck."),
    element("h4", {}, "Swap by swap"),
    element("div", {}, ...shuffleStepper(shuffle)),
    unfolding(["All numbers in a table"], () => [swapTable(shuffle)]),
  ];
}

function limitsSection({ limits }) {
  return section(
    "What no audit shows",
    element("ul", { class: "limits" }, ...limits.map((limit) => element("li", {}, limit))),
  );
}

// ---------------------------------------------------------------------------------------------------------------------
// What the reader does
// ---------------------------------------------------------------------------------------------------------------------

/** What failed before there was anything to verify, in words for the reader. */
class Trouble extends Error {}

let keys = null;
/** What was checked last, to check it again when keys come. */
let current = null;
/** Each check has a number; one that isn't the newest any more stops and shows nothing. */
let checks = 0;

/** Gets a bundle and shows the report on it. `askedFor` is the game's id, where it was asked for by that. */
async function check(getBytes, askedFor = null) {
  const mine = ++checks;
  const isNewest = () => mine === checks;
  current = { getBytes, askedFor };
  byId("report").hidden = true;
  byId("trouble").hidden = true;
  tellProgress("Getting the bundle…", null);
  try {
    const bytes = await getBytes();
    const report = await verifyBundle(bytes, { keys, onProgress: progressTeller(isNewest) });
    if (isNewest()) showReport(report, askedFor);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    if (isNewest()) showTrouble(error.message);
  } finally {
    if (isNewest()) byId("working").hidden = true;
  }
}

function progressTeller(isNewest) {
  let painted = -Infinity;
  return async ({ done, total }) => {
    if (!isNewest()) throw new Trouble("another check began");
    if (performance.now() - painted < MILLISECONDS_BETWEEN_PAINTS) return;
    tellProgress(`Checking: ${done} of ${total} events`, done / total);
    await new Promise((resolve) => setTimeout(resolve));
    painted = performance.now();
  };
}

function tellProgress(text, share) {
  byId("working").hidden = false;
  byId("working-text").textContent = text;
  const bar = byId("progress");
  if (share === null) bar.removeAttribute("value");
  else bar.value = share;
}

/** Whoever asked for one game must not be told of another that it is fair. */
function showReport(report, askedFor) {
  if (askedFor !== null && report.game !== null && report.game.id !== askedFor) {
    return showTrouble("The server answered with the bundle of another game than the one that was asked for.");
  }
  byId("report").replaceChildren(...reportElements(report));
  byId("report").hidden = false;
  return byId("verdict").focus();
}

function showTrouble(text) {
  byId("trouble").textContent = text;
  byId("trouble").hidden = false;
  byId("trouble").scrollIntoView({ block: "nearest" });
}

async function fetchBundle(id) {
  const response = await fetch(`/v1/games/${id}/bundle`, { credentials: "omit" }).catch(() => {
    throw new Trouble("The server can't be reached.");
  });
  if (response.status === 404) throw new Trouble("The server knows no such game.");
  if (!response.ok) throw new Trouble(`The server gave no bundle: it answered with status ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}

async function bytesOf(file) {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new Trouble(`“${file.name}” can't be read.`);
  }
}

function checkById(text) {
  const [id] = GAME_ID.exec(text.trim().toLowerCase()) ?? [];
  byId("game-id").setAttribute("aria-invalid", String(id === undefined));
  if (id === undefined)
    return showTrouble("That isn't a game's id: an id looks like 0198c0de-1f2a-7b3c-8d4e-5f6a7b8c9d0e.");
  byId("game-id").value = id;
  history.replaceState(null, "", `#${id}`);
  return check(() => fetchBundle(id), id);
}

function checkFile(file) {
  byId("game-id").removeAttribute("aria-invalid");
  history.replaceState(null, "", location.pathname);
  return check(() => bytesOf(file));
}

async function takeKeys(file) {
  try {
    keys = readJson(await bytesOf(file));
    readKeySet(keys);
    byId("keys-state").textContent = `Using the keys in “${file.name}”.`;
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Trouble)) throw error;
    keys = null;
    byId("keys-state").textContent = `These keys can't be used: ${error.message}. ${NO_KEYS}`;
  }
  if (current !== null) await check(current.getBytes, current.askedFor);
}

const NO_KEYS = "Without them those in the file are used, which prove nothing about their owner.";

/** A file input that files can be dropped on, too. */
function takesFiles(inputId, take) {
  const input = byId(inputId);
  const zone = input.closest(".drop");
  input.addEventListener("change", () => {
    if (input.files.length > 0) take(input.files[0]);
    // So that the same file can be chosen again.
    input.value = "";
  });
  zone.addEventListener("dragover", () => zone.classList.add("over"));
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    zone.classList.remove("over");
    if (event.dataTransfer.files.length > 0) take(event.dataTransfer.files[0]);
  });
}

function checkHash() {
  if (location.hash.length > 1) checkById(location.hash);
}

byId("keys-state").textContent = NO_KEYS;
byId("by-id").addEventListener("submit", (event) => {
  event.preventDefault();
  checkById(byId("game-id").value);
});
takesFiles("bundle-file", checkFile);
takesFiles("keys-file", takeKeys);
// A file that misses its place would otherwise replace the page.
for (const type of ["dragover", "drop"]) addEventListener(type, (event) => event.preventDefault());
addEventListener("hashchange", checkHash);
checkHash();
