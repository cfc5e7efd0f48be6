# SPDX-License-Identifier: Apache-2.0
"""Formulas of SMT-LIB for trees of rules and index lemmas.

A tree is a letter, a number, or a list of an operator and its operands, as `nestc list rules --json` prints
it. Numbers are whole numbers. "/" and "%" round towards minus infinity, "tdiv" and "tmod" towards zero; a
quotient is a fresh number with what defines it, since SMT-LIB's own `div` rounds otherwise where the divisor
is negative, and leaves nothing open where it is 0.
"""

LOGICAL = {"&&", "||", "!"}
COMPARISONS = {"==": "=", "!=": "distinct", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
DIVISIONS = {"/": "floor", "%": "floor", "tdiv": "trunc", "tmod": "trunc"}
ARITHMETIC = {"+", "-", "*", "min", "max", *DIVISIONS}


def parts(tree):
    """The tree and all within it, the inner ones first."""
    if isinstance(tree, list):
        for operand in tree[1:]:
            yield from parts(operand)
    yield tree


def is_constant(letter):
    """Whether the letter stands for an integer constant of the program, as c1 does."""
    return len(letter) == 2 and letter[0] == "c" and letter[1].isdigit()


def is_computed(tree):
    """Whether only constants are below: the simplifier computes it once the rule matches."""
    return all(isinstance(part, (int, list)) or is_constant(part) for part in parts(tree))


def conditions_among(tree, is_truth=True):
    """The letters that stand for truth values."""
    if isinstance(tree, str):
        return {tree} if is_truth and not is_constant(tree) else set()
    found = set()
    if isinstance(tree, list):
        for place, operand in enumerate(tree[1:]):
            truth = tree[0] in LOGICAL or (tree[0] == "select" and (place == 0 or is_truth))
            found |= conditions_among(operand, truth)
    return found


def both(*formulas):
    """The conjunction of the formulas that say anything."""
    wanted = [formula for formula in formulas if formula != "true"]
    return f"(and {' '.join(wanted)})" if len(wanted) > 1 else wanted[0] if wanted else "true"


class Numbers:
    """Trees over the whole numbers. `facts` collects what defines the quotients that occurred."""

    def __init__(self, truths=()):
        self.truths = set(truths)
        self.letters = {}
        self.facts = []
        self.quotients = {}  # (rounding, dividend, divisor): (quotient, remainder)

    def declarations(self):
        fresh = [name for pair in self.quotients.values() for name in pair]
        sorts = {**self.letters, **dict.fromkeys(fresh, "Int")}
        return [f"(declare-const {name} {sort})" for name, sort in sorts.items()]

    def number(self, tree):
        if isinstance(tree, int):
            return str(tree) if tree >= 0 else f"(- {-tree})"
        if isinstance(tree, str):
            self.letters[tree] = "Int"
            return tree
        operator = tree[0]
        if operator in LOGICAL or operator in COMPARISONS:
            return f"(ite {self.truth(tree)} 1 0)"
        if operator == "select":
            return f"(ite {self.truth(tree[1])} {self.number(tree[2])} {self.number(tree[3])})"
        a, b = self.number(tree[1]), self.number(tree[2])
        if operator in DIVISIONS:
            return self.division(DIVISIONS[operator], a, b)[operator in ("%", "tmod")]
        if operator in ("min", "max"):
            return f"(ite ({'<=' if operator == 'min' else '>='} {a} {b}) {a} {b})"
        return f"({operator} {a} {b})"

    def division(self, rounding, a, b):
        key = (rounding, a, b)
        if key not in self.quotients:
            count = len(self.quotients)
            q, r = self.quotients[key] = (f"q!{count}", f"r!{count}")  # as no letter is named
            zero_up = f"(and (<= 0 {r}) (< {r} {b}))"
            if rounding == "floor":
                bounds = f"(ite (> {b} 0) {zero_up} (and (< {b} {r}) (<= {r} 0)))"
            else:
                size = f"(ite (> {b} 0) {b} (- {b}))"
                bounds = (f"(ite (>= {a} 0) (and (<= 0 {r}) (< {r} {size}))"
                          f" (and (< (- {size}) {r}) (<= {r} 0)))")
            self.facts.append(f"(=> (distinct {b} 0) (and (= {a} (+ (* {b} {q}) {r})) {bounds}))")
        return self.quotients[key]

    def truth(self, tree):
        if isinstance(tree, str) and tree in self.truths:
            self.letters[tree] = "Bool"
            return tree
        if not isinstance(tree, list) or tree[0] in ARITHMETIC:
            return f"(distinct {self.number(tree)} 0)"
        operator = tree[0]
        if operator == "!":
            return f"(not {self.truth(tree[1])})"
        if operator == "select":
            return f"(ite {self.truth(tree[1])} {self.truth(tree[2])} {self.truth(tree[3])})"
        if operator in LOGICAL:
            return f"({'and' if operator == '&&' else 'or'} {self.truth(tree[1])} {self.truth(tree[2])})"
        return f"({COMPARISONS[operator]} {self.number(tree[1])} {self.number(tree[2])})"

    def defined(self, tree):
        """Nothing is divided by 0. What stands behind "&&" or "||" counts only where it is reached."""
        if not isinstance(tree, list):
            return "true"
        operands = [self.defined(operand) for operand in tree[1:]]
        if tree[0] in ("&&", "||") and operands[1] != "true":
            left = self.truth(tree[1])
            reached = left if tree[0] == "&&" else f"(not {left})"
            operands[1] = f"(=> {reached} {operands[1]})"
        if tree[0] in DIVISIONS and not (isinstance(tree[2], int) and tree[2] != 0):
            operands.append(f"(distinct {self.number(tree[2])} 0)")
        return both(*operands)

    def computable(self, tree):
        """The parts of `tree` that the simplifier computes have values: else it takes no such rule."""
        if is_computed(tree):
            return self.defined(tree)
        return both(*(self.computable(operand) for operand in tree[1:])) if isinstance(tree, list) else "true"

    def holds(self, condition):
        """The simplifier's own reading of a condition (RewriteSimplifier::holds)."""
        if is_computed(condition):
            return both(self.defined(condition), self.truth(condition))
        if condition[0] in ("&&", "||"):
            word = "and" if condition[0] == "&&" else "or"
            return f"({word} {self.holds(condition[1])} {self.holds(condition[2])})"
        return both(self.computable(condition), self.truth(condition))
