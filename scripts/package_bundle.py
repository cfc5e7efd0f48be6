#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the relocatable bundle: a folder with both programs and all that they need, glibc and its loader too.

    scripts/package_bundle.py BUILD FOLDER

BUILD has the targets nestc, nestwright and bundle; FOLDER is made anew.

It runs in the build environment (scripts/dev.sh) and takes libraries, plugins, fonts and data there.
Packages without a licence there are named on standard output, one a line; exit status 3.
"""

import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SYSTEM_LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
QT_PLUGINS = SYSTEM_LIBRARIES / "qt6/plugins"
MISSING_LICENCES = 3

PLUGINS = [
    "platforms/libqxcb.so",
    "platforms/libqwayland-generic.so",
    "platforms/libqoffscreen.so",
    "platforms/libqminimal.so",
    "wayland-shell-integration/libxdg-shell.so",
    "wayland-decoration-client/libbradient.so",
    "platforminputcontexts/libcomposeplatforminputcontextplugin.so",
    "platforminputcontexts/libibusplatforminputcontextplugin.so",
    "iconengines/libqsvgicon.so",
    "imageformats/libqsvg.so",
]

# Parts of glibc that are loaded by name, or needed by drivers of the system: two versions never mix in
# a process.
GLIBC = ["libanl.so.1", "libdl.so.2", "libmvec.so.1", "libnss_compat.so.2", "libnss_dns.so.2",
         "libnss_files.so.2", "libpthread.so.0", "libresolv.so.2", "librt.so.1", "libutil.so.1"]

FONTS = [
    "opentype/inter/Inter-Regular.otf",
    "opentype/inter/Inter-Italic.otf",
    "opentype/inter/Inter-Medium.otf",
    "opentype/inter/Inter-SemiBold.otf",
    "opentype/inter/Inter-Bold.otf",
    "truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
    "truetype/jetbrains-mono/JetBrainsMono-Italic.ttf",
    "truetype/jetbrains-mono/JetBrainsMono-Medium.ttf",
    "truetype/jetbrains-mono/JetBrainsMono-SemiBold.ttf",
    "truetype/jetbrains-mono/JetBrainsMono-Bold.ttf",
    "truetype/jetbrains-mono/JetBrainsMono-BoldItalic.ttf",
    "truetype/dejavu/DejaVuSans.ttf",  # for symbols that the others lack
]

# Of X11's tables of composed characters: the one that all UTF-8 locales but a few use.
LOCALES = ["compose.dir", "locale.alias", "locale.dir", "C", "en_US.UTF-8"]

PT_DYNAMIC, PT_INTERP = 2, 3
HIDDEN_INTERP = 0x6E770003  # as app/bundle/entry.cpp knows it
DT_NULL, DT_RUNPATH = 0, 29


def output_of(*command):
    environment = {"PATH": "/usr/bin:/bin"}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def segments(elf):
    """Offsets and types of the program headers of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    for offset in range(table, table + size * count, size):
        yield offset, struct.unpack_from("<I", elf, offset)[0]


def hide_interpreter(path):
    """Has the kernel begin at the program's own entry point: app/bundle/entry.cpp says why."""
    elf = bytearray(path.read_bytes())
    for offset, kind in segments(elf):
        if kind == PT_INTERP:
            struct.pack_into("<I", elf, offset, HIDDEN_INTERP)
    path.write_bytes(elf)


def remove_runpath(path):
    """A library that names folders of its own would not look where the program's RPATH says."""
    elf = bytearray(path.read_bytes())
    for offset, kind in segments(elf):
        if kind != PT_DYNAMIC:
            continue
        begin, = struct.unpack_from("<Q", elf, offset + 8)
        length, = struct.unpack_from("<Q", elf, offset + 32)
        entries = [struct.unpack_from("<qQ", elf, begin + at) for at in range(0, length, 16)]
        kept = [entry for entry in entries if entry[0] != DT_RUNPATH]
        if len(kept) == len(entries):
            return
        kept += [(DT_NULL, 0)] * (len(entries) - len(kept))
        for at, entry in enumerate(kept):
            struct.pack_into("<qQ", elf, begin + 16 * at, *entry)
    path.write_bytes(elf)


class Bundle:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.data = folder / "share/nestwright/bundle"
        self.sources = set()  # files of the system that were copied

    def copy(self, source, target):
        real = source.resolve(strict=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(real, target)
        target.chmod(0o755 if real.stat().st_mode & 0o111 else 0o644)
        self.sources.add(real)

    def copy_tree(self, source, target):
        for path in sorted(source.rglob("*")):
            if path.is_file():
                self.copy(path, target / path.relative_to(source))

    def install(self):
        subprocess.run(["cmake", "--install", self.build, "--prefix", self.folder, "--strip"], check=True,
                       stdout=subprocess.DEVNULL)
        for name in ("nestc", "nestwright"):
            target = self.folder / "bin" / name
            shutil.copy2(self.build / "bundle" / name, target)
            subprocess.run(["strip", target], check=True)
            hide_interpreter(target)
        shutil.copy(PROJECT / "resources/bundle/qt.conf", self.folder / "bin")
        shutil.copy(PROJECT / "resources/bundle/README", self.folder)

    def add_libraries(self):
        users = [self.build / "bundle/nestc", self.build / "bundle/nestwright"]
        users += [QT_PLUGINS / each for each in PLUGINS]
        found = {name: SYSTEM_LIBRARIES / name for name in GLIBC}
        for user in users:
            for line in output_of("ldd", user).splitlines():
                if match := re.match(r"\s*(?:(\S+) => )?(/\S+) \(", line):
                    found[Path(match[1] or match[2]).name] = Path(match[2])
                elif "not found" in line:
                    sys.exit(f"bundle: {user} needs {line.strip()}")
        for name, path in sorted(found.items()):
            self.copy(path, self.folder / "lib" / name)
            remove_runpath(self.folder / "lib" / name)
        for plugin in PLUGINS:
            self.copy(QT_PLUGINS / plugin, self.folder / "plugins" / plugin)

    def add_data(self):
        self.data.mkdir(parents=True)
        shutil.copy(PROJECT / "resources/bundle/fonts.conf", self.data)
        for font in FONTS:
            self.copy(Path("/usr/share/fonts") / font, self.data / "fonts" / Path(font).name)
        self.copy_tree(Path("/usr/share/X11/xkb"), self.data / "xkb")
        for name in LOCALES:
            source = Path("/usr/share/X11/locale") / name
            if source.is_dir():
                self.copy_tree(source, self.data / "locale" / name)
            else:
                self.copy(source, self.data / "locale" / name)

    def add_licences(self):
        """Adds the copyright file of each package that files were taken from. Returns those without."""
        owners = output_of("dpkg", "-S", *sorted(map(str, self.sources)))
        names = sorted({name.split(":")[0] for line in owners.splitlines()
                        for name in line.split(": ")[0].split(", ")})
        source_of, versions = {}, {}
        packages = output_of("dpkg-query", "-W", "-f", "${Package} ${Version} ${source:Package}\n")
        for line in packages.splitlines():
            name, versions[name], source_of[name] = line.split()
        target = self.folder / "share/doc/nestwright/third-party"
        target.mkdir(parents=True)
        missing, rows = [], []
        for name in names:
            kin = [name] + [each for each in source_of if source_of[each] == source_of[name]]
            files = [Path("/usr/share/doc") / each / "copyright" for each in kin]
            licence = next((each for each in files if each.is_file()), None)
            rows.append(f"{name} {versions[name]} (source: {source_of[name]})\n")
            if licence is None:
                missing.append(name)
            else:
                shutil.copy(licence.resolve(), target / f"{source_of[name]}.copyright")
        (target / "PACKAGES").write_text("".join(rows))
        for licence in sorted(Path("/usr/share/common-licenses").iterdir()):  # which those files refer to
            (target / "common-licenses").mkdir(exist_ok=True)
            shutil.copy(licence.resolve(), target / "common-licenses" / licence.name)
        return missing


def main():
    build, folder = (Path(each).resolve() for each in sys.argv[1:3])
    shutil.rmtree(folder, ignore_errors=True)
    bundle = Bundle(build, folder)
    bundle.install()
    bundle.add_libraries()
    bundle.add_data()
    if missing := bundle.add_licences():
        print("\n".join(missing))
        return MISSING_LICENCES
    return 0


if __name__ == "__main__":
    sys.exit(main())
