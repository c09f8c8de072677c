#!/usr/bin/env bash
# Sees to it that there is a Chromium for the tests of the lecture player. Does nothing where there is one.
set -euo pipefail

say() { printf '%s\n' "browser: $*" >&2; }

for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done
if command -v apt-get >/dev/null; then
    root=""
    [ "$(id -u)" = 0 ] || root=sudo
    say "installing chromium"
    $root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends chromium >/dev/null
else
    say "no Chromium is installed here: the tests of the lecture player are skipped; install one as chromium"
fi
