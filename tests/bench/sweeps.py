#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks what `nestc sweep` predicts beside what it measures: Spearman's coefficient for each sweep.

    sweeps.py --nestc NESTC [--target "llvm -mcpu=x86-64-v3"] [--only TEXT]

Run it on a calm machine. A sweep whose slowest point takes less than a tenth longer than its fastest has no
order to find, and is left out of the count.
"""

import argparse
import json
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LADDER = ROOT / "examples/schedules/matmul"
HERE = pathlib.Path(__file__).resolve().with_suffix("")
GPU = ROOT / "examples/gpu"
LEAST_SPREAD = 1.1

PRODUCT = "op:matmul(M=512,N=512,K=512)"
LARGE_PRODUCT = "op:matmul(M=1024,N=1024,K=1024)"
SUMS = "op:row_sum(M=2048,N=2048)"
CHAIN = "op:elementwise_chain(n=4194304)"

# Kernel, schedule or recipe, step (of a recipe, whose steps depend on the machine, how it begins), number,
# its values.
SWEEPS = [
    (PRODUCT, LADDER / "08_block_rows.py", 1, "factors[2]", "2,4,6,8,12,16"),
    (PRODUCT, LADDER / "08_block_rows.py", 1, "factors[1]", "2,4,8,16,32"),
    (PRODUCT, LADDER / "08_block_rows.py", 2, "factors[1]", "1,2,3,4,6"),
    (PRODUCT, LADDER / "07_register_tile.py", 1, "factors[1]", "2,4,6,8,12,16"),
    (PRODUCT, LADDER / "07_register_tile.py", 2, "factors[1]", "1,2,3,4,6"),
    (PRODUCT, LADDER / "03_vectorize.py", 1, "factors[1]", "2,4,8,16,32,64,128,256,512"),
    (PRODUCT, HERE / "product_terms_outside.py", 1, "factors[1]", "1,2,4,8,16,32,64"),
    (PRODUCT, HERE / "product_terms_outside.py", 2, "factors[1]", "16,32,64,128,256"),
    (PRODUCT, HERE / "product_rows.py", 1, "factors[0]", "1,2,3,4,8"),
    (PRODUCT, HERE / "product_rows.py", 2, "factors[1]", "4,8,16,32,64,128"),
    (LARGE_PRODUCT, LADDER / "08_block_rows.py", 1, "factors[2]", "2,4,8,16"),
    (LARGE_PRODUCT, "gemm", "split(i", "factors[2]", "1,2,4,6,8,12,16"),
    (LARGE_PRODUCT, "gemm", "split(j", "factors[2]", "1,2,3,4,6"),
    ("op:conv2d(N=1,C=64,H=56,W=56,F=64,KH=3,KW=3)", "conv2d", "split(w", "factors[1]", "2,4,7,8,14,28"),
    ("op:conv2d(N=1,C=256,H=14,W=14,F=256,KH=3,KW=3)", "conv2d", "split(w", "factors[1]", "1,2,4,7,14"),
    (GPU / "depthwise.py", HERE / "depthwise_tiles.py", 1, "factors[1]", "1,2,4,7,8,14,16"),
    (GPU / "depthwise.py", HERE / "depthwise_tiles.py", 2, "factors[1]", "4,8,16,28,56"),
    ("op:softmax(M=1024,N=1024)", "rows", "split(i", "factors[1]", "1,2,4,8,16,32"),
    (GPU / "layer_norm.py", "rows", "split(i", "factors[1]", "1,2,4,8,16,32"),
    (SUMS, HERE / "row_sums_at_once.py", 1, "factors[1]", "1,2,4,8,16,32"),
    (SUMS, HERE / "row_sums_parallel.py", 1, "factors[1]", "2,4,8,16,32"),
    (CHAIN, "elementwise", "split(i", "factors[0]", "1,2,3,4,8,16"),
    (CHAIN, "elementwise", "split(i", "factors[2]", "2,4,8,16,32,64"),
    (GPU / "transpose.py", HERE / "transpose_tiles.py", 1, "factors[1]", "1,2,4,8,16,32,64,128,256"),
    (GPU / "transpose.py", HERE / "transpose_tiles.py", 2, "factors[1]", "1,2,4,8,16,32,64,128,256"),
    (GPU / "transpose.py", "transpose", "split(i", "factors[1]", "1,2,4,8,16,32"),
]


def swept(nestc, target, kernel, schedule, step, number, values):
    """Predicted and measured seconds of the points that have both."""
    given = ["--recipe", schedule] if isinstance(schedule, str) else ["--schedule", schedule]
    command = [*map(str, [nestc, "sweep", kernel, *given, "--target", target])]
    if isinstance(step, str):
        steps = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        step = next(each.split()[0] for each in steps if each.split(maxsplit=1)[1].startswith(step))
    command += ["--step", str(step), "--number", number, "--values", values]
    answer = subprocess.run([*command, "--measure", "--json"], check=True, capture_output=True, text=True)
    points = [
        (point["predicted"]["seconds"], point["measured"]["time"][1])
        for point in json.loads(answer.stdout)["points"]
        if point.get("predicted") and "time" in (point.get("measured") or {})
    ]
    return tuple(zip(*points))


def ranks(values):
    """From 1 on; equal ones share the mean of theirs."""
    ordered = sorted(values)
    return [ordered.index(each) + (ordered.count(each) + 1) / 2 for each in values]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nestc", required=True)
    parser.add_argument("--target", default="llvm", help="the class of processors that code is made for")
    parser.add_argument("--only", default="", metavar="TEXT", help="sweeps whose kernel and schedule have it")
    arguments = parser.parse_args()
    found = []
    for kernel, schedule, step, number, values in SWEEPS:
        stems = [getattr(each, "stem", each) for each in (kernel, schedule)]
        name = f"{stems[0]}, {stems[1]}, step {step} {number}"
        if arguments.only not in name:
            continue
        predicted, measured = swept(
            arguments.nestc, arguments.target, kernel, schedule, step, number, values
        )
        spread = max(measured) / min(measured)
        if spread < LEAST_SPREAD:
            print(f"    –  {spread:6.2f}  {name}", flush=True)
            continue
        order = ranks(predicted)
        found.append(statistics.correlation(order, ranks(measured)) if len(set(order)) > 1 else 0)
        print(f"{found[-1]:5.2f}  {spread:6.2f}  {name}", flush=True)
    good = sum(each >= 0.8 for each in found)
    print(f"{good} of {len(found)} at 0.8 or above, median {statistics.median(found):.2f}")


if __name__ == "__main__":
    main()
