#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows scripts/layers.py a small tree in which every file breaks one rule, and one that breaks none."""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import layers  # noqa: E402

APACHE = "// SPDX-License-Identifier: Apache-2.0\n"
HASH = "# SPDX-License-Identifier: Apache-2.0\n"
GPL = "// SPDX-License-Identifier: GPL-3.0-or-later\n"

GOOD = {
    "core/CMakeLists.txt": (ROOT / "core/CMakeLists.txt").read_text(),
    "widgets/CMakeLists.txt": (ROOT / "widgets/CMakeLists.txt").read_text(),
    "CMakeLists.txt": HASH,
    "core/ir/node/expr.h": APACHE + "#include <vector>\n#include <sys/mman.h>\n",
    "core/arith/simplify.h": APACHE + '#include "core/ir/node/expr.h"\n#include "core/arith/simplify.h"\n',
    "core/backend/backend.h": APACHE,
    "core/backend/table.cpp": APACHE + '#include "core/backend/backend.h"\n',
    "core/backend/c/emit.h": APACHE + '#include "core/backend/backend.h"\n',
    "core/backend/llvm/jit.cpp": APACHE + "#include <llvm/IR/Module.h>\n",
    "core/support/text/json.h": APACHE + "#include <nlohmann/json.hpp>\n",
    "core/session/session.h": APACHE + '#include "core/support/text/json.h"\n',
    "widgets/document/document.h": GPL + '#include "core/session/session.h"\n#include <QObject>\n',
    "widgets/canvas/canvas.cpp":
        GPL + '#include "widgets/document/document.h"\n#include <QWidget>\n#include "canvas.moc"\n',
    "widgets/charts/bars.h": GPL + "#include <QChartView>\n",
    "app/window.h": GPL + '#include "widgets/canvas/canvas.cpp"\n',
    "app/present/text.h": GPL + '#include "core/ir/node/expr.h"\n#include <QString>\n',
    "app/cli/main.cpp": APACHE + "#include <CLI/CLI.hpp>\n",
    "tests/app/present/text_test.cpp": GPL + '#include "app/present/text.h"\n#include <QtTest>\n',
    "tests/core/ir/expr_test.cpp": APACHE + "#include <QtTest>\n// " + "·" * 107 + "\n",
    "tests/hostile/long.py": HASH + "x" * 200 + "\n",
    "examples/matmul.py": "# What the start page says.\n",
}

# path: content, what the complaint says
BAD = {
    "core/ir/up.h": (APACHE + '#include "core/arith/simplify.h"\n', "stands above it"),
    "core/interp/beside.h": (APACHE + '#include "core/arith/simplify.h"\n', "does not stand above"),
    "core/support/window.h": (APACHE + '#include "widgets/document/document.h"\n', "core includes"),
    "core/support/qt.h": (APACHE + "#include <QString>\n", "is Qt"),
    "core/support/qt_folder.h": (APACHE + "#include <QtCore/QString>\n", "is Qt"),
    "core/backend/llvm/jit.h": (APACHE + "#include <llvm/IR/Module.h>\n", "is LLVM"),
    "core/lower/jit.cpp": (APACHE + "#include <llvm/IR/Module.h>\n", "is LLVM"),
    "core/backend/compile.cpp": (APACHE + '#include "core/backend/c/emit.h"\n', "is of a backend"),
    "core/backend/llvm/sibling.cpp": (APACHE + '#include "core/backend/c/emit.h"\n', "do not meet"),
    "core/session/json.h": (APACHE + "#include <nlohmann/json.hpp>\n", "is nlohmann-json"),
    "core/codegen/driver.cpp": (APACHE + "#include <cuda.h>\n", "is NVRTC"),
    "core/ir/unknown.h": (APACHE + "#include <boost/any.hpp>\n", "of no library"),
    "core/ir/relative.h": (APACHE + '#include "expr.h"\n', "no file of the project"),
    "core/nowhere/thing.h": (APACHE, "lies in no room"),
    "core/ir/words.cpp": (APACHE + 'bool a = error.code == "ir.none";\n', "the words of an error"),
    "app/cli/text/words.cpp": (APACHE + 'bool a = e.message.contains("none");\n', "the words of an error"),
    "core/ir/licence.h": (GPL, "files here are under Apache-2.0"),
    "core/ir/unlicensed.h": ("#pragma once\n", "has no SPDX"),
    "widgets/canvas/pane.h": (GPL + '#include "widgets/charts/bars.h"\n', "does not stand above"),
    "widgets/jobs/up.h": (GPL + '#include "widgets/document/document.h"\n', "stands above it"),
    "widgets/models/item.h": (GPL + "#include <QWidget>\n", "is Qt Widgets"),
    "widgets/history/chart.h": (GPL + "#include <QtCharts/QChart>\n", "is Qt Charts"),
    "widgets/forms/app.h": (GPL + '#include "app/window.h"\n', "stands above them"),
    "widgets/forms/licence.h": (APACHE, "files here are under GPL-3.0-or-later"),
    "app/cli/qt.cpp": (APACHE + "#include <QString>\n", "is Qt"),
    "app/cli/window.cpp": (APACHE + '#include "widgets/document/document.h"\n', "of the window"),
    "app/present/up.h": (GPL + '#include "app/window.h"\n', "stands above it"),
    "scripts/unlicensed.sh": ("#!/bin/sh\n", "has no SPDX"),
    "core/ir/wide.h": (APACHE + "//" + " wide" * 22 + "\n", "112 columns"),
    "core/ir/wide.cpp.in": (APACHE + "//" + "·" * 109 + "\n", "111 columns"),
    "cmake/wide.cmake": (HASH + "#" * 111 + "\n", "at most 110"),
    "scripts/wide.sh": (HASH + "#" * 111 + "\n", "at most 110"),
    "tests/wide.py": (HASH + "#" * 111 + "\n", "at most 110"),
    "examples/wide.py": ("#" * 111 + "\n", "at most 110"),
}


def violations_of(files):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content)
        return layers.check(root)[0]


def main():
    failures = [f"a clean tree is refused: {violation}" for violation in violations_of(GOOD)]
    found = violations_of(GOOD | {path: content for path, (content, _) in BAD.items()})
    for path, (_, expected) in BAD.items():
        own = [violation for violation in found if violation.startswith(path + ":")]
        if len(own) != 1 or expected not in own[0]:
            failures.append(f"{path}: expected one violation with '{expected}', found {own}")
    if len(found) != len(BAD):
        failures.append(f"expected {len(BAD)} violations, found {len(found)}")
    for failure in failures:
        print(failure)
    print(f"layers_self_test: {len(BAD)} broken rules, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
