# SPDX-License-Identifier: Apache-2.0
"""Rules for all types ("any …"): their letters are elements of any type, of which nothing is known.

Addition and the like are functions without properties, so that what is proved holds for every type, also
where sums wrap around or round, lane by lane for vectors. Where that proof fails, types of machines give the
counter-example: integers of 32 bits that wrap around, and float32.
"""

from formulas import COMPARISONS, Numbers

ROUNDED = {"+": "fp.add RNE", "-": "fp.sub RNE", "*": "fp.mul RNE"}
SIGNED = {"+": "bvadd", "-": "bvsub", "*": "bvmul", "<": "bvslt", "<=": "bvsle", ">": "bvsgt", ">=": "bvsge"}
UNSIGNED = {**SIGNED, "<": "bvult", "<=": "bvule", ">": "bvugt", ">=": "bvuge"}
FLOAT = {**ROUNDED, "==": "fp.eq", "<": "fp.lt", "<=": "fp.leq", ">": "fp.gt", ">=": "fp.geq"}
UNKNOWN = {"+": "plus", "-": "minus", "*": "times", "min": "least", "max": "greatest"}
PRELUDE = ["(declare-sort Element 0)",
           *(f"(declare-fun {name} (Element Element) Element)" for name in UNKNOWN.values())]


class Elements(Numbers):
    """Trees over one type: its sort, its operators, and how it writes a number."""

    def __init__(self, truths, sort, operators, literal, prelude=()):
        super().__init__(truths)
        self.sort, self.operators, self.literal, self.prelude = sort, operators, literal, list(prelude)

    def declarations(self):
        return self.prelude + super().declarations()

    def number(self, tree):
        if isinstance(tree, int):
            return self.literal(tree)
        if isinstance(tree, str):
            self.letters[tree] = self.sort
            return tree
        operator = tree[0]
        if operator == "select":
            return f"(ite {self.truth(tree[1])} {self.number(tree[2])} {self.number(tree[3])})"
        a, b = self.number(tree[1]), self.number(tree[2])
        if operator in ("min", "max") and operator not in self.operators:
            return f"(ite ({self.operators['<' if operator == 'min' else '>']} {a} {b}) {a} {b})"
        return f"({self.operators[operator]} {a} {b})"

    def truth(self, tree):
        if isinstance(tree, list) and tree[0] in COMPARISONS:
            operator = self.operators.get(tree[0], COMPARISONS[tree[0]])
            return f"({operator} {self.number(tree[1])} {self.number(tree[2])})"
        return super().truth(tree)


def no_literal(number):
    raise KeyError(number)


def anything(truths):
    """Elements of which nothing is known."""
    return Elements(truths, "Element", UNKNOWN, no_literal, PRELUDE)


def of_machines(truths):
    """The types that counter-examples are taken from, by their names."""
    bits = "(_ BitVec 32)"
    def wrapped(number):
        return f"(_ bv{number % 2 ** 32} 32)"
    def rounded(number):
        return f"((_ to_fp 8 24) RNE {number}.0)"
    return {"int32": Elements(truths, bits, SIGNED, wrapped),
            "uint32": Elements(truths, bits, UNSIGNED, wrapped),
            "float32": Elements(truths, "(_ FloatingPoint 8 24)", FLOAT, rounded)}
