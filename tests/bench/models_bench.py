#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs models beside ONNX Runtime: the same outputs, ratios of time, peak memory.

    models_bench.py --nestc build/dev/bin/nestc MODEL.onnx …
                    [--levels 0,1,2,3] [--threads 1,2] [--repetitions 15]

Weights that a model makes with ConstantOfShape, as ONNX's light models do, are replaced by seeded random
ones (equal weights hide most errors). Each model is checked at every level, then timed at every level and
number of threads; ONNX Runtime is timed before and after, and the faster of its two medians counts. Peak
memory is that of a process which runs the model, kernels compiled before, as the process itself says; what
either program takes before it opens the model does not count.
Exit status: 0, 1 where outputs differ, 77 (a skip) where onnx or onnxruntime is not installed.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError:
    print("skipped: onnx, onnxruntime or numpy is not installed")
    sys.exit(77)


def random_weights(model, seed=7):
    """The model with random constants; variances of batch normalization stay positive."""
    graph = model.graph
    random = np.random.default_rng(seed)
    shapes = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    variances = {node.input[4] for node in graph.node if node.op_type == "BatchNormalization"}
    kept = []
    for node in graph.node:
        if node.op_type != "ConstantOfShape" or node.input[0] not in shapes:
            kept.append(node)
            continue
        shape = tuple(int(size) for size in shapes[node.input[0]])
        weights = random.standard_normal(shape).astype(np.float32)
        if len(shape) > 1:
            weights *= np.float32(np.sqrt(2 / max(1, np.prod(shape[1:]))))
        elif node.output[0] in variances:
            weights = np.abs(weights) * np.float32(0.1) + np.float32(0.5)
        else:
            weights *= np.float32(0.1)
        graph.initializer.append(onnx.numpy_helper.from_array(weights, node.output[0]))
    del graph.node[:]
    graph.node.extend(kept)
    return model


def runtime_session(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def median_ms(session, inputs, repetitions):
    session.run(None, inputs)
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        session.run(None, inputs)
        times.append(time.perf_counter() - begin)
    return sorted(times)[len(times) // 2] * 1e3


def runtime_ms(path, threads, inputs, repetitions):
    """In a session that ends with it: the idle threads of one take time from what is measured next."""
    return median_ms(runtime_session(path, threads), inputs, repetitions)


def resident_kb(field):
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1])
    return 0


def runtime_memory(path, threads, inputs_file):
    """Of a process of its own, in MB."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import models_bench as b, numpy as np\n"
        "x = dict(np.load(sys.argv[4])); before = b.resident_kb('VmRSS')\n"
        "b.runtime_session(sys.argv[2], int(sys.argv[3])).run(None, x)\n"
        "print((b.resident_kb('VmHWM') - before) / 1024)"
    )
    here = str(pathlib.Path(__file__).resolve().parent)
    done = subprocess.run(
        [sys.executable, "-c", program, here, str(path), str(threads), str(inputs_file)],
        capture_output=True, text=True
    )
    return float(done.stdout.split()[-1])


class Bench:
    def __init__(self, arguments, folder):
        self.nestc = arguments.nestc
        self.levels = arguments.levels.split(",")
        self.threads = [int(each) for each in arguments.threads.split(",")]
        self.repetitions = arguments.repetitions
        self.folder = folder

    def run(self, *arguments):
        done = subprocess.run([self.nestc, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    def timed(self, path, level, threads):
        """What nestc found out, as it says it in JSON."""
        repetitions = self.repetitions if level != "0" else max(3, self.repetitions // 5)
        options = ["-O", level, "--threads", str(threads), "--repetitions", str(repetitions), "--json", "-"]
        return json.loads(self.run("bench-model", path, *options).splitlines()[-1])

    def files(self, inputs):
        arguments = []
        for name, values in inputs.items():
            file = self.folder / f"{len(arguments)}.npy"
            np.save(file, values)
            arguments += ["--in", f"{name}={file}"]
        return arguments

    def check(self, path, session, inputs):
        """Whether all outputs agree at all levels."""
        expected = session.run(None, inputs)
        good = True
        for level in self.levels:
            outputs = [self.folder / f"out{i}.npy" for i in range(len(expected))]
            names = [output.name for output in session.get_outputs()]
            pairs = [text for name, file in zip(names, outputs) for text in ("--out", f"{name}={file}")]
            self.run("run-model", path, "-O", level, *self.files(inputs), *pairs)
            for name, file, values in zip(names, outputs, expected):
                if not np.allclose(np.load(file), values, rtol=1e-3, atol=1e-5):
                    print(f"{pathlib.Path(path).stem} -O{level}: output {name} differs")
                    good = False
        return good

    def model(self, source):
        path = str(self.folder / pathlib.Path(source).name)
        onnx.save(random_weights(onnx.load(source)), path)
        random = np.random.default_rng(1)
        session = runtime_session(path, self.threads[-1])
        inputs = {each.name: random.standard_normal(each.shape).astype(np.float32)
                  for each in session.get_inputs()}
        good = self.check(path, session, inputs)
        del session
        np.savez(self.folder / "inputs.npz", **inputs)
        for threads in self.threads:
            before = runtime_ms(path, threads, inputs, self.repetitions)
            found = [self.timed(path, level, threads) for level in self.levels]
            times = [each["seconds"] * 1e3 for each in found]
            ours = found[-1]["process_bytes"] / 2**20
            theirs = runtime_memory(path, threads, self.folder / "inputs.npz")
            reference = min(before, runtime_ms(path, threads, inputs, self.repetitions))
            cells = [pathlib.Path(source).stem, str(threads), f"{reference:.2f}"]
            cells += [f"{each:.2f}" for each in times]
            cells += [f"{times[-1] / reference:.2f}", f"{times[0] / times[-1]:.1f}"]
            cells += [f"{ours:.0f} / {theirs:.0f} = {ours / theirs:.2f}"]
            print("| " + " | ".join(cells) + " |", flush=True)
        return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--nestc", required=True)
    parser.add_argument("--levels", default="0,1,2,3")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--repetitions", type=int, default=15)
    arguments = parser.parse_args()
    levels = arguments.levels.split(",")
    head = ["model", "threads", "ONNX Runtime ms"] + [f"-O{level} ms" for level in levels]
    head += [f"ratio at -O{levels[-1]}", f"-O{levels[0]} / -O{levels[-1]}",
             "peak memory MB, here / ONNX Runtime"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, pathlib.Path(folder))
        good = [bench.model(model) for model in arguments.models]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
