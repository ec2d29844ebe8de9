"""Lays out what becomes the wheel: stage.py PORTABLE_DIRECTORY OUTPUT_DIRECTORY VERSION

The platform tag is computed from the binaries: the newest version of glibc of which they need a
symbol.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent
SYSTEM = re.compile(r"lib(c|m|dl|pthread)\.so\.\d+|ld-linux.*\.so\.\d+|libvulkan\.so\.1")


def glibc_of(path):
    """The newest version of glibc that a binary needs, as (2, 34)."""
    dump = subprocess.run(["objdump", "-p", path], check=True, capture_output=True, text=True)
    for name in re.findall(r"NEEDED\s+(\S+)", dump.stdout):
        if not SYSTEM.fullmatch(name):
            sys.exit(f"wheel: {path.name} needs {name}, which not every system has")
    versions = re.findall(r"\bGLIBC_(\d+)\.(\d+)", dump.stdout)
    return max((int(a), int(b)) for a, b in versions)


def copy(source, to, mode=0o644):
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)
    os.chmod(to, mode)


def copy_tree(source, to):
    for path in sorted(source.rglob("*")):
        if path.is_file():
            copy(path, to / path.relative_to(source))


def main():
    portable, output, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    os.umask(0o022)
    output.mkdir(parents=True)
    for name in ("pyproject.toml", "setup.py", "README.md"):
        copy(SOURCE / name, output / name)
    package = output / "assay"
    copy_tree(SOURCE / "assay", package)
    (package / "py.typed").touch()
    text = (package / "__init__.py").read_text()
    (package / "__init__.py").write_text(text.replace("@VERSION@", version))
    copy(portable / "assay", package / "bin" / "assay", 0o755)
    delegate = portable / "libassay_delegate.so"
    copy(delegate, package / "lib" / "assay" / delegate.name, 0o755)
    # A copy, since wheels have no links.
    copy(delegate, package / "lib" / "assay" / "litert" / "libLiteRtGpuAccelerator.so", 0o755)
    copy_tree(
        SOURCE.parents[2] / "golden" / "digits", package / "share" / "assay" / "golden" / "digits"
    )
    copy_tree(portable / "licenses", output / "licenses")
    newest = max(glibc_of(portable / "assay"), glibc_of(delegate))
    tag = f"manylinux_{newest[0]}_{newest[1]}_{platform.machine()}"
    (output / "platform.txt").write_text(tag + "\n")
    (output / "version.txt").write_text(version + "\n")


if __name__ == "__main__":
    main()
