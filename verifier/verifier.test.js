// node --test verifier/
//
// The known answers, the refusals, and whole bundles made by a small generator below, good ones and tampered ones.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import crypto from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import * as v from "./verifier.js";

const VERIFIER = fileURLToPath(new URL("./verifier.js", import.meta.url));
const vectors = JSON.parse(await readFile(new URL("../tests/vectors.json", import.meta.url), "utf8"));

const sha256 = (bytes) => crypto.createHash("sha256").update(bytes).digest();
const randomHex = () => crypto.randomBytes(32).toString("hex");
const clone = (value) => structuredClone(value);

// ---------------------------------------------------------------------------------------------------------------------
// A generator of games
// ---------------------------------------------------------------------------------------------------------------------

/** An Ed25519 key of node's own library, so that signatures made there are verified by the code under test. */
class SigningKey {
  constructor() {
    const { publicKey, privateKey } = crypto.generateKeyPairSync("ed25519");
    this.privateKey = privateKey;
    this.x = publicKey.export({ format: "jwk" }).x;
    this.kid = v.thumbprint(this.x);
  }

  sign(bytes) {
    return crypto.sign(null, bytes, this.privateKey).toString("base64url");
  }

  jwk(use, notBefore = "2026-01-01T00:00:00.000Z", notAfter = null) {
    return {
      kty: "OKP",
      crv: "Ed25519",
      use: "sig",
      alg: "EdDSA",
      kid: this.kid,
      x: this.x,
      croupier_use: use,
      not_before: notBefore,
      not_after: notAfter,
    };
  }
}

const EVENT_KEY = new SigningKey();
const CHECKPOINT_KEY = new SigningKey();
const TOKEN_KEY = new SigningKey();
const JWKS = { keys: [EVENT_KEY.jwk("event"), CHECKPOINT_KEY.jwk("checkpoint"), TOKEN_KEY.jwk("token")] };

let serial = 0;

function uuid() {
  serial += 1;
  return `0198c0de-0000-7000-8000-${serial.toString(16).padStart(12, "0")}`;
}

/** A server's log of one game. The methods append events as an honest server would. */
class TestGame {
  constructor({ kind = "migraine", options = {}, min = 2, max = 2, moveSeconds = null } = {}) {
    this.id = uuid();
    this.events = [];
    this.players = [];
    this.clock = Date.parse("2026-03-01T12:00:00.000Z");
    this.chain = [crypto.randomBytes(32)];
    for (let k = 0; k < 4096; k += 1) this.chain.unshift(sha256(this.chain[0]));
    this.append("server", "created", {
      protocol: 1,
      kind,
      rules: { version: 1, text: randomHex() },
      options,
      seats: { min, max },
      anchor: this.chain[0].toString("hex"),
      chain: 4096,
      move_seconds: moveSeconds,
      host: uuid(),
    });
  }

  get last() {
    return this.events.at(-1);
  }

  /** An event that a client may have known last when it sent something: it need not be the newest. */
  get known() {
    return Math.max(0, this.last.seq - 3);
  }

  /** Time goes by: what comes now is another append. */
  wait(milliseconds = 1500) {
    this.clock += milliseconds;
    return this;
  }

  append(actor, type, data) {
    const event = {
      game: this.id,
      seq: this.events.length,
      prev: this.last?.hash ?? "0".repeat(64),
      at: new Date(this.clock).toISOString(),
      actor,
      type,
      data,
    };
    this.events.push(signedAsServer(event));
    return this;
  }

  /** An event of a seat's, signed by the player where the seat has a key. */
  act(seat, type, data) {
    const key = this.players[seat].key;
    const withoutBy = { ...data, by: null };
    const by = key?.sign(Buffer.from(v.commandDigest({ game: this.id, actor: seat, type, data: withoutBy }), "hex"));
    return this.append(seat, type, { ...data, by: by ?? null });
  }

  sit(seat, { key = null, seed = randomHex(), name = `Player ${seat}` } = {}) {
    this.players[seat] = { key, seed };
    const commitment = seed === null ? null : v.seedCommitment({ game: this.id, seat, seed });
    return this.wait().act(seat, "seated", {
      player: { id: uuid(), name },
      seed_commitment: commitment,
      key: key?.x ?? null,
      after: key === null ? null : this.known,
    });
  }

  leave(seat) {
    return this.wait().act(seat, "left", { after: this.known });
  }

  close() {
    const { move_seconds: moveSeconds } = this.events[0].data;
    const hasSeeds = this.players.some(({ seed }) => seed !== null);
    const openBy = new Date(this.clock + Math.min(600, moveSeconds ?? 600) * 1000).toISOString();
    return this.append("server", "closed", { seats: this.players.length, open_by: hasSeeds ? openBy : null });
  }

  openSeed(seat) {
    return this.wait().act(seat, "seed_opened", { seed: this.players[seat].seed });
  }

  start(...facts) {
    return this.append("server", "started", { facts });
  }

  move(seat, step, move, ...facts) {
    const after = step === null ? this.known : null;
    return this.wait().act(seat, "moved", { step, after, move, facts });
  }

  bind(seat, step, move, sealedBy) {
    const nonce = randomHex();
    this.players[seat].sealed = { step, move, nonce };
    const commitment = v.moveCommitment({ game: this.id, seat, step, move, nonce });
    return this.wait().act(seat, "committed", { step, commitment, sealed_by: sealedBy });
  }

  open(seat, ...facts) {
    return this.act(seat, "opened", { ...this.players[seat].sealed, facts });
  }

  resign(seat, step) {
    return this.wait().act(seat, "resigned", { step, after: this.known, facts: [] });
  }

  disclose(draw) {
    return this.append("server", "disclosed", { draw, seed: this.chain[draw].toString("hex") });
  }

  end(winners, reason = "target") {
    return this.append("server", "ended", { result: { winners, scores: [3, 0], reason } });
  }
}

function signedAsServer({ game, seq, prev, at, actor, type, data }) {
  const hash = v.eventHash({ game, seq, prev, at, actor, type, data });
  const signature = { key: EVENT_KEY.kid, value: EVENT_KEY.sign(Buffer.from(hash, "hex")) };
  return { game, seq, prev, at, actor, type, data, hash, signature };
}

/** What a forger makes who holds the server's key: from an event on, everything is numbered and signed anew. */
function signedAnew(events) {
  let prev = "0".repeat(64);
  return events.map((event, seq) => {
    const signed = signedAsServer({ ...event, seq, prev });
    prev = signed.hash;
    return signed;
  });
}

const draw = (number, purpose = "deal") => ({ type: "draw", draw: number, purpose });

/** A whole game with everything in it: both kinds of sealing, a player with a key, moves without a step. */
function wholeGame() {
  return new TestGame({ options: { target: 3, first_dealer: null } })
    .sit(0, { key: new SigningKey(), name: "Ána" }) // 1
    .sit(1) // 2
    .close() // 3
    .openSeed(1) // 4
    .openSeed(0) // 5
    .start(draw(1, "first_dealer"), { type: "dealer", seat: 1 }, draw(2)) // 6
    .disclose(1) // 7
    .move(0, 1, { type: "cut", depth: 3 }) // 8
    .bind(1, 2, { type: "hostile_discard", card: "QS" }, "server") // 9
    .bind(0, 2, { type: "hostile_discard", card: "AD" }, "client") // 10
    .open(1) // 11
    .wait()
    .open(0, { type: "shown" }) // 12
    .bind(0, 3, { type: "pensive_discard", cards: ["AS", "KD"] }, "client") // 13
    .bind(1, 3, { type: "pensive_discard", cards: ["JS", "QD"] }, "server") // 14
    .open(1) // 15
    .wait()
    .open(0, { type: "shown" }) // 16
    .move(1, null, { type: "shuffle_hand" }) // 17
    .move(0, null, { type: "shuffle_hand" }) // 18
    .move(0, 4, { type: "declare", declaration: "rank" }) // 19
    .move(1, 5, { type: "declare", declaration: "suit" }, { type: "scored" }, draw(3)) // 20
    .disclose(2) // 21
    .resign(1, 6) // 22
    .disclose(3) // 23
    .end([0], "forfeit"); // 24
}

/** The log of logs with the game's entries among others, and a checkpoint over it. */
function logged(events, { origin = "croupier.example/log", key = CHECKPOINT_KEY } = {}) {
  const started = events.find(({ type }) => type === "started");
  const over = events.find(({ type }) => type === "ended" || type === "voided");
  const own = [
    ...(started ? [v.startedEntry(started, events[0].data.anchor)] : []),
    ...(over ? [v.overEntry(over)] : []),
  ];
  const entries = [v.jcs({ kind: "croupier/v1/key", use: "event", x: EVENT_KEY.x }), ...own, "{}", "[]"];
  const proofs = own.map((entry, i) => ({ entry, index: i + 1, hashes: inclusionProof(entries, i + 1) }));
  return { checkpoint: checkpointNote(entries, origin, key), proofs };
}

function checkpointNote(entries, origin, key) {
  const root = Buffer.from(v.treeRoot(entries), "hex").toString("base64");
  const body = `${origin}\n${entries.length}\n${root}\n`;
  const keyId = Buffer.from(v.noteKeyId(origin, key.x), "hex");
  const signature = Buffer.concat([keyId, Buffer.from(key.sign(Buffer.from(body)), "base64url")]).toString("base64");
  return `${body}\n— ${origin} ${signature}\n`;
}

const largestPowerBelow = (n) => 2 ** Math.floor(Math.log2(n - 1));

/** RFC 6962, 2.1.1, as it is written there. */
function inclusionProof(entries, index) {
  if (entries.length <= 1) return [];
  const k = largestPowerBelow(entries.length);
  return index < k
    ? [...inclusionProof(entries.slice(0, k), index), v.treeRoot(entries.slice(k))]
    : [...inclusionProof(entries.slice(k), index - k), v.treeRoot(entries.slice(0, k))];
}

/** RFC 6962, 2.1.2, as it is written there. */
function consistencyProof(entries, size, isWhole = true) {
  if (size === entries.length) return isWhole ? [] : [v.treeRoot(entries)];
  const k = largestPowerBelow(entries.length);
  return size <= k
    ? [...consistencyProof(entries.slice(0, k), size, isWhole), v.treeRoot(entries.slice(k))]
    : [...consistencyProof(entries.slice(k), size - k, false), v.treeRoot(entries.slice(0, k))];
}

function bundleOf(events, log = logged(events)) {
  return { events, keys: [EVENT_KEY.jwk("event"), CHECKPOINT_KEY.jwk("checkpoint")], log };
}

const verify = (bundle, options = { keys: JWKS }) => v.verifyBundle(JSON.stringify(bundle), options);
const answers = (report) => report.questions.map(({ answer }) => answer);
const ALL_HOLD = ["yes", "yes", "yes", "yes", "yes", "not_asked", "yes"];

/** The faults of a report, each as "question@event check". */
function faults(report) {
  return report.questions
    .filter(({ fault }) => fault !== null)
    .map(({ number, fault }) => `${number}@${fault.seq ?? "file"} ${fault.check}`);
}

// ---------------------------------------------------------------------------------------------------------------------
// Known answers
// ---------------------------------------------------------------------------------------------------------------------

describe("known answers", () => {
  test("digests", () => {
    for (const { object, jcs, digest } of vectors.digest) {
      assert.equal(v.jcs(object), jcs);
      assert.equal(v.digest(object), digest);
      assert.deepEqual(v.readJson(jcs), object);
    }
  });

  test("the server's chain", () => {
    const { root, length, seeds } = vectors.chain;
    for (const [k, seed] of Object.entries(seeds)) assert.equal(v.earlierSeed(root, length - Number(k)), seed);
  });

  test("seed commitments", () => {
    for (const { commitment, ...seed } of vectors.seed_commitment) assert.equal(v.seedCommitment(seed), commitment);
  });

  test("draw seeds", () => {
    for (const { game, draw: number, server_seed: serverSeed, player_seeds: playerSeeds, seed } of vectors.draw_seed) {
      assert.equal(v.drawSeed({ game, draw: number, serverSeed, playerSeeds }), seed);
    }
  });

  test("key stream and numbers", () => {
    const words = new v.KeyStream(vectors.key_stream.seed);
    assert.deepEqual(
      vectors.key_stream.words.map(() => words.word()),
      vectors.key_stream.words,
    );
    const numbers = new v.KeyStream(vectors.below.seed);
    assert.deepEqual(
      vectors.below.n.map((n) => numbers.below(n)),
      vectors.below.results,
    );
  });

  test("shuffles", () => {
    const decks = {
      migraine: v.deck({ ranks: "AJQK" }),
      standard: v.deck({}),
      "standard with 2 jokers": v.deck({ jokers: 2 }),
      "two decks": v.deck({ decks: 2 }),
      "two decks with 4 jokers each": v.deck({ decks: 2, jokers: 4 }),
    };
    for (const { deck, seed, before, after } of vectors.shuffle) {
      assert.equal(decks[deck].join(" "), before);
      const made = v.shuffle(decks[deck], seed);
      assert.equal(made.after.join(" "), after);
      assert.equal(replayed(made).join(" "), after);
    }
  });

  test("move commitments", () => {
    for (const { commitment, ...sealed } of vectors.move_commitment) {
      assert.equal(v.moveCommitment(sealed), commitment);
    }
  });

  test("keys and commands", () => {
    const { jwk, thumbprint } = vectors.keys;
    assert.equal(v.thumbprint(jwk.x), thumbprint);
    const { game, log } = { game: vectors.game_tag.game, log: vectors.events.log };
    const data = { seated: log[1].data, seed_opened: log[4].data };
    for (const command of vectors.command.digests) {
      const event = { game, actor: 0, type: command.type, data: command.data ?? data[command.type] };
      assert.equal(v.commandDigest(event), command.digest);
      assert.ok(v.verifySignature(vectors.command.player_key, command.digest, event.data.by));
    }
  });

  test("a log's beginning", async () => {
    for (const event of vectors.events.log) {
      assert.equal(v.eventHash(event), event.hash);
      assert.ok(v.verifySignature(vectors.keys.jwk.x, event.hash, event.signature.value));
    }
    const keys = { keys: [vectors.keys.jwk] };
    const report = await verify({ events: vectors.events.log, keys: keys.keys, log: null }, { keys });
    assert.deepEqual(faults(report), []);
    assert.equal(report.verdict, "not_yet");
    assert.equal(report.game.seats[0].seed, "contributed");
    assert.equal(report.game.seats[1].seed, "committed");
  });

  test("the game's tag and the tree's roots", () => {
    assert.equal(v.gameTag(vectors.game_tag.game), vectors.game_tag.tag);
    const { entries, roots } = vectors.merkle;
    for (const [size, root] of Object.entries(roots)) {
      assert.equal(v.treeRoot(entries.slice(0, Number(size))), root);
    }
  });

  test("what is refused", () => {
    for (const { why, json } of vectors.refused) assert.throws(() => v.readJson(json), v.Refused, why);
  });
});

/** A shuffle done again by hand, from the words that it shows. */
function replayed({ before, words }) {
  const cards = [...before];
  words.forEach((word, p) => {
    const i = cards.length - 1 - p;
    const j = word % (i + 1);
    [cards[i], cards[j]] = [cards[j], cards[i]];
  });
  return cards;
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts
// ---------------------------------------------------------------------------------------------------------------------

describe("the reader", () => {
  const nested = (depth) => "[".repeat(depth) + "]".repeat(depth);

  test("takes what I-JSON allows", () => {
    const text =
      ' {"a" : [1, -5, 0, 9007199254740991, -9007199254740991, true, null], "\\u00e9\\n\\/": "🂡\\ud83c\\udca1"}\r\n\t';
    const value = { a: [1, -5, 0, 9007199254740991, -9007199254740991, true, null], "é\n/": "🂡🂡" };
    assert.deepEqual(v.readJson(text), value);
    assert.deepEqual(v.readJson(new TextEncoder().encode(text)), value);
    assert.equal(v.readJson(nested(64)).length, 1);
  });

  test("takes a name that means something to JavaScript as a name", () => {
    const text = '{"__proto__":{"x":1},"constructor":2}';
    const value = v.readJson(text);
    assert.deepEqual(Object.keys(value), ["__proto__", "constructor"]);
    assert.equal(value.x, undefined);
    assert.equal(v.jcs(value), text);
    assert.throws(() => v.readJson('{"__proto__":1,"__proto__":2}'), v.Refused);
  });

  const refusals = {
    "nothing at all": "",
    "a second value": "1 2",
    "trailing bytes": "{}x",
    "a byte order mark": "\ufeff{}",
    "a comma at the end": "[1,]",
    "no comma": "[1 2]",
    "no colon": '{"a" 1}',
    "a name without quotes": "{a:1}",
    "an open string": '"a',
    "an open list": "[1",
    "a plus sign": "+1",
    "a leading zero": "01",
    "a leading zero after minus": "-01",
    "a lone minus": "-",
    "a fraction": "1.0",
    "an exponent": "1E2",
    "minus zero": "[-0]",
    "too small an integer": "-9007199254740992",
    "very many digits": "1".repeat(400),
    NaN: "NaN",
    "half a literal": "tru",
    "single quotes": "'a'",
    "a control character": '"a\u0001"',
    "an unknown escape": '"\\x41"',
    "half an escape": '"\\u12',
    "an escaped lone high surrogate": '"\\ud800x"',
    "an escaped lone low surrogate": '"\\udc00"',
    "surrogates in the wrong order": '"\\udc00\\ud800"',
    "a raw lone surrogate": '"\ud800"',
    "a raw and an escaped half": '"\ud83c\\udca1"',
    "a noncharacter": '"\uffff"',
    "an escaped noncharacter": '"\\ufdd0"',
    "a noncharacter beyond the first plane": '"\\ud83f\\udffe"',
    "equal names, one escaped": '{"a":1,"\\u0061":2}',
    "nesting over 64": nested(65),
    "nesting without end": "[".repeat(1_000_000),
  };
  for (const [why, text] of Object.entries(refusals)) {
    test(`refuses ${why}`, () => assert.throws(() => v.readJson(text), v.Refused));
  }

  test("refuses bytes that are no UTF-8", () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc0, 0xa2, 0x22],
    ]) {
      assert.throws(() => v.readJson(Uint8Array.from(bytes)), v.Refused);
    }
  });

  test("reads what it wrote, sorted by UTF-16 code units", () => {
    const value = { "\ufb33": 1, "😀": 2, a: [{}, [], "\u007f\u2028"], "": null };
    assert.equal(v.jcs(value), '{"":null,"a":[{},[],"\u007f\u2028"],"😀":2,"\ufb33":1}');
    assert.deepEqual(v.readJson(v.jcs(value)), value);
  });

  test("writes no value that the protocol doesn't have", () => {
    for (const value of [0.5, NaN, -0, 2 ** 53, undefined, 1n, "\ud800"]) {
      assert.throws(() => v.jcs({ value }), v.Refused);
    }
  });
});

describe("hashes", () => {
  test("agree with node's at every length around a block", () => {
    for (let length = 0; length < 300; length += 1) {
      const bytes = crypto.randomBytes(length);
      assert.equal(v.toHex(v.sha256(bytes)), sha256(bytes).toString("hex"));
      assert.equal(v.toHex(v.sha512(bytes)), crypto.createHash("sha512").update(bytes).digest("hex"));
    }
  });
});

describe("numbers", () => {
  test("agree with node's ChaCha20 over many blocks", () => {
    const key = crypto.randomBytes(32);
    const stream = new v.KeyStream(key.toString("hex"));
    const cipher = crypto.createCipheriv("chacha20", key, Buffer.alloc(16));
    const expected = cipher.update(Buffer.alloc(4000));
    for (let i = 0; i < 1000; i += 1) assert.equal(stream.word(), expected.readUInt32LE(4 * i));
  });

  test("below(n) refuses what is no bound", () => {
    const stream = new v.KeyStream(randomHex());
    for (const n of [0, -1, 1.5, 2 ** 32 + 1, NaN]) assert.throws(() => stream.below(n), v.Refused);
    assert.equal(stream.below(1), 0);
    assert.ok(stream.below(2 ** 32) < 2 ** 32);
  });

  test("a shuffle keeps the cards and takes none for a single one", () => {
    const { before, after, words } = v.shuffle(v.deck({ jokers: 4 }), randomHex());
    assert.deepEqual([...after].sort(), [...before].sort());
    assert.equal(words.length, 55);
    assert.deepEqual(v.shuffle(["AC"], randomHex()).words, []);
  });
});

describe("base64", () => {
  test("takes the canonical text of its bytes and no other", () => {
    for (let length = 0; length < 70; length += 1) {
      const bytes = crypto.randomBytes(length);
      assert.equal(v.toBase64Url(bytes), bytes.toString("base64url"));
      assert.deepEqual(v.fromBase64Url(bytes.toString("base64url")), Uint8Array.from(bytes));
      assert.deepEqual(v.fromBase64(bytes.toString("base64")), Uint8Array.from(bytes));
    }
    for (const text of ["A", "AB", "AAB", "AA==", "A A", "AA\n", "A+", "é"])
      assert.equal(v.fromBase64Url(text), null, text);
    for (const text of ["AA", "AA=", "AB==", "AAA", "AA==A", "A-==", "===="])
      assert.equal(v.fromBase64(text), null, text);
  });
});

describe("Ed25519", () => {
  const key = new SigningKey();
  const message = randomHex();
  const good = key.sign(Buffer.from(message, "hex"));
  const bytes = Buffer.from(good, "base64url");
  const L = 2n ** 252n + 27742317777372353535851937790883648493n;
  const littleEndian = (number) => Buffer.from(number.toString(16).padStart(64, "0"), "hex").reverse();

  test("agrees with node's own signatures", () => {
    for (let i = 0; i < 40; i += 1) {
      const other = new SigningKey();
      const digest = randomHex();
      assert.ok(v.verifySignature(other.x, digest, other.sign(Buffer.from(digest, "hex"))));
      assert.ok(!v.verifySignature(other.x, digest, good));
    }
  });

  test("finds every flipped bit of a signature", () => {
    for (let bit = 0; bit < 512; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] ^= 1 << (bit & 7);
      assert.ok(!v.verifySignature(key.x, message, flipped.toString("base64url")), `bit ${bit}`);
    }
  });

  test("finds flipped bits of the message and of the key", () => {
    for (let bit = 0; bit < 256; bit += 7) {
      const digest = Buffer.from(message, "hex");
      digest[bit >> 3] ^= 1 << (bit & 7);
      assert.ok(!v.verifySignature(key.x, digest.toString("hex"), good));
      const x = Buffer.from(key.x, "base64url");
      x[bit >> 3] ^= 1 << (bit & 7);
      assert.ok(!v.verifySignature(x.toString("base64url"), message, good));
    }
  });

  test("refuses S that is not below the group's order", () => {
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString("hex")}`);
    for (const larger of [s + L, s + 2n * L, L]) {
      const signature = Buffer.concat([bytes.subarray(0, 32), littleEndian(larger)]).toString("base64url");
      assert.ok(!v.verifySignature(key.x, message, signature));
    }
  });

  test("refuses signatures of another length or text", () => {
    for (const text of [good.slice(0, -1), `${good}A`, `${good}==`, good.replace(/.$/, "_"), ""]) {
      assert.ok(!v.verifySignature(key.x, message, text));
    }
  });

  test("refuses keys of small order, in every encoding", () => {
    const middle = (byte) => byte.repeat(30);
    const eighth = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc";
    const otherEighth = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03";
    const starts = {
      [`01${middle("00")}`]: ["00", "80"], // order 1
      [`ee${middle("ff")}`]: ["7f", "ff"], // the same, y = p + 1
      [`ec${middle("ff")}`]: ["7f", "ff"], // order 2
      [`00${middle("00")}`]: ["00", "80"], // order 4
      [`ed${middle("ff")}`]: ["7f", "ff"], // the same, y = p
      [eighth]: ["05", "85"],
      [otherEighth]: ["7a", "fa"],
    };
    for (const [start, ends] of Object.entries(starts)) {
      for (const end of ends) assert.equal(v.PublicKey.decode(Buffer.from(start + end, "hex")), null, start + end);
    }
  });

  test("refuses a key whose y is not below the field's prime", () => {
    const p = 2n ** 255n - 19n;
    const canonical = [];
    for (let y = 0n; y < 19n; y += 1n) {
      if (v.PublicKey.decode(littleEndian(y)) !== null) canonical.push(y);
      assert.equal(v.PublicKey.decode(littleEndian(y + p)), null, `y = p + ${y}`);
    }
    assert.ok(canonical.length > 0, "some of these y are points, so it is the encoding that is refused");
  });

  test("refuses keys of another length", () => {
    for (const length of [0, 31, 33]) assert.equal(v.PublicKey.decode(crypto.randomBytes(length)), null);
  });
});

describe("the log of logs", () => {
  const entries = Array.from({ length: 40 }, (_, i) => `entry ${i}`);

  test("inclusion, in trees of every size", () => {
    for (let size = 1; size <= entries.length; size += 1) {
      const tree = entries.slice(0, size);
      const root = v.treeRoot(tree);
      for (let index = 0; index < size; index += 1) {
        const proof = { entry: entries[index], index, size, hashes: inclusionProof(tree, index), root };
        assert.ok(v.verifyInclusion(proof));
        assert.ok(!v.verifyInclusion({ ...proof, entry: "another" }));
        assert.ok(!v.verifyInclusion({ ...proof, index: size }));
        assert.ok(!v.verifyInclusion({ ...proof, hashes: [...proof.hashes, root] }));
        if (size > 1) {
          assert.ok(!v.verifyInclusion({ ...proof, index: (index + 1) % size }));
          assert.ok(!v.verifyInclusion({ ...proof, hashes: proof.hashes.slice(1) }));
        }
      }
    }
  });

  test("consistency, between trees of all sizes", () => {
    for (let secondSize = 0; secondSize <= entries.length; secondSize += 1) {
      for (let firstSize = 0; firstSize <= secondSize; firstSize += 1) {
        const proof = {
          firstSize,
          firstRoot: v.treeRoot(entries.slice(0, firstSize)),
          secondSize,
          secondRoot: v.treeRoot(entries.slice(0, secondSize)),
          hashes: firstSize === 0 ? [] : consistencyProof(entries.slice(0, secondSize), firstSize),
        };
        assert.ok(v.verifyConsistency(proof), `${firstSize} to ${secondSize}`);
        const other = v.nodeHash(proof.firstRoot, proof.secondRoot);
        assert.ok(!v.verifyConsistency({ ...proof, firstRoot: other }));
        assert.ok(!v.verifyConsistency({ ...proof, hashes: [...proof.hashes, other] }));
        if (firstSize > 0) assert.ok(!v.verifyConsistency({ ...proof, secondRoot: other }));
        if (proof.hashes.length > 0) assert.ok(!v.verifyConsistency({ ...proof, hashes: proof.hashes.slice(1) }));
        if (firstSize < secondSize) {
          assert.ok(!v.verifyConsistency({ ...proof, firstSize: secondSize, secondSize: firstSize }));
        }
      }
    }
  });

  test("sizes beyond 32 bits", () => {
    const hashes = Array.from({ length: 52 }, randomHex);
    const index = 2 ** 51 + 5;
    let root = v.leafHash("entry");
    hashes.forEach((hash, level) => {
      const isRight = Math.floor(index / 2 ** level) % 2 === 1;
      root = isRight ? v.nodeHash(hash, root) : v.nodeHash(root, hash);
    });
    assert.ok(v.verifyInclusion({ entry: "entry", index, size: 2 ** 52, hashes, root }));
  });

  test("checkpoints", () => {
    const origin = "croupier.example/log";
    const note = checkpointNote(entries, origin, CHECKPOINT_KEY);
    const expected = { origin, size: 40, root: v.treeRoot(entries), key: CHECKPOINT_KEY.x };
    const { body, signatures, ...read } = v.verifyCheckpoint(note, [EVENT_KEY.x, CHECKPOINT_KEY.x]);
    assert.deepEqual(read, expected);
    assert.equal(signatures.length, 1);
    assert.ok(note.startsWith(body));
    const witness = `${note}— witness.example/w ${Buffer.alloc(76, 1).toString("base64")}\n`;
    assert.equal(v.verifyCheckpoint(witness, [CHECKPOINT_KEY.x]).size, 40);
    assert.throws(() => v.verifyCheckpoint(note, [EVENT_KEY.x]), /no signature of a known/);
  });

  test("checkpoints that are refused", () => {
    const note = checkpointNote(entries, "croupier.example/log", CHECKPOINT_KEY);
    const [origin, size, root, , line] = note.split("\n");
    const made = (lines) => `${lines.join("\n")}\n`;
    const bad = {
      "another size": made([origin, "41", root, "", line]),
      "a size with a zero in front": made([origin, "040", root, "", line]),
      "an extension line": made([origin, size, root, "more", "", line]),
      "no signature": made([origin, size, root, ""]),
      "no empty line": made([origin, size, root, line]),
      "no newline at the end": note.slice(0, -1),
      "a root without padding": made([origin, size, root.slice(0, -1), "", line]),
      "a short root": made([origin, size, "AAAA", "", line]),
      "an origin with a space": note.replaceAll(origin, "a b"),
      "an origin with a plus sign": note.replaceAll(origin, "a+b"),
      "another dash": note.replace("—", "-"),
      "a control character": note.replace(origin, `${origin}\r`),
      "a good signature and a bad one": `${note}${line.replace(/.{8}$/, "AAAAAAA=")}\n`,
      "far too long a note": note + `${line}\n`.repeat(2000),
    };
    for (const [why, text] of Object.entries(bad)) {
      assert.throws(() => v.verifyCheckpoint(text, [CHECKPOINT_KEY.x]), v.Refused, why);
    }
  });
});

// ---------------------------------------------------------------------------------------------------------------------
// Good bundles
// ---------------------------------------------------------------------------------------------------------------------

describe("good bundles", () => {
  test("a whole game", async () => {
    const { events } = wholeGame();
    const report = await verify(bundleOf(events));
    assert.deepEqual(faults(report), []);
    assert.deepEqual(answers(report), ALL_HOLD);
    assert.equal(report.verdict, "yes");
    assert.deepEqual(report.keys, { came_apart: true, signatures: { [EVENT_KEY.kid]: events.length } });
    assert.deepEqual(
      report.game.seats.map(({ seed }) => seed),
      ["contributed", "contributed"],
    );
    assert.match(report.account[0].text, /seat 0 \(Ána\), seat 1 \(Player 1\)/);
    assert.match(
      report.questions[4].done,
      /4 sealed moves, 4 opened as bound. The server sealed, and saw, moves of seat 1/,
    );
  });

  test("its draws, laid out", async () => {
    const game = wholeGame();
    const { draws } = await verify(bundleOf(game.events));
    assert.deepEqual(
      draws.map(({ number, purpose, seq }) => [number, purpose, seq]),
      [
        [1, "first_dealer", 6],
        [2, "deal", 6],
        [3, "deal", 20],
      ],
    );
    for (const made of draws) {
      const serverSeed = game.chain[made.number].toString("hex");
      const playerSeeds = game.players.map(({ seed }) => seed);
      assert.equal(made.server_seed, serverSeed);
      assert.deepEqual(made.player_seeds, playerSeeds);
      assert.equal(made.seed, v.drawSeed({ game: game.id, draw: made.number, serverSeed, playerSeeds }));
    }
    assert.equal(draws[0].shuffle, null);
    assert.equal(draws[1].shuffle.before.length, 16);
    assert.deepEqual(replayed(draws[1].shuffle), draws[1].shuffle.after);
    assert.deepEqual(draws[1].words.slice(0, 3), draws[1].shuffle.words.slice(0, 3));
  });

  test("keys out of the file itself prove nothing about their owner", async () => {
    const report = await verify(bundleOf(wholeGame().events), {});
    assert.deepEqual(answers(report), ["yes", "not_yet", "yes", "yes", "yes", "not_asked", "not_yet"]);
    assert.equal(report.verdict, "not_yet");
    assert.match(report.questions[1].waits, /came in the same file/);
  });

  test("bytes and text are the same", async () => {
    const text = JSON.stringify(bundleOf(wholeGame().events));
    const [fromText, fromBytes] = await Promise.all(
      [text, Buffer.from(text)].map((it) => v.verifyBundle(it, { keys: JWKS })),
    );
    assert.deepEqual(fromBytes, fromText);
  });

  test("a game at each of its moments", async () => {
    const { events } = wholeGame();
    for (let length = 1; length < events.length; length += 1) {
      const report = await verify(bundleOf(events.slice(0, length)));
      assert.deepEqual(faults(report), [], `after ${length} events`);
      assert.equal(report.verdict, "not_yet");
      assert.ok(answers(report).every((answer) => answer === "not_yet" || answer === "not_asked"));
      assert.ok(reportIsPrintable(report));
    }
  });

  test("a game whose end isn't logged yet, or nothing of it", async () => {
    const { events } = wholeGame();
    const log = logged(events);
    log.proofs.pop();
    for (const notYet of [log, { ...log, proofs: [] }, null]) {
      const report = await verify(bundleOf(events, notYet));
      assert.deepEqual(faults(report), []);
      assert.equal(answers(report)[6], "not_yet");
    }
  });

  test("a game without seeds, keys or sealed moves", async () => {
    const { events } = new TestGame({ kind: "tau_heed_kept", min: 1, max: 3 })
      .sit(1, { seed: null })
      .sit(0, { seed: null })
      .wait()
      .close()
      .start(draw(1, "deck"), draw(2, "deck"))
      .move(1, 1, { type: "pass" })
      .disclose(2)
      .end([0, 1], "all_passed");
    const report = await verify(bundleOf(events));
    assert.deepEqual(faults(report), []);
    assert.equal(report.verdict, "yes");
    assert.equal(report.draws[1].shuffle.before.length, 52);
    assert.match(report.account[0].text, /^No seat contributed a seed/);
  });

  test("a seat that is left and taken again, by the same player", async () => {
    const key = new SigningKey();
    const game = new TestGame().sit(0, { key }).leave(0).sit(0, { key }).sit(1, { key: new SigningKey() }).close();
    game.events[3].data.player = game.events[1].data.player;
    const report = await verify(bundleOf(signedAnew(game.events), null));
    assert.deepEqual(faults(report), []);
  });

  test("a game that is void for a missing seed", async () => {
    const game = new TestGame({ moveSeconds: 60 }).sit(0).sit(1).close().openSeed(0).wait(60_000);
    game.append("server", "voided", { reason: "seed_missing", seats: [1] });
    const report = await verify(bundleOf(game.events));
    assert.deepEqual(faults(report), []);
    assert.equal(report.verdict, "yes");
    assert.deepEqual(
      report.game.seats.map(({ seed }) => seed),
      ["contributed", "withheld"],
    );
  });

  test("a game that is cancelled needs no entry", async () => {
    const game = new TestGame().sit(0).wait().append("server", "voided", { reason: "cancelled", seats: [] });
    const report = await verify(bundleOf(game.events, null));
    assert.equal(report.verdict, "yes");
  });

  test("a time-out ends a sealed step", async () => {
    const game = playing().bind(0, 1, { type: "hostile_discard", card: "QS" }, "server").wait(60_001);
    game
      .append("server", "timed_out", { step: 1, seats: [1], facts: [] })
      .disclose(1)
      .end([0], "forfeit");
    const report = await verify(bundleOf(game.events));
    assert.deepEqual(faults(report), []);
    assert.equal(report.verdict, "yes");
  });

  test("both moves sealed by the server, opened in seat order", async () => {
    const move = { type: "hostile_discard", card: "QS" };
    const game = playing().bind(1, 1, move, "server").bind(0, 1, move, "server").open(0).open(1, { type: "shown" });
    assert.deepEqual(faults(await verify(bundleOf(game.events))), []);
  });

  test("an opening that breaks the rules ends its step", async () => {
    const move = { type: "hostile_discard", card: "QS" };
    const game = playing().bind(0, 1, move, "client").bind(1, 1, move, "client").wait().open(1, { type: "forfeit" });
    game.disclose(1).end([0], "forfeit");
    assert.deepEqual(faults(await verify(bundleOf(game.events))), []);
  });

  test("one draw may serve several events while it is secret", async () => {
    const game = playing().move(0, 1, { type: "walk" }, draw(1)).move(0, 2, { type: "walk" }, draw(1), draw(2, "pick"));
    assert.deepEqual(faults(await verify(bundleOf(game.events))), []);
  });

  test("keys that are retired later stay good for what they signed", async () => {
    const { events } = wholeGame();
    const [, ...others] = JWKS.keys;
    const until = (time) => ({ keys: [EVENT_KEY.jwk("event", events[0].at, time), ...others] });
    const later = new Date(Date.parse(events.at(-1).at) + 1).toISOString();
    assert.equal((await verify(bundleOf(events), { keys: until(later) })).verdict, "yes");
    const tooEarly = await verify(bundleOf(events), { keys: until(events[8].at) });
    assert.deepEqual(faults(tooEarly), ["1@8 key"]);
  });

  test("progress is told, and waited for", async () => {
    const seen = [];
    const onProgress = async ({ done, total }) => {
      await null;
      seen.push(`${done}/${total}`);
    };
    await verify(bundleOf(wholeGame().events), { keys: JWKS, onProgress });
    assert.deepEqual(seen, ["0/25", "16/25", "25/25"]);
  });
});

/** A game of two seats in which one draw is made and nothing more has happened. */
function playing() {
  return new TestGame({ moveSeconds: 60 }).sit(0).sit(1).close().openSeed(0).openSeed(1).start(draw(1));
}

function reportIsPrintable(report) {
  return /^[\P{Cc}\n]*$/u.test(v.reportAsText(report));
}

// ---------------------------------------------------------------------------------------------------------------------
// Tampered bundles
// ---------------------------------------------------------------------------------------------------------------------

// The events' numbers below are those in the comments of `wholeGame`.

describe("tampering without the server's key is found at its event", () => {
  const game = wholeGame();
  const tamperings = {
    "an event is removed": [(events) => events.splice(8, 1), ["1@8 seq"]],
    "the last event is repeated": [(events) => events.push(clone(events[24])), ["0@25 place"]],
    "an event is repeated": [(events) => events.splice(9, 0, clone(events[8])), ["1@9 seq", "5@9 step"]],
    "two events are swapped": [(events) => events.splice(17, 2, events[18], events[17]), ["1@17 seq"]],
    "the first event is removed": [(events) => events.shift(), ["0@0 place"]],
    "an event of another game": [(events) => events.splice(8, 1, wholeGame().events[8]), ["1@8 game"]],
    "a move is changed": [({ 8: moved }) => (moved.data.move.depth = 4), ["1@8 hash"]],
    "a fact is changed": [({ 12: opened }) => (opened.data.facts[0].type = "hidden"), ["1@12 hash"]],
    "a result is changed": [({ 24: ended }) => (ended.data.result.winners = [1]), ["1@24 hash"]],
    "a time is changed": [({ 8: moved }) => (moved.at = moved.at.replace("00Z", "01Z")), ["1@8 hash"]],
    "a seat is changed": [({ 17: moved }) => (moved.actor = 0), ["1@17 hash"]],
    "a hash is changed": [({ 8: moved }) => (moved.hash = randomHex()), ["1@8 hash"]],
    "a hash is made to fit": [(events) => (events[8] = withOwnHash(events[8], { depth: 4 })), ["1@8 signature"]],
    "prev is changed": [({ 8: moved }) => (moved.prev = randomHex()), ["1@8 prev"]],
    "a signature is changed": [
      ({ 8: moved }) => (moved.signature.value = flip(moved.signature.value)),
      ["1@8 signature"],
    ],
    "a signature of another event": [(events) => (events[8].signature = events[9].signature), ["1@8 signature"]],
    "an unknown key": [({ 8: moved }) => (moved.signature.key = new SigningKey().kid), ["1@8 key"]],
    "a key for something else": [({ 8: moved }) => (moved.signature.key = TOKEN_KEY.kid), ["1@8 key"]],
    "a player's signature is changed": [({ 8: moved }) => (moved.data.by = flip(moved.data.by)), ["1@8 hash"]],
    "a seed is changed": [({ 4: opened }) => (opened.data.seed = randomHex()), ["1@4 hash", "2@4 seed"]],
    "a disclosed seed is changed": [
      ({ 7: disclosed }) => (disclosed.data.seed = randomHex()),
      ["1@7 hash", "2@7 seed"],
    ],
    "an opened move is changed": [({ 11: opened }) => (opened.data.move.card = "KS"), ["1@11 hash", "4@11 commitment"]],
    "a nonce is changed": [({ 11: opened }) => (opened.data.nonce = randomHex()), ["1@11 hash", "4@11 commitment"]],
    "a field is added": [({ 8: moved }) => (moved.note = ""), ["0@8 form"]],
    "a field is added to the data": [({ 8: moved }) => (moved.data.__note = ""), ["0@8 form"]],
    "a field is removed": [({ 8: moved }) => delete moved.data.after, ["0@8 form"]],
    "an event is no object": [(events) => (events[8] = [events[8]]), ["0@8 form"]],
  };
  for (const [what, [tamper, expected]] of Object.entries(tamperings)) {
    test(what, async () => {
      const events = clone(game.events);
      tamper(events);
      const report = await verify(bundleOf(events, null));
      assert.deepEqual(faults(report), expected);
      assert.equal(report.verdict, "no");
      assert.ok(reportIsPrintable(report));
    });
  }

  test("every answer after an event without form is not yet", async () => {
    const events = clone(game.events);
    delete events[8].data.after;
    const report = await verify(bundleOf(events, logged(game.events)));
    const expected = ["no", "not_yet", "not_yet", "not_yet", "not_yet", "not_yet", "not_yet"];
    assert.deepEqual(answers(report), expected);
  });

  test("a game cut short says no more than not yet, unless its end is logged", async () => {
    const cut = game.events.slice(0, 20);
    assert.equal((await verify(bundleOf(cut, null))).verdict, "not_yet");
    assert.deepEqual(faults(await verify(bundleOf(cut, logged(game.events)))), ["6@file entry"]);
  });
});

function withOwnHash(event, change) {
  const changed = clone(event);
  Object.assign(changed.data.move, change);
  return { ...changed, hash: v.eventHash(changed) };
}

/** Another canonical base64url text of as many bytes. */
const flip = (text) => (text.startsWith("A") ? "B" : "A") + text.slice(1);

const MOVE = { after: null, move: { type: "cut" }, facts: [], by: null };

describe("what a forger with the server's key can't hide", () => {
  const { events } = wholeGame();
  const insert =
    (at, ...events) =>
    (log) =>
      log.splice(at, 0, ...events.map((event) => ({ ...log[at - 1], ...event })));
  const change = (at, path, value) => (log) => {
    const steps = path.split(".");
    const last = steps.pop();
    const target = steps.reduce((inner, step) => inner[step], log[at]);
    target[last] = typeof value === "function" ? value(target[last], log) : value;
  };
  const remove =
    (at, count = 1) =>
    (log) =>
      log.splice(at, count);
  const both =
    (...changes) =>
    (log) =>
      changes.forEach((one) => one(log));
  const later = (at, milliseconds) => (log) => {
    for (const event of log.slice(at)) event.at = new Date(Date.parse(event.at) + milliseconds).toISOString();
  };
  const FORMS = {
    "protocol 2": [0, "data.protocol", 2],
    "a boolean for an integer": [0, "data.protocol", true],
    "an unknown kind": [0, "data.kind", "poker"],
    "a rules version in text": [0, "data.rules.version", "1"],
    "no options": [0, "data.options", null],
    "options as a list": [0, "data.options", []],
    "no seats": [0, "data.seats.max", 0],
    "far too many seats": [0, "data.seats.max", 2 ** 40],
    "a shorter chain": [0, "data.chain", 4095],
    "a host that is no UUID": [0, "data.host", "me"],
    "a UUID of another version": [0, "data.host", "0198c0de-0000-4000-8000-000000000001"],
    "an upper-case UUID": [0, "data.host", "0198C0DE-0000-7000-8000-000000000001"],
    "move_seconds in text": [0, "data.move_seconds", "60"],
    "upper-case hex": [0, "data.anchor", "A".repeat(64)],
    "hex that is too short": [0, "data.anchor", "a".repeat(63)],
    "another form of time": [8, "at", "2026-03-01T12:00:00Z"],
    "a time of another zone": [8, "at", "2026-03-01T12:00:00.000+00:00"],
    "a day that doesn't exist": [8, "at", "2026-02-30T12:00:00.000Z"],
    "an hour that doesn't exist": [8, "at", "2026-03-01T24:00:00.000Z"],
    "an actor of another name": [8, "actor", "Server"],
    "a negative seat": [8, "actor", -1],
    "a type that isn't in the table": [8, "type", "toString"],
    "a name that is none": [1, "data.player.name", null],
    "a player with more fields": [1, "data.player", (player) => ({ ...player, email: "" })],
    "a key that is too short": [1, "data.key", "AAAA"],
    "a key of small order": [1, "data.key", `AQ${"A".repeat(41)}`],
    "a key that isn't canonical base64url": [1, "data.key", `${"A".repeat(42)}B`],
    "a signature with padding": [1, "data.by", (by) => `${by}==`],
    "a commitment that is no hash": [2, "data.seed_commitment", ""],
    "facts that are none": [6, "data.facts", null],
    "a fact without a type": [6, "data.facts.1", { seat: 1 }],
    "a fact that is text": [6, "data.facts.1", "dealer"],
    "a draw with another field": [6, "data.facts.0", { ...draw(1), seed: randomHex() }],
    "a draw without a purpose": [6, "data.facts.0", { type: "draw", draw: 1 }],
    "draw 0": [6, "data.facts.0", draw(0)],
    "a draw past the chain's end": [6, "data.facts.0", draw(4097)],
    "a disclosed draw past the chain's end": [7, "data.draw", 4097],
    "a move that is no object": [8, "data.move", "cut"],
    "a move without a type": [8, "data.move", { depth: 3 }],
    "step 0": [8, "data.step", 0],
    "a commitment without a step": [9, "data.step", null],
    "sealed by nobody": [9, "data.sealed_by", null],
    "sealed by somebody else": [9, "data.sealed_by", "player"],
    "winners out of order": [24, "data.result.winners", [1, 0]],
    "a winner twice": [24, "data.result.winners", [0, 0]],
    "scores in text": [24, "data.result.scores", ["3"]],
    "a reason that is none": [24, "data.result.reason", 1],
  };
  const SHIFTS = Object.entries(FORMS).map(([what, [at, ...rest]]) => [what, change(at, ...rest), [`0@${at} form`]]);

  const stranger = { player: { id: uuid(), name: "C" }, seed_commitment: null, key: null, after: null, by: null };
  const void_ = { actor: "server", type: "voided", data: { reason: "cancelled", seats: [] } };
  const resignation = { actor: 1, type: "resigned", data: { step: null, after: 8, facts: [], by: null } };
  const timeOut = (step, seats) => ({ actor: "server", type: "timed_out", data: { step, seats, facts: [] } });
  const open = (seat, step) => ({
    actor: seat,
    type: "opened",
    data: { step, move: { type: "x" }, nonce: randomHex(), facts: [], by: null },
  });

  /** What is done to the log of the whole game, and which questions fail where. */
  const FORGERIES = [
    ...SHIFTS,
    // Place.
    ["a second beginning", (log) => log.splice(1, 0, log[0]), ["0@1 place"]],
    ["more than the game's end", insert(25, resignation), ["0@25 place"]],
    ["a seat taken after the table closed", insert(4, { actor: 1, type: "seated", data: stranger }), ["0@4 place"]],
    ["a seat left after it closed", insert(4, { actor: 1, type: "left", data: { after: 1, by: null } }), ["0@4 place"]],
    ["a move before the start", insert(4, { actor: 1, type: "moved", data: { ...MOVE, step: 1 } }), ["0@4 place"]],
    ["a seed opened before the table closed", (log) => log.splice(3, 2, log[4], log[3]), ["0@3 place"]],
    [
      "a seed opened after the start",
      (log) => log.splice(5, 2, log[6], log[5]),
      ["0@6 place", "2@5 seed", "5@5 append"],
    ],
    ["void after the start", insert(8, void_), ["0@8 place"]],
    ["two tables in one", insert(3, { actor: 1, type: "seated", data: stranger }), ["0@3 seat"]],
    ["a seat that the table hasn't", change(2, "actor", 2), ["0@2 seat"]],
    ["one player on two seats", change(2, "data.player.id", (_, log) => log[1].data.player.id), ["0@2 player"]],
    ["a seat that nobody took", change(8, "actor", 5), ["0@8 seat"]],
    ["an act of the server by a seat", change(7, "actor", 0), ["0@7 actor"]],
    ["an act of a seat by the server", change(8, "actor", "server"), ["0@8 actor"]],
    ["more seats closed than taken", change(3, "data.seats", 3), ["0@3 seats"]],
    ["a gap between the seats", remove(1), ["0@2 seats"]],
    ["too few at the table", both(remove(2), change(2, "data.seats", 1)), ["0@2 seats"]],
    ["min above max", change(0, "data.seats.min", 3), ["0@0 seats"]],
    ["no time for seeds", change(3, "data.open_by", null), ["0@3 open_by"]],
    ["a time-out that names nobody", insert(8, timeOut(1, [])), ["0@8 seats"]],
    ["a time-out of a stranger", insert(8, timeOut(1, [3])), ["0@8 seats"]],
    ["a winner who isn't there", change(24, "data.result.winners", [2]), ["0@24 seats"]],
    ["after an event that comes later", change(17, "data.after", 17), ["0@17 after"]],
    ["a decision that says after what", change(8, "data.after", 7), ["0@8 after"]],
    ["a signed act that doesn't say after what", change(18, "data.after", null), ["0@18 after"]],
    // Chain and signatures.
    ["time that runs backwards", change(17, "at", "2026-03-01T12:00:00.000Z"), ["1@17 at"]],
    ["a player's move replaced", change(8, "data.move.depth", 4), ["1@8 by"]],
    ["a player's signature left out", change(8, "data.by", null), ["1@8 by"]],
    ["a signature where there is no key", change(17, "data.by", (_, log) => log[18].data.by), ["1@17 by"]],
    ["a player's act repeated", (log) => log.splice(19, 0, log[18]), ["1@19 by"]],
    ["a key put in a player's place", change(1, "data.key", new SigningKey().x), ["1@1 by"]],
    ["a move sealed for a seat with a key", change(10, "data.sealed_by", "server"), ["1@10 sealed_by", "4@11 order"]],
    ["a resignation in a player's name", insert(9, { ...resignation, actor: 0 }), ["1@9 by"]],
    // Seeds.
    ["a seat's seed replaced", change(4, "data.seed", randomHex()), ["2@4 seed"]],
    ["a seed that was never committed", change(2, "data.seed_commitment", null), ["2@4 seed"]],
    ["a seed opened twice", (log) => log.splice(5, 0, log[4]), ["2@5 seed"]],
    ["a start without a seed", both(remove(5), later(5, -1500)), ["2@5 seed"]],
    ["a disclosed seed of another chain", change(7, "data.seed", randomHex()), ["2@7 seed"]],
    ["a disclosure of an earlier draw", change(21, "data", (_, log) => log[7].data), ["2@21 draw"]],
    ["a disclosure of a draw to come", change(7, "data.draw", 3), ["2@7 draw"]],
    ["another anchor", change(0, "data.anchor", randomHex()), ["2@7 seed"]],
    ["a last draw that is kept secret", remove(23), ["2@23 draw"]],
    // Draws.
    ["a draw left out", change(20, "data.facts.1", draw(4)), ["2@24 draw", "3@20 draw"]],
    ["a draw made twice", change(20, "data.facts.1", draw(1)), ["2@23 draw", "3@20 draw"]],
    ["a draw for another purpose", change(6, "data.facts.2", draw(1, "deal")), ["3@6 draw"]],
    // Sealed moves.
    ["an opening of another move", change(11, "data.move.card", "KS"), ["4@11 commitment"]],
    ["an opening of another step", change(11, "data.step", 3), ["4@11 commitment", "5@12 step"]],
    ["an opening of what isn't sealed", insert(9, open(1, 2)), ["4@9 commitment"]],
    ["an opening repeated", (log) => log.splice(12, 0, log[11]), ["4@12 commitment"]],
    ["bound twice in one step", (log) => log.splice(10, 0, log[9]), ["4@10 commitment"]],
    [
      "bound after another's opening",
      both(change(9, "data.sealed_by", "client"), (log) => log.splice(10, 2, log[11], log[10])),
      ["4@11 commitment"],
    ],
    ["the server opens before all are bound", (log) => log.splice(10, 2, log[11], log[10]), ["4@10 order"]],
    ["the server opens later", later(11, 5), ["4@11 order"]],
    [
      "a client opens before the server",
      (log) => log.splice(11, 2, { ...log[12], at: log[11].at }, log[11]),
      ["4@11 order"],
    ],
    ["something before the server's opening", insert(11, resignation), ["4@12 order"]],
    ["a move of too many bytes", change(12, "data.move", { type: "x".repeat(1024) }), ["1@12 by", "4@12 move"]],
    ["facts before the last opening", change(11, "data.facts", [{ type: "shown" }]), ["4@12 order"]],
    // Order and time.
    ["closed later than the last place is taken", later(3, 5), ["5@3 append"]],
    [
      "a full table that goes on open",
      insert(3, { actor: 1, type: "left", data: { after: 1, by: null } }),
      ["0@4 seats", "5@3 append"],
    ],
    ["a start later than the last seed", later(6, 5), ["5@6 append"]],
    ["a disclosure later than its cause", later(7, 5), ["5@7 append"]],
    ["an end later than its cause", later(24, 5), ["5@24 append"]],
    ["a wrong time for seeds", change(3, "data.open_by", "2026-03-01T13:00:00.000Z"), ["5@3 open_by"]],
    ["a seed that came too late", later(4, 600_000), ["5@4 open_by"]],
    ["a step decided twice", change(20, "data.step", 4), ["5@20 step"]],
    ["a step that comes back", change(22, "data.step", 2), ["5@22 step"]],
    ["an open move in a sealed step", change(17, "data", { ...MOVE, step: 3 }), ["5@17 step"]],
  ];
  for (const [what, forge, expected] of FORGERIES) {
    test(what, async () => {
      const log = clone(events);
      forge(log);
      const forged = signedAnew(log);
      const report = await verify(bundleOf(forged, null));
      assert.deepEqual(faults(report), expected);
      assert.equal(report.verdict, "no");
    });
  }
});

describe("what a wrong log of logs can't hide", () => {
  const { events } = wholeGame();
  const otherTree = checkpointNote(["another"], "croupier.example/log", CHECKPOINT_KEY);
  const tamperings = {
    "a proof for another place": [(log) => (log.proofs[0].index = 0), "6@6 inclusion"],
    "an index beyond the tree": [(log) => (log.proofs[1].index = 2 ** 40), "6@24 inclusion"],
    "a hash that differs": [(log) => (log.proofs[1].hashes[0] = randomHex()), "6@24 inclusion"],
    "a hash too few": [(log) => log.proofs[1].hashes.pop(), "6@24 inclusion"],
    "an entry that differs": [(log) => (log.proofs[0].entry = log.proofs[0].entry.replace("6", "7")), "6@file entry"],
    "an entry proved twice": [(log) => log.proofs.push(log.proofs[0]), "6@file entry"],
    "another tree": [(log) => (log.checkpoint = otherTree), "6@6 inclusion"],
    "a checkpoint changed": [(log) => (log.checkpoint = log.checkpoint.replace("\n5\n", "\n6\n")), "6@file checkpoint"],
    "a checkpoint without its form": [(log) => (log.checkpoint = ""), "6@file checkpoint"],
    "proofs without their form": [(log) => (log.proofs[0].hashes[0] = "00"), "6@file form"],
    "a field more": [(log) => (log.size = 5), "6@file form"],
  };
  for (const [what, [tamper, expected]] of Object.entries(tamperings)) {
    test(what, async () => {
      const log = logged(events);
      tamper(log);
      const report = await verify(bundleOf(events, log));
      assert.deepEqual(faults(report), [expected]);
      assert.ok(reportIsPrintable(report));
    });
  }

  test("a checkpoint signed with a key for something else", async () => {
    const report = await verify(bundleOf(events, logged(events, { key: EVENT_KEY })));
    assert.deepEqual(faults(report), ["6@file checkpoint"]);
  });

  test("an entry for a cancelled game", async () => {
    const game = new TestGame().wait().append("server", "voided", { reason: "cancelled", seats: [] });
    assert.deepEqual(faults(await verify(bundleOf(game.events))), ["6@file entry"]);
  });
});

describe("void games", () => {
  const afterClosed = () => new TestGame({ moveSeconds: 60 }).sit(0).sit(1).close().openSeed(0);
  const seedMissing = (seats) => ["server", "voided", { reason: "seed_missing", seats }];
  const cases = {
    "too early": [afterClosed().append(...seedMissing([1])), "5@5 open_by"],
    "with another seat to blame": [
      afterClosed()
        .wait(60_000)
        .append(...seedMissing([0])),
      "2@5 seats",
    ],
    "with nobody to blame": [
      afterClosed()
        .wait(60_000)
        .append(...seedMissing([])),
      "0@5 seats",
    ],
    "cancelled after closed": [
      afterClosed().append("server", "voided", { reason: "cancelled", seats: [] }),
      "0@5 reason",
    ],
    "for a seed before closed": [new TestGame().sit(0).append(...seedMissing([0])), "0@2 reason"],
    "cancelled with somebody to blame": [
      new TestGame().sit(0).append("server", "voided", { reason: "cancelled", seats: [0] }),
      "0@2 seats",
    ],
  };
  for (const [what, [game, expected]] of Object.entries(cases)) {
    test(what, async () => assert.deepEqual(faults(await verify(bundleOf(game.events))), [expected]));
  }
});

describe("keys", () => {
  const { events } = wholeGame();
  const malformed = {
    "of another curve": { crv: "X25519" },
    "for encryption": { use: "enc" },
    "of another algorithm": { alg: "RS256" },
    "with another's id": { kid: CHECKPOINT_KEY.kid },
    "without a use": { croupier_use: undefined },
    "without a beginning": { not_before: undefined },
    "with a day for an end": { not_after: "2026-03-01" },
    "that is no point": { x: v.toBase64Url(Buffer.from(`02${"00".repeat(31)}`, "hex")) },
  };
  for (const [what, change] of Object.entries(malformed)) {
    test(`a key ${what}`, async () => {
      const bad = { ...EVENT_KEY.jwk("event"), ...change };
      const inFile = await verify({ ...bundleOf(events), keys: [bad] });
      assert.deepEqual(faults(inFile), ["1@file keys"]);
      const apart = await verify(bundleOf(events), { keys: { keys: [bad] } });
      assert.equal(apart.verdict, "unusable");
    });
  }

  test("a key twice", async () => {
    const keys = [EVENT_KEY.jwk("event"), EVENT_KEY.jwk("checkpoint")];
    assert.deepEqual(faults(await verify({ ...bundleOf(events), keys })), ["1@file keys"]);
  });

  test("a key set without keys", async () => {
    for (const keys of [{}, [], "keys", 1, { keys: null }]) {
      assert.equal((await verify(bundleOf(events), { keys })).verdict, "unusable");
    }
    assert.deepEqual(faults(await verify(bundleOf(events), { keys: { keys: [] } })), ["1@0 key", "6@file checkpoint"]);
  });
});

describe("hostile files", () => {
  const unusable = {
    nothing: "",
    "no bundle": "[]",
    "no events": '{"events":[],"keys":[],"log":null}',
    "a field more": '{"events":[{}],"keys":[],"log":null,"x":1}',
    "a field less": '{"events":[{}],"keys":[]}',
    "events that are no list": '{"events":{"length":1},"keys":[],"log":null}',
    "keys that are no list": '{"events":[{}],"keys":{},"log":null}',
    "a number": 5,
    "nothing at all": undefined,
    "no UTF-8": Uint8Array.from([0xff]),
    "endless nesting": "[".repeat(5_000_000),
  };
  for (const [what, bytes] of Object.entries(unusable)) {
    test(`${what} is unusable`, async () => {
      const report = await v.verifyBundle(bytes);
      assert.equal(report.verdict, "unusable");
      assert.ok(reportIsPrintable(report));
    });
  }

  test("events that are none", async () => {
    for (const event of [null, 1, "x", [], {}, { type: "created" }, { type: "__proto__", data: {} }]) {
      const report = await v.verifyBundle(JSON.stringify({ events: [event], keys: [], log: 5 }));
      assert.deepEqual(faults(report), ["0@0 form"]);
      assert.ok(reportIsPrintable(report));
    }
  });

  test("options that no deck can be made of", async () => {
    for (const decks of [-1, 1_000_000, null, "2", 0]) {
      const game = new TestGame({ kind: "spite_and_malice", options: { decks } });
      game.sit(0).sit(1).close().openSeed(0).openSeed(1).start(draw(1)).disclose(1);
      const [made] = (await verify(bundleOf(game.events))).draws;
      assert.equal(made.shuffle?.before.length ?? 0, 0);
    }
  });

  test("names and purposes that would write over a terminal", async () => {
    const name = "\u001b[2J\u202eevil\u0000\n";
    const game = new TestGame().sit(0, { name }).sit(1).close().openSeed(0).openSeed(1).start(draw(1, name));
    const report = await verify(bundleOf(game.events));
    assert.ok(reportIsPrintable(report));
    assert.doesNotMatch(v.reportAsText(report), /\u202e/);
  });

  test("a changed byte is never shown as fair", async () => {
    const bundle = bundleOf(wholeGame().events);
    // The keys in the file are not looked at where others were got apart, so they are left out of this.
    const bytes = Buffer.from(JSON.stringify({ ...bundle, keys: [] }));
    assert.equal((await v.verifyBundle(bytes, { keys: JWKS })).verdict, "yes");
    for (let i = 0; i < 150; i += 1) {
      const changed = Buffer.from(bytes);
      const at = crypto.randomInt(bytes.length);
      changed[at] ^= 1 << crypto.randomInt(8);
      const report = await v.verifyBundle(changed, { keys: JWKS });
      assert.ok(["no", "unusable"].includes(report.verdict), `byte ${at} made ${changed[at]}: ${report.verdict}`);
    }
  });

  test("options may be left out, or be null", async () => {
    const text = JSON.stringify(bundleOf(wholeGame().events));
    for (const options of [undefined, null, {}]) {
      assert.equal((await v.verifyBundle(text, options)).verdict, "not_yet");
    }
  });

  test("a thrown progress is a report too", async () => {
    const onProgress = () => {
      throw new Error("enough");
    };
    const report = await verify(bundleOf(wholeGame().events), { onProgress });
    assert.equal(report.verdict, "unusable");
    assert.match(report.problem, /enough/);
  });
});

describe("the command line", () => {
  const run = (...args) =>
    new Promise((resolve) => {
      execFile(process.execPath, [VERIFIER, ...args], (error, stdout, stderr) => {
        resolve({ code: error?.code ?? 0, stdout, stderr });
      });
    });

  test("says by its exit code what holds", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "croupier-verifier-"));
    t.after(() => rm(folder, { recursive: true }));
    const file = async (name, value) => {
      await writeFile(join(folder, name), JSON.stringify(value));
      return join(folder, name);
    };
    const { events } = wholeGame();
    const keys = await file("keys.json", JWKS);
    const good = await file("good.json", bundleOf(events));
    const bad = await file("bad.json", bundleOf(events.toSpliced(8, 1), null));

    const yes = await run(good, "--keys", keys);
    assert.deepEqual([yes.code, yes.stderr], [0, ""]);
    assert.match(yes.stdout, /after {2}[A-Z]{2} /);
    assert.match(yes.stdout, /Verdict: yes\n$/);
    const no = await run("--keys", keys, bad);
    assert.equal(no.code, 1);
    assert.match(no.stdout, /Event 8 \(committed\): events are missing, repeated or out of order here\./);
    assert.equal((await run(good)).code, 2);
    for (const args of [
      [],
      [good, bad],
      [good, "--keys"],
      [join(folder, "none.json")],
      [keys],
      [good, "--keys", good],
    ]) {
      assert.equal((await run(...args)).code, 3, args.join(" "));
    }
  });
});
