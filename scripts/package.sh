#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes packages of both programs: a .deb for Debian 13, and a bundle, which runs where it lies on any Linux.
#   scripts/package.sh                   of the release preset, which it builds; they go to out/packages
#   scripts/package.sh --build-dir DIR   of this build
#   scripts/package.sh --output DIR      they go there
#   scripts/package.sh --check           starts them in bare Debian 12 and 13 too (scripts/package_check.sh)
#   scripts/package.sh --quick           compresses little: for checking
set -euo pipefail
from=$PWD
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
# shellcheck source=scripts/debian_root.sh
. scripts/debian_root.sh

build='' output=$PWD/out/packages check='' quick='' level=-6
while (($#)); do
    case $1 in
    --build-dir)
        build=$(cd "$from" && realpath "${2:?"--build-dir needs a folder"}")
        shift
        ;;
    --output)
        output=$(cd "$from" && realpath -m "${2:?"--output needs a folder"}")
        shift
        ;;
    --check) check=1 ;;
    --quick) quick=quick level=-0 ;;
    *) die "unknown argument '$1'; see the top of scripts/package.sh" ;;
    esac
    shift
done

if [[ -n $build ]]; then
    scripts/dev.sh cmake --build "$build" --target nestc nestwright bundle
else
    build=$PWD/build/release
    scripts/build.sh release nestc nestwright bundle
fi
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
deb=$output/nestwright_${version}_amd64.deb
bundle=$output/nestwright-$version-x86_64.tar.xz
folder=$build/package/nestwright-$version-x86_64
mkdir -p "$output" "$build/package"

# A root of ours that was made without documentation lacks the licences of the packages $@.
fetch_licences() {
    local where in=(as_root)
    where=$(scripts/dev.sh --where)
    [[ $where == native ]] || in=(in_bare_root "$where")
    with_lock
    step "reading the package lists" "${in[@]}" apt-get update "${signed_only[@]}"
    # shellcheck disable=SC2016 # its variables are the inner shell's
    step "fetching the licences of $# packages (once)" "${in[@]}" bash -euc '
        folder=$(mktemp -d) && cd "$folder"
        take() { # whose documentation may be a link to that of another package
            [ -e "$(echo "$1"_*.deb)" ] || apt-get download "$1"
            dpkg-deb --fsys-tarfile "$1"_*.deb |
                tar -x --wildcards "./usr/share/doc/*/copyright" "./usr/share/doc/$1" || true
            if [ -L "usr/share/doc/$1" ]; then
                local other
                other=$(readlink "usr/share/doc/$1")
                rm "usr/share/doc/$1"
                [ -e "usr/share/doc/$other/copyright" ] || take "$other"
            fi
        }
        apt-get download "$@"
        for package in "$@"; do take "$package"; done
        cp -a usr/share/doc/. /usr/share/doc/
        rm -rf "$folder"' bash "$@"
    without_lock
}

make_bundle() {
    local status=0 missing
    missing=$(scripts/dev.sh python3 scripts/package_bundle.py "$build" "$folder") || status=$?
    if ((status == 3)); then
        # shellcheck disable=SC2086 # one name a word
        fetch_licences $missing
        scripts/dev.sh python3 scripts/package_bundle.py "$build" "$folder"
    elif ((status)); then
        return "$status"
    fi
    # shellcheck disable=SC2016
    scripts/dev.sh bash -euo pipefail -c \
        'tar -C "$1" --owner=0 --group=0 --numeric-owner --sort=name -cf - "$2" | xz -T0 "$3" >"$4"' \
        bash "${folder%/*}" "${folder##*/}" "$level" "$bundle"
}

make_bundle
scripts/dev.sh scripts/package_deb.sh "$build" "$deb" "$quick"
[[ -z $check ]] || scripts/package_check.sh "$deb" "$bundle"

echo "package: $(du -m "$deb" | cut -f1) MB $deb"
echo "package: $(du -m "$bundle" | cut -f1) MB $bundle; unpacked $(du -sm "$folder" | cut -f1) MB"
