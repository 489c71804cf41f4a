"""A broker whose clock a test moves."""

import os
import pathlib

import pytest

from .broker import Broker, compiled
from .scene import Scene


SOURCE = pathlib.Path(__file__).parent / "clock.c"


class ClockBroker(Broker):
    """A broker whose wall clock the test can move; its monotonic clock runs on."""

    def __init__(self, house, name):
        super().__init__(house, name)
        self.library = compiled(house, SOURCE)
        self.offset = house.folder / f"{name}.offset"
        self.move(0)

    def move(self, seconds):
        new = self.offset.with_suffix(".new")
        new.write_text(f"{seconds}\n")
        new.chmod(0o644)
        os.rename(new, self.offset)

    def environment(self):
        return {**super().environment(), "LD_PRELOAD": str(self.library), "CLOCK_OFFSET": str(self.offset)}


@pytest.fixture
def moved(house):
    broker = ClockBroker(house, f"clock-{house.fresh_uid()}").start()
    yield Scene(broker, 3)
    assert broker.is_running, broker.log[-3000:]
    broker.end()
