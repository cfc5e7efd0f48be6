#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents name paths that exist, their links lead somewhere, the order of rooms is that of the build, and
no merge has left its marks."""

import re
import sys
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "scripts"))
import layers  # noqa: E402

TOP = "app|cmake|core|docs|examples|resources|scripts|tests|widgets"
# core/frontend/onnx/…_imports.cpp, core/ops/{nn,tensor}/, tests/core/X/NAME_test.cpp, app/present/chart_pages
PATH = re.compile(rf"(?<![\w./~-])(?:{TOP})/[\w./*…{{}},-]*")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
MARK = re.compile(r"^(?:<{7} |>{7} |\|{7} |={7}$)", re.MULTILINE)
# Stands for a name of the reader's: NAME, X, NN.
PLACEHOLDER = re.compile(r"(?<![A-Za-z])(?:[A-Z]|NN|NAME)(?![a-z])")


def documents():
    for pattern in ("*.md", "docs/**/*.md", "docs/man/*", "resources/**/*.md", "tests/**/*.md"):
        yield from sorted(PROJECT.glob(pattern))


def alternatives(path):
    """core/{a,b}/c: core/a/c, core/b/c."""
    braces = re.search(r"\{([^{}]*)\}", path)
    if not braces:
        return [path]
    return [whole for part in braces[1].split(",")
            for whole in alternatives(path[:braces.start()] + part + path[braces.end():])]


def exists(path):
    """Whether there is a file or folder of that name; the ending of a source may be left out."""
    pattern = path.replace("…", "*").rstrip("/")
    last = pattern.rsplit("/", 1)[-1]
    patterns = [pattern] if "." in last else [pattern, pattern + ".*"]
    return any(next(PROJECT.glob(each), None) for each in patterns)


def missing_paths(text):
    for named in (match.rstrip(".,-") for match in PATH.findall(text)):
        for path in alternatives(named):
            placeholder = PLACEHOLDER.search(path)
            if not exists(path[:placeholder.start()].rpartition("/")[0] if placeholder else path):
                yield named


class DocumentsTest(unittest.TestCase):
    def test_paths_exist(self):
        for document in documents():
            with self.subTest(document.relative_to(PROJECT)):
                self.assertEqual(list(missing_paths(document.read_text())), [])

    def test_what_is_taken_for_a_path(self):
        text = ("`core/no/file.cpp`, scripts/layers.py. tests/core/X/NAME_test.cpp, core/nowhere/NAME.cpp; "
                "core/ops/{nn,none}/ app/main, core/graph/passes/…_none.cpp, core/graph/passes/*.cpp, "
                "build/core/none, https://example.org/core/none")
        self.assertEqual(list(missing_paths(text)),
                         ["core/no/file.cpp", "core/nowhere/NAME.cpp", "core/ops/{nn,none}/",
                          "core/graph/passes/…_none.cpp"])

    def test_links_lead_somewhere(self):
        for document in documents():
            for target in LINK.findall(CODE.sub("", document.read_text())):
                place = target.partition("#")[0]
                if place and ":" not in place:  # neither https: nor a term: of the help
                    with self.subTest(document.relative_to(PROJECT), link=target):
                        self.assertTrue((document.parent / place).exists())

    def test_rooms_stand_in_the_order_of_the_build(self):
        below = layers.rooms(PROJECT, "core") | layers.rooms(PROJECT, "widgets")
        blocks = re.findall(r"```\n(.*?)```", (PROJECT / "ARCHITECTURE.md").read_text(), re.DOTALL)
        picture = next(block for block in blocks if "support < ir" in block)
        shown = set()
        for chain in re.split(r"\n|  +", picture):
            groups = [[room for room in group.strip().split(", ") if room in below]
                      for group in chain.split("<")]
            shown.update(*groups)
            for lower, upper in zip(groups, groups[1:]):
                for room in upper:
                    self.assertLessEqual(set(lower), below[room], chain)
        self.assertEqual(shown, set(below))

    def test_no_merge_has_left_its_marks(self):
        for document in documents():
            with self.subTest(document.relative_to(PROJECT)):
                self.assertIsNone(MARK.search(document.read_text()))


if __name__ == "__main__":
    unittest.main()
