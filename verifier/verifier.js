// Croupier's fairness protocol, version 1: a verifier in one file.
//
//     node verifier/verifier.js game.json --keys keys.json
//
// or, in a page or a script of your own:
//
//     import { verifyBundle } from "./verifier.js";
//     const report = await verifyBundle(bytes, { keys: jwks });
//
// It shares no code with the server and uses nothing but the language: no dependency, no build step, no
// `crypto.subtle` (which a page over plain http lacks). It knows the protocol (log, signatures, seeds, draws, sealed
// moves, log of logs), not the rules of any game: whether a move was legal, and whether the cards that were shown are
// those of a shuffle, is for the full auditor to say.
//
// Signature checks are not constant in time. Everything here is public, so there is nothing to leak.

// ---------------------------------------------------------------------------------------------------------------------
// Decks: the one place that knows something of the games
// ---------------------------------------------------------------------------------------------------------------------

/**
 * For each kind of game and each purpose of a draw that shuffles a whole deck from the protocol's order, how to make
 * that deck from the game's options and the number who play. A purpose that is not listed begins with cards that only
 * the rules can tell (Spite & Malice: `first_turn`, `recycle`; Generals: `round`), or picks (`first_dealer`): it is
 * shown by its numbers only.
 */
const DECKS = {
  migraine: { deal: () => deck({ ranks: "AJQK" }) },
  spite_and_malice: { deal: (options) => deck({ decks: options.decks }) },
  generals: {
    deal: (options, players) => deck({ decks: options.decks ?? 1 + Math.floor(players / 10), jokers: options.jokers }),
  },
  tau_heed_kept: { deck: () => deck({}) },
};

/** More decks or jokers than any game has: options come from the file that is checked, and may be anything. */
const MOST_COPIES = 16;

/** Cards in the protocol's order: deck after deck; suits C, D, H, S; within a suit by rank; jokers last. */
export function deck({ ranks = "A23456789TJQK", decks = 1, jokers = 0 }) {
  for (const copies of [decks, jokers]) {
    if (!Number.isInteger(copies) || copies < 0 || copies > MOST_COPIES) return null;
  }
  const faces = [..."CDHS"].flatMap((suit) => [...ranks].map((rank) => rank + suit));
  const wild = Array.from({ length: jokers }, (_, i) => `X${i + 1}`);
  return Array.from({ length: decks }, () => [...faces, ...wild]).flat();
}

/** The deck before the shuffle, or null where it can't be told without the rules. */
function startingDeck(created, players, purpose) {
  const purposes = Object.hasOwn(DECKS, created.kind) ? DECKS[created.kind] : {};
  return Object.hasOwn(purposes, purpose) ? purposes[purpose](created.options, players) : null;
}

// ---------------------------------------------------------------------------------------------------------------------
// Texts: I-JSON in, canonical JSON out
// ---------------------------------------------------------------------------------------------------------------------

/** Why a text or a value was refused, in words. */
export class Refused extends Error {}

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_NESTING = 64;
/** Far more values than 64 MiB of events hold; a text of nothing but brackets would need gigabytes. */
const MOST_VALUES = 8_000_000;

/** Never valid in a text: surrogates without their other half (which is what `u` makes of `Surrogate`), noncharacters. */
const BAD_CHARACTER = /[\p{Surrogate}\p{Noncharacter_Code_Point}]/u;

/** Reads a JSON text as RFC 7493 wants it, and refuses what other readers mend. Takes bytes (UTF-8) or a string. */
export function readJson(bytesOrText) {
  const text = typeof bytesOrText === "string" ? bytesOrText : decodeUtf8(bytesOrText);
  if (text.length > MOST_BYTES) throw new Refused("the text is longer than 64 MiB");
  const bad = text.search(BAD_CHARACTER);
  if (bad >= 0) throw new Refused(`a lone surrogate or a noncharacter at character ${bad}`);
  return new Reader(text).document();
}

function decodeUtf8(bytes) {
  if (bytes.length > MOST_BYTES) throw new Refused("the text is longer than 64 MiB");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused("the text is not UTF-8");
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LITERALS = { t: ["true", true], f: ["false", false], n: ["null", null] };

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.values = 0;
  }

  document() {
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) this.refuse("something after the end of the value");
    return value;
  }

  value(depth) {
    if (++this.values > MOST_VALUES) this.refuse(`more than ${MOST_VALUES} values`);
    this.space();
    const first = this.text[this.at];
    if (first === '"') return this.string();
    if (first === "{" || first === "[") {
      if (depth >= MOST_NESTING) this.refuse(`nesting over ${MOST_NESTING}`);
      this.at += 1;
      return first === "{" ? this.object(depth + 1) : this.array(depth + 1);
    }
    if (first === "-" || (first >= "0" && first <= "9")) return this.integer();
    const [literal, value] = LITERALS[first] ?? this.refuse("no JSON value");
    if (!this.text.startsWith(literal, this.at)) this.refuse("no JSON value");
    this.at += literal.length;
    return value;
  }

  object(depth) {
    const object = {};
    if (this.skips("}")) return object;
    do {
      this.space();
      if (this.text.charCodeAt(this.at) !== QUOTE) this.refuse("a name was expected");
      const name = this.string();
      if (Object.hasOwn(object, name)) this.refuse(`the name ${show(name)} occurs twice`);
      this.wants(":");
      setOwn(object, name, this.value(depth));
    } while (this.skips(","));
    this.wants("}");
    return object;
  }

  array(depth) {
    const array = [];
    if (this.skips("]")) return array;
    do {
      array.push(this.value(depth));
    } while (this.skips(","));
    this.wants("]");
    return array;
  }

  string() {
    const start = this.at;
    let end = start + 1;
    let hasEscapes = false;
    for (let code = this.text.charCodeAt(end); code !== QUOTE; code = this.text.charCodeAt(end)) {
      // Past the end of the text the code is NaN, which is not >= 0x20 either.
      if (!(code >= 0x20)) this.refuse("a string with a control character, or without an end", end);
      hasEscapes ||= code === BACKSLASH;
      end += code === BACKSLASH ? 2 : 1;
    }
    this.at = end + 1;
    return hasEscapes ? this.unescaped(this.text.slice(start, end + 1)) : this.text.slice(start + 1, end);
  }

  /** Of a single string JSON.parse mends nothing, but it lets surrogates without their other half pass. */
  unescaped(literal) {
    let string;
    try {
      string = JSON.parse(literal);
    } catch {
      this.refuse("a string with an escape that is none");
    }
    if (BAD_CHARACTER.test(string)) this.refuse("a lone surrogate or a noncharacter");
    return string;
  }

  integer() {
    const pattern = /-?(?:0|[1-9][0-9]*)/y;
    pattern.lastIndex = this.at;
    const digits = pattern.exec(this.text)?.[0] ?? this.refuse("no JSON value");
    const next = this.text[this.at + digits.length] ?? "";
    if (next !== "" && ".eE0123456789".includes(next)) this.refuse("a number that is no plain integer");
    if (digits === "-0") this.refuse("the number -0");
    const value = Number(digits);
    if (!Number.isSafeInteger(value)) this.refuse("an integer beyond 2^53 - 1");
    this.at += digits.length;
    return value;
  }

  space() {
    while (" \t\n\r".includes(this.text[this.at] ?? "x")) this.at += 1;
  }

  skips(character) {
    this.space();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  wants(character) {
    if (!this.skips(character)) this.refuse(`"${character}" was expected`);
  }

  refuse(why, at = this.at) {
    throw new Refused(`${why}, at character ${at}`);
  }
}

/** `__proto__` is a name like any other in JSON; an assignment would change the object's prototype instead. */
function setOwn(object, name, value) {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

/** The canonical JSON text (RFC 8785) of a value. */
export function jcs(value) {
  if (value === null || typeof value === "boolean") return String(value);
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  if (typeof value === "string" && !BAD_CHARACTER.test(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jcs).join(",")}]`;
  if (!isObject(value)) throw new Refused(`the protocol's objects hold no such value: ${show(value)}`);
  // The default order of `sort` is by UTF-16 code units, which is what RFC 8785 asks for.
  const members = Object.keys(value)
    .sort()
    .map((name) => `${jcs(name)}:${jcs(value[name])}`);
  return `{${members.join(",")}}`;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object without some of its fields. */
function without(object, names) {
  const rest = {};
  for (const name of Object.keys(object)) {
    if (!names.includes(name)) setOwn(rest, name, object[name]);
  }
  return rest;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bytes as text
// ---------------------------------------------------------------------------------------------------------------------

const utf8 = new TextEncoder();

export function toHex(bytes) {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

export function fromHex(hex) {
  if (!/^(?:[0-9a-f]{2})*$/.test(hex)) throw new Refused("no lower-case hex digits");
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

const BASE64_COMMON = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64URL = `${BASE64_COMMON}-_`;
const BASE64 = `${BASE64_COMMON}+/`;

/** Decodes base64 without padding; null unless it is the one canonical text of its bytes. */
function decodeBase64(text, alphabet) {
  const bytes = new Uint8Array(Math.floor((text.length * 6) / 8));
  let held = 0;
  let bits = 0;
  let length = 0;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return null;
    held = ((held << 6) | digit) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = held >> bits;
    }
  }
  // What is left over must be fewer bits than one character holds, and zero: otherwise two texts mean the same bytes.
  return bits < 6 && (held & ((1 << bits) - 1)) === 0 ? bytes : null;
}

function encodeBase64(bytes, alphabet) {
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 6;) {
      bits -= 6;
      text += alphabet[(held >> bits) & 63];
    }
  }
  return bits === 0 ? text : text + alphabet[(held << (6 - bits)) & 63];
}

/** Canonical unpadded base64url, or null. */
export function fromBase64Url(text) {
  return decodeBase64(text, BASE64URL);
}

export function toBase64Url(bytes) {
  return encodeBase64(bytes, BASE64URL);
}

/** Canonical padded standard base64, or null. */
export function fromBase64(text) {
  const unpadded = text.replace(/={1,2}$/, "");
  const padding = (4 - (unpadded.length % 4)) % 4;
  return text.length === unpadded.length + padding ? decodeBase64(unpadded, BASE64) : null;
}

function concat(...parts) {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function equalBytes(a, b) {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

// ---------------------------------------------------------------------------------------------------------------------
// SHA-256 and SHA-512 (FIPS 180-4)
// ---------------------------------------------------------------------------------------------------------------------

/** The first `count` primes: both hashes take their constants from them. */
function firstPrimes(count) {
  const primes = [];
  for (let n = 2; primes.length < count; n += 1) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes;
}

/** The first 64 bits of the fraction of the `degree`-th root of `n`. */
function fractionOfRoot(n, degree) {
  const radicand = BigInt(n) << (64n * degree);
  let root = 0n;
  for (let bit = 1n << 70n; bit > 0n; bit >>= 1n) {
    if ((root | bit) ** degree <= radicand) root |= bit;
  }
  return BigInt.asUintN(64, root);
}

const highWord = (long) => Number(long >> 32n) | 0;
const lowWord = (long) => Number(long & 0xffffffffn) | 0;

const ROUND_CONSTANTS = firstPrimes(80).map((prime) => fractionOfRoot(prime, 3n));
const INITIAL_STATE = firstPrimes(8).map((prime) => fractionOfRoot(prime, 2n));

const ROUND_HIGH = Int32Array.from(ROUND_CONSTANTS, highWord);
const ROUND_LOW = Int32Array.from(ROUND_CONSTANTS, lowWord);
const INITIAL_HIGH = Int32Array.from(INITIAL_STATE, highWord);
const INITIAL_LOW = Int32Array.from(INITIAL_STATE, lowWord);

/** The message with its padding: a one bit, zeros, and its length in bits in the last eighth of the last block. */
function padded(bytes, blockLength) {
  const blocks = Math.ceil((bytes.length + 1 + blockLength / 8) / blockLength);
  const view = new DataView(new ArrayBuffer(blocks * blockLength));
  new Uint8Array(view.buffer).set(bytes);
  view.setUint8(bytes.length, 0x80);
  view.setBigUint64(view.byteLength - 8, BigInt(bytes.length) * 8n);
  return view;
}

const rotr = (word, n) => (word >>> n) | (word << (32 - n));

export function sha256(bytes) {
  const view = padded(bytes, 64);
  // SHA-256's constants are the upper halves of SHA-512's.
  const state = Int32Array.from(INITIAL_HIGH);
  const w = new Int32Array(64);
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let t = 0; t < 16; t += 1) w[t] = view.getInt32(block + 4 * t);
    for (let t = 16; t < 64; t += 1) {
      const early = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ (w[t - 15] >>> 3);
      const late = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ (w[t - 2] >>> 10);
      w[t] = w[t - 16] + early + w[t - 7] + late;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t += 1) {
      const first = (h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + ROUND_HIGH[t] + w[t]) | 0;
      const second = ((rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
  }
  const hash = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => hash.setInt32(4 * i, word));
  return new Uint8Array(hash.buffer);
}

/** The upper word of a 64-bit number rotated to the right; the lower one is that of the number with its words swapped. */
function rotatedHigh(high, low, n) {
  return n < 32 ? (high >>> n) | (low << (32 - n)) : (low >>> (n - 32)) | (high << (64 - n));
}

const shiftedLow = (high, low, n) => (low >>> n) | (high << (32 - n));

/** What a sum of low words, taken as unsigned, carries into the high words. */
const carry = (sum) => (sum / 0x100000000) | 0;

export function sha512(bytes) {
  const view = padded(bytes, 128);
  const high = Int32Array.from(INITIAL_HIGH);
  const low = Int32Array.from(INITIAL_LOW);
  const wh = new Int32Array(80);
  const wl = new Int32Array(80);
  for (let block = 0; block < view.byteLength; block += 128) {
    expandSchedule(view, block, wh, wl);
    compressBlock(high, low, wh, wl);
  }
  const hash = new DataView(new ArrayBuffer(64));
  for (let i = 0; i < 8; i += 1) {
    hash.setInt32(8 * i, high[i]);
    hash.setInt32(8 * i + 4, low[i]);
  }
  return new Uint8Array(hash.buffer);
}

function expandSchedule(view, block, wh, wl) {
  for (let t = 0; t < 16; t += 1) {
    wh[t] = view.getInt32(block + 8 * t);
    wl[t] = view.getInt32(block + 8 * t + 4);
  }
  for (let t = 16; t < 80; t += 1) {
    const [eh, el] = [wh[t - 15], wl[t - 15]];
    const [lh, ll] = [wh[t - 2], wl[t - 2]];
    const earlyHigh = rotatedHigh(eh, el, 1) ^ rotatedHigh(eh, el, 8) ^ (eh >>> 7);
    const earlyLow = rotatedHigh(el, eh, 1) ^ rotatedHigh(el, eh, 8) ^ shiftedLow(eh, el, 7);
    const lateHigh = rotatedHigh(lh, ll, 19) ^ rotatedHigh(lh, ll, 61) ^ (lh >>> 6);
    const lateLow = rotatedHigh(ll, lh, 19) ^ rotatedHigh(ll, lh, 61) ^ shiftedLow(lh, ll, 6);
    const sum = (wl[t - 16] >>> 0) + (earlyLow >>> 0) + (wl[t - 7] >>> 0) + (lateLow >>> 0);
    wl[t] = sum;
    wh[t] = wh[t - 16] + earlyHigh + wh[t - 7] + lateHigh + carry(sum);
  }
}

function compressBlock(high, low, wh, wl) {
  let [ah, bh, ch, dh, eh, fh, gh, hh] = high;
  let [al, bl, cl, dl, el, fl, gl, hl] = low;
  for (let t = 0; t < 80; t += 1) {
    const mixEh = rotatedHigh(eh, el, 14) ^ rotatedHigh(eh, el, 18) ^ rotatedHigh(eh, el, 41);
    const mixEl = rotatedHigh(el, eh, 14) ^ rotatedHigh(el, eh, 18) ^ rotatedHigh(el, eh, 41);
    const choiceH = (eh & fh) ^ (~eh & gh);
    const choiceL = (el & fl) ^ (~el & gl);
    const firstSum = (hl >>> 0) + (mixEl >>> 0) + (choiceL >>> 0) + (ROUND_LOW[t] >>> 0) + (wl[t] >>> 0);
    const firstH = (hh + mixEh + choiceH + ROUND_HIGH[t] + wh[t] + carry(firstSum)) | 0;
    const firstL = firstSum | 0;
    const mixAh = rotatedHigh(ah, al, 28) ^ rotatedHigh(ah, al, 34) ^ rotatedHigh(ah, al, 39);
    const mixAl = rotatedHigh(al, ah, 28) ^ rotatedHigh(al, ah, 34) ^ rotatedHigh(al, ah, 39);
    const majorityH = (ah & bh) ^ (ah & ch) ^ (bh & ch);
    const majorityL = (al & bl) ^ (al & cl) ^ (bl & cl);
    const newE = (dl >>> 0) + (firstL >>> 0);
    const newA = (firstL >>> 0) + (mixAl >>> 0) + (majorityL >>> 0);
    [hh, gh, fh, eh] = [gh, fh, eh, (dh + firstH + carry(newE)) | 0];
    [hl, gl, fl, el] = [gl, fl, el, newE | 0];
    [dh, ch, bh, ah] = [ch, bh, ah, (firstH + mixAh + majorityH + carry(newA)) | 0];
    [dl, cl, bl, al] = [cl, bl, al, newA | 0];
  }
  const highs = [ah, bh, ch, dh, eh, fh, gh, hh];
  [al, bl, cl, dl, el, fl, gl, hl].forEach((word, i) => {
    const sum = (low[i] >>> 0) + (word >>> 0);
    low[i] = sum;
    high[i] += highs[i] + carry(sum);
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers from a seed
// ---------------------------------------------------------------------------------------------------------------------

const WORDS = 0x100000000;

/** ChaCha20 (20 rounds, block counter from 0, nonce 0) under a seed, read as little-endian words. */
export class KeyStream {
  constructor(seed) {
    const key = new DataView(fromHex(seed).buffer);
    this.input = new Uint32Array(16);
    // "expand 32-byte k", the cipher's constant.
    this.input.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
    for (let i = 0; i < 8; i += 1) this.input[4 + i] = key.getUint32(4 * i, true);
    this.block = null;
    this.used = 16;
  }

  /** The next word. */
  word() {
    if (this.used === 16) {
      this.block = chachaBlock(this.input);
      this.input[12] += 1;
      this.used = 0;
    }
    return this.block[this.used++];
  }

  /** The next word that gives every remainder by `n` the same chance; others are thrown away. */
  fairWord(n) {
    if (!Number.isInteger(n) || n < 1 || n > WORDS) throw new Refused(`below(${n})`);
    const bound = Math.floor(WORDS / n) * n;
    let word = this.word();
    while (word >= bound) word = this.word();
    return word;
  }

  /** A number from 0 to n - 1. */
  below(n) {
    return this.fairWord(n) % n;
  }
}

const rotl = (word, n) => (word << n) | (word >>> (32 - n));

function quarterRound(x, a, b, c, d) {
  x[a] += x[b];
  x[d] = rotl(x[d] ^ x[a], 16);
  x[c] += x[d];
  x[b] = rotl(x[b] ^ x[c], 12);
  x[a] += x[b];
  x[d] = rotl(x[d] ^ x[a], 8);
  x[c] += x[d];
  x[b] = rotl(x[b] ^ x[c], 7);
}

function chachaBlock(input) {
  const x = Uint32Array.from(input);
  for (let round = 0; round < 20; round += 2) {
    for (let i = 0; i < 4; i += 1) quarterRound(x, i, 4 + i, 8 + i, 12 + i);
    for (let i = 0; i < 4; i += 1) quarterRound(x, i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4));
  }
  return x.map((word, i) => word + input[i]);
}

/**
 * The protocol's shuffle. `words` are the words of the key stream that moved the cards, first to last: the one at
 * position p, modulo n - p, is the place with which the card at n - 1 - p was swapped.
 */
export function shuffle(before, seed) {
  const stream = new KeyStream(seed);
  const after = [...before];
  const words = [];
  for (let i = after.length - 1; i > 0; i -= 1) {
    const word = stream.fairWord(i + 1);
    words.push(word);
    const j = word % (i + 1);
    [after[i], after[j]] = [after[j], after[i]];
  }
  return { before, after, words };
}

// ---------------------------------------------------------------------------------------------------------------------
// Ed25519 (RFC 8032), verification only
// ---------------------------------------------------------------------------------------------------------------------

const P = 2n ** 255n - 19n;
/** The order of the base point. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Into 0 … P - 1. Between additions numbers may be negative or a little larger; this is for the end. */
const canonical = (a) => ((a % P) + P) % P;
const times = (a, b) => (a * b) % P;

function squared(a, n) {
  for (let i = 0; i < n; i += 1) a = times(a, a);
  return a;
}

/** a^(2^252 - 3), from which both a square root and an inverse are made. */
function powerForRoots(a) {
  const double = (power, n) => times(squared(power, n), power);
  const ones4 = double(double(a, 1), 2); // a^(2^4 - 1)
  const ones5 = times(squared(ones4, 1), a);
  const ones10 = double(ones5, 5);
  const ones20 = double(ones10, 10);
  const ones40 = double(ones20, 20);
  const ones50 = times(squared(ones40, 10), ones10);
  const ones100 = double(ones50, 50);
  const ones200 = double(ones100, 100);
  const ones250 = times(squared(ones200, 50), ones50);
  return times(squared(ones250, 2), a);
}

/** a^(P - 2) = a^(8 (2^252 - 3) + 3). */
const inverse = (a) => times(squared(powerForRoots(a), 3), times(times(a, a), a));

const D = canonical(-121665n * inverse(121666n));
/** 2^((P - 1) / 4), a square root of -1: 2 is no square modulo P, and (P - 1) / 4 = 2 (2^252 - 3) + 1. */
const ROOT_OF_MINUS_1 = canonical(times(squared(powerForRoots(2n), 1), 2n));

const NEUTRAL = { x: 0n, y: 1n, z: 1n, t: 0n };

function fromLittleEndian(bytes) {
  return BigInt(`0x${toHex(Uint8Array.from(bytes).reverse())}`);
}

function toLittleEndian(number) {
  return fromHex(number.toString(16).padStart(64, "0")).reverse();
}

/** The point that 32 bytes encode, or null: y must be below P, and x must exist. */
function decodePoint(bytes) {
  const encoded = fromLittleEndian(bytes);
  const sign = encoded >> 255n;
  const y = BigInt.asUintN(255, encoded);
  if (y >= P) return null;
  // x^2 = (y^2 - 1) / (d y^2 + 1) = u / v, and the root, if there is one, is u v^3 (u v^7)^((P - 5) / 8), perhaps
  // times the root of -1.
  const u = y * y - 1n;
  const v = times(D, y * y) + 1n;
  const v3 = times(times(v, v), v);
  let x = times(times(u, v3), powerForRoots(times(times(u, v3), times(v3, v))));
  const square = canonical(times(v, times(x, x)));
  if (square === canonical(-u)) x = times(x, ROOT_OF_MINUS_1);
  else if (square !== canonical(u)) return null;
  x = canonical(x);
  if (x === 0n && sign === 1n) return null;
  if ((x & 1n) !== sign) x = P - x;
  return { x, y, z: 1n, t: times(x, y) };
}

function encodePoint({ x, y, z }) {
  const zInverse = inverse(canonical(z));
  const sign = canonical(times(x, zInverse)) & 1n;
  return toLittleEndian(canonical(times(y, zInverse)) | (sign << 255n));
}

/** What an addition needs of its second operand, worked out once. */
function addend({ x, y, z, t }) {
  return { sum: y + x, difference: y - x, z2: 2n * z, td2: times(2n * D, t) };
}

/** Addition on the curve in extended coordinates (add-2008-hwcd-3), complete: it doubles too. */
function add(p, q) {
  const a = times(p.y - p.x, q.difference);
  const b = times(p.y + p.x, q.sum);
  const c = times(p.t, q.td2);
  const d = times(p.z, q.z2);
  const e = b - a;
  const f = d - c;
  const g = d + c;
  const h = b + a;
  return { x: times(e, f), y: times(g, h), z: times(f, g), t: times(e, h) };
}

const double = (point) => add(point, addend(point));

const WINDOWS = 64;

/** For each hexadecimal digit of a scalar, lowest first, that digit's multiples of the point: 1 to 15 times 16^place. */
function multiplesOf(point) {
  const table = [];
  for (let place = 0; place < WINDOWS; place += 1) {
    const unit = addend(point);
    const row = [unit];
    for (let digit = 2; digit < 16; digit += 1) {
      point = add(point, unit);
      row.push(addend(point));
    }
    table.push(row);
    point = add(point, unit);
  }
  return table;
}

/** start + scalar * point, by the point's table: no doublings are left to do. */
function addMultiple(start, table, scalar) {
  const digits = scalar.toString(16).padStart(WINDOWS, "0");
  let point = start;
  for (let place = 0; place < WINDOWS; place += 1) {
    const digit = parseInt(digits[WINDOWS - 1 - place], 16);
    if (digit > 0) point = add(point, table[place][digit - 1]);
  }
  return point;
}

const BASE_POINT = decodePoint(toLittleEndian(canonical(4n * inverse(5n))));
let baseTable = null;

/** An Ed25519 public key. Its table is made with the first signature that is verified under it. */
export class PublicKey {
  /** The key that these 32 bytes encode, or null: no point, not canonical, or of small order. */
  static decode(bytes) {
    const point = bytes.length === 32 ? decodePoint(bytes) : null;
    return point === null || isOfSmallOrder(point) ? null : new PublicKey(bytes, point);
  }

  constructor(bytes, point) {
    this.bytes = bytes;
    this.point = point;
    this.table = null;
  }

  /** Whether 64 bytes are this key's signature over the message, without cofactor. */
  verify(message, signature) {
    if (signature.length !== 64) return false;
    const s = fromLittleEndian(signature.subarray(32));
    if (s >= L) return false;
    const r = signature.subarray(0, 32);
    const k = fromLittleEndian(sha512(concat(r, this.bytes, message))) % L;
    baseTable ??= multiplesOf(BASE_POINT);
    const { x, y, z, t } = this.point;
    this.table ??= multiplesOf({ x: -x, y, z, t: -t });
    const expected = addMultiple(addMultiple(NEUTRAL, baseTable, s), this.table, k);
    return equalBytes(r, encodePoint(expected));
  }
}

function isOfSmallOrder(point) {
  const { x, y, z } = double(double(double(point)));
  return canonical(x) === 0n && canonical(y - z) === 0n;
}

/** A table takes some 200 KiB, and a hostile file may name a new key in every event. */
const MOST_KEYS_AT_HAND = 64;
const keysAtHand = new Map();

/** The key of a base64url text, or null where the protocol refuses it. */
export function publicKey(text) {
  if (keysAtHand.has(text)) return keysAtHand.get(text);
  const bytes = fromBase64Url(text);
  const key = bytes === null ? null : PublicKey.decode(bytes);
  if (keysAtHand.size >= MOST_KEYS_AT_HAND) keysAtHand.delete(keysAtHand.keys().next().value);
  keysAtHand.set(text, key);
  return key;
}

/** Whether a signature (base64url) over the 32 bytes of a digest (hex) is good under a key (base64url). */
export function verifySignature(keyText, digestHex, signatureText) {
  const signature = fromBase64Url(signatureText);
  return signature !== null && (publicKey(keyText)?.verify(fromHex(digestHex), signature) ?? false);
}

// ---------------------------------------------------------------------------------------------------------------------
// The protocol's digests
// ---------------------------------------------------------------------------------------------------------------------

const CHAIN_LENGTH = 4096;
const NO_HASH = "0".repeat(64);

const hashOfText = (text) => toHex(sha256(utf8.encode(text)));

export function digest(object) {
  return hashOfText(jcs(object));
}

/** The seed `steps` places before this one in the server's chain; s[0] is the anchor. */
export function earlierSeed(seed, steps) {
  let bytes = fromHex(seed);
  for (let i = 0; i < steps; i += 1) bytes = sha256(bytes);
  return toHex(bytes);
}

export function seedCommitment({ game, seat, seed }) {
  return digest({ kind: "croupier/v1/seed-commitment", game, seat, seed });
}

export function drawSeed({ game, draw, serverSeed, playerSeeds }) {
  return digest({
    kind: "croupier/v1/draw-seed",
    game,
    draw,
    server_seed: serverSeed,
    player_seeds: playerSeeds,
  });
}

export function moveCommitment({ game, seat, step, move, nonce }) {
  return digest({ kind: "croupier/v1/move-commitment", game, seat, step, move, nonce });
}

export function eventHash({ game, seq, prev, at, actor, type, data }) {
  return digest({ kind: "croupier/v1/event", game, seq, prev, at, actor, type, data });
}

/** What a player's own signature is over: the event's data without what only the server can know. */
export function commandDigest({ game, actor, type, data }) {
  const added = ["by", "facts", "player", "sealed_by"];
  if (type === "resigned") added.push("step");
  return digest({ kind: "croupier/v1/command", game, seat: actor, type, command: without(data, added) });
}

/** The id of a key: its RFC 7638 thumbprint. */
export function thumbprint(x) {
  return toBase64Url(sha256(utf8.encode(jcs({ crv: "Ed25519", kty: "OKP", x }))));
}

/** The game's name in the log of logs. */
export function gameTag(game) {
  return digest({ kind: "croupier/v1/game-id", game });
}

export function startedEntry({ game, seq, hash }, anchor) {
  return jcs({ kind: "croupier/v1/game-started", game: gameTag(game), seq, hash, anchor });
}

export function overEntry({ game, seq, hash }) {
  return jcs({ kind: "croupier/v1/game-over", game: gameTag(game), seq, hash });
}

// ---------------------------------------------------------------------------------------------------------------------
// The log of logs: RFC 6962 trees, C2SP checkpoints
// ---------------------------------------------------------------------------------------------------------------------

export function leafHash(entry) {
  return toHex(sha256(concat([0], utf8.encode(entry))));
}

export function nodeHash(left, right) {
  return toHex(sha256(concat([1], fromHex(left), fromHex(right))));
}

/** The root of the tree over these entries. */
export function treeRoot(entries) {
  if (entries.length === 0) return hashOfText("");
  if (entries.length === 1) return leafHash(entries[0]);
  let half = 1;
  while (half * 2 < entries.length) half *= 2;
  return nodeHash(treeRoot(entries.slice(0, half)), treeRoot(entries.slice(half)));
}

// Sizes and indices may be beyond 32 bits, so they are halved by division, never shifted.
const isOdd = (n) => n % 2 === 1;
const half = (n) => Math.floor(n / 2);

/**
 * Walks up from a node of a tree to its root, past a proof's hashes, and says of each whether it is the left or the
 * right sibling. Returns whether the hashes were as many as that way has levels.
 */
function climb(node, last, hashes, leftSibling, rightSibling) {
  for (const sibling of hashes) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      leftSibling(sibling);
      // At the right edge a node without a right sibling is the same hash on several levels.
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      rightSibling(sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0;
}

/** Whether the hashes lead from the entry at this index to the root of a tree of this size (RFC 9162, 2.1.3.2). */
export function verifyInclusion({ entry, index, size, hashes, root }) {
  if (index >= size) return false;
  let hash = leafHash(entry);
  const isWhole = climb(
    index,
    size - 1,
    hashes,
    (left) => (hash = nodeHash(left, hash)),
    (right) => (hash = nodeHash(hash, right)),
  );
  return isWhole && hash === root;
}

/** Whether the tree of the second size is an extension of that of the first (RFC 9162, 2.1.4.2). */
export function verifyConsistency({ firstSize, firstRoot, secondSize, secondRoot, hashes }) {
  if (firstSize > secondSize) return false;
  if (firstSize === secondSize) return hashes.length === 0 && firstRoot === secondRoot;
  if (firstSize === 0) return hashes.length === 0 && firstRoot === treeRoot([]);
  let [node, last] = [firstSize - 1, secondSize - 1];
  while (isOdd(node)) [node, last] = [half(node), half(last)];
  // A first tree that is complete is itself a node of the second, and is left out of the proof.
  const [start, ...path] = node === 0 ? [firstRoot, ...hashes] : hashes;
  let [first, second] = [start, start];
  const isWhole = climb(
    node,
    last,
    path,
    (left) => ([first, second] = [nodeHash(left, first), nodeHash(left, second)]),
    (right) => (second = nodeHash(second, right)),
  );
  return isWhole && first === firstRoot && second === secondRoot;
}

/** Room for a hundred witnesses and more. */
const MOST_NOTE_CHARACTERS = 65_536;

/** Reads a C2SP `tlog-checkpoint` without extension lines; throws `Refused`. */
export function parseCheckpoint(note) {
  if (note.length > MOST_NOTE_CHARACTERS) refuse(`the checkpoint is longer than ${MOST_NOTE_CHARACTERS} characters`);
  const [, body, origin, size, root, signatures] =
    /^(([^\n]+)\n(0|[1-9][0-9]*)\n([^\n]+)\n)\n((?:[^\n]+\n)+)$/.exec(note) ??
    refuse("the checkpoint is no signed note of an origin, a size, a root and signatures");
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note)) refuse("the checkpoint has a control character");
  if (!isKeyName(origin)) refuse(`a checkpoint's origin can't be ${show(origin)}`);
  if (!Number.isSafeInteger(Number(size))) refuse("the checkpoint's size is beyond 2^53 - 1");
  const rootBytes = fromBase64(root);
  if (rootBytes?.length !== 32) refuse("the checkpoint's root is no SHA-256 hash in base64");
  const lines = signatures.slice(0, -1).split("\n").map(parseNoteSignature);
  return { body, origin, size: Number(size), root: toHex(rootBytes), signatures: lines };
}

function refuse(why) {
  throw new Refused(why);
}

const isKeyName = (name) => name !== "" && !/[\s+]/u.test(name);

function parseNoteSignature(line) {
  const [, name, encoded] =
    /^\u2014 ([^ ]+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? refuse(`no signature line: ${show(line)}`);
  const bytes = fromBase64(encoded);
  if (!isKeyName(name) || bytes === null || bytes.length < 5) refuse(`no signature line: ${show(line)}`);
  return { name, keyId: toHex(bytes.subarray(0, 4)), signature: bytes.subarray(4) };
}

/** The id of an Ed25519 key in a signed note. */
export function noteKeyId(name, x) {
  return toHex(sha256(concat(utf8.encode(name), [0x0a, 0x01], fromBase64Url(x))).subarray(0, 4));
}

/**
 * Reads a checkpoint and verifies the log's own signature under one of these keys (base64url); throws `Refused`.
 * Signatures of witnesses, whose keys are not known here, are passed over.
 */
export function verifyCheckpoint(note, keys) {
  const checkpoint = parseCheckpoint(note);
  const own = checkpoint.signatures.filter(({ name }) => name === checkpoint.origin);
  for (const x of keys) {
    const keyId = noteKeyId(checkpoint.origin, x);
    const signed = own.filter((line) => line.keyId === keyId);
    if (signed.length === 0) continue;
    const message = utf8.encode(checkpoint.body);
    if (!signed.every(({ signature }) => publicKey(x)?.verify(message, signature))) {
      refuse("the checkpoint's signature is not good");
    }
    return { ...checkpoint, key: x };
  }
  return refuse("the checkpoint bears no signature of a known checkpoint key");
}

// ---------------------------------------------------------------------------------------------------------------------
// Forms: what a value must look like
// ---------------------------------------------------------------------------------------------------------------------

// A form is a function of a value. It returns null where the value has the form, else where inside the value it fails
// (a path such as ".data.seed"), what was expected there, and what was found.

const form = (expected, test) => (found) => (test(found) ? null : { path: "", expected, found });
const matching = (pattern, expected) => form(expected, (value) => typeof value === "string" && pattern.test(value));
const exactly = (...values) => form(values.map(show).join(" or "), (value) => values.includes(value));

function nullable(inner) {
  return (value) => {
    const failure = value === null ? null : inner(value);
    return failure?.path === "" ? { ...failure, expected: `${failure.expected}, or null` } : failure;
  };
}

function list(item) {
  return (value) => {
    if (!Array.isArray(value)) return { path: "", expected: "a list", found: value };
    return firstFailure(value.length, (i) => inside(`[${i}]`, item(value[i])));
  };
}

/** An object that has these fields and no other. */
function closed(fields) {
  const names = Object.keys(fields);
  return (value) => {
    const failure = open(fields)(value);
    const strange = failure ?? Object.keys(value).find((name) => !Object.hasOwn(fields, name));
    if (typeof strange !== "string") return failure;
    return {
      path: `.${printable(shortened(strange))}`,
      expected: `no field but ${names.join(", ")}`,
      found: value[strange],
    };
  };
}

/** An object that has at least these fields. */
function open(fields) {
  const names = Object.keys(fields);
  return (value) => {
    if (!isObject(value)) return { path: "", expected: "an object", found: value };
    return firstFailure(names.length, (i) => {
      const name = names[i];
      return inside(`.${name}`, fields[name](Object.hasOwn(value, name) ? value[name] : undefined));
    });
  };
}

/** A form that may be left out of an open object. */
const optional = (inner) => (value) => (value === undefined ? null : inner(value));

function inside(step, failure) {
  return failure === null ? null : { ...failure, path: step + failure.path };
}

function firstFailure(count, failureAt) {
  for (let i = 0; i < count; i += 1) {
    const failure = failureAt(i);
    if (failure !== null) return failure;
  }
  return null;
}

const MOST_SHOWN = 100;

/** A value in short, safe to print on a terminal: files may hold anything. */
function show(value) {
  if (typeof value === "string") return printable(JSON.stringify(shortened(value)));
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value === undefined) return "nothing";
  if (!isObject(value)) return String(value);
  return `an object with ${printable(shortened(Object.keys(value).slice(0, MOST_SHOWN).join(", "))) || "no fields"}`;
}

function shortened(text) {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** A text without control characters and without those that hide or turn around what stands beside them. */
function printable(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (bad) => `\\u{${bad.codePointAt(0).toString(16)}}`);
}

const anything = form("a value", (value) => value !== undefined);
const anyText = form("a string", (value) => typeof value === "string");
const anyObject = form("an object", isObject);
const integer = form("an integer", Number.isInteger);
const count = form("an integer from 0", (value) => Number.isInteger(value) && value >= 0);
const positive = form("an integer from 1", (value) => Number.isInteger(value) && value >= 1);
/** No game seats more than 20. A limit of some kind keeps a hostile file from asking for millions of player seeds. */
const places = form("a number of seats, 1 to 255", (value) => Number.isInteger(value) && value >= 1 && value <= 255);
const hex32 = matching(/^[0-9a-f]{64}$/, "64 lower-case hex digits");
const uuid = matching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  "a lower-case UUID of version 7",
);
const time = form("a time like 2026-01-02T03:04:05.006Z", isTime);
const base64UrlOf = (length, what) =>
  form(what, (value) => typeof value === "string" && fromBase64Url(value)?.length === length);
const keyId = base64UrlOf(32, "a key's id: SHA-256 in canonical base64url");
const signature = base64UrlOf(64, "a signature: 64 bytes in canonical base64url");
const ed25519Key = form(
  "an Ed25519 public key in canonical base64url, not of small order",
  (value) => typeof value === "string" && value.length === 43 && publicKey(value) !== null,
);
const drawNumber = form(`a draw's number, 1 to ${CHAIN_LENGTH}`, (value) => isDrawNumber(value));
const seatList = form("a list of seats in ascending order", isSeatList);

function isTime(value) {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return false;
  const instant = new Date(value);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === value;
}

function isDrawNumber(value) {
  return Number.isInteger(value) && value >= 1 && value <= CHAIN_LENGTH;
}

function isSeatList(value) {
  return Array.isArray(value) && value.every((seat, i) => count(seat) === null && (i === 0 || value[i - 1] < seat));
}

const typed = open({ type: anyText });
const drawFact = closed({ type: exactly("draw"), draw: drawNumber, purpose: anyText });
const fact = (value) => typed(value) ?? (value.type === "draw" ? drawFact(value) : null);
const facts = list(fact);
const by = nullable(signature);
const after = nullable(count);

/** Who may bring about each type of event, in which phases, and what its data holds. */
const EVENT_TYPES = {
  created: {
    actor: "server",
    phases: ["new"],
    data: closed({
      protocol: exactly(1),
      kind: exactly("migraine", "spite_and_malice", "generals", "tau_heed_kept", "random_chess", "fatetst_rpg"),
      rules: closed({ version: integer, text: hex32 }),
      options: anyObject,
      seats: closed({ min: places, max: places }),
      anchor: hex32,
      chain: exactly(CHAIN_LENGTH),
      move_seconds: nullable(positive),
      host: uuid,
    }),
  },
  seated: {
    actor: "seat",
    phases: ["open"],
    data: closed({
      player: closed({ id: uuid, name: anyText }),
      seed_commitment: nullable(hex32),
      key: nullable(ed25519Key),
      after,
      by,
    }),
  },
  left: { actor: "seat", phases: ["open"], data: closed({ after, by }) },
  closed: { actor: "server", phases: ["open"], data: closed({ seats: places, open_by: nullable(time) }) },
  seed_opened: { actor: "seat", phases: ["closed"], data: closed({ seed: hex32, by }) },
  started: { actor: "server", phases: ["closed"], data: closed({ facts }) },
  committed: {
    actor: "seat",
    phases: ["playing"],
    data: closed({ step: positive, commitment: hex32, sealed_by: exactly("client", "server"), by }),
  },
  opened: {
    actor: "seat",
    phases: ["playing"],
    data: closed({ step: positive, move: typed, nonce: hex32, facts, by }),
  },
  moved: {
    actor: "seat",
    phases: ["playing"],
    data: closed({ step: nullable(positive), after, move: typed, facts, by }),
  },
  resigned: {
    actor: "seat",
    phases: ["playing"],
    data: closed({ step: nullable(positive), after, facts, by }),
  },
  timed_out: { actor: "server", phases: ["playing"], data: closed({ step: positive, seats: seatList, facts }) },
  disclosed: { actor: "server", phases: ["playing"], data: closed({ draw: drawNumber, seed: hex32 }) },
  ended: {
    actor: "server",
    phases: ["playing"],
    data: closed({ result: closed({ winners: seatList, scores: list(integer), reason: anyText }) }),
  },
  voided: {
    actor: "server",
    phases: ["open", "closed"],
    data: closed({ reason: exactly("cancelled", "seed_missing"), seats: seatList }),
  },
};

const envelope = closed({
  game: uuid,
  seq: count,
  prev: hex32,
  at: time,
  actor: form('a seat\'s number, or "server"', (value) => value === "server" || count(value) === null),
  type: form("a type of event", (value) => typeof value === "string" && Object.hasOwn(EVENT_TYPES, value)),
  data: anyObject,
  hash: hex32,
  signature: closed({ key: keyId, value: signature }),
});

const eventForm = (event) => envelope(event) ?? inside(".data", EVENT_TYPES[event.type].data(event.data));

const keyForm = open({
  kty: exactly("OKP"),
  crv: exactly("Ed25519"),
  use: optional(exactly("sig")),
  alg: optional(exactly("EdDSA")),
  kid: keyId,
  x: ed25519Key,
  croupier_use: anyText,
  not_before: nullable(time),
  not_after: nullable(time),
});

const logForm = closed({
  checkpoint: anyText,
  proofs: list(closed({ entry: anyText, index: count, hashes: list(hex32) })),
});

// ---------------------------------------------------------------------------------------------------------------------
// The table: what the events so far have made of it
// ---------------------------------------------------------------------------------------------------------------------

/** A check that failed: its name, what was expected, what was found, and a sentence for a player. */
function fault(check, expected, found, sentence) {
  return { check, expected: String(expected), found: String(found), sentence };
}

class Table {
  constructor() {
    /** new, open, closed, playing, ended or voided. */
    this.phase = "new";
    this.game = null;
    this.created = null;
    this.result = null;
    /** Who sits where: by seat, {player, commitment, key, seed}. */
    this.seats = new Map();
    this.playersSeated = new Set();
    this.openBy = null;
    /** How many committed seeds are still to be opened. */
    this.seedsOwed = 0;
    /** The numbers of the last draw that the log tells of, and of the last whose server seed it shows. */
    this.drawsUsed = 0;
    this.drawsDisclosed = 0;
  }

  get isOver() {
    return this.phase === "ended" || this.phase === "voided";
  }

  /** The seats that committed a seed and have not opened it yet, in ascending order. */
  get seatsOwingSeeds() {
    const owing = [...this.seats].filter(([, { commitment, seed }]) => commitment !== null && seed === null);
    return owing.map(([seat]) => seat).sort(ascending);
  }

  /** Why an event of good form may not stand here, or null. */
  placeFault(event) {
    return this.actorFault(event) ?? afterFault(this, event) ?? PLACES[event.type]?.(this, event) ?? null;
  }

  actorFault({ type, actor }) {
    const { actor: right, phases } = EVENT_TYPES[type];
    if ((actor === "server") !== (right === "server")) {
      const expected = right === "server" ? "the server" : "a seat";
      return fault("actor", expected, show(actor), `only ${expected} brings about "${type}"`);
    }
    if (!phases.includes(this.phase)) {
      const expected = `a game that is ${phases.join(" or ")}`;
      return fault("place", expected, this.phase, `"${type}" may not stand in a game that is ${this.phase}`);
    }
    if (actor === "server" || type === "seated" || this.seats.has(actor)) return null;
    return fault("seat", "a seat that is taken", `seat ${actor}`, `nobody sits at seat ${actor}`);
  }

  /** Takes in an event that may stand here. */
  apply(event) {
    for (const { draw } of drawsIn(event)) this.drawsUsed = Math.max(this.drawsUsed, draw);
    CHANGES[event.type]?.(this, event);
  }
}

const ascending = (a, b) => a - b;

/** The draws that an event's facts tell of. */
function drawsIn({ data }) {
  return (data.facts ?? []).filter(({ type }) => type === "draw");
}

/** What has no step of its own says after which event its sender knew last; a decision has its step instead. */
function afterFault(table, { type, actor, seq, data }) {
  if (!Object.hasOwn(data, "after")) return null;
  if (type === "moved" && data.step !== null) {
    if (data.after === null) return null;
    return fault("after", "null for a decision", data.after, 'a decision says nothing in "after"');
  }
  const key = type === "seated" ? data.key : table.seats.get(actor).key;
  if (data.after === null ? key === null : data.after < seq) return null;
  return fault("after", `the number of an event before ${seq}`, data.after, '"after" names no earlier event');
}

/** What else must hold where an event of a type stands: the rest of its row in the protocol's table. */
const PLACES = {
  created(table, { data: { seats } }) {
    if (seats.min <= seats.max) return null;
    return fault("seats", "min not above max", `${seats.min} and ${seats.max}`, "such a table can never be filled");
  },

  seated(table, { actor, data: { player } }) {
    const { max } = table.created.seats;
    if (actor >= max) return fault("seat", `a seat below ${max}`, actor, `this table has no seat ${actor}`);
    if (table.seats.has(actor)) return fault("seat", "a free seat", `seat ${actor}`, `seat ${actor} is taken already`);
    if (!table.playersSeated.has(player.id)) return null;
    return fault("player", "a player without a seat", player.id, "this player holds another seat already");
  },

  closed(table, { data: { seats, open_by: openBy } }) {
    const taken = [...table.seats.keys()].sort(ascending);
    if (seats !== taken.length || taken.at(-1) !== seats - 1) {
      const expected = `seats 0 to ${seats - 1}, all taken`;
      return fault("seats", expected, `seats ${taken.join(", ")}`, "who sits there isn't what this event says");
    }
    const { min } = table.created.seats;
    if (seats < min) return fault("seats", `at least ${min}`, seats, "too few sat at the table to start");
    const owed = table.seatsOwingSeeds.length > 0;
    if (owed === (openBy !== null)) return null;
    return fault(
      "open_by",
      owed ? "a time" : "null",
      show(openBy),
      "a time is named just where seeds are to be opened",
    );
  },

  timed_out(table, { data: { seats } }) {
    return strangerFault(table, seats) ?? nobodyFault(seats);
  },

  ended(table, { data: { result } }) {
    return strangerFault(table, result.winners);
  },

  voided(table, { data: { reason, seats } }) {
    const right = table.phase === "open" ? "cancelled" : "seed_missing";
    if (reason !== right) {
      return fault("reason", right, reason, `a game that is ${table.phase} can't become void for this reason`);
    }
    if (reason === "seed_missing") return strangerFault(table, seats) ?? nobodyFault(seats);
    return seats.length === 0 ? null : fault("seats", "none", seats.join(", "), "a cancelled game blames nobody");
  },
};

function strangerFault(table, seats) {
  const stranger = seats.find((seat) => !table.seats.has(seat));
  if (stranger === undefined) return null;
  return fault("seats", "seats that are taken", `seat ${stranger}`, `nobody sits at seat ${stranger}`);
}

function nobodyFault(seats) {
  return seats.length > 0 ? null : fault("seats", "at least one", "none", "it doesn't say which seats are meant");
}

/** What an event changes at the table. */
const CHANGES = {
  created(table, { game, data }) {
    table.game = game;
    table.created = data;
    table.phase = "open";
  },

  seated(table, { actor, data: { player, seed_commitment: commitment, key } }) {
    table.seats.set(actor, { player, commitment, key, seed: null });
    table.playersSeated.add(player.id);
  },

  left(table, { actor }) {
    table.playersSeated.delete(table.seats.get(actor).player.id);
    table.seats.delete(actor);
  },

  closed(table, { data }) {
    table.openBy = data.open_by;
    table.seedsOwed = table.seatsOwingSeeds.length;
    table.phase = "closed";
  },

  seed_opened(table, { actor, data }) {
    const seat = table.seats.get(actor);
    if (seat.commitment !== null && seat.seed === null) table.seedsOwed -= 1;
    seat.seed = data.seed;
  },

  started(table) {
    table.phase = "playing";
  },

  disclosed(table, { data }) {
    table.drawsDisclosed = data.draw;
  },

  ended(table, { data }) {
    table.result = data.result;
    table.phase = "ended";
  },

  voided(table) {
    table.phase = "voided";
  },
};

// ---------------------------------------------------------------------------------------------------------------------
// The questions of an audit
// ---------------------------------------------------------------------------------------------------------------------

// Each question looks at every event before the table takes it in, until it finds its first fault. Methods that bear the
// name of a type of event look at just those. `done` says what was looked at, and `waits` why the answer of a game that
// is over can't be yes yet.

class Question {
  constructor(number, title) {
    this.number = number;
    this.title = title;
    this.fault = null;
  }

  look() {
    return null;
  }

  waits() {
    return null;
  }
}

class FormAndPlace extends Question {
  constructor() {
    super(0, "Has every event its proper form, and stands where it may?");
    this.events = 0;
  }

  /** Takes any value: this question alone sees events that are none. */
  look(event, { table }) {
    const failure = eventForm(event);
    if (failure !== null) {
      const path = failure.path.slice(1) || "the event";
      return fault("form", `${path}: ${failure.expected}`, show(failure.found), `"${path}" hasn't its proper form`);
    }
    const misplaced = table.placeFault(event);
    if (misplaced === null) this.events += 1;
    return misplaced;
  }

  done() {
    return `${counted(this.events, "event")} of proper form, each where it may stand.`;
  }
}

const counted = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

function named(seats) {
  const inOrder = [...seats].sort(ascending).join(", ");
  return seats.length === 0 ? "none" : `seat${seats.length === 1 ? "" : "s"} ${inOrder}`;
}

class ChainAndSignatures extends Question {
  constructor(keys, keysCameApart) {
    super(1, "Does the log hang together, and is every signature good?");
    this.keys = keys;
    this.keysCameApart = keysCameApart;
    this.events = 0;
    /** How many events each key signed, by the key's id. */
    this.signatures = new Map();
    this.playersSignatures = new Set();
  }

  look(event, { index, table, previous }) {
    const found =
      this.orderFault(event, index, previous) ?? this.signatureFault(event) ?? this.playersFault(event, table);
    if (found === null) this.events += 1;
    return found;
  }

  orderFault(event, index, previous) {
    if (event.seq !== index) {
      return fault("seq", index, event.seq, "events are missing, repeated or out of order here");
    }
    if (previous !== null && event.game !== previous.game) {
      return fault("game", previous.game, event.game, "this event belongs to another game");
    }
    const prev = previous?.hash ?? NO_HASH;
    if (event.prev !== prev) {
      return fault("prev", prev, event.prev, "it doesn't name the event before it: one of the two isn't the original");
    }
    // Times have one form, so their texts sort as they do.
    if (previous !== null && event.at < previous.at) {
      return fault("at", `${previous.at} or later`, event.at, "time runs backwards here");
    }
    const hash = eventHash(event);
    if (event.hash === hash) return null;
    return fault("hash", hash, event.hash, "its content isn't what its hash was made of, so something was changed");
  }

  signatureFault({ at, hash, signature: { key: id, value } }) {
    const key = this.keys.get(id);
    if (key === undefined) return fault("key", "a published key", id, "it is signed with a key that isn't known");
    if (key.croupier_use !== "event") {
      return fault("key", "a key for events", show(key.croupier_use), "it is signed with a key for something else");
    }
    const { not_before: from, not_after: until } = key;
    if ((from !== null && at < from) || (until !== null && at >= until)) {
      const period = `a time from ${from ?? "the beginning"} to before ${until ?? "further notice"}`;
      return fault("key", period, at, "its key did not sign at that time");
    }
    if (!verifySignature(key.x, hash, value)) {
      return fault("signature", `a signature by ${id}`, value, "the server never signed this");
    }
    this.signatures.set(id, (this.signatures.get(id) ?? 0) + 1);
    return null;
  }

  playersFault(event, table) {
    const { type, actor, data } = event;
    if (actor === "server") return null;
    const key = type === "seated" ? data.key : table.seats.get(actor).key;
    if (key === null) {
      if (data.by === null) return null;
      return fault("by", "null", data.by, `seat ${actor} has no key, so nothing can be signed with it`);
    }
    if (data.by === null) return fault("by", "a signature", "null", `the player at seat ${actor} never signed this`);
    if (data.sealed_by === "server") {
      return fault(
        "sealed_by",
        '"client"',
        '"server"',
        `for seat ${actor}, which has a key, the server may seal nothing`,
      );
    }
    if (this.playersSignatures.has(data.by)) {
      return fault("by", "a signature of its own", data.by, "a player's signature is used a second time");
    }
    if (!verifySignature(key, commandDigest(event), data.by)) {
      return fault("by", `a signature by ${key}`, data.by, `the player at seat ${actor} never signed this`);
    }
    this.playersSignatures.add(data.by);
    return null;
  }

  done() {
    const signed = `${counted(this.signatures.size, "key")} of the server's`;
    const players = counted(this.playersSignatures.size, "signature");
    return `${counted(this.events, "event")} in one chain, signed with ${signed}; ${players} of players' own.`;
  }

  waits() {
    return this.keysCameApart ? null : KEYS_CAME_ALONG;
  }
}

const KEYS_CAME_ALONG =
  "The keys came in the same file, so they prove nothing about their owner. Get the server's published keys apart.";

class Seeds extends Question {
  constructor() {
    super(2, "Was every seed bound before it was shown, and is it the one that was bound?");
    /** The server's seeds that lead back to the anchor, by draw. */
    this.serverSeeds = new Map();
    this.contributors = [];
    /** Whether every seat's part of the draws is settled and good. */
    this.playersAreSettled = false;
    this.withheld = [];
  }

  look(event, { table }) {
    return this[event.type]?.(event, table) ?? null;
  }

  seed_opened({ game, actor: seat, data: { seed } }, table) {
    const { commitment, seed: opened } = table.seats.get(seat);
    if (commitment === null) return fault("seed", "no seed", seed, `seat ${seat} never committed a seed`);
    if (opened !== null) return fault("seed", "one seed a seat", seed, `seat ${seat} opens a seed a second time`);
    const right = seedCommitment({ game, seat, seed });
    if (right !== commitment) {
      return fault("seed", commitment, right, `seat ${seat}'s seed isn't the one that it committed when it sat down`);
    }
    this.contributors.push(seat);
    return null;
  }

  started(event, table) {
    const missing = table.seatsOwingSeeds;
    if (missing.length > 0) {
      return fault("seed", "every committed seed opened", `${named(missing)} missing`, "it starts without all seeds");
    }
    this.playersAreSettled = true;
    return null;
  }

  voided({ data: { seats } }, table) {
    if (table.phase === "open") return null;
    const missing = table.seatsOwingSeeds;
    if (jcs(seats) !== jcs(missing)) {
      return fault("seats", named(missing), named(seats), "it blames others than those who withheld their seeds");
    }
    this.withheld = missing;
    return null;
  }

  disclosed({ data: { draw, seed } }, table) {
    const known = this.serverSeeds.size;
    if (draw > table.drawsUsed) {
      return fault("draw", `at most draw ${table.drawsUsed}`, draw, "a seed is shown of a draw that isn't made yet");
    }
    if (draw <= known) return fault("draw", `a draw after ${known}`, draw, "it shows nothing that wasn't public");
    const right = this.serverSeeds.get(known) ?? table.created.anchor;
    const seeds = new Map();
    let current = seed;
    for (let k = draw; k > known; k -= 1) {
      seeds.set(k, current);
      current = earlierSeed(current, 1);
    }
    if (current !== right) {
      return fault("seed", right, current, `the server's seed of draw ${draw} isn't of the chain that it was bound to`);
    }
    for (const [k, good] of seeds) this.serverSeeds.set(k, good);
    return null;
  }

  ended(event, table) {
    const known = this.serverSeeds.size;
    if (known === table.drawsUsed) return null;
    return fault("draw", `draws 1 to ${table.drawsUsed} disclosed`, `1 to ${known}`, "the game ends with secret draws");
  }

  done() {
    const server = `server seeds of ${counted(this.serverSeeds.size, "draw")} lead back to the anchor`;
    const blamed = this.withheld.length > 0 ? ` Seeds withheld: ${named(this.withheld)}.` : "";
    return `Seeds contributed by players: ${named(this.contributors)}; ${server}.${blamed}`;
  }
}

class Draws extends Question {
  constructor() {
    super(3, "Are the draws numbered without a gap, and can each be made again?");
    this.draws = [];
  }

  look(event, { index, table }) {
    for (const { draw: number, purpose } of drawsIn(event)) {
      const last = this.draws.at(-1);
      // One draw may serve several events, as long as it is secret; it keeps its number and its purpose.
      const goesOn = number === last?.number && purpose === last.purpose && number > table.drawsDisclosed;
      if (number === this.draws.length + 1) this.draws.push({ number, purpose, seq: index });
      else if (!goesOn) {
        return fault("draw", `draw ${this.draws.length + 1}`, `draw ${number}`, "a draw is missing or made twice");
      }
    }
    return null;
  }

  /** Makes every draw again whose seeds are known and good. */
  rebuild(table, seeds) {
    const playerSeeds = Array.from({ length: table.seats.size }, (_, seat) => table.seats.get(seat)?.seed ?? null);
    for (const draw of this.draws) {
      const serverSeed = seeds.playersAreSettled ? seeds.serverSeeds.get(draw.number) : undefined;
      if (serverSeed !== undefined) Object.assign(draw, madeAgain(table, draw, serverSeed, playerSeeds));
    }
  }

  get rebuilt() {
    return this.draws.filter(({ seed }) => seed !== undefined).length;
  }

  done() {
    const limit = "Whether the cards that were shown follow from them needs the game's rules.";
    return `${counted(this.draws.length, "draw")}, ${this.rebuilt} made again. ${limit}`;
  }

  waits() {
    return this.rebuilt === this.draws.length ? null : "Not every draw could be made again, for want of good seeds.";
  }
}

const WORDS_SHOWN = 8;

function madeAgain(table, { number, purpose }, serverSeed, playerSeeds) {
  const seed = drawSeed({ game: table.game, draw: number, serverSeed, playerSeeds });
  const stream = new KeyStream(seed);
  const before = startingDeck(table.created, table.seats.size, purpose);
  return {
    server_seed: serverSeed,
    player_seeds: playerSeeds,
    seed,
    words: Array.from({ length: WORDS_SHOWN }, () => stream.word()),
    shuffle: before === null ? null : shuffle(before, seed),
  };
}

const MOST_MOVE_BYTES = 1024;

/** A step whose moves are sealed: who is bound to what, and how far its opening has come. */
class SealedStep {
  constructor(number) {
    this.number = number;
    this.commitments = new Map();
    this.boundAt = null;
    this.isOpening = false;
    this.isOver = false;
  }

  /** The seats whose moves the server sealed and has yet to open, in ascending order. */
  get owedByServer() {
    if (this.isOver) return [];
    const owed = [...this.commitments].filter(([, { sealedBy, isOpened }]) => sealedBy === "server" && !isOpened);
    return owed.map(([seat]) => seat).sort(ascending);
  }
}

class SealedMoves extends Question {
  constructor() {
    super(4, "Was every sealed move bound before any was opened, and opened as it was bound?");
    this.steps = new Map();
    this.committedMoves = 0;
    this.openedMoves = 0;
    /** The seats for which the server sealed a move, and so saw it. */
    this.seenByServer = new Set();
    /** The step of which the server is just opening what it sealed. */
    this.opening = null;
  }

  look(event, { previous }) {
    return this.interruptionFault(event) ?? this[event.type]?.(event, previous) ?? null;
  }

  /** Once the server opens what it sealed, it opens all of it, in seat order, before anything else happens. */
  interruptionFault({ type, actor, data }) {
    const next = this.opening?.owedByServer[0];
    if (next === undefined || (type === "opened" && data.step === this.opening.number && actor === next)) return null;
    return fault(
      "order",
      `the opening of seat ${next}'s move`,
      `"${type}"`,
      "not all that the server sealed is opened",
    );
  }

  committed({ actor: seat, at, data: { step: number, commitment, sealed_by: sealedBy } }) {
    if (!this.steps.has(number)) this.steps.set(number, new SealedStep(number));
    const step = this.steps.get(number);
    if (step.commitments.has(seat)) {
      return fault("commitment", `one a seat in step ${number}`, "a second", `seat ${seat} binds itself twice`);
    }
    if (step.isOpening) {
      const expected = `all commitments of step ${number} before its first opening`;
      return fault("commitment", expected, "one after it", `seat ${seat} was bound only after it could see a move`);
    }
    step.commitments.set(seat, { commitment, sealedBy, isOpened: false });
    step.boundAt = at;
    if (sealedBy === "server") this.seenByServer.add(seat);
    this.committedMoves += 1;
    return null;
  }

  opened(event, previous) {
    const { actor: seat, data } = event;
    const step = this.steps.get(data.step);
    const bound = step?.commitments.get(seat);
    if (bound === undefined || bound.isOpened) {
      const found = bound === undefined ? "none" : "one that is open already";
      return fault("commitment", `a commitment of seat ${seat}`, found, "it opens what isn't sealed");
    }
    const failed = this.orderFault(event, step, previous) ?? this.contentFault(event, bound);
    if (failed !== null) return failed;
    bound.isOpened = true;
    step.isOpening = true;
    // Facts before the last opening tell of a move that breaks the rules; nobody opens after that.
    step.isOver = data.facts.length > 0;
    this.opening = bound.sealedBy === "server" ? step : null;
    this.openedMoves += 1;
    return null;
  }

  orderFault({ actor: seat, at, data }, step, previous) {
    if (step.isOver) {
      return fault(
        "order",
        `no opening after step ${step.number} is over`,
        "one",
        "the step ended with an earlier opening",
      );
    }
    const [next] = step.owedByServer;
    if (next === undefined) return null;
    if (next !== seat) {
      return fault("order", `seat ${next}'s opening first`, `seat ${seat}'s`, "the server opens first, in seat order");
    }
    if (isSealedMove(previous) && previous.data.step === data.step && at === step.boundAt) return null;
    const expected = `the append of the last commitment, at ${step.boundAt}`;
    return fault("order", expected, at, "the server didn't open what it sealed as soon as all were bound");
  }

  contentFault({ game, actor: seat, data: { step, move, nonce } }, { commitment }) {
    const length = utf8.encode(jcs(move)).length;
    if (length > MOST_MOVE_BYTES) {
      return fault("move", `at most ${MOST_MOVE_BYTES} bytes`, length, "so long a move can't be opened");
    }
    const opens = moveCommitment({ game, seat, step, move, nonce });
    if (opens === commitment) return null;
    return fault("commitment", commitment, opens, `the move isn't the one that seat ${seat} was bound to`);
  }

  done() {
    const seen =
      this.seenByServer.size === 0 ? "" : ` The server sealed, and saw, moves of ${named([...this.seenByServer])}.`;
    const limit = " Who had to decide in a step is told by the game's rules.";
    return `${counted(this.committedMoves, "sealed move")}, ${this.openedMoves} opened as bound.${seen}${limit}`;
  }
}

const isSealedMove = ({ type }) => type === "committed" || type === "opened";

const SEED_SECONDS = 600;

/** Events that never begin an append of their own: they follow from the request that the event before came from. */
const FOLLOWERS = ["started", "disclosed", "ended"];

class Rules extends Question {
  constructor() {
    super(5, "Was every move legal, in its turn and in time, and does the result follow?");
    this.step = null;
    this.stepIsSealed = false;
    this.stepsOver = new Set();
  }

  look(event, { table, previous }) {
    return appendFault(event, table, previous) ?? seedTimeFault(event, table) ?? this.stepFault(event);
  }

  /** Decisions follow one another, and no step comes back. */
  stepFault(event) {
    const { type, data } = event;
    const step = data.step ?? null;
    if (step === null) return null;
    if (step !== this.step) {
      if (this.step !== null) this.stepsOver.add(this.step);
      this.step = step;
      this.stepIsSealed = false;
    }
    if (this.stepsOver.has(step) || (type === "moved" && this.stepIsSealed)) {
      return fault("step", "a step that isn't decided yet", step, `the decision of step ${step} was made already`);
    }
    this.stepIsSealed ||= isSealedMove(event);
    if (type === "moved" || type === "resigned") this.stepsOver.add(step);
    return null;
  }

  done() {
    return "Checked here: what follows from one request stands together, seeds came in time, no step comes twice.";
  }

  waits() {
    return "The rest needs the game's rules: ask the full auditor.";
  }
}

/** The type of the event that must follow at once, by what the last one completed; null where any may come. */
function dueType(table, previous) {
  if (previous?.type === "seated" && table.seats.size === table.created.seats.max) return "closed";
  if (previous?.type === "closed" && table.openBy === null) return "started";
  if (previous?.type === "seed_opened" && table.seedsOwed === 0) return "started";
  return null;
}

function appendFault({ type, at }, table, previous) {
  const due = dueType(table, previous);
  if (due !== null && type !== due) {
    return fault("append", `"${due}" at once`, `"${type}"`, `"${due}" had to follow the event before directly`);
  }
  if (due === null && !FOLLOWERS.includes(type)) return null;
  if (at === previous.at) return null;
  return fault(
    "append",
    `the time ${previous.at}`,
    at,
    "it follows from the event before, so it must bear the same time",
  );
}

function seedTimeFault({ type, at, data }, table) {
  if (type === "closed" && data.open_by !== null) {
    const seconds = Math.min(SEED_SECONDS, table.created.move_seconds ?? SEED_SECONDS);
    const right = new Date(Date.parse(at) + 1000 * seconds).toISOString();
    if (data.open_by !== right) return fault("open_by", right, data.open_by, "the time for opening seeds is wrong");
  }
  if (type === "seed_opened" && table.openBy !== null && at > table.openBy) {
    return fault("open_by", `${table.openBy} at the latest`, at, "the seed came too late to be taken");
  }
  if (type === "voided" && table.phase === "closed" && table.openBy !== null && at <= table.openBy) {
    return fault(
      "open_by",
      `a time after ${table.openBy}`,
      at,
      "the game became void before the time for seeds was over",
    );
  }
  return null;
}

class LogOfLogs extends Question {
  constructor(keysCameApart) {
    super(6, "Are the start and the end of the game in the log of logs?");
    this.keysCameApart = keysCameApart;
    /** The entries that the events make, each with the event's number. */
    this.due = [];
    this.found = [];
    this.checkpoint = null;
  }

  look(event, { index, table }) {
    if (event.type === "started") this.due.push({ seq: index, entry: startedEntry(event, table.created.anchor) });
    const isOverAfterClosed = event.type === "ended" || (event.type === "voided" && table.phase === "closed");
    if (isOverAfterClosed) this.due.push({ seq: index, entry: overEntry(event) });
    return null;
  }

  /** Compares the bundle's proofs with the entries, once all events have been looked at. */
  conclude(log, keys) {
    if (log === null) return null;
    const failure = logForm(log);
    if (failure !== null) {
      return fault(
        "form",
        `log${failure.path}: ${failure.expected}`,
        show(failure.found),
        "the proofs haven't their form",
      );
    }
    const checkpointKeys = [...keys.values()].filter((key) => key.croupier_use === "checkpoint");
    const { value, refused } = attempt(() =>
      verifyCheckpoint(
        log.checkpoint,
        checkpointKeys.map(({ x }) => x),
      ),
    );
    if (refused !== null) {
      return fault("checkpoint", "a checkpoint with a good signature", refused, "the checkpoint isn't good");
    }
    this.checkpoint = value;
    return firstFailure(log.proofs.length, (i) => this.proofFault(log.proofs[i]));
  }

  proofFault({ entry, index, hashes }) {
    const due = this.due.find((candidate) => candidate.entry === entry && !this.found.includes(candidate));
    if (due === undefined) {
      const expected = this.due.map((candidate) => candidate.entry).join(" or ") || "no entry";
      return fault("entry", expected, show(entry), "the log of logs tells something else than these events");
    }
    const { size, root } = this.checkpoint;
    if (!verifyInclusion({ entry, index, size, hashes, root })) {
      const expected = `hashes that lead to the root ${root} of the tree of ${size}`;
      return {
        ...fault("inclusion", expected, `index ${index}`, "the proof doesn't lead to the checkpoint"),
        seq: due.seq,
      };
    }
    this.found.push(due);
    return null;
  }

  done() {
    const proved =
      this.found
        .map(({ seq }) => seq)
        .sort(ascending)
        .join(" and ") || "none";
    const { origin, size } = this.checkpoint ?? {};
    const under = this.checkpoint === null ? "" : `, under the checkpoint of ${show(origin)} at size ${size}`;
    return `Events proved to be in it: ${proved}, of ${this.due.length} that belong there${under}.`;
  }

  waits() {
    if (this.found.length < this.due.length) return "There is no proof yet for every entry.";
    return this.due.length === 0 || this.keysCameApart ? null : KEYS_CAME_ALONG;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The audit of a bundle
// ---------------------------------------------------------------------------------------------------------------------

const MOST_EVENTS = 1_000_000;
const MOST_KEYS = 10_000;
const EVENTS_BETWEEN_PROGRESS = 16;

/** What no audit shows, told with every report. */
export const LIMITS = [
  "The server deals, so it sees every card during play. It could tell somebody, and whoever it tells can choose moves, a cut or the moment of a reshuffle by what they know. Moves that the server seals for a player it sees too.",
  "The server can drop, delay and reorder what players send, and so cause time-outs and void games. A receipt proves only what the server accepted. All times are the server's word.",
  "The server can act for a seat that has no key of its own: for such a seat the log proves only what the server recorded.",
  "What the table looked like on a player's screen is not signed. Whoever was shown a false hand sees it in the log afterwards, but can't prove it to others.",
  "One person may hold several seats, and players may talk to each other.",
  "A game that isn't over proves nothing yet. A game can be made void by a seat that sees nothing, or by the server and a seat together; how many games became void is public.",
  "A second log, shown to somebody else, is found only by comparing receipts or checkpoints outside of the service.",
];

/**
 * Verifies a bundle, given as bytes or as text, and gives a report. Never throws.
 *
 * Options: `keys` is the server's key set ({"keys": […]}), got apart from the bundle. Without it the keys in the bundle are
 * used, and the questions that rest on them are answered "not_yet" at best. `onProgress({done, total})` is awaited from
 * time to time, so that a page can paint.
 */
export async function verifyBundle(bytesOrText, options) {
  try {
    return await audit(readBundle(bytesOrText), options?.keys ?? null, options?.onProgress ?? null);
  } catch (error) {
    const problem = error instanceof Refused ? error.message : `this verifier failed: ${error}`;
    return {
      verdict: "unusable",
      problem,
      game: null,
      keys: null,
      questions: [],
      draws: [],
      account: [],
      limits: LIMITS,
    };
  }
}

function readBundle(bytesOrText) {
  const isBytesOrText = typeof bytesOrText === "string" || bytesOrText instanceof Uint8Array;
  if (!isBytesOrText) throw new Refused("a bundle is bytes or text");
  const bundle = readJson(bytesOrText);
  const failure = closed({ events: list(anything), keys: list(anything), log: anything })(bundle);
  if (failure !== null) {
    throw new Refused(`this is no bundle: ${failure.path.slice(1) || "it"} should be ${failure.expected}`);
  }
  if (bundle.events.length === 0) throw new Refused("the bundle holds no events");
  if (bundle.events.length > MOST_EVENTS) throw new Refused(`the bundle holds more than ${MOST_EVENTS} events`);
  return bundle;
}

/** Keys by their ids; throws `Refused` where one hasn't its form. */
function readKeys(keys) {
  if (!Array.isArray(keys) || keys.length > MOST_KEYS) throw new Refused(`at most ${MOST_KEYS} keys in a list`);
  const byId = new Map();
  keys.forEach((key, i) => {
    const failure = keyForm(key);
    if (failure !== null) throw new Refused(`keys[${i}]${failure.path} should be ${failure.expected}`);
    if (key.kid !== thumbprint(key.x)) throw new Refused(`keys[${i}].kid is not the key's thumbprint`);
    if (byId.has(key.kid)) throw new Refused(`keys[${i}] occurs twice`);
    byId.set(key.kid, key);
  });
  return byId;
}

/** The keys of a key set that was got apart, by their ids. A bundle has a list of keys too, but is no such thing. */
export function readKeySet(keySet) {
  if (!isObject(keySet) || Object.hasOwn(keySet, "events")) throw new Refused('a key set is an object {"keys": […]}');
  return readKeys(keySet.keys);
}

/** What a reading gives, or why it was refused. */
function attempt(read) {
  try {
    return { value: read(), refused: null };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { value: null, refused: error.message };
  }
}

async function audit(bundle, keysApart, onProgress) {
  const keysCameApart = keysApart !== null;
  const apart = keysCameApart ? readKeySet(keysApart) : null;
  const bundled = attempt(() => readKeys(bundle.keys));
  const keys = apart ?? bundled.value ?? new Map();
  const questions = {
    form: new FormAndPlace(),
    chain: new ChainAndSignatures(keys, keysCameApart),
    seeds: new Seeds(),
    draws: new Draws(),
    sealed: new SealedMoves(),
    rules: new Rules(),
    log: new LogOfLogs(keysCameApart),
  };
  if (bundled.refused !== null) {
    questions.chain.fault = fault("keys", "well-formed keys", bundled.refused, "the file's keys haven't their form");
  }
  const table = new Table();
  await lookAtEvents(bundle.events, table, Object.values(questions), onProgress);
  if (questions.form.fault === null) questions.log.fault ??= questions.log.conclude(bundle.log, keys);
  questions.draws.rebuild(table, questions.seeds);
  return makeReport(bundle.events.length, table, questions, keysCameApart);
}

/** Shows each event to each question, up to the first that has no proper form or place. */
async function lookAtEvents(events, table, questions, onProgress) {
  const [form] = questions;
  let previous = null;
  for (const [index, event] of events.entries()) {
    if (index % EVENTS_BETWEEN_PROGRESS === 0) await onProgress?.({ done: index, total: events.length });
    for (const question of questions) {
      question.fault ??= atEvent(index, event, question.look(event, { index, table, previous }));
      if (form.fault !== null) return;
    }
    table.apply(event);
    previous = event;
  }
  await onProgress?.({ done: events.length, total: events.length });
}

function atEvent(index, event, found) {
  return found === null ? null : { ...found, seq: index, type: eventType(event) };
}

const eventType = (event) => (isObject(event) && Object.hasOwn(EVENT_TYPES, event.type) ? event.type : null);

// ---------------------------------------------------------------------------------------------------------------------
// The report
// ---------------------------------------------------------------------------------------------------------------------

function makeReport(events, table, questions, keysCameApart) {
  const answered = Object.values(questions).map((question) => answerOf(question, table, questions.form));
  const asked = answered.map(({ answer }) => answer).filter((answer) => answer !== "not_asked");
  const game = gameOf(events, table, questions.seeds);
  return {
    verdict: worst(...asked),
    problem: null,
    game,
    keys: { came_apart: keysCameApart, signatures: Object.fromEntries(questions.chain.signatures) },
    questions: answered,
    draws: questions.draws.draws,
    account: accountOf(game, answered, questions),
    limits: LIMITS,
  };
}

function answerOf(question, table, form) {
  const { number, title, fault: found } = question;
  const answer = { number, title, done: question.done(), waits: null, fault: found && worded(found) };
  if (found !== null) return { ...answer, answer: "no" };
  if (form.fault !== null) return { ...answer, answer: "not_yet", waits: `Event ${form.fault.seq} can't be read.` };
  if (question instanceof Rules) return { ...answer, answer: "not_asked", waits: question.waits() };
  const waits = table.isOver ? question.waits() : "The game isn't over.";
  return { ...answer, answer: waits === null ? "yes" : "not_yet", waits };
}

/** A fault with its place in front of its sentence. */
function worded({ seq = null, type = null, check, expected, found, sentence }) {
  const place = seq === null ? "The file" : `Event ${seq}${type === null ? "" : ` (${type})`}`;
  return { seq, type, check, expected, found, sentence: `${place}: ${sentence}.` };
}

function gameOf(events, table, seeds) {
  if (table.created === null) return null;
  const seats = [...table.seats]
    .sort(([a], [b]) => a - b)
    .map(([seat, { player, commitment, key }]) => ({
      seat,
      name: printable(player.name),
      key,
      seed: seedStatus(seat, commitment, seeds),
    }));
  return { id: table.game, kind: table.created.kind, phase: table.phase, events, seats, result: table.result };
}

function seedStatus(seat, commitment, { contributors, withheld }) {
  if (commitment === null) return "none";
  if (contributors.includes(seat)) return "contributed";
  return withheld.includes(seat) ? "withheld" : "committed";
}

/** What the answers mean to a player: what is shown, against whom, and what is not. */
function accountOf(game, answered, { draws, sealed, log }) {
  const [, chain, seeds, made, bound, rules, logged] = answered.map(({ answer }) => answer);
  const shuffles = worst(chain === "no" ? "no" : "yes", seeds, made);
  const moves = chain === "no" ? "no" : bound;
  return [
    { about: "The shuffles", answer: shuffles, text: shufflesInWords(shuffles, game, draws) },
    { about: "The sealed moves", answer: moves, text: sealedInWords(moves, sealed) },
    { about: "What was recorded", answer: chain, text: recordInWords(chain, answered[1]) },
    { about: "Who acted", answer: chain, text: actorsInWords(chain, game) },
    { about: "That it stays so", answer: logged, text: loggedInWords(logged, log) },
    { about: "The rules", answer: rules, text: RULES_IN_WORDS[rules] },
  ];
}

/** The answer to several questions taken as one. */
const worst = (...all) => ["no", "not_yet"].find((answer) => all.includes(answer)) ?? "yes";

const NOT_PROVED = {
  no: "Not proved: something is wrong. The checks say what.",
  not_yet: "Not proved yet. The checks say why.",
};

const RULES_IN_WORDS = {
  no: "Something is wrong that even without the rules can be seen.",
  not_asked:
    "Not looked at here: whether moves were legal and in time, and whether the cards that were shown are those of the shuffles. The full auditor answers that.",
};

const seatInWords = ({ seat, name }) => `seat ${seat} (${name})`;

function shufflesInWords(answer, game, { draws }) {
  if (answer !== "yes") return NOT_PROVED[answer];
  if (draws.length === 0) return "Nothing was left to chance in this game.";
  const contributors = game.seats.filter(({ seed }) => seed === "contributed");
  if (contributors.length === 0) {
    return "No seat contributed a seed. The shuffles are what the server had bound itself to beforehand; that it drew them fairly rests on its honesty alone.";
  }
  return `Nobody, not even the server, could choose or steer them, if at least one of these drew a fresh random seed and its client checked the log before opening it: ${contributors.map(seatInWords).join(", ")}. If one of them is you, you need trust nobody else.`;
}

function sealedInWords(answer, { committedMoves, seenByServer }) {
  if (answer !== "yes") return NOT_PROVED[answer];
  if (committedMoves === 0) return "There were none.";
  const seen = [...seenByServer];
  const server = seen.length === 0 ? "" : ` The server saw those that it sealed itself (${named(seen)}).`;
  return `No player could see another's move before being bound to one.${server}`;
}

function recordInWords(answer, { fault: found }) {
  if (answer === "yes")
    return "The server can't change or deny any of it: it signed every event, under keys that you got apart.";
  if (answer === "no") return found.seq === null ? NOT_PROVED.no : `Don't rely on anything from event ${found.seq} on.`;
  return "Every signature that was looked at is good, but this says something about the server only if its keys were got apart and the game is over.";
}

function actorsInWords(answer, game) {
  if (answer === "no" || game === null) return NOT_PROVED.no;
  const signing = game.seats.filter(({ key }) => key !== null).map(seatInWords);
  const others = game.seats.filter(({ key }) => key === null).map(seatInWords);
  return (
    [
      signing.length > 0
        ? `What was done at ${signing.join(", ")} is signed with the key that came with the player. The server can't have made it up, if that key is really the player's.`
        : "",
      others.length > 0
        ? `For ${others.join(", ")} the log shows only what the server recorded; it could have acted for them.`
        : "",
    ]
      .filter((text) => text !== "")
      .join(" ") || "Nobody sits there."
  );
}

function loggedInWords(answer, { due }) {
  if (answer !== "yes") return NOT_PROVED[answer];
  if (due.length === 0) return "The game was cancelled before it began, so nothing of it is kept in the log of logs.";
  return "Start and end stand in a public log: the game can't be dropped, rewritten or backdated unseen by whoever kept an earlier checkpoint of it.";
}

const ANSWERS = { yes: "yes", no: "NO", not_yet: "not yet", not_asked: "not asked" };

/** The report as a text for a terminal. */
export function reportAsText(report) {
  if (report.verdict === "unusable") return `This file can't be verified: ${report.problem}.\n`;
  return [
    ...gameAsText(report.game, report.keys),
    ...report.questions.flatMap(questionAsText),
    "",
    ...report.draws.flatMap(drawAsText),
    "What this shows, and against whom",
    ...report.account.map(({ about, answer, text }) => `  ${about} [${ANSWERS[answer]}]: ${text}`),
    "",
    "What no audit shows",
    ...report.limits.map((limit) => `  - ${limit}`),
    "",
    `Verdict: ${ANSWERS[report.verdict]}`,
    "",
  ].join("\n");
}

function gameAsText(game, keys) {
  const source = keys.came_apart
    ? "got apart from the file"
    : "out of the file itself; they prove nothing about their owner";
  const seats = (game?.seats ?? []).map(({ seat, name, seed }) => `  seat ${seat}: ${name} (seed: ${seed})`);
  const title =
    game === null
      ? "No game can be read"
      : `Game ${game.id}: ${game.kind}, ${game.phase}, ${counted(game.events, "event")}`;
  return [title, ...seats, `Keys: ${source}`, ""];
}

function questionAsText({ number, title, answer, done, waits, fault: found }) {
  const failed = found === null ? [] : [found.sentence, `expected: ${found.expected}`, `found: ${found.found}`];
  const lines = [done, ...(waits === null ? [] : [waits]), ...failed];
  return [`${number} ${ANSWERS[answer].padEnd(9)} ${title}`, ...lines.map((line) => `            ${line}`)];
}

function drawAsText({
  number,
  purpose,
  seq,
  seed,
  server_seed: serverSeed,
  player_seeds: playerSeeds,
  words,
  shuffle: moved,
}) {
  const title = `Draw ${number} (${printable(shortened(purpose))}), event ${seq}`;
  if (seed === undefined) return [`${title}: not made again`, ""];
  return [
    title,
    `  server's seed ${serverSeed}`,
    ...playerSeeds.map((playerSeed, seat) => `  seat ${seat}'s seed ${playerSeed ?? "none"}`),
    `  seed ${seed}`,
    `  first words ${words.join(" ")}`,
    ...(moved === null ? [] : [`  before ${moved.before.join(" ")}`, `  after  ${moved.after.join(" ")}`]),
    "",
  ];
}

// ---------------------------------------------------------------------------------------------------------------------
// The command line
// ---------------------------------------------------------------------------------------------------------------------

const EXIT_CODES = { yes: 0, no: 1, not_yet: 2, unusable: 3 };

async function main(args) {
  const { readFile } = await import("node:fs/promises");
  const keysAt = args.indexOf("--keys");
  const [keysFile] = keysAt < 0 ? [] : args.splice(keysAt, 2).slice(1);
  if (args.length !== 1 || (keysAt >= 0 && keysFile === undefined)) {
    console.error("usage: node verifier.js game.json [--keys FILE]");
    return EXIT_CODES.unusable;
  }
  try {
    const keys = keysFile === undefined ? null : readJson(await readFile(keysFile));
    const report = await verifyBundle(await readFile(args[0]), { keys });
    process.stdout.write(reportAsText(report));
    return EXIT_CODES[report.verdict];
  } catch (error) {
    console.error(error.message);
    return EXIT_CODES.unusable;
  }
}

/** Whether this file is what node was told to run; a browser has no `process`. */
async function isMain() {
  if (typeof process === "undefined" || process.argv?.[1] === undefined) return false;
  const [{ realpath }, { pathToFileURL }] = await Promise.all([import("node:fs/promises"), import("node:url")]);
  return realpath(process.argv[1]).then(
    (path) => pathToFileURL(path).href === import.meta.url,
    () => false,
  );
}

if (await isMain()) process.exitCode = await main(process.argv.slice(2));
