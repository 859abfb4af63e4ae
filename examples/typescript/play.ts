// Two guests play one whole game of each kind against each other. All this program knows of the service is its
// OpenAPI document, from which `npm run client` made the types in client/croupier.d.ts.
import createClient from "openapi-fetch";
import type { components, paths } from "./client/croupier.js";

type Schemas = components["schemas"];
type Kind = Schemas["Kind"];
type Move = Schemas["Move"];
type View = Schemas["View"];

const baseUrl = process.env.CROUPIER ?? "http://127.0.0.1:8080";

/** Options that make a game short; all others have their defaults. */
const shorter: { [kind in Kind]?: object } = {
  migraine: { target: 3 } satisfies Schemas["MigraineOptions"],
  spite_and_malice: { payoff: 5, target: 1 } satisfies Schemas["SpiteAndMaliceOptions"],
};

/** Moves that bring a game to its end, the best first; any other will do where there is none of these. */
const best: Move["type"][] = ["play_payoff", "play_side", "play_hand", "attack", "place"];

/** The level at which the hero goes north. */
const levelToLeave = 6;

/** What was answered, or an error that says why it was refused. */
function answered<T>({ data, error }: { data?: T; error?: Schemas["Problem"] }): T {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

/** Somebody who plays, with a token of its own. */
class Player {
  readonly api = createClient<paths>({ baseUrl });

  async signUp(name: string): Promise<this> {
    const { token } = answered(await this.api.POST("/v1/players", { body: { name } }));
    this.api.use({
      onRequest: ({ request }) => request.headers.set("Authorization", `Bearer ${token}`),
    });
    return this;
  }

  /** Opens a table and tells the game's id. */
  async create(kind: Kind, seats: number): Promise<string> {
    const body = { kind, seats, options: shorter[kind] ?? {} } as Schemas["CreateGame"];
    const header = { "Idempotency-Key": crypto.randomUUID() };
    return answered(await this.api.POST("/v1/games", { params: { header }, body })).view.game;
  }

  async sitDown(id: string): Promise<View> {
    return answered(await this.api.POST("/v1/games/{id}/seats", { params: { path: { id } }, body: {} })).view;
  }

  async view(id: string): Promise<View> {
    return answered(await this.api.GET("/v1/games/{id}/view", { params: { path: { id } } }));
  }

  /** Makes a move, a decision where one is at hand; tells how the game is then. */
  async move(id: string): Promise<View> {
    const { step, legal, state } = await this.view(id);
    const body = { step, move: state?.kind === "fatetst_rpg" ? adventure(state) : choose(legal) };
    return answered(await this.api.POST("/v1/games/{id}/moves", { params: { path: { id } }, body })).view;
  }
}

/** Any of the best moves. Shuffling one's hand is no decision. */
function choose(legal: Move[]): Move {
  const decisions = legal.filter(({ type }) => type !== "shuffle_hand");
  const type = best.find((type) => decisions.some((move) => move.type === type));
  const moves = type ? decisions.filter((move) => move.type === type) : decisions;
  const move = moves[Math.floor(Math.random() * moves.length)];
  if (!move) throw new Error("there is nothing to decide");
  return move;
}

/** Fights near the first town until the level is reached, then goes north to look for the tree in the last row. */
function adventure({ hero, enemy, town, width, height }: Schemas["FatetstRpgState"]): Move {
  if (enemy) return { type: "strike" };
  if (town && hero.hp < hero.max_hp) return { type: "rest" };
  const item = hero.armour <= hero.weapons ? "armour" : "weapon";
  if (town && hero.gold >= town.rest + town[item]) return { type: "buy", item };
  const { x, y } = hero.place;
  if (hero.level < levelToLeave) {
    const hurt = 2 * hero.hp <= hero.max_hp;
    return { type: "walk", direction: y === 0 || (y === 1 && !hurt) ? "n" : "s", tiles: 1 };
  }
  if (y < height - 1) return { type: "walk", direction: "n", tiles: 25 };
  const west = x === width - 1 || (x > 0 && Math.random() < 0.5);
  return { type: "walk", direction: west ? "w" : "e", tiles: 25 };
}

/** Plays a game of this kind to its end. */
async function play(kind: Kind, players: Player[]): Promise<void> {
  const id = await players[0]!.create(kind, players.length);
  let view: View | undefined;
  for (const player of players) view = await player.sitDown(id);
  let moves = 0;
  while (view?.status === "playing") {
    // Where nobody has to decide, whoever sits there may go on.
    view = await players[view.to_act[0] ?? 0]!.move(id);
    moves += 1;
  }
  if (view?.status !== "ended" || !view.result) throw new Error(`${kind} is ${view?.status}`);
  const bundle = answered(await players[0]!.api.GET("/v1/games/{id}/bundle", { params: { path: { id } } }));
  const { reason, winners } = view.result;
  const won = winners.length ? `seats ${winners} win` : "nobody wins";
  console.log(`${kind}: ${moves} moves, ${bundle.events.length} events; ${won}: ${reason}`);
}

const number = Math.floor(Math.random() * 1e9);
const players = [await new Player().signUp(`Ana ${number}`), await new Player().signUp(`Ben ${number}`)];
const { rules } = answered(await players[0]!.api.GET("/v1/rules"));
for (const { kind, seats } of rules) {
  await play(kind, players.slice(0, Math.min(seats.max, players.length)));
}
