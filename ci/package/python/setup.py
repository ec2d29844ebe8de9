"""The wheel holds programs for one platform, and none of Python's ABI: py3-none-PLATFORM."""

import pathlib

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", (HERE / "platform.txt").read_text().strip()


setup(
    version=(HERE / "version.txt").read_text().strip(),
    distclass=BinaryDistribution,
    cmdclass={"bdist_wheel": Wheel},
)
