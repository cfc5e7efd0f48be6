#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command in Nestwright's build environment, setting the environment up first where it is missing.
#
#   scripts/dev.sh COMMAND [ARGUMENT...]   run COMMAND (default: an interactive shell)
#   scripts/dev.sh --setup-only            only set up
#   scripts/dev.sh --where                 say which environment is used
#
# On Debian 13 and later the packages of scripts/packages.txt are installed with apt and COMMAND runs as it
# is. Anywhere else they live in a private Debian 13 root below the cache folder, entered with bubblewrap.
#
#   NESTWRIGHT_ENV=native|root   overrides that choice
#   NESTWRIGHT_CACHE=DIR         instead of ${XDG_CACHE_HOME:-~/.cache}/nestwright
set -euo pipefail

self=$(readlink -f "${BASH_SOURCE[0]}")
project=${self%/scripts/dev.sh}
package_list=$project/scripts/packages.txt
# shellcheck source=scripts/debian_root.sh
. "$project/scripts/debian_root.sh"
root=$cache/debian-13
stamp=var/lib/nestwright-packages # inside the root: the packages that its last complete apt runs installed

wanted_packages() { sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$package_list"; }

choose_environment() {
    if [[ -n ${NESTWRIGHT_ENV:-} ]]; then
        [[ $NESTWRIGHT_ENV == native || $NESTWRIGHT_ENV == root ]] ||
            die "NESTWRIGHT_ENV is '$NESTWRIGHT_ENV'; it can be 'native' or 'root'"
        echo "$NESTWRIGHT_ENV"
        return
    fi
    local ID='' VERSION_ID='' VERSION_CODENAME=''
    # shellcheck source=/dev/null
    [[ -r /etc/os-release ]] && . /etc/os-release
    if [[ $ID == debian && (${VERSION_ID%%.*} -ge 13 || -z $VERSION_ID) ]]; then
        echo native # no VERSION_ID: testing or unstable
    else
        echo root
    fi
}

# --- native -----------------------------------------------------------------------------------------------

missing_native_packages() {
    local installed
    mapfile -t wanted < <(wanted_packages)
    # shellcheck disable=SC2016 # the ${} are dpkg's
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
        sed -n 's/^installed //p') || true
    printf '%s\n' "${wanted[@]}" | grep -vxFf <(printf '%s\n' "$installed") || true
}

set_up_native() {
    local missing
    mapfile -t missing < <(missing_native_packages)
    ((${#missing[@]})) || return 0
    with_lock
    mapfile -t missing < <(missing_native_packages) # another checkout may have installed them meanwhile
    ((${#missing[@]})) || return 0
    step "reading the package lists" as_root apt-get update "${signed_only[@]}"
    step "installing ${#missing[@]} packages (once; about a minute)" \
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install "${apt_options[@]}" "${missing[@]}"
}

# --- private root -----------------------------------------------------------------------------------------

missing_root_packages() { # of the root $1
    if [[ -r $1/$stamp ]]; then
        wanted_packages | grep -vxFf "$1/$stamp" || true
    else
        wanted_packages
    fi
}

make_root() {
    local making=$cache/debian-13.making
    make_bare_root trixie "$making" "a private Debian 13"
    # No documentation but the licences that our packages pass on, no waiting for the disk file by file: all
    # is written out once, before the root counts as whole.
    as_root tee "$making/etc/dpkg/dpkg.cfg.d/nestwright" >/dev/null <<'CONF'
force-unsafe-io
path-exclude=/usr/share/doc/*
path-include=/usr/share/doc/*/copyright
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
CONF
    as_root tee "$making/etc/apt/apt.conf.d/nestwright" >/dev/null <<'CONF'
Acquire::Languages "none";
APT::Install-Recommends "false";
CONF
    install_into_root "$making"
    as_root sync -f "$making"
    as_root mv "$making" "$root"
}

install_into_root() {
    local where=$1 missing
    mapfile -t missing < <(missing_root_packages "$where")
    ((${#missing[@]})) || return 0
    step "reading the package lists" in_bare_root "$where" apt-get update "${signed_only[@]}"
    step "installing ${#missing[@]} packages into it (once; about two minutes)" \
        in_bare_root "$where" apt-get install "${apt_options[@]}" "${missing[@]}"
    in_bare_root "$where" apt-get clean
    as_root sync -f "$where" # the stamp must not outlive the packages in a crash
    printf '%s\n' "${missing[@]}" | as_root tee -a "$where/$stamp" >/dev/null
}

set_up_root() {
    if [[ -d $root ]] && command -v bwrap >/dev/null && [[ -z $(missing_root_packages "$root") ]]; then
        return
    fi
    with_lock
    install_root_tools "$root"
    if [[ -d $root ]]; then
        install_into_root "$root"
    else
        make_root
    fi
}

enter_root() {
    local flags=(--bind "$root" / --dev-bind /dev /dev --ro-bind /sys /sys --bind /tmp /tmp --die-with-parent
        --ro-bind "$(readlink -f /etc/resolv.conf)" /etc/resolv.conf)
    if ((EUID == 0)); then
        flags+=(--proc /proc)
    else
        flags+=(--dev-bind /proc /proc) # a new proc needs a new pid namespace, in which X locks would lie
    fi

    # The home folder for the user's own kernels, and the project wherever it lies.
    local folder libraries=''
    for folder in "$HOME" "$cache" "$project"; do
        [[ $folder != / ]] || continue
        [[ -d $root$folder ]] || as_root mkdir -p "$root$folder"
        flags+=(--bind "$folder" "$folder")
    done
    if [[ -n ${XDG_RUNTIME_DIR:-} && -d $XDG_RUNTIME_DIR ]]; then # the Wayland socket
        [[ -d $root$XDG_RUNTIME_DIR ]] || as_root mkdir -p "$root$XDG_RUNTIME_DIR"
        flags+=(--bind "$XDG_RUNTIME_DIR" "$XDG_RUNTIME_DIR")
    fi
    if [[ -n ${XAUTHORITY:-} && -r $XAUTHORITY ]]; then
        flags+=(--ro-bind "$XAUTHORITY" /run/nestwright-xauthority
            --setenv XAUTHORITY /run/nestwright-xauthority)
        [[ -e $root/run/nestwright-xauthority ]] || as_root touch "$root/run/nestwright-xauthority"
    fi
    if [[ -d /usr/local/cuda ]]; then
        [[ -d $root/usr/local/cuda ]] || as_root mkdir -p "$root/usr/local/cuda"
        flags+=(--ro-bind "$(readlink -f /usr/local/cuda)" /usr/local/cuda)
        libraries=/usr/local/cuda/lib64
    fi
    if [[ -e /dev/nvidiactl ]]; then # the driver's libraries must match the running kernel module
        [[ -d $root/run/nestwright-gpu ]] || as_root mkdir -p "$root/run/nestwright-gpu"
        flags+=(--tmpfs /run/nestwright-gpu)
        local library
        while read -r library; do
            flags+=(--ro-bind "$library" "/run/nestwright-gpu/${library##*/}")
        done < <(/sbin/ldconfig -p | sed -nE 's/^\s*(libcuda|libnvidia-[a-z0-9-]+)\.so.*x86-64.* => //p')
        libraries+=${libraries:+:}/run/nestwright-gpu
    fi
    flags+=(--setenv PATH /usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin:/usr/local/cuda/bin)
    local variable
    # They speak of the outer system.
    for variable in LD_PRELOAD LD_LIBRARY_PATH PYTHONPATH PYTHONHOME CC CXX; do
        flags+=(--unsetenv "$variable")
    done
    [[ -z $libraries ]] || flags+=(--setenv LD_LIBRARY_PATH "$libraries")

    local here=$project
    case $PWD/ in
    "$project"/* | "$HOME"/* | /tmp/*) here=$PWD ;;
    esac
    exec bwrap "${flags[@]}" --chdir "$here" "$@"
}

# --- both -------------------------------------------------------------------------------------------------

export_variables() {
    mkdir -p "$cache/ccache" "$cache/home"
    export LANG=C.UTF-8 LC_ALL=C.UTF-8
    export CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$project CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=5G
    export CCACHE_SLOPPINESS=pch_defines,time_macros
    export CCACHE_DEPEND=1 # compares the dependencies that GCC wrote, instead of preprocessing first
    export CMAKE_COLOR_DIAGNOSTICS=${CMAKE_COLOR_DIAGNOSTICS:-ON}
    # A program run from a checkout keeps its settings apart from the user's own.
    export XDG_CONFIG_HOME=$cache/home/config XDG_DATA_HOME=$cache/home/data
    export XDG_STATE_HOME=$cache/home/state XDG_CACHE_HOME=$cache/home/cache
    export NESTWRIGHT_CACHE=$cache
}

environment=$(choose_environment)
if [[ ${1:-} == --where ]]; then
    if [[ $environment == root ]]; then echo "$root"; else echo native; fi
    exit
fi
if [[ -n ${NESTWRIGHT_INSIDE:-} ]]; then # called again from inside: nothing to set up or enter
    [[ ${1:-} == --setup-only ]] || exec "${@:-bash}"
    exit 0
fi
"set_up_$environment"
without_lock
[[ ${1:-} != --setup-only ]] || exit 0
(($#)) || set -- bash
export_variables
export NESTWRIGHT_INSIDE=1
if [[ $environment == root ]]; then
    enter_root "$@"
else
    exec "$@"
fi
