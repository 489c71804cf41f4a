"""A look of an AI agent beside the thumbnail that it shows: what the Model Context Protocol adds. Agent and
app take turns with photos of the same size, so that both meet the same machine, and none is read twice."""

import json
import os
import statistics
import subprocess
import time

from house.broker import Album, Broker
from house.person import as_user
from house.pictures import day, jpeg

LOOKS = 60
PIXELS = 1_024


def measure(house):
    broker = Broker(house, "agents").start()
    try:
        print(f"== a look of an agent, with {2 * LOOKS} photos; load {os.getloadavg()[0]:.1f}", flush=True)
        measure_looks(house, broker)
    finally:
        broker.end()


def thumbnail(agent, token, asset, pixels):
    """The milliseconds of one thumbnail, with the base64 text that also leaves an agent's server."""
    connection = Connection(agent.path, timeout=60)  # noqa: F821
    connection.call("io.photobroker.Library.Attach", token=token)
    start = time.perf_counter_ns()
    connection.call("io.photobroker.Library.GetThumbnail", asset=asset, maxPixels=pixels)
    taken = time.perf_counter_ns() - start
    connection.close()
    return taken / 1e6


def measure_looks(house, broker):
    owner = broker.owner()
    album = Album(house, "agents", owner.uid)
    for number in range(2 * LOOKS):
        note = f"look {number}".encode()
        album.put(f"picture-{number:03}.jpg", jpeg(day(number), note=note, width=4_000, height=3_000))
    owner.call("AddLibrary", name="agents", options={"path": str(album.folder)})
    owner.wait_for_library("agents", 2 * LOOKS, seconds=600)
    app = broker.app(uid=owner.uid)
    app.introduce("org.example.agent")
    owner.set("agents", app.name, "authorized")
    assert app.request(library="agents") == "authorized"
    assets = [asset["localIdentifier"] for asset in app.fetch()]
    file = house.make_folder("agent-token", owner.uid) / "token"
    file.write_text(app.token)
    os.chown(file, owner.uid, owner.uid)
    command = [broker.programs / "photobroker", "mcp", "--app-socket", broker.app_socket, "--token-file", file]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = {"HOME": str(file.parent), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(as_user(owner.uid, command), env=environment, cwd="/", **pipes) as server:

        def call(number, method, **parameters):
            start = time.perf_counter_ns()
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            print(json.dumps(message), file=server.stdin, flush=True)
            reply = json.loads(server.stdout.readline())
            assert not reply["result"].get("isError"), reply
            return (time.perf_counter_ns() - start) / 1e6

        call(
            0, "initialize", protocolVersion="2025-11-25", clientInfo={"name": "bench", "version": "1"}, capabilities={}
        )
        looks, thumbnails = [], []
        for number in range(LOOKS):
            own, other = assets[2 * number : 2 * number + 2]
            looks.append(call(number + 1, "tools/call", name="look", arguments={"photo": own, "size": PIXELS}))
            thumbnails.append(app.run(thumbnail, token=app.token, asset=other, pixels=PIXELS))
        server.stdin.close()
    mine, theirs = statistics.median(looks), statistics.median(thumbnails)
    print(
        f"   {'look of an agent / the thumbnail that it shows':60} {mine:9.1f} ms {theirs:9.1f} ms  {mine / theirs:5.2f}x  "
        "goal under 30 ms",
        flush=True,
    )
