#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files installed for the desktop, and the manual, agree: with each other, the program, and their checkers.

    tests/packaging/desktop_files_test.py NESTWRIGHT     the program, which is asked for its options
"""

import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
RESOURCES = PROJECT / "resources"
ID = "org.nestwright.nestwright"  # of the application; its files have its name
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
PROGRAM = None


def desktop_entry():
    lines = (RESOURCES / f"{ID}.desktop").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def mime_elements(kind):
    return xml.parse(RESOURCES / f"{ID}.mime.xml").getroot().iter(MIME + kind)


def declared_types():
    return {each.get("type") for each in mime_elements("mime-type")}


def run_checker(case, *command):
    if shutil.which(command[0]) is None:
        case.skipTest(f"{command[0]} is not here")
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    case.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class DesktopFilesTest(unittest.TestCase):
    def test_types_are_the_same_everywhere(self):
        entry = desktop_entry()
        self.assertEqual(set(filter(None, entry["MimeType"].split(";"))), declared_types())
        description = xml.parse(RESOURCES / f"{ID}.metainfo.xml").getroot()
        self.assertEqual({each.text for each in description.iter("mediatype")}, declared_types())
        self.assertEqual(entry["Exec"], "nestwright %f")  # it takes one file

    def test_python_files_are_left_alone(self):
        patterns = {each.get("pattern") for each in mime_elements("glob")}
        self.assertIn("*.nest", patterns)
        self.assertNotIn("*.py", patterns)
        self.assertNotIn("text/x-python", desktop_entry()["MimeType"])

    def test_icons_have_the_size_of_their_folder(self):
        icons = sorted((RESOURCES / "hicolor").glob(f"*/apps/{ID}.png"))
        self.assertGreaterEqual(len(icons), 8)
        for icon in icons:
            size = struct.unpack(">II", icon.read_bytes()[16:24])
            self.assertEqual(f"{size[0]}x{size[1]}", icon.parent.parent.name)

    def test_manual_has_the_options_of_the_program(self):
        said = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        options = set(re.findall(r"--[a-z][a-z-]*", said)) - {"--help-all"}  # which Qt adds
        manual = (PROJECT / "docs/man/nestwright.1").read_text().replace("\\-", "-")
        self.assertGreaterEqual(len(options), 8)
        self.assertEqual(options, set(re.findall(r"--[a-z][a-z-]*", manual)))

    def test_desktop_entry_is_valid(self):
        run_checker(self, "desktop-file-validate", RESOURCES / f"{ID}.desktop")

    def test_description_is_valid(self):
        run_checker(self, "appstreamcli", "validate", "--no-net", "--pedantic",
                    RESOURCES / f"{ID}.metainfo.xml")

    def test_description_is_whole(self):
        description = xml.parse(RESOURCES / f"{ID}.metainfo.xml").getroot()
        self.assertEqual(description.findtext("id"), ID)
        self.assertEqual(description.findtext("launchable"), f"{ID}.desktop")
        self.assertEqual(desktop_entry()["Icon"], ID)
        # By which a desktop knows the window.
        self.assertIn(f'"{ID}"', (PROJECT / "app/main.cpp").read_text())
        project = re.search(r"project\(nestwright VERSION (\S+) HOMEPAGE_URL (\S+)",
                            (PROJECT / "CMakeLists.txt").read_text())
        self.assertEqual(description.find("url[@type='homepage']").text, project[2])
        self.assertEqual(description.find("releases/release").get("version"), project[1])
        pictures = [each.text for each in description.iter("image")]
        self.assertGreaterEqual(len(pictures), 3)
        for picture in pictures:
            self.assertTrue(picture.startswith(project[2]), picture)
            self.assertTrue((PROJECT / "docs" / Path(picture).name).exists(), picture)

    def test_package_names_page_and_maintainer(self):
        script = (PROJECT / "scripts/package_deb.sh").read_text()
        for field in ("Maintainer: $maintainer", "Homepage: $homepage"):
            self.assertIn(field, script)
        self.assertNotIn(".invalid", script)

    def test_types_are_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            packages = Path(folder) / "packages"
            packages.mkdir()
            shutil.copy(RESOURCES / f"{ID}.mime.xml", packages)
            run_checker(self, "update-mime-database", "-V", folder)
            self.assertIn("50:application/x-nestwright-session:*.nest", (Path(folder) / "globs2").read_text())


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
