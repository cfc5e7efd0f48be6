# SPDX-License-Identifier: Apache-2.0
"""Kernels of TVM: definitions in TE, compiled with its default schedules or with records of MetaSchedule."""

import importlib.util
import os
import pathlib
import sys
import tempfile

from timing import timed

NEEDED = ["tvm"]
NEEDED_TO_TUNE = ["xgboost", "psutil", "cloudpickle", "tornado"]
# Writing records, this version fails on later ones of apache-tvm-ffi, which its own requirements allow.
INSTALL = " ".join(
    ["python -m pip install apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.14.post1", *NEEDED_TO_TUNE]
)


def missing(packages):
    return [each for each in packages if not importlib.util.find_spec(each)]


class Tvm:
    """`records`: a folder that tune has filled, or none. Only the processes that are timed load TVM."""

    def __init__(self, records):
        self.records = records and pathlib.Path(records)
        self.absent = f"TVM is absent: {INSTALL}" if missing(NEEDED) else ""

    def contenders(self, kernel, inputs, output, threads):
        made = {"TVM untuned": lambda: call(kernel, [*inputs, output], threads, by_default)}
        if self.records:
            made["TVM tuned"] = lambda: call(
                kernel, [*inputs, output], threads, lambda *given: by_records(self.records, *given)
            )
        return made

    def tune(self, kernel, trials, threads):
        """Adds `trials` measured schedules of the kernel to the folder of records."""
        if packages := missing(NEEDED + NEEDED_TO_TUNE):
            raise RuntimeError(f"{', '.join(packages)} missing for tuning with TVM: {INSTALL}")
        load(threads)
        from tvm.s_tir import meta_schedule

        self.records.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:  # hides PyTorch from the processes that build and run
            pathlib.Path(folder, "torch.py").write_text('raise ImportError("not for TVM")\n')
            os.environ["PYTHONPATH"] = folder
            meta_schedule.tune_tir(
                function(kernel),
                target(threads),
                str(self.records),
                max_trials_global=trials,
                num_trials_per_iter=min(trials, 64),
                builder=meta_schedule.builder.LocalBuilder(timeout_sec=120),
                num_tuning_cores=threads,
                seed=1,
            )
            del os.environ["PYTHONPATH"]


def load(threads):
    """TVM without PyTorch, which it would load with threads of its own."""
    os.environ["TVM_NUM_THREADS"] = str(threads)
    sys.modules["torch"] = None
    import tvm

    return tvm


def target(threads):
    import tvm

    processor = tvm.target.codegen.llvm_get_system_cpu()
    return tvm.target.Target({"kind": "llvm", "mcpu": processor, "num-cores": threads})


def function(kernel):
    """The kernel as a TIR function of its inputs and its output."""
    from tvm import te

    inputs = [te.placeholder(shape, name=f"in{i}") for i, shape in enumerate(kernel.inputs)]
    return te.create_prim_func([*inputs, DEFINITIONS[kernel.kind](*inputs)])


def product(a, b):
    from tvm import te

    k = te.reduce_axis((0, a.shape[1]), name="k")
    return te.compute(
        (a.shape[0], b.shape[1]), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="product"
    )


def fused_product(a, b, bias):
    from tvm import te, tirx

    result = product(a, b)
    return te.compute(
        result.shape, lambda i, j: te.max(result[i, j] + bias[j], tirx.const(0, "float32")), name="relu"
    )


def convolution(image, weights, bias):
    from tvm import te, topi

    around = int(weights.shape[0]) // 2
    result = topi.nn.conv2d_nhwc(image, weights, 1, around, 1)
    return te.compute(result.shape, lambda n, y, x, c: result[n, y, x, c] + bias[c], name="bias")


def softmax(rows):
    from tvm import topi

    return topi.nn.softmax(rows)


def row_sum(rows):
    from tvm import topi

    return topi.sum(rows, axis=1)


def transpose(rows):
    from tvm import topi

    return topi.transpose(rows)


DEFINITIONS = {
    "product": product,
    "fused product": fused_product,
    "convolution": convolution,
    "softmax": softmax,
    "row sum": row_sum,
    "transpose": transpose,
}


def by_default(primitive, on):
    """The function with the schedules that TVM has for processors without a search: of products with a
    vector and of reductions that several stages share, such as softmax; others stay as they are."""
    import tvm
    from tvm.s_tir import dlight

    with on:
        rules = dlight.ApplyDefaultSchedule(dlight.cpu.GEMV(), dlight.cpu.Reduction())
        return rules(tvm.IRModule({"main": primitive}))


def by_records(records, primitive, on):
    """The fastest schedule that was measured; an error where none was."""
    from tvm.s_tir import meta_schedule

    database = meta_schedule.database.JSONDatabase(work_dir=str(records))
    found = meta_schedule.tir_integration.compile_tir(database, primitive, on)
    if not found:
        raise RuntimeError("no record: --tune-tvm TRIALS makes them")
    return found.mod


def call(kernel, arrays, threads, scheduled):
    tvm = load(threads)
    on = target(threads)
    run = tvm.compile(scheduled(function(kernel), on), target=on)["main"]
    tensors = [tvm.runtime.from_dlpack(each) for each in arrays]
    return timed(lambda: run(*tensors))
