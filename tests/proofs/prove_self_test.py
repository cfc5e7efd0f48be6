#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives scripts/prove.sh rules and index lemmas that are wrong, each in one way, and a few that are right.

    prove_self_test.py NESTC
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NESTC = sys.argv[1]
RULES = json.loads(subprocess.run([NESTC, "list", "rules", "--json"], check=True, capture_output=True).stdout)


def rule(text, **changes):
    """The rule of nestc with this text, changed."""
    return next(entry for entry in RULES if entry["summary"] == text) | changes


def lemma(given, then):
    return {"name": "made up", "lemmas": [{"says": "It is so.", "given": given, "then": then}]}


# The reason that is told, for rules that are wrong.
WRONG_RULES = {
    r"refuted: x = -?\d+: 0 becomes 1": rule("x - x -> 0", result=1),
    r"refuted: c1 = .*x = ": rule("x / c1 < c2 -> x < c1 * c2 if c1 > 0", condition=None),
    r"refuted: c1 = -\d+, x = \d+: -\d+ becomes \d":
        rule("x - (x / c1) * c1 -> x % c1 if c1 != 0", result=["tmod", "x", "c1"]),
    r"becomes a division by 0": rule("x - x -> 0", result=["-", ["/", "x", "x"], 1]),
    r"refuted: x = False: False becomes True": rule("any x && !x -> 0", result=["!", "x"]),
    r"not where these wrap around": rule("x - x -> 0", condition=[">=", "x", 1]),
    r"refuted for float32: ": rule("(x + y) - y; (y + x) - y -> x", types="all"),
    r"refuted for int32: ":
        rule("any min(select(x, y, z), select(x, w, u)) -> select(x, min(y, w), min(z, u))",
             result=["select", "x", ["min", "y", "w"], ["max", "z", "u"]]),
    r"as min\(x, x \+ c1\)\n +refuted":
        rule("min(x + c1, x); min(x, x + c1) -> x + c1 if c1 < 0",
             forms=[["min", "x", ["+", "x", "c1"]]], condition=["<=", "c1", 1]),
    r"refuted: .*y = .*becomes": rule("x - y * c1 => x + y * (0 - c1)", result=["+", "x", ["*", "y", "c1"]]),
    r"z3 found no proof and no counter-example within its limit":  # Fermat's for the exponent 5
        rule("x - x -> 0", forms=[["==", ["+", ["*", ["*", "x", "x"], ["*", ["*", "x", "x"], "x"]],
                                         ["*", ["*", "y", "y"], ["*", ["*", "y", "y"], "y"]]],
                                   ["*", ["*", "z", "z"], ["*", ["*", "z", "z"], "z"]]]],
             condition=["&&", ["!=", "x", 0], ["&&", ["!=", "y", 0], ["!=", "z", 0]]]),
}
WRONG_LEMMAS = {
    r"refuted: f = \d+, i = \d+, n = \d+": lemma("0 <= i < n and f > 0", "i // f < n // f"),
    r"refuted: f = 0, .*a division by 0": lemma("0 <= i < n", "i % f <= i"),
    r"holds for none of the values": lemma("0 < f < 1", "f == 7"),
}
RIGHT_RULES = [rule("x - x -> 0"), rule("any x && !x -> 0"), rule("tdiv(x, x) -> 1"),
               rule("x - y * c1 => x + y * (0 - c1)", types="index")]


def outcome(option, entries):
    """Exit status and output of the script for these in place of nestc's own."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "given.json"
        file.write_text(json.dumps(entries), encoding="utf-8")
        command = [ROOT / "scripts/prove.sh", "--nestc", NESTC, option, file]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main():
    failures = []
    status, said = outcome("--rules", RIGHT_RULES)
    if status == 77:
        print(said)
        return 77
    if status != 0:
        failures.append(f"right rules are refused:\n{said}")
    for option, wrong in (("--rules", WRONG_RULES), ("--primitives", WRONG_LEMMAS)):
        for reason, entry in wrong.items():
            status, said = outcome(option, [entry])
            if status != 1 or not re.search(reason, said):
                failures.append(f"{entry}\nis to be refused for /{reason}/, but (status {status})\n{said}")
    print("\n".join(failures) or f"prove: {len(WRONG_RULES) + len(WRONG_LEMMAS)} wrong ones are refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
