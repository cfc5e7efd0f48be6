#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random expressions of plain Python, each asserted to have the value that Python itself gives it.

  python3 -W ignore make_assertions.py SEED COUNT > assertions.py

The TE reader computes them too (assertions_test). Values that differ by design are left out: numbers past 64
bits, the text of floating-point numbers, complex numbers.
"""
import random
import sys

NAMES = {"a": 7, "b": -3, "c": 12, "x": 2.5, "s": "Hello"}
LONGEST = 110  # columns of a line


class Expressions:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def any(self, *choices):
        return self.random.choice(choices)

    def number(self, depth):
        if depth <= 0 or self.random.random() < 0.15:
            return self.any(str(self.random.randint(-9, 40)), str(self.random.randint(0, 5)), "True", "False",
                            "a", "b", "c", "x", "0.5", "-2.0", "3.25")
        a, b = self.number(depth - 1), self.number(depth - 1)
        operator = self.any("+", "-", "*", "//", "%", "/", "<<", ">>", "&", "|", "^")
        return self.any(f"({a} {operator} {b})", f"({a} {operator} {b})", f"({a} {operator} {b})",
                        f"({a} ** {self.any(0, 1, 2, 3)})",
                        f"({self.any('-', '~', '+', 'not ')}{a})",
                        f"({a} if {self.condition(depth - 1)} else {b})",
                        f"{self.any('min', 'max')}({a}, {b})",
                        f"{self.any('abs', 'int', 'float', 'bool')}({a})",
                        f"{self.sequence(depth - 1)}[{self.random.randint(-4, 4)}]",
                        f"{self.any('sum', 'len', 'max', 'min')}({self.sequence(depth - 1)})",
                        f"({a} {self.any('and', 'or')} {b})", self.condition(depth - 1))

    def condition(self, depth):
        if depth <= 0:
            return self.any("True", "False", "a < b", "x > 1")
        a, b = self.number(depth - 1), self.number(depth - 1)
        order = self.any("<", "<=", ">", ">=", "==", "!=")
        return self.any(f"({a} {order} {b})", f"({a} {order} {b} {self.any('<', '<=', '==')} c)",
                        f"({a} {self.any('in', 'not in')} {self.sequence(depth - 1)})",
                        f"({self.text(depth - 1)} {order} {self.text(depth - 1)})",
                        f"({self.text(0)} in {self.text(depth - 1)})",
                        f"{self.any('any', 'all')}({self.sequence(depth - 1)})",
                        f"(not {self.condition(depth - 1)})")

    def bounds(self):
        end = lambda: self.any("", str(self.random.randint(-5, 5)))
        return f"{end()}:{end()}{self.any('', '', ':' + self.any('1', '2', '3', '-1', '-2'))}"

    def sequence(self, depth):
        if depth <= 0 or self.random.random() < 0.4:
            items = ", ".join(self.number(depth - 1) for _ in range(self.random.randint(1, 4)))
            return self.any(f"[{items}]", f"({items},)")
        inner = self.sequence(depth - 1)
        return self.any(
            f"list(range({self.random.randint(-3, 6)}, {self.random.randint(-3, 12)}, "
            f"{self.any(1, 2, 3, -1, -2)}))",
            f"[{self.number(depth - 1)} for i in range({self.random.randint(0, 4)})]",
            f"[i * {self.any(1, 2, 3)} for i in {inner} "
            f"if i {self.any('<', '>', '!=')} {self.any(-3, 0, 5)}]",
            f"{inner}[{self.bounds()}]", f"({inner} * {self.random.randint(0, 3)})",
            f"({self.random.randint(-1, 2)} * {inner})",
            f"(list({inner}) + list({self.sequence(depth - 1)}))",
            f"list({self.any('reversed', 'tuple')}({inner}))")

    def pairs(self, depth):
        a, b = self.sequence(depth - 1), self.sequence(depth - 1)
        return self.any(f"list(enumerate({a}))", f"list(zip({a}, {b}))",
                        f"[i * p for i, p in enumerate({a})]", f"[p[0] - p[1] for p in zip({a}, {b})]")

    def text(self, depth):
        if depth <= 0:
            return self.any("'abc'", "'x'", "''", "'a_b'", "s")
        inner = self.text(depth - 1)
        return self.any(f"({inner} + {self.text(depth - 1)})", f"({inner} * {self.random.randint(0, 3)})",
                        f"{inner}.{self.any('upper', 'lower')}()",
                        f"str({self.any('bool', 'int')}({self.number(1)}))",
                        f"f'{{{self.any('a', 'a + c', 's', 'a < b')}}}_{self.any('', 'q')}'",
                        f"{inner}[{self.bounds()}]")

    def next(self):
        depth = self.random.randint(1, 3)
        return self.any(self.number(depth + 1), self.number(depth), self.sequence(depth), self.pairs(depth),
                        self.text(depth))


def is_comparable(value):
    if isinstance(value, (list, tuple)):
        return len(value) < 30 and all(map(is_comparable, value))
    if isinstance(value, str):
        return len(value) < 60 and "." not in value
    if isinstance(value, float):
        return abs(value) < 1e15
    return isinstance(value, int) and abs(value) < 2**62


def main():
    expressions = Expressions(int(sys.argv[1]))
    print("# SPDX-License-Identifier: Apache-2.0")
    print(f"# Made by make_assertions.py {' '.join(sys.argv[1:])}; the values are Python's.")
    for name, value in NAMES.items():
        print(f"{name} = {value!r}")
    wanted = int(sys.argv[2])
    while wanted > 0:
        text = expressions.next()
        try:
            value = eval(text, dict(NAMES)) if len(text) <= LONGEST else None
        except (ArithmeticError, TypeError, ValueError, IndexError):
            continue
        line = f"assert {text} == {value!r}"
        if is_comparable(value) and len(line) <= LONGEST:
            print(line)
            wanted -= 1


if __name__ == "__main__":
    main()
