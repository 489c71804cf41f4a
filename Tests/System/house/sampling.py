"""A look at something every 10 ms while a test runs."""

import threading


class Sampling(threading.Thread):
    """Calls `look` until the end of the `with` statement."""

    def __init__(self):
        super().__init__(daemon=True)
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.wait(0.01):
            self.look()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.join()
