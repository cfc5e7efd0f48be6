# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Functions that make a Debian in a folder and run commands in it, for scripts/dev.sh and
# scripts/package_check.sh.
# $cache is the folder that roots lie in, $log takes the output of steps.

cache=${NESTWRIGHT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nestwright}
log=$cache/setup.log
keyring=/usr/share/keyrings/debian-archive-keyring.gpg # whose signatures a root must have

say() { printf 'nestwright: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# Runs a command as the superuser.
as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo -- "$@"
    else
        die "setting up needs the superuser: run this once as root, or install sudo"
    fi
}

# Writes what it reads to the log, and how far apt says it is (downloads count two fifths) to the terminal,
# with the time left; without a terminal every quarter.
follow() {
    local begin=$SECONDS line percent shown=0 left
    while IFS= read -r line; do
        case $line in
        dlstatus:*:*:*) percent=${line#*:*:} percent=$((${percent%%[.:]*} * 2 / 5)) ;;
        pmstatus:*:*:*) percent=${line#*:*:} percent=$((40 + ${percent%%[.:]*} * 3 / 5)) ;;
        *)
            printf '%s\n' "$line" >>"$log"
            continue
            ;;
        esac
        ((percent > shown)) || continue
        [[ -t 2 ]] || ((percent / 25 > shown / 25)) || continue
        shown=$percent
        left=$(((SECONDS - begin) * (100 - percent) / percent))
        [[ ! -t 2 ]] || printf '\r\e[K' >&2
        printf 'nestwright: %d %%, %d:%02d left' "$percent" $((left / 60)) $((left % 60)) >&2
        [[ -t 2 ]] || printf '\n' >&2
    done
    [[ ! -t 2 ]] || printf '\r\e[K' >&2
}

# Runs one step of the setup with its output in the log; shows the end of it after a failure.
step() {
    local what=$1
    shift
    say "$what"
    if ! "$@" 2>&1 </dev/null | follow; then
        tail -n 20 "$log" >&2
        die "failed: $what (whole output: $log)"
    fi
}

# Two checkouts that set up at once do it one after the other.
with_lock() {
    mkdir -p "$cache"
    exec {lock_fd}>"$cache/setup.lock"
    if ! flock -n "$lock_fd"; then
        say "waiting for another checkout to finish setting up"
        flock "$lock_fd"
    fi
    : >"$log"
}
without_lock() { [[ -z ${lock_fd:-} ]] || exec {lock_fd}>&-; }

# What is not signed is refused, whatever the system's own configuration allows.
signed_only=(-o APT::Get::AllowUnauthenticated=false -o Acquire::AllowInsecureRepositories=false
    -o Acquire::AllowDowngradeToInsecureRepositories=false)
apt_options=(-y --no-install-recommends -o APT::Status-Fd=1 -o Acquire::Retries=3 -o DPkg::Lock::Timeout=600
    "${signed_only[@]}")

install_root_tools() { # for the roots $@: those that exist need no debootstrap
    local missing=() each makes=
    for each in "$@"; do
        [[ -d $each ]] || makes=1
    done
    command -v bwrap >/dev/null || missing+=(bubblewrap)
    [[ -z $makes || -x /usr/sbin/debootstrap ]] || command -v debootstrap >/dev/null || missing+=(debootstrap)
    [[ -z $makes || -r $keyring ]] || missing+=(debian-archive-keyring)
    ((${#missing[@]})) || return 0
    command -v apt-get >/dev/null || die "please install ${missing[*]}: this system has no apt-get"
    step "reading the package lists" as_root apt-get update "${signed_only[@]}"
    step "installing ${missing[*]}" \
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install "${apt_options[@]}" "${missing[@]}"
}

# Makes the smallest Debian of the release $1 in the folder $2, with a name for people in $3.
make_bare_root() {
    local debootstrap
    debootstrap=$(command -v debootstrap || echo /usr/sbin/debootstrap)
    as_root rm -rf --one-file-system "$2" # what an interrupted setup left
    step "making $3 below $cache (once; about half a minute)" \
        as_root "$debootstrap" --variant=minbase --force-check-gpg --keyring="$keyring" "$1" "$2"
}

# Runs a command as the superuser inside the root $1, with nothing of this system but its devices, network
# and what the flags of bubblewrap in bare_root_flags bring.
bare_root_flags=()
in_bare_root() {
    local where=$1
    shift
    as_root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        bwrap --bind "$where" / --dev-bind /dev /dev --proc /proc --ro-bind /sys /sys \
        --ro-bind "$(readlink -f /etc/resolv.conf)" /etc/resolv.conf --chdir / "${bare_root_flags[@]}" "$@"
}
