"""The daemon as `photobroker sandbox` starts it, under the broker's user."""

from .broker import Broker

SANDBOX = "io.photobroker.Sandbox."


class Sandbox(Broker):
    def __init__(self, house, seed="1", clock=1_800_000_000_000_000):
        super().__init__(house, name=f"sandbox-{house.fresh_uid()}")
        self.seed, self.clock = seed, clock

    def command(self):
        return [*super().command(), "--sandbox", self.seed, "--sandbox-clock", str(self.clock)]
