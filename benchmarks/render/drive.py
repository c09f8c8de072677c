"""The command line of this project, with scenes read from one folder and renders put into another.

    python -m benchmarks.render.drive SCENES RENDERS render pipeline -q m
"""

import sys
from pathlib import Path

from attnviz.commands import Folders, main

if __name__ == "__main__":
    main(sys.argv[3:], Folders(scenes=Path(sys.argv[1]), renders=Path(sys.argv[2])))
