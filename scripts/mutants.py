#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a copy of the sources of schedules and lowering with some 5,000 faults, each of which
tests/mutants/mutant.h switches on: another operator, number or function, a one or a statement that is left
out, a condition or an answer that is turned around.

    scripts/mutants.py            writes build/mutants/core/… and build/mutants/table.txt
    scripts/dev.sh cmake --preset dev -DNESTWRIGHT_MUTANTS=build/mutants
    scripts/build.sh dev seal_mutants
    scripts/dev.sh build/dev/bin/seal_mutants      says which faults that change a result the seal misses
"""

import argparse
import pathlib
import re

PROJECT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("core/schedule", "core/lower")
# Messages, tables and readers of scripts decide no result; what is in core/schedule/intrin matches text.
LEFT_OUT = ("core/schedule/script/", "core/schedule/primitives/table.cpp", "core/schedule/fix.cpp",
            "core/schedule/primitives/index_lemmas.cpp", "core/schedule/value.cpp",
            "core/schedule/random.cpp", "core/target/target.cpp")
NAMES = {"<": "LT", "<=": "LE", ">": "GT", ">=": "GE", "==": "EQ", "!=": "NE", "+": "Add", "-": "Sub"}
SITE = re.compile(r" (?:(?P<one>[+-]) 1(?=[;,)\] ])|(?P<operator><=|>=|==|!=|<|>|[+-]) (?=[\w(*'\"]))"
                  r"|\breturn (?P<answer>true|false);"
                  r"|(?P<function>\bir::(?:floorDiv|floorMod|lt|le|ge|min|max)|\bstd::(?:min|max))\((?![{)])"
                  r"|(?<!\) = )(?<= = )(?P<number>[01])(?=;)|(?<=[\w)]\[)(?P<index>[01])(?=\])")
LOOP = re.compile(r"^\s*for \(")
# A call or an assignment of one line, after a line that ends; a jump that no "else" follows.
STATEMENT = re.compile(r"^(\s*)(?![A-Z]\w*\(|std::unreachable)"
                       r"([\w*(][\w:.\->\[\]()*]* (?:[-+*]?=|\|=|&=) [^=].*|\w[\w:.\->\[\]]*\(.*\));$")
ENDS = re.compile(r"^\s*$|([;{}]|\belse|^\s*(?:\} else )?(?:if|for) \(.*\))\s*$")
REFUSAL = re.compile(r"^\s*(?:[\w.]+(?:::|\.))?(?:refuse|fail|throw)") # does not come back
JUMP = re.compile(r"^(\s*)(continue|break);$")
UNCHANGED = re.compile(r"^\s*(#|//|\*)|^using"
                       r"|\b(constexpr|template|static_assert|requires|operator|case|NW_ASSERT)\b")
CONDITION = re.compile(r"^(\s*(?:\} else )?if \()([^;]*)(\)(?: \{)?)$")
STRING = re.compile(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'|//.*')


def blanked(line):
    """The line with strings and comments blanked, of the same length."""
    return STRING.sub(lambda found: "_" * len(found.group()), line)


def balanced(text):
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def mutated(path, first, table):
    """The text of a source with faults numbered from `first`; adds a line for each to `table`."""
    lines = []
    number = first
    isRaw = False # within a text of several lines
    depth = None # of parentheses within a line that began with constexpr or template
    source = (PROJECT / path).read_text().split("\n")
    before = "" # the last line, blanked
    for row, line in enumerate(source, 1):
        plain, previous = blanked(line), before
        before = plain
        if re.search(r"^\s*(constexpr|template)\b", plain):
            depth = 0
        if depth is not None: # to the end of the declaration
            lines.append(line)
            depth += sum(plain.count(c) for c in "({") - sum(plain.count(c) for c in ")}")
            if depth <= 0 and plain.rstrip().endswith((";", "}", ">")):
                depth = None
            continue
        isRaw = isRaw or 'R"(' in line
        if isRaw or UNCHANGED.search(plain):
            isRaw = isRaw and ')"' not in line
            lines.append(line)
            continue
        result, at = "", 0
        original = line.strip()
        for site in SITE.finditer(plain):
            operator = site["operator"]
            if (LOOP.search(plain) and not site["number"]) or ("virtual " in plain and site["number"]):
                continue
            if operator in ("+", "-") and '"' in line: # of texts
                continue
            result += line[at:site.start()]
            if operator:
                result += f" {operator} mutant::{NAMES[operator]}{{{number}}} {operator} "
            elif site["one"]:
                result += f" {site['one']} mutant::one({number})"
            elif site["function"]:
                result += f"mutant::{site['function'].replace('::', '_')}({number}, "
            elif site["number"] or site["index"]:
                result += f"mutant::other({number}, {site['number'] or site['index']})"
            else:
                result += f"return mutant::flipped({number}, {site['answer']});"
            at = site.end()
            table.append(f"{number} {path}:{row} {site.group().strip()} | {original}")
            number += 1
        line = result + line[at:]
        condition = CONDITION.match(blanked(line))
        if condition and balanced(condition[2]) and " = " not in condition[2]:
            begin, end = condition.span(2)
            line = f"{line[:begin]}mutant::flipped({number}, bool({line[begin:end]})){line[end:]}"
            table.append(f"{number} {path}:{row} if | {original}")
            number += 1
        statement, jump = STATEMENT.match(plain), JUMP.match(plain)
        follows = source[row].strip() if row < len(source) else ""
        if statement and balanced(statement[2]) and ENDS.search(previous) and not REFUSAL.search(plain):
            line = f"{statement[1]}mutant::isActive({number}) ? void() : void({line.strip()[:-1]});"
            table.append(f"{number} {path}:{row} left out | {original}")
            number += 1
        elif jump and not follows.startswith("else"):
            line = f"{jump[1]}if (!mutant::isActive({number})) {jump[2]};"
            table.append(f"{number} {path}:{row} left out | {original}")
            number += 1
        lines.append(line)
    return "\n".join(lines), number


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=PROJECT / "build/mutants")
    out = parser.parse_args().out
    table, number = [], 1
    for source in sorted(file for folder in FOLDERS for file in (PROJECT / folder).rglob("*.cpp")):
        path = source.relative_to(PROJECT).as_posix()
        text = source.read_text()
        if not path.startswith(LEFT_OUT):
            text, number = mutated(path, number, table)
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        header = '#include "tests/mutants/mutant.h"\n#line 1 "' + path + '"\n'
        if not target.exists() or target.read_text() != header + text:
            target.write_text(header + text)
    (out / "table.txt").write_text("\n".join(table) + "\n")
    print(f"{number - 1} faults in {out}")


if __name__ == "__main__":
    main()
