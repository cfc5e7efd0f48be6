#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Starts the packages of scripts/package.sh in systems where nothing is installed: the bundle in Debian 12 and
# 13, the .deb, installed by apt, in Debian 13:  scripts/package_check.sh FILE.deb BUNDLE.tar.xz [--lintian]
# The bare systems are kept in the cache folder. Where they cannot be made (no network), it says so and checks
# nothing.
set -euo pipefail
deb=$(realpath "$1") bundle=$(realpath "$2") lintian=${3:-}
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
# shellcheck source=scripts/debian_root.sh
. scripts/debian_root.sh

declare -A codenames=([12]=bookworm [13]=trixie)
scratch=$(mktemp -d)
installed=$cache/bare-debian-13.installed # a copy, in which the .deb is installed
display=
cleanup() {
    [[ -z $display ]] || { echo >"$scratch/end" && wait "$display"; } || true
    as_root rm -rf --one-file-system "$scratch" "$installed"
}
trap cleanup EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

bare() { echo "$cache/bare-debian-$1"; }

make_bare_roots() {
    local release
    with_lock
    install_root_tools "$(bare 12)" "$(bare 13)"
    for release in 12 13; do
        [[ ! -d $(bare $release) ]] || continue
        make_bare_root "${codenames[$release]}" "$(bare $release).making" "a bare Debian $release"
        as_root mv "$(bare $release).making" "$(bare $release)"
    done
    without_lock
}

# A display of the build environment, whose socket the bare systems see.
begin_display() {
    mkfifo "$scratch/number" "$scratch/end"
    # shellcheck disable=SC2016 # its variables are the inner shell's
    scripts/dev.sh scripts/with_display.sh \
        bash -c 'echo "$DISPLAY" >"$1/number"; read -r <"$1/end"' bash "$scratch" &
    display=$!
    read -r -t 60 number <"$scratch/number" || die "there is no display to check the window on"
}

# Both programs, named by the folder $2, do their work in the root $1.
check_programs() {
    local where=$1 programs=$2
    bare_root_flags+=(--tmpfs /tmp --ro-bind scripts/package_check_inside.sh /tmp/check.sh
        --bind "$scratch/pictures" /tmp/pictures --bind /tmp/.X11-unix /tmp/.X11-unix
        --setenv DISPLAY "$number")
    in_bare_root "$where" bash /tmp/check.sh "$programs" "$3"
}

check_bundle() {
    local bare_root_flags=(
        --ro-bind "$scratch/unpacked/$(ls "$scratch/unpacked")" "/opt/nest wright" --remount-ro /)
    echo "package: the bundle in a bare Debian $1"
    check_programs "$(bare "$1")" "/opt/nest wright/bin" "bundle-debian-$1"
}

check_deb() {
    local archives=$cache/bare-archives # so that the next check does not fetch them again
    echo "package: the .deb in a bare Debian 13"
    mkdir -p "$archives/partial"
    as_root rm -rf --one-file-system "$installed"
    as_root cp -a --reflink=auto "$(bare 13)" "$installed"
    local bare_root_flags=(--bind "$archives" /var/cache/apt/archives --ro-bind "$deb" "/mnt/${deb##*/}")
    if ! (step "reading the package lists" in_bare_root "$installed" apt-get update "${signed_only[@]}"); then
        echo "package: skipped the .deb, whose dependencies cannot be fetched here"
        return
    fi
    step "installing it" in_bare_root "$installed" apt-get install "${apt_options[@]}" \
        -o DPkg::Options::=--force-unsafe-io "/mnt/${deb##*/}"
    if [[ -n $lintian ]]; then
        step "installing lintian" in_bare_root "$installed" apt-get install "${apt_options[@]}" lintian
        in_bare_root "$installed" lintian --allow-root --info --display-info "/mnt/${deb##*/}" || true
    fi
    bare_root_flags=()
    check_programs "$installed" /usr/bin deb-debian-13
}

mkdir -p "$scratch/pictures" "$scratch/unpacked"
if ! (make_bare_roots) || ! in_bare_root "$(bare 12)" true; then
    echo "package: skipped the check in bare systems, which cannot be made or entered here"
    exit 0
fi
tar -C "$scratch/unpacked" -xJf "$bundle"
begin_display
check_bundle 12
check_bundle 13
check_deb
[[ -z ${NESTWRIGHT_CHECK_PICTURES:-} ]] || cp -r "$scratch/pictures/." "$NESTWRIGHT_CHECK_PICTURES"
