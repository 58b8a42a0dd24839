#!/bin/sh
# Measures all that this pack holds, without a network, and leaves one archive. `run.sh --help` says how.
set -eu
unset CDPATH # `cd` would print where it went
export PYTHONSAFEPATH=1 # the current folder may hold a random.py
pack=$(cd "$(dirname "$0")" && pwd)
needs="numpy pyarrow pandas matplotlib jinja2 psutil"

usage() {
    cat <<TEXT
usage: run.sh [--budget 10m] [--out FOLDER] [--parts PART,..] [--dry-run [--cores N]]

Measures on all cores of this machine for as long as --budget says, and leaves a report and an archive of results in
FOLDER (default: streambench-evaluation in the current folder). The same command with more time goes on. Takes x86-64 Linux with glibc 2.34 and the libstdc++ of GCC 12
or newer, Python @PYTHON@, and $needs; PYTHON names another interpreter:
  PYTHON=/opt/python/bin/python3 ./run.sh --budget 8m --out results
Bring the archive back, then: streambench import-results ARCHIVE
TEXT
}

stop() {
    printf 'run.sh: %s\n' "$*" >&2
    exit 1
}

[ -f "$pack/pack.json" ] && [ -d "$pack/wheels" ] && [ -d "$pack/data" ] ||
    stop "$pack is no whole pack: copy the folder as a whole, and call the run.sh in it, no link to it"

fits() { "$1" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] != "@PYTHON@")' >/dev/null 2>&1; }

out=streambench-evaluation
next=
for word in "$@"; do
    case $word in
        -h | --help) usage; exit 0 ;;
        --out=*) out=${word#--out=} ;;
        *) [ "$next" != --out ] || out=$word ;;
    esac
    next=$word
done
case $next in --out | --budget | --parts | --cores) stop "$next needs a value: see run.sh --help" ;; esac

python=
if [ -n "${PYTHON:-}" ]; then
    fits "$PYTHON" || stop "PYTHON names $PYTHON, which is no Python @PYTHON@: name one as PYTHON=/path/to/python3"
    python=$PYTHON
else
    for each in python3 python@PYTHON@; do
        if fits "$each"; then python=$each; break; fi
    done
fi
[ -n "$python" ] || stop "this pack is for Python @PYTHON@, which is not there: name it as PYTHON=/path/to/python3, or pack for yours (make pack PACK_PYTHON=3.x)"
python=$(command -v "$python")
case $python in /*) ;; *) python=$(pwd)/$python ;; esac # it is called from another folder, too
for each in $needs; do
    "$python" -c "import $each" 2>/dev/null || stop "$python lacks $each: install it, or name another interpreter as PYTHON=/path/to/python3"
done

mkdir -p -- "$out" 2>/dev/null && out=$(cd -- "$out" && pwd) ||
    stop "$out cannot be made: name another folder with --out"
case $out in *:*) stop "$out has a colon, which Python's module path cannot hold: name another folder with --out" ;; esac
{ : >"$out/install.log"; } 2>/dev/null || stop "$out cannot be written: make room, or name another folder with --out"
site=$out/site
made_of=$(cat "$pack/pack.json" && cd "$pack/wheels" && cksum ./*.whl)
if [ "$(cat "$site/.whole" 2>/dev/null)" != "$made_of" ]; then
    rm -rf "$site"
    echo "run.sh: installing into $site" >&2
    if ! "$python" -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --disable-pip-version-check \
        --target "$site" "$pack"/wheels/*.whl 2>"$out/install.log"; then
        rm -rf "$site"; mkdir -p "$site" # a Python without pip: a wheel is a zip file
        for wheel in "$pack"/wheels/*.whl; do
            "$python" -m zipfile -e "$wheel" "$site" 2>>"$out/install.log" ||
                stop "$wheel cannot be unpacked into $site: make room (30 MB); $out/install.log has the details"
        done
    fi
    printf '%s\n' "$made_of" >"$site/.whole"
fi

# A home may be read-only, or not there; a cluster's modules may bring NumPy and others by PYTHONPATH.
export PYTHONPATH="$site${PYTHONPATH:+:$PYTHONPATH}" PYTHONUTF8=1 PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE="${PYTHONNOUSERSITE:-}"
export HOME="$out" XDG_CACHE_HOME="$out/cache" XDG_CONFIG_HOME="$out/cache" MPLCONFIGDIR="$out/cache" TMPDIR="${TMPDIR:-/tmp}"
export STREAMBENCH_COMMIT="@COMMIT@"
[ -d "$TMPDIR" ] && [ -w "$TMPDIR" ] || { mkdir -p "$out/tmp"; TMPDIR=$out/tmp; }
cd "$out"
"$python" -c "import streambench.execution.engines, streambench.pyx.front.thread_crew" 2>"$out/install.log" ||
    stop "the package does not load here, which takes glibc 2.34 and the libstdc++ of GCC 12 or newer: $out/install.log says why"
exec "$python" -m streambench evaluate --data "$pack/data/queries" --sweep-data "$pack/data/sweep" "$@" --out "$out"
