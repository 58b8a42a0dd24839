#!/bin/sh
# Sees to what `make` cannot put into the virtual environment: Python >= 3.11 with venv and headers, a C++ compiler
# and, with the argument "java", Java >= 17 for PySpark, with "spin" the model checker and a C compiler for what it
# writes, with "chromium" the browser that the report is tried in, with "valgrind" what counts instructions, or with
# "ccache" what keeps a compiler from doing the same twice. Where something is missing and the user may install Debian
# packages, it does; else it stops with the one command to type.
# Usage: prerequisites.sh PYTHON [java|spin|chromium|valgrind|ccache]
set -eu
LC_ALL=C # words of other programs are looked for below
export LC_ALL

python=$1
needed=${2:-}
packages=
reasons=

stop() {
    printf 'streambench: %s\n' "$*" >&2
    exit 1
}

miss() { # miss PACKAGE REASON
    packages="$packages $1"
    reasons="${reasons:+$reasons, }$2"
}

java_major() { # of the program $1; prints 0 where it does not run
    line=$("$1" -version 2>&1 | sed -n 's/.*version "\([0-9][0-9.]*\).*/\1/p' | head -n 1)
    case $line in
        '') echo 0 ;;
        1.*) line=${line#1.}; echo "${line%%.*}" ;; # Java 8 calls itself 1.8
        *) echo "${line%%.*}" ;;
    esac
}

java_package() { # the oldest that PySpark runs on and this release of Debian or Ubuntu has
    for name in openjdk-17-jre-headless openjdk-21-jre-headless default-jre-headless; do
        if [ -n "$(apt-cache policy "$name" 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9].*\)/\1/p')" ]; then
            echo "$name"
            return
        fi
    done
    echo openjdk-17-jre-headless
}

command -v "$python" >/dev/null 2>&1 ||
    stop "there is no $python; install Python 3.11 or newer, or name yours: make PYTHON=/path/to/python3 ..."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    stop "$("$python" -V 2>&1) is too old, 3.11 is needed; name a newer one: make PYTHON=python3.12 ..."

# Debian splits Python: only an interpreter that lies in /usr/bin can be completed by its packages.
short=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
owner=$("$python" -c 'import os, sys; print(os.path.dirname(os.path.realpath(sys.executable)))')
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    miss "python$short-venv" "Python's venv module"
"$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
    miss "python$short-dev" "Python's C headers"
if [ -n "$packages" ] && [ "$owner" != /usr/bin ]; then
    stop "$("$python" -V 2>&1) in $owner lacks $reasons; install a complete Python and name it: make PYTHON=..."
fi

compiler=${CXX:-c++}
command -v "${compiler%% *}" >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || miss g++ "a C++ compiler"

if [ "$needed" = java ]; then
    if [ -n "${JAVA_HOME:-}" ]; then
        major=$(java_major "$JAVA_HOME/bin/java")
        [ "$major" -ge 17 ] ||
            stop "JAVA_HOME does not lead to Java 17 or newer (found: $major; 0 is none); unset it or set it to one"
    elif [ "$(java_major java)" -lt 17 ]; then
        miss JAVA "Java 17 or newer"
    fi
elif [ "$needed" = spin ]; then
    command -v spin >/dev/null 2>&1 || miss spin "the model checker Spin"
    cc=${CC:-cc}
    command -v "${cc%% *}" >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 || miss gcc "a C compiler"
elif [ "$needed" = chromium ]; then
    command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 ||
        miss chromium "the browser Chromium"
elif [ "$needed" = valgrind ]; then
    command -v valgrind >/dev/null 2>&1 || miss valgrind "Valgrind"
elif [ "$needed" = ccache ]; then
    command -v ccache >/dev/null 2>&1 || miss ccache "the compiler's cache ccache"
fi

[ -n "$packages" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    case "$(uname -s) $packages" in
        Darwin*" spin"*) stop "$reasons missing; type: brew install spin" ;;
        Darwin*" chromium"*) stop "$reasons missing; type: brew install --cask chromium" ;;
        Darwin*JAVA*) stop "$reasons missing; type: brew install openjdk@17, then set JAVA_HOME to it" ;;
        Darwin*) stop "$reasons missing; type: xcode-select --install" ;;
    esac
    case $packages in
        *" spin"*) stop "$reasons missing; build Spin from https://spinroot.com and put it on the PATH" ;;
    esac
    if command -v dnf >/dev/null 2>&1; then
        names=$(printf '%s' "$packages" | sed -e 's/JAVA/java-21-openjdk-headless/' -e 's/g++/gcc-c++/' \
            -e "s/python$short-venv//" -e "s/python$short-dev/python3-devel/")
        stop "$reasons missing; type: sudo dnf install$names"
    fi
    stop "$reasons missing; install them with your system's package manager"
fi

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    names=$(printf '%s' "$packages" | sed "s/JAVA/$(java_package)/")
    stop "$reasons missing; type: sudo apt-get update && sudo apt-get install -y --no-install-recommends$names"
fi

printf 'streambench: %s missing; installing Debian packages\n' "$reasons" >&2
$as_root apt-get update -q
names=$(printf '%s' "$packages" | sed "s/JAVA/$(java_package)/") # only now are the lists there to choose from
# shellcheck disable=SC2086 # one word for each package
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $names ||
    stop "the packages could not be installed; type: sudo apt-get install -y --no-install-recommends$names"
if [ "$needed" = java ] && [ -z "${JAVA_HOME:-}" ] && [ "$(java_major java)" -lt 17 ]; then
    stop "an older Java comes first on the PATH; set JAVA_HOME to the new one (see /usr/lib/jvm)"
fi
