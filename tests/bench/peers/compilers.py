# SPDX-License-Identifier: Apache-2.0
"""Compilers that make kernels of their own: what they are given, and which ones there are."""

import dataclasses
from collections.abc import Callable

import halide
import tvm_peer
from native import aligned, check


@dataclasses.dataclass
class Kernel:
    """What a row computes, for compilers that know operators of the kind by name: "product", "fused product",
    "convolution" (k × k, stride 1, the same size, channels innermost, filter k × k × channels × filters, with
    a bias), "softmax", "row sum", "transpose". `reference`: its result from inputs in double precision.
    """

    kind: str
    inputs: list[tuple]
    output: tuple
    reference: Callable


class Compilers:
    """Those that are there; `absent`: a line for each other one, which says what to install."""

    def __init__(self, halide_library, tvm_records):
        self.tvm = tvm_peer.Tvm(tvm_records)
        every = [halide.Halide(halide_library), self.tvm]  # a new one is added here
        self.absent = [each.absent for each in every if each.absent]
        self.there = [each for each in every if not each.absent]

    def contenders(self, kernel, threads):
        """{name: make} for a kernel, checked before it is timed; nothing where there is no kernel."""
        if not kernel:
            return {}
        inputs = [aligned(shape, seed=i + 1) for i, shape in enumerate(kernel.inputs)]
        output = aligned(kernel.output)

        def checked(make):
            def start():
                run = make()
                if run:
                    run(1)
                    check(output, kernel.reference(*[each.astype("float64") for each in inputs]))
                return run

            return start

        made = {}
        for compiler in self.there:
            for name, make in compiler.contenders(kernel, inputs, output, threads).items():
                made[name] = checked(make)
        return made
