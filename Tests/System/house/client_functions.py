"""Functions that run in a client's process, by `Person.run` and `Person.start`."""

import base64
import hashlib
import os
import time

from photobroker import Connection, VarlinkError


def read_begin_of_stream(agent, tokens, asset, count):
    """Read a stream's first bytes and close it; return its size, their digest and the error."""
    with Connection(agent.path, timeout=60) as connection:
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        stream = connection.stream("io.photobroker.Library.StreamResource", asset=asset, role="original")
        reply, descriptors = next(stream)
        got = hashlib.sha256()
        while count:
            piece = os.read(descriptors[0], min(count, 65_536))
            assert piece, "the stream ended"
            got.update(piece)
            count -= len(piece)
        os.close(descriptors[0])
        try:
            for _ in stream:
                pass
            return reply["size"], got.hexdigest(), "complete"
        except VarlinkError as error:
            return reply["size"], got.hexdigest(), error.parameters["reason"]


def begin_all(agent, tokens, calls):
    """Begin calls on a connection each, and keep them beside the earlier ones."""
    agent.begun = getattr(agent, "begun", [])
    for method, parameters in calls:
        connection = Connection(agent.path, timeout=60)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        connection.send("io.photobroker.Library." + method, parameters, more=method == "StreamResource")
        agent.begun.append(connection)


def hear_all(agent):
    """Return the reason of each refusal, or the reply, in order."""
    found = []
    for connection in agent.begun:
        try:
            found.append(connection.receive()[0])
        except VarlinkError as error:
            found.append(error.parameters.get("reason"))
        connection.close()
    return found


def load(agent, item):
    """Loads an item with progress; returns the progress replies and a digest of the bytes."""
    told = []
    for reply, descriptors in agent.connection().stream("io.photobroker.Picker.LoadItem", item=item):
        told.append([reply["received"], reply["isComplete"]])
        if descriptors:
            data = os.pread(descriptors[0], reply["size"] + 1, 0)
            os.close(descriptors[0])
    return told, hashlib.sha256(data).hexdigest()


def send_in_two_halves(agent, method, parameters, first, second, go):
    """Send a call whose bytes end when the file `go` is there; return the reply or the refusal."""
    reader, writer = os.pipe()
    connection = agent.connection()
    connection.send("io.photobroker.Library." + method, parameters, descriptors=[reader])
    os.close(reader)
    os.write(writer, base64.b64decode(first))
    while not os.path.exists(go):
        time.sleep(0.01)
    try:
        os.write(writer, base64.b64decode(second))
    except BrokenPipeError:
        pass
    os.close(writer)
    try:
        return {"reply": connection.receive()[0]}
    except Exception as refusal:
        return {"refused": str(refusal)}
