#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the layers of the program from its include lines, the licence line and the width of every source.

    scripts/layers.py [ROOT]     prints one line per violation; exit status 1 when there is any

The rooms are those that core/CMakeLists.txt and widgets/CMakeLists.txt declare with nw_room. A room may
include itself, the rooms that it stands ABOVE and all that those stand above, nothing else; ARCHITECTURE.md
says what each room holds. Lines of C++, C, Python, shell and CMake have at most 110 columns. No control flow
goes by the words of an error: its code is compared with a constant of codes.h, or its family is asked for.
"""

import re
import sys
from pathlib import Path

# Libraries from outside: the headers that belong to one, and the only places that may include them. A place
# ending in a slash is everything below it, else it is a pattern.
OUTSIDE = {
    "Qt": (r"Q[A-Z]\w*$|Qt[A-Z]\w*/|Q[A-Z]\w*/|qt\w+\.h$|q[a-z]+\.h$",
           ["widgets/", "app/*", "app/window/", "app/present/", "tests/"]),
    "Qt Widgets": (r"QtWidgets(/|$)|QWidget$|QApplication$",
                   ["widgets/look/", "widgets/canvas/", "widgets/looptree/", "widgets/code/",
                    "widgets/charts/", "widgets/history/", "widgets/forms/", "widgets/player/",
                    "app/*", "app/window/", "tests/"]),
    "Qt Charts": (r"QtCharts(/|$)|QChart\w*$|Q\w+(Series|Axis)$|QBarSet$",
                  ["widgets/charts/", "tests/widgets/charts/"]),
    "KSyntaxHighlighting": (r"KSyntaxHighlighting/|KF6/", ["widgets/code/", "tests/widgets/code/"]),
    "LLVM": (r"llvm(-c)?/|llvm-[\w/]+",
             ["core/backend/llvm/*.cpp", "core/backend/llvm/emit/*.cpp", "core/backend/llvm/isa/*.cpp",
              "core/backend/llvm/read/*.cpp"]),
    "NVRTC and the CUDA driver": (r"cuda|nvrtc|nvml", ["core/backend/cuda/"]),
    "OpenCL": (r"CL/", ["core/backend/opencl/"]),
    "protobuf": (r"(google/protobuf|onnx)/", ["core/frontend/onnx/"]),
    "Google Benchmark": (r"benchmark/", ["core/measure/", "tests/"]),
    "xxHash": (r"xxhash\.h", ["core/support/files/checksum.cpp"]),
    "libbacktrace": (r"backtrace\.h$", ["core/support/errors/stack_walk.cpp"]),
    "hwloc": (r"hwloc\.h", ["core/measure/machine/topology.cpp"]),
    "libseccomp": (r"seccomp\.h", ["core/measure/"]),
    "nlohmann-json": (r"nlohmann/", ["core/support/text/json.h", "core/support/text/json_fwd.h"]),
    "CLI11": (r"CLI/", ["app/cli/", "tests/cli/"]),
    "OpenBLAS": (r"cblas\.h|openblas", ["core/measure/", "tests/bench/"]),
}
# What comes with every system: the standard library (no dot in the name), POSIX, the compiler's own headers.
SYSTEM = re.compile(r"[a-z_0-9]+$|sys/|linux/|(unistd|malloc|dlfcn|fcntl|signal|poll|spawn|pthread|sched|"
                    r"termios|link|elf|errno|time|ucontext|execinfo|unwind|cxxabi|immintrin|cpuid|x86intrin|"
                    r"arm_neon)\.h$")

LICENCES = {  # the first entry that fits a path decides
    "core/": "Apache-2.0",
    "app/cli/": "Apache-2.0",
    "app/bundle/": "Apache-2.0",
    "widgets/": "GPL-3.0-or-later",
    "app/": "GPL-3.0-or-later",
    "tests/app/": "GPL-3.0-or-later",
    "tests/widgets/": "GPL-3.0-or-later",
    "tests/e2e/": "GPL-3.0-or-later",
    "tests/": "Apache-2.0",
    "scripts/": "Apache-2.0",
    "cmake/": "Apache-2.0",
}

COLUMNS = 110
INPUTS = ("tests/fuzz/corpus/", "tests/hostile/")  # files that tests read: their lines have any length
EXAMPLES = "examples/"  # begin with a description that the start page shows, not with a licence line

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
ROOM = re.compile(r"^\s*nw_room\(([^)$]*)\)", re.MULTILINE)
BACKEND = re.compile(r"^\s*nw_backend\((\w+)", re.MULTILINE)
SPDX = re.compile(r"SPDX-License-Identifier: (\S+)")
WORDS = re.compile(r'\bcode(\(\))?\s*[=!]=\s*"|\.message\.(contains|starts_with|ends_with|find)\(')
BUILD_FILES = re.compile(r"(CMakeLists\.txt|\.cmake)$")


def rooms(root, house):
    """The rooms that each room of a house may include: {"support": set(), "ir": {"support"}, ...}."""
    below = {}
    for words in ROOM.findall((root / house / "CMakeLists.txt").read_text()):
        part, parts = "names", {"names": [], "ABOVE": [], "QT": []}
        for word in words.split():
            if word in parts:
                part = word
            elif word != "FLAT":
                parts[part].append(word)
        lower = set(parts["ABOVE"]).union(*(below.get(room, set()) for room in parts["ABOVE"]))
        below.update({name: lower for name in parts["names"]})
    return below


def allowed_at(path, places):
    for place in places:
        if place.endswith("/") and path.startswith(place):
            return True
        if not place.endswith("/") and Path(path).match(place) and Path(path).parent == Path(place).parent:
            return True
    return False


class Checker:
    def __init__(self, root):
        self.root = root
        self.rooms = {"core": rooms(root, "core"), "widgets": rooms(root, "widgets")}
        self.backends = set(BACKEND.findall((root / "core/CMakeLists.txt").read_text()))
        self.violations = []

    def complain(self, path, line, message):
        self.violations.append(f"{path}:{line}: {message}")

    def check_file(self, path):
        text = (self.root / path).read_text(encoding="utf-8")
        self.check_width(path, text)
        if path.startswith(EXAMPLES):
            return
        self.check_licence(path, text)
        if path.endswith((".cpp", ".h")):
            self.check_folder(path)
            for number, line in enumerate(text.splitlines(), 1):
                match = INCLUDE.match(line)
                if match and match[1]:
                    self.check_own(path, number, match[1])
                elif match:
                    self.check_outside(path, number, match[2])
                elif WORDS.search(line) and not path.startswith("tests/"):
                    self.complain(path, number, "goes by the words of an error: compare its code with a "
                                                "constant of codes.h")

    def check_width(self, path, text):
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > COLUMNS and not path.startswith(INPUTS):
                self.complain(path, number, f"has {len(line)} columns; lines have at most {COLUMNS}")

    def check_licence(self, path, text):
        found = SPDX.search(text[:300])
        if not found:
            self.complain(path, 1, "has no SPDX-License-Identifier line")
            return
        if BUILD_FILES.search(path):
            return
        wanted = next((licence for place, licence in LICENCES.items() if path.startswith(place)), None)
        if wanted and found[1] != wanted:
            self.complain(path, 1, f"is under {found[1]}; files here are under {wanted}")

    def check_folder(self, path):
        parts = path.split("/")
        if parts[0] in self.rooms and (len(parts) < 3 or parts[1] not in self.rooms[parts[0]]):
            self.complain(path, 1, f"lies in no room that {parts[0]}/CMakeLists.txt declares with nw_room")

    def check_own(self, path, line, include):
        if include.endswith(".moc"):
            return
        house = include.split("/")[0]
        if not (self.root / include).exists():
            self.complain(path, line, f'"{include}" is no file of the project; includes start at its root')
            return
        if not path.startswith("tests/"):
            self.check_backends(path, line, include)
        if path.startswith("core/"):
            if house != "core":
                self.complain(path, line, f'core includes "{include}", which stands above it')
            else:
                self.check_rooms(path, line, include, "core")
        elif path.startswith("widgets/"):
            if house == "widgets":
                self.check_rooms(path, line, include, "widgets")
            elif house != "core":
                self.complain(path, line, f'widgets include "{include}", which stands above them')
        elif path.startswith("app/cli/") and house == "widgets":
            self.complain(path, line, f'nestc includes "{include}" of the window')
        elif path.startswith("app/") and house == "tests":
            self.complain(path, line, f'"{include}" belongs to the tests')
        elif path.startswith("app/present/") and house == "app" and not include.startswith("app/present/"):
            self.complain(path, line, f'present includes "{include}", which stands above it')

    def check_rooms(self, path, line, include, house):
        own, other = path.split("/")[1], include.split("/")[1]
        below = self.rooms[house]
        if own not in below or other not in below:
            return  # check_folder has said so
        if own == other:
            return
        if own in below[other]:
            self.complain(path, line, f'{own} includes "{include}", which stands above it')
        elif other not in below[own]:
            self.complain(path, line, f'{own} includes "{include}", but does not stand above {other} in '
                                      f"{house}/CMakeLists.txt")

    def check_backends(self, path, line, include):
        """core/backend/llvm/, c/, ... do not meet each other, and others ask the table of backends."""
        own, other = (set(place.split("/")[2:3]) & self.backends
                      if place.startswith("core/backend/") else set() for place in (path, include))
        if own and other and own != other:
            self.complain(path, line,
                          f'backend {min(own)} includes "{include}": backends do not meet each other')
        elif other and not own:
            self.complain(path, line, f'"{include}" is of a backend: others ask the table of backends')

    def check_outside(self, path, line, include):
        known = False
        for library, (headers, places) in OUTSIDE.items():
            if re.match(headers, include):
                known = True
                if not allowed_at(path, places):
                    self.complain(path, line,
                                  f"<{include}> is {library}, which is for {', '.join(places)} only")
        if not known and path.startswith("core/") and not SYSTEM.match(include):
            self.complain(path, line, f"<{include}> is of no library that scripts/layers.py knows")


def sources(root):
    endings = {".cpp", ".h", ".c", ".in", ".py", ".sh", ".cmake"}
    for house in ("core", "widgets", "app", "tests", "scripts", "cmake", "examples"):
        for path in sorted((root / house).rglob("*")):
            if path.is_file() and (path.suffix in endings or path.name == "CMakeLists.txt"):
                yield path.relative_to(root).as_posix()
    yield "CMakeLists.txt"


def check(root):
    """All violations below root, and how many files were looked at."""
    checker = Checker(root)
    paths = list(sources(root))
    for path in paths:
        checker.check_file(path)
    return checker.violations, len(paths)


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    violations, count = check(root)
    for violation in violations:
        print(violation)
    print(f"layers: {count} files, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
