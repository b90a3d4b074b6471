#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing of the Debian packages in deps/packages, and nothing else.
#
#   deps/install.sh [GROUP ...]    groups: build run test lint bench (none named: build run)
#   deps/install.sh --test         everything that `make test` needs
#   deps/install.sh --list [GROUP ...]    what it would install
#   deps/install.sh --check        is what the build needs there? Says what is missing; installs nothing, needs no dpkg
#
# With nothing missing it is silent and asks neither the network nor for root.
# The daemons among the packages (redis-server, nsd, the bench peers) are installed but not started: tests and
# benchmarks start their own on their own ports.
set -eu
cd "$(dirname "$0")/.."

list=
groups=()
for arg in "$@"; do
    case $arg in
    --test) groups+=(build run test) ;;
    --list) list=yes ;;
    --check) groups=(check) ;;
    build | run | test | lint | bench) groups+=("$arg") ;;
    *) sed -n '3,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
    esac
done
[ ${#groups[@]} -gt 0 ] || groups=(build run)

# Column three says how to see that a package is there where dpkg is not asked: a header, or a program.
if [ "${groups[0]}" = check ]; then
    missing=
    while read -r group package probe; do
        case $group:$probe in
        build:bin:*) command -v "${probe#bin:}" >/dev/null || missing+=" $package" ;;
        build:*.h) echo "#include <$probe>" | ${CC:-gcc} -D_GNU_SOURCE -fsyntax-only -x c - 2>/dev/null || missing+=" $package" ;;
        esac
    done < <(grep -v '^#' deps/packages)
    [ -z "$missing" ] && exit 0
    echo "The build needs packages that are not there:$missing" >&2
    echo "Run deps/install.sh, then make again." >&2
    exit 1
fi

wanted=()
while read -r group package _; do
    for g in "${groups[@]}"; do [ "$g" = "$group" ] && wanted+=("$package"); done
done < <(grep -v '^#' deps/packages)

if ! command -v dpkg-query >/dev/null; then
    echo "deps/install.sh knows Debian and its kin only; elsewhere install what deps/README.md lists." >&2
    exit 1
fi
declare -A have=()
while read -r package status; do
    [ "$status" = installed ] && have[$package]=1
done < <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do [ -n "${have[$package]:-}" ] || missing+=("$package"); done
[ ${#missing[@]} -gt 0 ] || exit 0
if [ -n "$list" ]; then printf '%s\n' "${missing[@]}"; exit 0; fi

sudo=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "These packages are missing: ${missing[*]}" >&2
        echo "Installing them needs root or sudo, and here is neither; ask someone who has it to run deps/install.sh." >&2
        exit 1
    fi
    sudo=sudo
fi

# Debian's way to say "start nothing": a policy-rc.d that answers 101. One that is there already is left alone.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
    trap '$sudo rm -f $policy' EXIT
    printf '#!/bin/sh\nexit 101\n' | $sudo tee $policy >/dev/null
    $sudo chmod 755 $policy
fi

echo "Installing: ${missing[*]}"
apt() { $sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -q -y -o Dpkg::Use-Pty=0 "$@" </dev/null; }
log=$(mktemp)
if ! { apt update && apt install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -30 "$log" >&2
    rm -f "$log"
    echo "apt-get could not install: ${missing[*]}" >&2
    exit 1
fi
rm -f "$log"
