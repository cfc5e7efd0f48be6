#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes a .deb of a build, in the build environment:
#   scripts/dev.sh scripts/package_deb.sh BUILD FILE.deb [quick]
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
build=$1 deb=$2 quick=${3:-}
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
homepage=$(sed -n 's/^CMAKE_PROJECT_HOMEPAGE_URL:STATIC=//p' "$build/CMakeCache.txt")
domain=${homepage#*://}
maintainer="Nestwright developers <developers@${domain%%/*}>"
root=$build/package/deb
documents=$root/usr/share/doc/nestwright

rm -rf "$root" "$build/package/debian"
umask 022
DESTDIR=$root cmake --install "$build" --prefix /usr --strip >/dev/null
strip --remove-section=.comment "$root"/usr/bin/*
gzip -9n "$root"/usr/share/man/man1/*.1
rm -r "$documents/LICENSE" "$documents/LICENSES" # Debian has these texts in a place of its own

date=$(git log -1 --format=%cD 2>/dev/null || date -R -r CMakeLists.txt)
year=$(date -d "$date" +%Y)
cat >"$documents/copyright" <<COPYRIGHT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Nestwright
Source: $homepage

Files: *
Copyright: $year Nestwright developers
License: GPL-3.0+
Comment: The program nestwright as a whole; it uses Qt Charts, which is under the GPL version 3.

Files: core/* app/cli/* app/bundle/* scripts/* cmake/* examples/*
Copyright: $year Nestwright developers
License: Apache-2.0
Comment: The program nestc as a whole.

Files: resources/org.nestwright.nestwright.metainfo.xml
Copyright: $year Nestwright developers
License: CC0-1.0

License: GPL-3.0+
 On Debian systems the text of the GNU General Public License, version 3, is in
 /usr/share/common-licenses/GPL-3.

License: Apache-2.0
 On Debian systems the text of the Apache License, version 2.0, is in /usr/share/common-licenses/Apache-2.0.

License: CC0-1.0
 On Debian systems the text of CC0 1.0 is in /usr/share/common-licenses/CC0-1.0.
COPYRIGHT
gzip -9n >"$documents/changelog.gz" <<CHANGELOG
nestwright ($version) unstable; urgency=medium

  * Built from the sources of version $version.

 -- $maintainer  $date
CHANGELOG

# The packages of the libraries that the programs name, with the versions whose symbols they use.
mkdir -p "$build/package/debian" "$root/DEBIAN"
printf 'Source: nestwright\n\nPackage: nestwright\nArchitecture: any\n' >"$build/package/debian/control"
libraries=$(cd "$build/package" &&
    dpkg-shlibdeps -O --ignore-missing-info "$root"/usr/bin/* 2>"$build/package/shlibdeps.log" |
    sed -n 's/^shlibs:Depends=//p')
[[ -n $libraries ]] || { cat "$build/package/shlibdeps.log" >&2 && exit 1; }

cat >"$root/DEBIAN/control" <<CONTROL
Package: nestwright
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $libraries, qt6-svg-plugins
Recommends: fonts-inter, fonts-jetbrains-mono, gcc | c-compiler, graphviz, qt6-wayland
Suggests: libopenblas0, ocl-icd-libopencl1
Section: devel
Priority: optional
Homepage: $homepage
Description: explorer of loop schedules
 Nestwright opens a kernel or an ONNX model, shows its graph, lets people
 schedule it by clicking and dragging loops in a tree, shows the loop nest and
 the target source side by side, and measures every variant on the machine.
 Schedules are exported as scripts that run in Apache TVM.
 .
 The program nestc does the same on the command line.
CONTROL
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -type d -exec chmod 755 {} + -o -type f ! -path '*/usr/bin/*' -exec chmod 644 {} +
dpkg-deb --root-owner-group -Zxz ${quick:+-z0} --build "$root" "$deb" >/dev/null
