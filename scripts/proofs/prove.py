#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves the rewriting rules of the simplifier and the index lemmas of primitives with z3 (scripts/prove.sh).

Both are read from nestc, which prints the rules as it has compiled them. Each form of a rule is a
statement: where its condition holds and nothing is divided by 0, the form and the result are equal, and the
result divides by nothing that may be 0. Index types count as whole numbers: sums that are divided or compared
are taken not to overflow (core/arith/simplify/rewrite.h), neither those of the form nor those of the result.
All others wrap around, for which proofs count that rest on sums, differences and products alone. Rules for
all types are proved for elements of which nothing is known.

What z3 does not find by itself follows from lemmas.json, whose lemmas are proved first; a use names the rule
or index lemma and the values for which a lemma is stated. Where all letters are truth values, all of them are
tried.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import elements
import statement as st

LEMMAS = pathlib.Path(__file__).with_name("lemmas.json")
NOT_FOUND = ("z3 found no proof and no counter-example within its limit: add a use of a lemma to "
             "scripts/proofs/lemmas.json, or write the rule in another way")
WRAPS = ("it holds for whole numbers, but not because of sums, differences and products alone, so not where "
         "these wrap around, as they may where nothing is divided or compared")


class Failure(Exception):
    """A statement that is refuted or not proved; the text says which and why."""


def proof_for_all_types(statement):
    world = elements.anything(statement.truths())
    try:
        if st.ask(statement.smt(world))[0] == "unsat":
            return "proved"
    except KeyError:
        pass  # a number or a division, which not all types have
    for name, machine in elements.of_machines(statement.truths()).items():
        try:
            answer, values = st.ask(statement.smt(machine), statement.letters())
        except KeyError:
            continue
        if answer == "sat":
            raise Failure(f"refuted for {name}: {st.pairs_of(values)}")
    raise Failure("it holds for no reason that all types share: leave out \"any\"")


def proof_of(statement):
    """How it was proved: "proved", "by lemma" or "by exhaustion"."""
    if st.is_finite(statement):
        refuted = st.counter_example(statement)
        if refuted:
            raise Failure(f"refuted: {refuted}")
        return "by exhaustion"
    if statement.all_types:
        return proof_for_all_types(statement)
    answer, values = st.ask(statement.smt(st.world_of(statement)), statement.letters())
    if answer == "unsat":
        if statement.is_of_wrapping_sums() and not statement.holds_wrapped():
            raise Failure(WRAPS)
        return "by lemma" if statement.instances else "proved"
    refuted = st.counter_example(statement) or (answer == "sat" and st.pairs_of(values))
    raise Failure(f"refuted: {refuted}" if refuted else NOT_FOUND)


def lemma_proof(statement):
    if not st.is_ever_fulfilled(statement):
        raise Failure("what it takes as given holds for none of the values that were tried")
    return proof_of(statement)


class Report:
    """A line for each group of statements, and what failed."""

    def __init__(self):
        self.failures = 0
        self.counts = collections.Counter()

    def group(self, title, statements, prove):
        begin, counts = time.monotonic(), collections.Counter()
        for entry in statements:
            try:
                counts[prove(entry)] += 1
            except Failure as failure:
                counts["not proved"] += 1
                self.failures += 1
                print(f"prove: {entry.name}\n    {failure}", flush=True)
        told = ", ".join(f"{count} {how}" for how, count in sorted(counts.items(), reverse=True))
        print(f"{title:38} {told}, {time.monotonic() - begin:.1f} s", flush=True)
        self.counts += counts


def lemmas_proved(report, book):
    texts = {lemma["name"]: lemma for lemma in book["lemmas"]}
    report.group("lemmas", [st.lemma_statement(f"lemma \"{name}\"", lemma["given"], lemma["then"])
                            for name, lemma in texts.items()], lemma_proof)
    return texts


def instances_of(uses, texts):
    """What the lemmas say for each rule and index lemma that uses some."""
    return {use["of"]: [st.instance(texts[name]["given"], texts[name]["then"], values)
                          for name, values in use["by"]] for use in uses}


def rules_proved(report, rules, instances, only):
    groups = {}
    for rule in rules:
        if only in rule["summary"]:
            groups.setdefault(rule["name"], []).append(rule)
    for operator, members in groups.items():
        statements = []
        for rule in members:
            for statement in st.forms_of(rule):
                statement.name = f"the rule {rule['summary']}\n  as {statement.name}"
                statement.instances = instances.get(rule["summary"], [])
                statements.append(statement)
        report.group(f"{len(members)} rules of {operator}", statements, proof_of)
    return sum(map(len, groups.values()))


def name_of(primitive, lemma):
    return f"{primitive['name']}: {lemma['says']}"


def index_lemmas_proved(report, primitives, instances, only):
    moving = [entry for entry in primitives if entry.get("lemmas") and only in entry["name"]]
    for primitive in moving:
        statements = []
        for lemma in primitive["lemmas"]:
            name = name_of(primitive, lemma)
            statements.append(st.lemma_statement(f"the index lemma {name}", lemma["given"], lemma["then"]))
            statements[-1].instances = instances.get(name, [])
        report.group(f"index lemmas of {primitive['name']}", statements, lemma_proof)
    return len(moving)


def listed(arguments, what):
    """What nestc lists, or the file given in its place; none of it where only the other is given."""
    given = {"rules": arguments.rules, "primitives": arguments.primitives}
    if given[what]:
        return json.loads(pathlib.Path(given[what]).read_text(encoding="utf-8"))
    if any(given.values()):
        return []
    done = subprocess.run([arguments.nestc, "list", what, "--json"], check=True, capture_output=True)
    return json.loads(done.stdout)


def stale_uses(book, rules, primitives):
    known = {rule["summary"] for rule in rules}
    known |= {name_of(primitive, lemma) for primitive in primitives for lemma in primitive["lemmas"]}
    return [use["of"] for use in book["uses"] if use["of"] not in known]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--nestc", default="nestc", help="the program whose rules are proved")
    parser.add_argument("--rules", help="rules in place of its own, as `nestc list rules --json` prints them")
    parser.add_argument("--primitives", help="primitives likewise; each of the two leaves out the other")
    parser.add_argument("--only", default="", help="rules whose text, and primitives whose name, has this")
    arguments = parser.parse_args()
    if not shutil.which("z3"):
        inside = "NESTWRIGHT_INSIDE" in os.environ
        print("prove: z3 is not installed" + ("" if inside else ", so nothing is proved; "
              "scripts/dev.sh brings it"), file=sys.stderr)
        return 1 if inside else 77
    begin, report = time.monotonic(), Report()
    book = json.loads(LEMMAS.read_text(encoding="utf-8"))
    rules, primitives = listed(arguments, "rules"), listed(arguments, "primitives")
    texts = lemmas_proved(report, book)
    lemmas = len(texts)
    instances = instances_of(book["uses"], texts)
    moving = index_lemmas_proved(report, primitives, instances, arguments.only)
    index_lemmas = report.counts.total() - lemmas
    report.counts.clear()
    count = rules_proved(report, rules, instances, arguments.only)
    if not (arguments.rules or arguments.primitives):
        for name in stale_uses(book, rules, primitives):
            report.failures += 1
            print(f"prove: lemmas.json names a rule or index lemma that there is not: {name}")
    told = ", ".join(f"{report.counts[how]} {how}" for how in ("proved", "by lemma", "by exhaustion"))
    print(f"{count} rules in {report.counts.total()} forms: {told}; {index_lemmas} index lemmas of {moving} "
          f"primitives; {report.failures} not proved; {time.monotonic() - begin:.0f} s")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
