"""The compiled core: optional, since irmeta does the same without it, only slower."""

import os
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel

if os.name == "nt":
    OPTIONS = ["/std:c++17", "/O2"]
else:
    # products and sums are rounded one by one, as NumPy does
    OPTIONS = ["-std=c++17", "-O3", "-g0", "-ffp-contract=off", "-fvisibility=hidden"]
    OPTIONS += ["-fno-math-errno"]  # a root is one instruction

CORE = Extension(
    "irmeta._core",
    ["src/core/module.cpp"],
    depends=[str(header) for header in Path("src/core").glob("*.hpp")],
    extra_compile_args=OPTIONS,
    py_limited_api=True,
    optional=True,
)


class Wheel(bdist_wheel):
    """A wheel that says what it holds: the core for a platform, or Python alone where there was no compiler."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tag of what was built."""
        self.root_is_pure = not any(Path(self.bdist_dir).rglob("_core.*"))
        return super().get_tag()


if sysconfig.get_config_var("Py_GIL_DISABLED"):  # it has no stable ABI
    setup()
else:
    setup(
        ext_modules=[CORE],
        cmdclass={"bdist_wheel": Wheel},
        options={"bdist_wheel": {"py_limited_api": "cp311"}},
    )
