"""Made-up libraries of any size, as cameras, telephones and people leave them."""

import os
import pathlib
import shutil
import subprocess
import sys

from .broker import BROKER

MAKER = pathlib.Path(__file__).parent / "make_library.py"


def make(house, name, uid, *arguments):
    """Makes a library in a folder of its owner, which the broker may read and nobody else."""
    out = house.folder / f"made-{name}"
    subprocess.run([sys.executable, MAKER, out, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
    folder = house.folder / name
    shutil.move(out / "photos", folder)
    for path, _, files in os.walk(folder):
        os.chown(path, uid, BROKER)
        os.chmod(path, 0o750)
        for name in files:
            os.chown(os.path.join(path, name), uid, BROKER)
            os.chmod(os.path.join(path, name), 0o640)
    return folder
