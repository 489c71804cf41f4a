"""Keep the state, the interfaces and the answers of the version that the programs have. Run by scripts/keep-version."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from house import versions
from house.broker import House


def main():
    bin = pathlib.Path(os.environ["PHOTOBROKER_BIN"]).resolve()
    said = subprocess.run([bin / "photobroker", "--version"], check=True, capture_output=True, text=True).stdout
    house = House(bin)
    try:
        print(versions.keep(house, said.split()[1]))
    finally:
        house.end()


main()
