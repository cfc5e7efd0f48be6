#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays schedules in Apache TVM and in nestc and compares the modules they give.

    compare.py --nestc build/dev/bin/nestc [--verify] MODULE SCHEDULE [MODULE SCHEDULE ...]

MODULE is anything nestc opens, SCHEDULE a schedule script, or a trace as TVM writes it (.json). For each
pair, nestc prints the module and writes the schedule in the dialect of the latest TVM; TVM parses the one
and runs the other; nestc compares TVM's module with its own: as they are, then with all expressions
simplified. Of a trace TVM runs both its own text and that which nestc writes again. With --verify, nestc
also runs the scheduled module against the unscheduled one, in the interpreter where no processor can. Exit
status: 0 all equal, 1 some differ or are wrong, 77 (a skip) where TVM is not installed or lacks steps of
every schedule.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done


def scheduled_in_tvm(tvm, module_text, script_text):
    """The module that TVM's own schedule gives, as TVMScript."""
    import tvm.s_tir.tensor_intrin  # registers what tensorize names
    from tvm import s_tir
    from tvm.script import from_source

    names = {"tvm": tvm}
    exec("from __future__ import annotations\n" + script_text, names)  # the script is nestc's own output
    # The scopes that TVM keeps are out of date after its own cache_inplace: only its tree of statements is
    # verified then.
    checks = 1 if "cache_inplace" in script_text else "all"
    schedule = s_tir.Schedule(from_source(module_text), debug_mask=checks)
    names["apply_trace"](schedule)
    return schedule.mod.script()


def traced_in_tvm(module_text, trace_text):
    """The module that TVM gives for a trace, as TVMScript."""
    import tvm.s_tir.tensor_intrin  # registers what tensorize names
    from tvm import s_tir
    from tvm.s_tir.schedule import Trace
    from tvm.script import from_source

    schedule = s_tir.Schedule(from_source(module_text))
    Trace.apply_json_to_schedule(json.loads(trace_text), schedule)
    return schedule.mod.script()


def missing_in_tvm(script_text):
    """Names of the steps that the installed TVM no longer has."""
    from tvm import s_tir

    steps = set(re.findall(r"\bsch\.(\w+)\(", script_text))
    return sorted(step for step in steps if not hasattr(s_tir.Schedule, step))


def compare(tvm, nestc, module, schedule, folder):
    """The difference as text, or None when the modules are equal."""
    version = tuple(int(part) for part in tvm.__version__.split(".")[:2])
    dialect = "latest" if version >= (0, 27) else "0.25"
    printed = run(nestc, "print", module, "--dialect", dialect)
    ours, script, trace = folder / "ours.py", folder / "script.py", folder / "trace.json"
    applied = run(nestc, "apply", module, "--schedule", schedule, "--dialect", dialect, "-o", ours,
                  "--script", script, "--trace-json", trace)
    if str(schedule).endswith(".json"):
        return compare_traces(nestc, printed.stdout, applied, pathlib.Path(schedule), trace, ours)
    if applied.returncode != 0:
        return "nestc refuses: " + applied.stderr
    if missing := missing_in_tvm(script.read_text()):
        raise LookupError(f"TVM {tvm.__version__} has no {', '.join(missing)}")
    theirs = folder / "theirs.py"
    try:
        theirs.write_text(scheduled_in_tvm(tvm, printed.stdout, script.read_text()))
    except Exception as error:  # TVM reports illegal steps by many types
        return f"TVM refuses: {error}"
    return difference_of(nestc, ours, theirs)


def compare_traces(nestc, module_text, applied, trace, written, ours):
    """The difference as text, or None when both refuse the trace or all modules are equal."""
    refused = "nestc refuses: " + applied.stderr if applied.returncode != 0 else None
    for text in [trace] if refused else [trace, written]:
        theirs = ours.with_name("theirs.py")
        try:
            theirs.write_text(traced_in_tvm(module_text, text.read_text()))
        except Exception as error:  # TVM reports illegal steps by many types
            if text == trace and refused:
                return None
            return f"TVM refuses {'its own trace' if text == trace else 'what nestc writes'}: {error}"
        if refused:
            return refused
        if difference := difference_of(nestc, ours, theirs):
            return difference
    return None


def difference_of(nestc, ours, theirs):
    """The difference of two modules as text, or None when they are equal."""
    same = run(nestc, "equal", ours, theirs)
    if same.returncode == 0:
        return None
    simple = []
    for path in (ours, theirs):
        simple.append(path.with_suffix(".simple.py"))
        simple[-1].write_text(run(nestc, "pass", "simplify", path).stdout)
    afterwards = "equal when simplified: " if run(nestc, "equal", *simple).returncode == 0 else ""
    return afterwards + same.stdout.strip()


def wrong(nestc, module, schedule):
    """What the scheduled module does wrong, as text, or None."""
    for how in ([], ["--interpreter"]):
        done = subprocess.run([nestc, "verify", module, "--schedule", schedule, *how],
                              capture_output=True, text=True)
        if done.returncode == 0:
            return None
        if done.returncode == 1:
            return done.stderr.strip()
    raise LookupError("it cannot be run: " + done.stderr.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nestc", default="build/dev/bin/nestc")
    parser.add_argument("--verify", action="store_true", help="run the scheduled modules, too")
    parser.add_argument("pairs", nargs="+", metavar="MODULE SCHEDULE")
    arguments = parser.parse_args()
    if len(arguments.pairs) % 2:
        parser.error("give pairs of a module and a schedule")
    try:
        import tvm
    except ImportError:
        print("skipped: Apache TVM is not installed")
        return 77
    differences = skipped = 0
    for module, schedule in zip(arguments.pairs[::2], arguments.pairs[1::2]):
        with tempfile.TemporaryDirectory() as folder:
            try:
                difference = compare(tvm, arguments.nestc, module, schedule, pathlib.Path(folder))
                if arguments.verify and difference is None:
                    difference = wrong(arguments.nestc, module, schedule)
            except LookupError as reason:
                print(f"skipped {module} {schedule}: {reason}")
                skipped += 1
                continue
        print(f"{'equal  ' if difference is None else 'DIFFERS'} {module} {schedule}")
        if difference is not None:
            differences += 1
            print("    " + difference.replace("\n", "\n    "))
    equal = len(arguments.pairs) // 2 - differences - skipped
    print(f"{equal} equal, {differences} different, {skipped} skipped")
    return 1 if differences else 0 if equal else 77


if __name__ == "__main__":
    sys.exit(main())
