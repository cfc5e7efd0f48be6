#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times Nestwright's kernels beside tuned libraries: in one process, in turns, results checked first.

    peers.py --nestc NESTC --native LIBRARY [--halide LIBRARY] [--threads 1,2] [--rounds 15] [--only TEXT]
             [--isa avx2] [--compilers] [--tvm-records FOLDER [--tune-tvm TRIALS]] [--write FILE]

The libraries are made of libraries.cpp and halide.cpp. A row: kernel, size, threads, speed here, then of each
peer its speed and how many times as fast we are, with the 95 % interval. scripts/bench.sh peers builds all
and calls this. --isa limits all of them to an older class of processors. A peer that is not installed is
named, and left out. With --tune-tvm nothing is timed: each kernel of the rows that TVM has gets so many
trials of MetaSchedule, on the highest number of threads, and FOLDER their records.
"""

import argparse
import dataclasses
import datetime
import os
import pathlib
import sys
import tempfile
import time

import numpy as np

import compilers
import int8_operators
import convolutions
import native
import single_operators
import products
import timing


@dataclasses.dataclass
class Class:
    """A class of processors: its name for LLVM, and what keeps the libraries to it."""

    title: str
    mcpu: str
    environment: dict


CLASSES = {
    "avx2": Class(
        "AVX2",
        "x86-64-v3",
        {
            "ONEDNN_MAX_CPU_ISA": "AVX2",
            "OPENBLAS_CORETYPE": "Haswell",
            "ATEN_CPU_CAPABILITY": "avx2",
        },
    ),
    "sse4": Class(
        "SSE 4.2",
        "x86-64-v2",
        {
            "ONEDNN_MAX_CPU_ISA": "SSE41",
            "OPENBLAS_CORETYPE": "Nehalem",
            "ATEN_CPU_CAPABILITY": "default",
        },
    ),
}


@dataclasses.dataclass
class Peers:
    nestwright: native.Nestwright
    native: native.Native
    compilers: compilers.Compilers


def cell(speed, ratio):
    return f"{speed:.1f}: **{ratio[0]:.2f}** ({ratio[1]:.2f}–{ratio[2]:.2f})"


def line(row, threads, peers, rounds):
    def made(make):
        def start():
            peers.native.set_threads(threads)
            return make()

        return start

    makers = {name: made(make) for name, make in row.contenders(peers, threads).items()}
    times, refused = timing.in_turns(makers, rounds)
    if "Nestwright" in refused:
        raise RuntimeError(f"{row.name} {row.size}: {refused['Nestwright']}")
    for name, reason in refused.items():
        print(f"{row.name} {row.size}, {name}: {reason}", file=sys.stderr)
    ours = times.pop("Nestwright")
    cells = [row.name, row.size, str(threads), f"{row.work / np.median(ours) * 1e-9:.1f} {row.unit}"]
    for name, theirs in times.items():
        cells.append(f"{name} " + cell(row.work / np.median(theirs) * 1e-9, timing.ratio(ours, theirs)))
    return "| " + " | ".join(cells[:4]) + " | " + ", ".join(cells[4:]) + " |"


def machine():
    """The processor, with the class of its vectors: "AMD EPYC (AVX-512)"."""
    told = {}
    for text in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = text.partition(":")
        told.setdefault(name.strip(), value.strip())
    flags = told.get("flags", "").split()
    classes = {"amx_int8": "AVX-512 and AMX", "avx512f": "AVX-512", "avx2": "AVX2", "sse4_2": "SSE 4.2"}
    found = next((title for flag, title in classes.items() if flag in flags), "")
    name = told.get("model name", "unknown processor")
    return f"{name} ({found})" if found else name


HEAD = """# Kernels beside tuned libraries

{date}, {machine}, {limit}{rounds} rounds. Speed here, then of each library its own
speed and how many times as fast we are (median of the ratios round by round, 95 % interval). All in one run,
in turns, each in a process of its own, which is started three times, on one and two threads; results are
checked in double precision.
`scripts/bench.sh peers --write FILE` makes this table.

Halide's schedules are written by hand (`peers/halide.cpp`). TVM untuned is its TE compiled as it is, or with
the rules that it has for processors; TVM tuned is the best of the schedules that MetaSchedule measured
beforehand (`--tune-tvm`). Both have their channels innermost in the convolution.

| kernel | size | threads | here | beside |
|---|---|---|---|---|
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nestc", required=True)
    parser.add_argument("--native", required=True)
    parser.add_argument("--halide", metavar="LIBRARY")
    parser.add_argument(
        "--tvm-records", metavar="FOLDER", help="tuned schedules of TVM, which are timed too"
    )
    parser.add_argument("--tune-tvm", type=int, metavar="TRIALS", help="only fill that folder")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose kernel and size have it")
    parser.add_argument("--without", metavar="TEXT", help="no rows whose kernel and size have it")
    parser.add_argument("--isa", choices=CLASSES, help="instructions that all are limited to")
    parser.add_argument("--compilers", action="store_true", help="only rows that Halide and TVM have")
    parser.add_argument("--write", metavar="FILE", help="the table, with machine and date")
    arguments = parser.parse_args()
    if arguments.tune_tvm and not arguments.tvm_records:
        parser.error("--tune-tvm needs --tvm-records FOLDER")
    every = products.rows() + int8_operators.rows() + convolutions.rows() + single_operators.rows()
    rows = [
        row
        for row in every
        if arguments.only in f"{row.name} {row.size}"
        and not (arguments.without and arguments.without in f"{row.name} {row.size}")
        and (row.kernel or not arguments.compilers)
    ]
    threads = list(map(int, arguments.threads.split(",")))
    limit = CLASSES.get(arguments.isa)
    if limit and any(os.environ.get(name) != value for name, value in limit.environment.items()):
        # Libraries ask when they are loaded, which NumPy has done with its BLAS.
        os.environ.update(limit.environment)
        os.execv(sys.executable, [sys.executable, *sys.argv])
    others = compilers.Compilers(arguments.halide, arguments.tvm_records)
    absent = list(others.absent)
    if not convolutions.onnx:
        absent.append("Python's onnx is absent: no rows of convolutions and single operators (python3-onnx)")
    for each in absent:
        print(each, file=sys.stderr)
    if arguments.tune_tvm:
        return tune(others, rows, arguments.tune_tvm, max(threads))
    made = []
    with tempfile.TemporaryDirectory() as folder:
        library = native.Native(arguments.native)
        peers = Peers(native.Nestwright(arguments.nestc, folder, limit and limit.mcpu), library, others)
        for row in rows:
            for count in threads:
                made.append(line(row, count, peers, arguments.rounds))
                print(made[-1], flush=True)
    if arguments.write:
        head = HEAD.format(
            date=datetime.date.today(),
            machine=machine(),
            limit=f"all limited to {limit.title} (but ONNX Runtime, which knows no limit), " if limit else "",
            rounds=arguments.rounds,
        )
        pathlib.Path(arguments.write).write_text(head + "\n".join(made) + "\n")


def tune(others, rows, trials, threads):
    """TVM's records of the rows' kernels."""
    if others.tvm.absent:
        return 1  # which was said
    for row in rows:
        if row.kernel:
            begin = time.time()
            others.tvm.tune(row.kernel, trials, threads)
            print(f"{row.name} {row.size}: {trials} trials in {time.time() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
