#!/usr/bin/env bash
# Sets up .venv with everything that rendering and testing need. Does nothing where that was done before for the same
# pyproject.toml. Asks for system packages only where one is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '%s\n' "setup: $*" >&2; }
stop() { say "$*"; exit 3; }

python=${PYTHON:-python3}
stamp=.venv/attnviz-setup

# Set-up depends on what is to be installed, on the Python it is for, and on where the checkout lies.
wanted() { { cat pyproject.toml scripts/setup.sh; "$python" --version 2>&1; pwd; } | cksum; }

python_is_new() { "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# pycairo and manimpango come as source: they need a C compiler, Python's headers, and those of cairo and pango.
system_is_ready() {
    command -v cc >/dev/null && command -v pkg-config >/dev/null && pkg-config --exists cairo pangocairo &&
        "$python" -c 'import ensurepip, os, sysconfig
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2>/dev/null
}

install_system_packages() {
    local packages="build-essential libpango1.0-dev pkg-config python3-dev python3-venv"
    if command -v apt-get >/dev/null; then
        local root=""
        [ "$(id -u)" = 0 ] || root=sudo
        say "installing $packages"
        $root apt-get update -qq
        DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $packages >/dev/null
    elif command -v dnf >/dev/null; then
        stop "first run: sudo dnf install gcc python3-devel pkg-config cairo-devel pango-devel"
    elif command -v pacman >/dev/null; then
        stop "first run: sudo pacman -S base-devel cairo pango"
    elif command -v brew >/dev/null; then
        stop "first run: brew install cairo pango pkg-config"
    else
        stop "first install a C compiler, pkg-config, and the headers of Python, cairo and pango"
    fi
}

[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(wanted)" ] && [ -x .venv/bin/python ] && exit 0

command -v "$python" >/dev/null && { python_is_new || stop "$python is older than Python 3.11; name another: PYTHON=python3.12 make setup"; }
system_is_ready || install_system_packages
python_is_new || stop "$python is not Python 3.11 or newer; name one: PYTHON=python3.12 make setup"
system_is_ready || stop "a compiler or the headers of Python, cairo or pango are still missing for $python"
say "installing Python packages into .venv (some minutes the first time)"
[ -x .venv/bin/python ] && .venv/bin/python -c pass 2>/dev/null || "$python" -m venv --clear .venv
.venv/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
.venv/bin/python -m pip install --quiet --editable . --group dev
wanted >"$stamp"
say "done: .venv/bin/python cli.py doctor looks at the rest"
