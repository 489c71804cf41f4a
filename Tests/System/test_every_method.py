"""Every method of both interfaces, driven with what it does not expect. Names and parameters come from the daemon's own
interface descriptions, so that a new method is driven as soon as it is served."""
import re

import pytest

from house.soak import WHOLE

FORMS = [
    None, True, 0, -1, 1, 2**31, 2**63 - 1, -(2**63), 0.5, 1e308, "", "x", "0" * 32, "f" * 32, "readWrite", "addOnly", "photos",
    "\u202e\u200bname", "\x00", "..", "a/b", "é" * 300, [], [""], ["0" * 32], [1, None], list(range(50)), {}, {"a": 1},
    {"identifiers": ["0" * 32]}, {"all": True}, {"glob": "**"}, {"glob": ""}, {"last": -5}, {"kind": "delete"},
    [{"kind": "setLocation", "assets": ["0" * 32], "latitude": 91.0, "longitude": 0.0}], [{"kind": "?"}],
]
# These wait for a person.
WAITING = {"RequestAuthorization", "LevelUnawareRequestAuthorization", "PresentLimitedLibraryPicker", "Present"}


def methods(caller, interface):
    text = caller.call("org.varlink.service.GetInterfaceDescription", interface=interface)["description"]
    plain = re.sub(r"#.*", "", text)
    found = re.findall(r"^method (\w+)\s*\((.*?)\)\s*->", plain, re.M | re.S)
    assert len(found) > 15
    return [(name, re.findall(r"(\w+)\s*:", parameters)) for name, parameters in found]


def hammer(agent, interface, tokens, table, forms, seed, own):
    """Calls every method with what a seeded dice gives, each on a connection of its own; answers how many calls were answered."""
    import random
    from photobroker import Connection, VarlinkError
    rng = random.Random(seed)
    answered = 0
    for _ in range(6):
        for name, parameters in table:
            with Connection(agent.path, timeout=30) as connection:
                for token in tokens:
                    connection.call("io.photobroker.Library.Attach", token=token)
                chosen = {p: rng.choice(forms) for p in parameters if rng.random() < 0.8}
                for p, value in own.items():
                    if p in parameters and rng.random() < 0.5:
                        chosen[p] = value
                if rng.random() < 0.2:
                    chosen["unknownField"] = rng.choice(forms)
                try:
                    connection.send(interface + "." + name, chosen, more=rng.random() < 0.3)
                    connection.receive()
                except VarlinkError:
                    pass
                answered += 1
    return answered


@pytest.mark.parametrize("seed", range(10 if WHOLE else 1))
def test_no_method_of_apps_dies_of_its_parameters(scene, seed):
    scene.limit(0)
    interface = "io.photobroker.Library"
    table = [m for m in methods(scene.app, interface) if m[0] not in WAITING]
    asset = scene.app.call("FetchAssets")["assets"][0]["localIdentifier"]
    answered = scene.app.run(
        hammer, interface=interface, tokens=[scene.app.own_token, scene.app.token], table=table, forms=FORMS, seed=seed,
        own={"asset": asset, "level": "readWrite", "library": scene.library})
    assert answered == 6 * len(table)
    assert scene.broker.is_running


@pytest.mark.parametrize("seed", range(10 if WHOLE else 1))
def test_no_method_of_owners_dies_of_its_parameters(scene, seed):
    scene.limit(0)
    interface = "io.photobroker.Admin"
    table = [m for m in methods(scene.owner, interface) if m[0] != "RemoveLibrary"]
    answered = scene.owner.run(
        hammer, interface=interface, tokens=[], table=table, forms=FORMS, seed=seed,
        own={"library": scene.library, "name": scene.library, "app": scene.app.name, "level": "readWrite"})
    assert answered == 6 * len(table)
    assert scene.broker.is_running
