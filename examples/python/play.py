"""Two guests play one whole game of each kind against each other.

All this program knows of the service is its OpenAPI document, from which openapi-python-client made the package
croupier_client.
"""

import os
import random
import uuid

from croupier_client import AuthenticatedClient, Client, models
from croupier_client.api.games import create_game
from croupier_client.api.play import get_view, make_move
from croupier_client.api.players import create_player
from croupier_client.api.proof import get_bundle
from croupier_client.api.rules import list_rules
from croupier_client.api.seats import sit_down

URL = os.environ.get("CROUPIER", "http://127.0.0.1:8080")

# Options that make a game short; all others have their defaults.
SHORTER = {
    "migraine": {"target": 3},
    "spite_and_malice": {"payoff": 5, "target": 1},
}

# Moves that bring a game to its end, the best first; any other will do where there is none of these.
BEST = ["play_payoff", "play_side", "play_hand", "attack", "place"]

# The level at which the hero goes north.
LEVEL = 6


def answered(answer):
    """What was answered, or an error that says why it was refused."""
    if answer is None or isinstance(answer, models.Problem):
        raise RuntimeError(f"refused: {answer}")
    return answer


class Player:
    """Somebody who plays, with a token of its own."""

    def __init__(self, name):
        new = models.NewPlayer(name=name)
        token = answered(create_player.sync(client=Client(base_url=URL), body=new)).token
        self.client = AuthenticatedClient(base_url=URL, token=token)

    def create(self, kind, seats):
        """Opens a table and tells the game's id."""
        new = getattr(models, "Create" + kind.title().replace("_", ""))
        body = new.from_dict({"kind": kind, "seats": seats, "options": SHORTER.get(kind, {})})
        key = str(uuid.uuid4())
        return answered(create_game.sync(client=self.client, body=body, idempotency_key=key)).view.game

    def sit_down(self, game):
        return answered(sit_down.sync(game, client=self.client, body=models.SitDown())).view

    def move(self, game):
        """Makes a move, a decision where one is at hand; tells how the game is then."""
        view = answered(get_view.sync(game, client=self.client))
        hero = isinstance(view.state, models.FatetstRpgState)
        move = adventure(view.state) if hero else choose(view.legal)
        body = models.MakeMove(step=view.step, move=move)
        return answered(make_move.sync(game, client=self.client, body=body)).view


def choose(legal):
    """Any of the best moves. Shuffling one's hand is no decision."""
    decisions = [move for move in legal if move.type_ != "shuffle_hand"]
    of_type = ([move for move in decisions if move.type_ == best] for best in BEST)
    return random.choice(next(filter(None, of_type), decisions))


def adventure(state):
    """Fights near the first town until the level is reached, then goes north to look for the tree in the last row."""
    hero, town = state.hero, state.town
    if state.enemy:
        return models.StrikeMove(type_="strike")
    if town and hero.hp < hero.max_hp:
        return models.RestMove(type_="rest")
    item = "armour" if hero.armour <= hero.weapons else "weapon"
    if town and hero.gold >= town.rest + getattr(town, item):
        return models.BuyMove(item=item, type_="buy")
    if hero.level < LEVEL:
        hurt = 2 * hero.hp <= hero.max_hp
        north = hero.place.y == 0 or hero.place.y == 1 and not hurt
        return models.WalkMove(direction="n" if north else "s", tiles=1, type_="walk")
    if hero.place.y < state.height - 1:
        return models.WalkMove(direction="n", tiles=25, type_="walk")
    west = hero.place.x == state.width - 1 or hero.place.x > 0 and random.random() < 0.5
    return models.WalkMove(direction="w" if west else "e", tiles=25, type_="walk")


def play(kind, players):
    """Plays a game of this kind to its end."""
    game = players[0].create(kind, len(players))
    for player in players:
        view = player.sit_down(game)
    moves = 0
    while view.status == models.Status.PLAYING:
        # Where nobody has to decide, whoever sits there may go on.
        view = players[(view.to_act or [0])[0]].move(game)
        moves += 1
    if view.status != models.Status.ENDED:
        raise RuntimeError(f"{kind} is {view.status}")
    bundle = answered(get_bundle.sync(game, client=players[0].client))
    result = view.result
    won = f"seats {result.winners} win" if result.winners else "nobody wins"
    told = f"{moves} moves, {len(bundle.events)} events; {won}: {result.reason}"
    print(f"{kind}: {told}", flush=True)


def main():
    number = random.randrange(10**9)
    players = [Player(f"Ana {number}"), Player(f"Ben {number}")]
    for rules in answered(list_rules.sync(client=Client(base_url=URL))).rules:
        play(rules.kind.value, players[: rules.seats.max_])


if __name__ == "__main__":
    main()
