# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels and C libraries, timed in C (libraries.cpp)."""

import ctypes
import pathlib
import subprocess

import numpy as np

_pointer, _size, _text = ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p


def aligned(shape, dtype="float32", seed=None):
    """An array at the start of a page, as every contender gets them: random, or zeros without a seed."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(count + 4096, np.uint8)
    begin = -memory.ctypes.data % 4096
    array = memory[begin : begin + count].view(dtype).reshape(shape)
    if seed is not None:
        random = np.random.default_rng(seed)
        kind = np.dtype(dtype).kind
        array[...] = random.uniform(-1, 1, shape) if kind == "f" else random.integers(0, 100, shape)
    return array


def check(result, expected, tolerance=1e-4):
    """Whether the result is that of a reference of double precision, relative to its largest element."""
    error = np.abs(result - expected).max() / np.abs(expected).max()
    if not error <= tolerance:
        raise RuntimeError(f"a wrong result: off by {error:.1e} of the largest element")


class Calls:
    """A library with functions that make a call (calls.h): {name: types of arguments}."""

    def __init__(self, path, functions):
        self.library = ctypes.CDLL(str(path))
        self.library.peerSeconds.restype = ctypes.c_double
        self.library.peerSeconds.argtypes = [_pointer, _size]
        for name, arguments in functions.items():
            function = getattr(self.library, name)
            function.restype, function.argtypes = _pointer, arguments

    def call(self, name, *arguments):
        """A function that runs a call so many times and gives the seconds; nothing where it is refused."""
        given = [
            (
                each.ctypes.data
                if isinstance(each, np.ndarray)
                else each.encode() if isinstance(each, str) else each
            )
            for each in arguments
        ]
        handle = getattr(self.library, name)(*given)
        if not handle:
            return None
        kept = arguments  # arrays live as long as the call
        return lambda count, kept=kept: self.library.peerSeconds(handle, count)


class Native(Calls):
    """The library of libraries.cpp."""

    def __init__(self, path):
        functions = {
            "kernelCall": [_text, _text, _pointer, ctypes.c_int, ctypes.c_int],
            "openblasProduct": [_size] * 3 + [_pointer] * 3,
            "openblasFusedProduct": [_size] * 3 + [_pointer] * 4,
            "onednnProduct": [_size] * 3 + [_pointer] * 3,
            "onednnByteProduct": [_size] * 3 + [_pointer] * 3,
            "onednnByteConvolution": [_pointer] * 2,
            "modelCall": [_text, _text, _pointer, ctypes.c_int, ctypes.c_int, _pointer, _size],
            "onednnSoftmax": [_size] * 2 + [_pointer] * 2,
            "onednnLayerNorm": [_size] * 2 + [_pointer] * 4,
            "onednnGelu": [_size] + [_pointer] * 2,
            "onednnRowSum": [_size] * 2 + [_pointer] * 2,
            "onednnTranspose": [_size] * 2 + [_pointer] * 2,
            "onednnConvolution": [_pointer] * 3,
        }
        super().__init__(path, functions)
        self.library.peerSetThreads.argtypes = [ctypes.c_int]

    def set_threads(self, threads):
        self.library.peerSetThreads(threads)

    def model(self, library, inputs, output, threads):
        """A model that nestc exported; its first output goes into `output` once. As call."""
        tensors = [DLTensor(each) for each in inputs]
        addresses = (ctypes.c_void_p * len(tensors))(*[ctypes.addressof(each) for each in tensors])
        stem = pathlib.Path(library).stem
        return self.call(
            "modelCall",
            str(library),
            stem,
            ctypes.addressof(addresses),
            len(tensors),
            threads,
            output,
            output.nbytes,
        )

    def kernel(self, library, arrays, threads, function="main_kernel__packed"):
        """A function of a library that nestc exported, on arrays; as call."""
        addresses = (ctypes.c_void_p * len(arrays))(*[each.ctypes.data for each in arrays])
        handle = self.library.kernelCall(
            str(library).encode(), function.encode(), addresses, len(arrays), threads
        )
        if not handle:
            raise RuntimeError(f"{library} cannot be run")
        kept = (addresses, arrays)
        return lambda count, kept=kept: self.library.peerSeconds(handle, count)


class DLTensor(ctypes.Structure):
    """A tensor of DLPack, compact, in this machine's memory."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p),
        ("offset", ctypes.c_uint64),
    ]

    def __init__(self, array):
        code = {"i": 0, "u": 1, "f": 2, "b": 6}[array.dtype.kind]
        self.sizes = (ctypes.c_int64 * array.ndim)(*array.shape)
        super().__init__(
            array.ctypes.data, (1, 0), array.ndim, code, array.itemsize * 8, 1, self.sizes, None, 0
        )


class Nestwright:
    """Kernels made by nestc, as shared libraries in `folder`."""

    def __init__(self, nestc, folder, mcpu=None):
        self.nestc, self.folder, self.mcpu = nestc, pathlib.Path(folder), mcpu
        self.made = {}

    def library(self, module, schedule=None):
        key = (module, schedule)
        if key not in self.made:
            path = self.folder / f"kernel{len(self.made)}.so"
            command = [self.nestc, "export", module, "--format", "shared", "-o", str(path)]
            if schedule:
                command += ["--schedule", str(schedule)]
            if self.mcpu:
                command += ["--mcpu", self.mcpu]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(done.stderr)
            self.made[key] = path
        return self.made[key]
