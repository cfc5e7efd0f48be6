# SPDX-License-Identifier: Apache-2.0
"""Kernels of Halide, scheduled by hand in halide.cpp."""

import ctypes
import os

from native import Calls, DLTensor

INSTALL = (
    "scripts/dev.sh apt-get install libhalide19-dev, as root; then scripts/dev.sh cmake --preset release"
)

_pointer = ctypes.c_void_p


class Halide:
    """The library of halide.cpp, which only the processes that are timed load."""

    def __init__(self, path):
        self.path = path
        self.absent = "" if path and os.path.exists(path) else f"Halide is absent: {INSTALL}"

    def contenders(self, kernel, inputs, output, threads):
        return {"Halide": lambda: self._call(kernel.kind, inputs, output, threads)}

    def _call(self, kind, inputs, output, threads):
        library = Calls(
            self.path, {"halideCall": [ctypes.c_char_p, _pointer, ctypes.c_int, _pointer, ctypes.c_int]}
        )
        tensors = [DLTensor(each) for each in [*inputs, output]]
        addresses = (_pointer * len(tensors))(*[ctypes.addressof(each) for each in tensors])
        return library.call(
            "halideCall", kind, ctypes.addressof(addresses), len(inputs), addresses[-1], threads
        )
