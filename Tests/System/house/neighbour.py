"""Steady calls of a client with a healthy library, beside faulty ones."""

import os
import statistics
import time


def call_continuously(agent, seconds, asset):
    """Returns the duration of each call in milliseconds, and the errors."""
    connection = agent.connection("timed")
    taken, errors = [], []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for method, parameters in (
            ("FetchAssets", {"limit": 10}),
            ("CountAssets", {}),
            ("OpenResource", {"asset": asset, "role": "original"}),
        ):
            began = time.perf_counter()
            try:
                for descriptor in connection.call("io.photobroker.Library." + method, **parameters).get(
                    "descriptors", []
                ):
                    os.close(descriptor)
            except Exception as error:
                errors.append(f"{method}: {type(error).__name__} {error}")
            taken.append((time.perf_counter() - began) * 1000)
        time.sleep(0.01)
    return {"taken": sorted(taken), "errors": errors}


def p99(taken):
    return statistics.quantiles(taken, n=100)[-1]
