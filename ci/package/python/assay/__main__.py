"""The command `assay`: becomes the program that lies in bin/ beside this file."""

import os
import sys

from assay import program_path


def main():
    program = program_path()
    try:
        os.execv(program, ["assay"] + sys.argv[1:])
    except OSError as error:
        sys.exit(f"assay: {program}: {error.strerror}")


if __name__ == "__main__":
    main()
