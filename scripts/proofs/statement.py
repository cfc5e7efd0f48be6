# SPDX-License-Identifier: Apache-2.0
"""What is to be proved: under what is given, one side equals another, and nothing is divided by 0."""

import dataclasses
import itertools
import random
import re
import subprocess

from expressions import read, shown, substituted, value
from formulas import COMPARISONS, LOGICAL, Numbers, both, conditions_among, is_computed, parts

# What z3 may spend on one statement, in its own count of steps, which is the same on each machine.
RESOURCES = 4_000_000
SEEDS = (0, 1, 2)  # of its search: another may find what the first did not
TRUE = ["==", 0, 0]
TRIES = 20_000  # values that are tried for a counter-example


WRAPPING = {"+", "-", "*", "select"}


def operators(tree):
    """The operators in the tree, but for what the simplifier computes."""
    return set() if not isinstance(tree, list) or is_computed(tree) else \
        {tree[0]}.union(*map(operators, tree[1:]))


@dataclasses.dataclass
class Statement:
    name: str
    left: object
    right: object
    given: list = dataclasses.field(default_factory=list)  # trees that hold, and nothing in them divides by 0
    condition: object = None  # of a rule
    instances: list = dataclasses.field(default_factory=list)  # trees that lemmas say
    all_types: bool = False

    @property
    def is_truth(self):
        return isinstance(self.left, list) and self.left[0] in LOGICAL | COMPARISONS.keys()

    def truths(self):
        sides = [conditions_among(side, self.is_truth) for side in (self.left, self.right)]
        return set.union(*sides)

    def letters(self):
        trees = [self.left, self.right, *self.given, self.condition]
        return sorted({part for tree in trees for part in parts(tree) if isinstance(part, str)})

    def is_of_wrapping_sums(self):
        """Nothing in it is divided or compared: a program's sums in there may wrap (docs/arithmetic.md)."""
        return not self.is_truth and operators(self.left) <= WRAPPING

    def holds_wrapped(self):
        """Whether a proof for whole numbers is one for sums that wrap around: reducing whole numbers to a
        number of bits keeps sums, differences and products, but no order; what is computed is exact."""
        side = operators(self.right) <= WRAPPING
        return side and (self.condition is None or is_computed(self.condition))

    def smt(self, world):
        """The text for z3, which is to find that it cannot be satisfied."""
        side = world.truth if self.is_truth else world.number
        assumed = [world.defined(self.left), world.computable(self.right)]
        assumed += [both(world.defined(tree), world.truth(tree)) for tree in self.given]
        if self.condition is not None:
            assumed.append(world.holds(self.condition))
        assumed += [world.truth(tree) for tree in self.instances]
        goal = both(world.defined(self.right), f"(= {side(self.left)} {side(self.right)})")
        facts = [f"(assert {formula})" for formula in world.facts + assumed]
        return "\n".join([*world.declarations(), *facts, f"(assert (not {goal}))", "(check-sat)"])


def ask(text, letters=()):
    """z3's answer, "unsat", "sat" or "unknown", and for "sat" the values of the letters."""
    values = f"\n(get-value ({' '.join(letters)}))" if letters else ""
    for seed in SEEDS:
        command = ["z3", "-in", f"rlimit={RESOURCES}", f"smt.random_seed={seed}"]
        done = subprocess.run(command, input=text + values, capture_output=True, text=True, check=False)
        answer, _, rest = done.stdout.partition("\n")
        if answer not in ("sat", "unsat", "unknown"):
            raise RuntimeError(f"z3 did not understand a statement: {done.stdout}{done.stderr}\n{text}")
        if answer != "unknown":
            break
    return answer, rest.strip() if answer == "sat" else ""


def pairs_of(values):
    """z3's values as "x = 1, y = -2"."""
    found = re.findall(r"\((\w+) (\(- \d+\)|\([^()]*\)|[^()\s]+)\)", values)
    return ", ".join(f"{name} = {re.sub(r'[()]', '', text).replace('- ', '-')}" for name, text in found)


def fulfils(statement, letters):
    """Whether what is given holds for these values; all that the simplifier computes has a value."""
    wanted = [*statement.given, *([] if statement.condition is None else [statement.condition])]
    if not all(value(tree, letters) for tree in wanted) or value(statement.left, letters) is None:
        return False
    computed = [part for part in parts(statement.right) if is_computed(part)]
    return all(value(part, letters) is not None for part in computed)


def samples(statement):
    """Values of the letters: all of them where they are truth values, else some small ones."""
    letters, truths = statement.letters(), statement.truths()
    if truths.issuperset(letters):
        for values in itertools.product((False, True), repeat=len(letters)):
            yield dict(zip(letters, values))
        return
    chance = random.Random(1)
    for attempt in range(TRIES):
        reach = 2 + attempt * 10 // TRIES
        yield {letter: chance.random() < 0.5 if letter in truths else chance.randint(-reach, reach)
               for letter in letters}


def counter_example(statement):
    """Small values for which it does not hold, or nothing where none was found."""
    for letters in samples(statement):
        if not fulfils(statement, letters):
            continue
        left, right = value(statement.left, letters), value(statement.right, letters)
        if right is None or left != right:
            where = ", ".join(f"{letter} = {number}" for letter, number in letters.items())
            return f"{where}: {left} becomes {'a division by 0' if right is None else right}"
    return None


def is_ever_fulfilled(statement):
    return any(fulfils(statement, letters) for letters in samples(statement))


def is_finite(statement):
    """Whether its letters are truth values, so that all there is can be tried."""
    return statement.truths().issuperset(statement.letters())


def lemma_statement(name, given, then):
    """A lemma or an index lemma: texts in the syntax of expressions.py."""
    return Statement(name, TRUE, read(then), given=[read(given)])


def instance(given, then, values):
    """What a lemma says of these values."""
    trees = {letter: read(text) for letter, text in values.items()}
    return ["||", ["!", substituted(read(given), trees)], substituted(read(then), trees)]


def forms_of(rule):
    """The statements of a rule as `nestc list rules --json` prints it, one for each of its forms."""
    for form in rule["forms"]:
        yield Statement(shown(form), form, rule["result"], condition=rule["condition"],
                        all_types=rule["types"] == "all")


def world_of(statement):
    return Numbers(statement.truths())
