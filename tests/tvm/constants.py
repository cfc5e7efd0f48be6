#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the text of floating-point constants with Apache TVM's, and with what TVM reads of ours.

    constants.py --nestc build/dev/bin/nestc [--count N]

Programs of numbers of every magnitude in four types go from TVM's printer through nestc and must come back
as they were. Exit status: 0 all equal, 1 some differ, 77 (a skip) where TVM is not installed.
"""

import argparse
import math
import pathlib
import random
import subprocess
import sys
import tempfile

GREATEST = {"float16": 65504.0, "bfloat16": 3e38, "float32": 3e38, "float64": 1e300}


def numbers(greatest, count):
    """Decimals that people write, values of single precision, and doubles of every magnitude."""
    chosen = random.Random(7)
    yield from (0.1, -0.1, 1 / 3, 0.70710678118654752, 0.10000000149011612, 1e-5, 65504.0, 2.5, -0.0)
    for _ in range(count):
        yield round(chosen.uniform(-9, 9), chosen.randrange(6))
        yield chosen.uniform(-1, 1) * 10 ** chosen.uniform(-8, math.log10(greatest))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nestc", required=True)
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    try:
        import tvm
        from tvm import tirx
    except ImportError:
        print("TVM 0.25 or later is not installed")
        return 77
    version = tuple(int(part) for part in tvm.__version__.split(".")[:2])
    dialect = "latest" if version >= (0, 27) else "0.25"
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "constants.py"
        for dtype, greatest in GREATEST.items():
            texts = [tirx.FloatImm(dtype, number).script() for number in numbers(greatest, options.count)]
            stores = "".join(f"    B[{i}] = {text}\n" for i, text in enumerate(texts))
            file.write_text(f'@T.prim_func\ndef main(B: T.Buffer(({len(texts)},), "{dtype}")):\n{stores}')
            printed = subprocess.run([options.nestc, "print", file, "--dialect", dialect, "--columns", "0"],
                                     capture_output=True, text=True, check=True).stdout
            lines = [line.split(" = ")[1] for line in printed.splitlines() if line.strip().startswith("B[")]
            if len(lines) != len(texts):
                raise RuntimeError(printed)
            for theirs, ours in zip(texts, lines):
                if theirs != ours:
                    different += 1
                    print(f"TVM {theirs}, nestc {ours}")
    print(f"{different} constants differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
