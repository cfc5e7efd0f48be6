# SPDX-License-Identifier: Apache-2.0
"""Misses of 'nestc cache' beside those of cachegrind, kernel by kernel (scripts/cachegrind_check.sh).

The kernel's C is compiled without vectors, its buffers lie where the simulation has them, and cachegrind
simulates the same two levels. Both count misses of data: hits differ, since compiled code keeps elements in
registers and spills others. Misses of a run of the same program that does not call the kernel are taken off.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FIRST, LAST = "32768,8,64", "262144,8,64"
TOLERANCE = 0.10
FEW = 64  # misses that the program's own code may make more or fewer

COLUMNS_FIRST = """def apply_trace(sch):
  i, j, k = sch.get_loops(sch.get_block("C"))
  sch.reorder(j, k, i)
"""
TILED = """def apply_trace(sch):
  i, j, k = sch.get_loops(sch.get_block("C"))
  i0, i1 = sch.split(i, [None, 16])
  j0, j1 = sch.split(j, [None, 32])
  k0, k1 = sch.split(k, [None, 16])
  sch.reorder(i0, j0, k0, i1, k1, j1)
"""
PACKED = """def apply_trace(sch):
  b = sch.get_block("C")
  i, j, k = sch.get_loops(b)
  j0, j1 = sch.split(j, [None, 16])
  sch.reorder(j0, i, k, j1)
  sch.transform_layout(b, ("read", 1), lambda k, j: (j // 16, k, j % 16))
"""


def function(parameters, body):
    return f"@T.prim_func\ndef main({parameters}):\n{body}"


TRANSPOSE = function(
    'A: T.Buffer((512, 384), "float32"), B: T.Buffer((384, 512), "float32")',
    """    for i, j in T.grid(384, 512):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vj, vi]
""",
)
STENCIL = function(
    'A: T.Buffer((514, 386), "float32"), B: T.Buffer((512, 384), "float32")',
    """    for i, j in T.grid(512, 384):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj + 1] + A[vi + 2, vj + 1] + A[vi + 1, vj] + A[vi + 1, vj + 2]
""",
)
COLUMN_SUM = function(
    'A: T.Buffer((700, 300), "float32"), B: T.Buffer((300,), "float32")',
    """    for j, i in T.grid(300, 700):
        with T.block("B"):
            vj, vi = T.axis.remap("SR", [j, i])
            with T.init():
                B[vj] = T.float32(0)
            B[vj] = B[vj] + A[vi, vj]
""",
)

# name: module (a name of op:… or a program), schedule
KERNELS = {
    "matmul": ("op:matmul(M=200,N=200,K=200)", None),
    "matmul-columns-first": ("op:matmul(M=160,N=160,K=160)", COLUMNS_FIRST),
    "matmul-tiled": ("op:matmul(M=256,N=256,K=256)", TILED),
    "matmul-packed": ("op:matmul(M=192,N=192,K=192)", PACKED),
    "conv2d": ("op:conv2d(C=8,H=56,W=56,F=16)", None),
    "softmax": ("op:softmax(M=256,N=512)", None),
    "row-sum": ("op:row_sum(M=512,N=600)", None),
    "column-sum": (COLUMN_SUM, None),
    "transpose": (TRANSPOSE, None),
    "stencil": (STENCIL, None),
}

HARNESS = """
#include <stdint.h>
extern int32_t {symbol}__packed(void **args);
static _Alignas(1 << 22) char memory[{bytes}];
int main(int argc, char **argv) {{
    void *args[] = {{{places}}};
    (void)argv;
    return argc > 1 ? {symbol}__packed(args) : 0;
}}
"""


def run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options)


def simulated(nestc, module, schedule):
    caches = ["--cache", FIRST, "--cache", LAST]
    return json.loads(run([nestc, "cache", module, "--json"] + caches + schedule).stdout)


def compiled(nestc, module, schedule, counts, parameters, folder):
    """The program that runs the kernel on buffers where the simulation has them."""
    source = run([nestc, "source", module, "--target", "c"] + schedule).stdout
    (folder / "kernel.c").write_text(source)
    symbol = re.search(r"int32_t (\w+)__packed\(void \*\*", source).group(1)
    buffers = {each["name"]: each for each in counts["buffers"]}
    # Parameters stand first; their number is that of the packed function.
    places = [f"memory + {each['address']}" for each in counts["buffers"][:parameters]]
    end = max(each["address"] + each["bytes"] for each in buffers.values())
    (folder / "harness.c").write_text(
        HARNESS.format(symbol=symbol, bytes=end + 4096, places=", ".join(places))
    )
    program = folder / "program"
    run(
        ["gcc", "-O1", "-fno-tree-vectorize", "-w", "-o", program, folder / "kernel.c", folder / "harness.c"]
        + ["-lm", "-lpthread"]
    )
    return program


def grind(program, folder, arguments):
    """D1 and LL misses of data."""
    out = folder / "cachegrind.out"
    run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--D1={FIRST}", f"--LL={LAST}"]
        + [f"--cachegrind-out-file={out}", program] + arguments
    )
    text = out.read_text()
    names = re.search(r"^events: (.*)$", text, re.M).group(1).split()
    values = dict(zip(names, map(int, re.search(r"^summary: (.*)$", text, re.M).group(1).split())))
    return values["D1mr"] + values["D1mw"], values["DLmr"] + values["DLmw"]


def compare(nestc, name, module, schedule):
    with tempfile.TemporaryDirectory() as where:
        folder = pathlib.Path(where)
        if not module.startswith("op:"):
            (folder / "kernel.py").write_text(module)
            module = str(folder / "kernel.py")
        options = []
        if schedule:
            (folder / "schedule.py").write_text(schedule)
            options = ["--schedule", str(folder / "schedule.py")]
        counts = simulated(nestc, module, options)
        printed = run([nestc, "print", module]).stdout
        parameters = re.search(r"def \w+\((.*?)\)( ->.*)?:\n", printed, re.S).group(1).count("T.Buffer(")
        program = compiled(nestc, module, options, counts, parameters, folder)
        ours = counts["total"]["misses"]
        idle = grind(program, folder, [])
        theirs = [a - b for a, b in zip(grind(program, folder, ["run"]), idle)]
    is_within = all(abs(a - b) <= max(TOLERANCE * b, FEW) for a, b in zip(ours, theirs))
    cells = "".join(f"{a:>12,}{b:>12,}{(a / b - 1) * 100:>+8.1f} %" for a, b in zip(ours, theirs))
    print(f"{name:<22}{cells}  {'' if is_within else 'DIFFERS'}", flush=True)
    return is_within


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nestc", required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print(f"caches {FIRST} and {LAST}")
    print(f"{'kernel':<22}{'L1 misses':>12}{'cachegrind':>12}{'':>10}{'L2 misses':>12}{'cachegrind':>12}")
    chosen = {name: each for name, each in KERNELS.items() if name.startswith(options.only)}
    within = [compare(options.nestc, name, *each) for name, each in chosen.items()]
    print(f"{sum(within)} of {len(within)} kernels within {TOLERANCE:.0%}")
    sys.exit(0 if within and all(within) else 1)


if __name__ == "__main__":
    main()
