#!/bin/sh
# What the build needs from the machine: Python >= 3.11 with venv, a C++ compiler (Annoy is built from source), git.
# As root on a Debian system it installs what is missing; otherwise it says what to install.
set -eu
python=${PYTHON:-python3}
missing=""

command -v c++ >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || missing="$missing g++"
command -v git >/dev/null 2>&1 || missing="$missing git"
if command -v "$python" >/dev/null 2>&1; then
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
        echo "policylang needs Python 3.11 or newer; $python is $("$python" -V 2>&1)." >&2
        exit 2
    }
    "$python" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
    header=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h
    [ -f "$header" ] || missing="$missing python3-dev"
else
    missing="$missing python3 python3-venv python3-dev"
fi

[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing:$missing"
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "Missing:$missing" >&2
    echo "On Debian or Ubuntu: sudo apt-get install$missing" >&2
    exit 2
fi
