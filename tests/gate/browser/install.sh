#!/usr/bin/env bash
# install.sh FOLDER: put Pyodide into FOLDER, and make sure that Node and Chromium are there.
# Does nothing where they are; says in one line what to install where it can't.
set -euo pipefail

pyodide=314.0.8
folder=${1:?usage: install.sh FOLDER}

fail() {
    echo "error: $*" >&2
    exit 1
}

# Debian's packages, as root only: on a person's own machine the person installs them.
from_debian() {
    echo "installing $* with apt-get"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get -qq update && apt-get -qq install --yes --no-install-recommends "$@"; } >/dev/null ||
        fail "apt-get could not install $*; install them yourself, then run this again"
}

has() { command -v "$1" >/dev/null 2>&1; }
has_chromium() { has chromium || has chromium-browser || has google-chrome; }

missing=()
has node && has npm || missing+=(nodejs npm)
has_chromium || missing+=(chromium)
if ((${#missing[@]})); then
    if [[ $(id -u) -ne 0 ]] || ! has apt-get; then
        fail "the browser tests need ${missing[*]}: install them, then run this again"
    fi
    from_debian "${missing[@]}"
fi

major=$(node --print 'process.versions.node.split(".")[0]')
((major >= 18)) || fail "the browser tests need Node 18 or newer, not $(node --version)"

manifest=$folder/node_modules/pyodide/package.json
if [[ -f $manifest ]] && grep -q "\"version\": \"$pyodide\"" "$manifest"; then
    exit 0
fi
mkdir -p "$folder"
npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --no-save --loglevel=error \
    "pyodide@$pyodide" || fail "npm could not install pyodide@$pyodide; check its registry setting"
[[ -f $manifest ]] || fail "npm put no pyodide into $folder; remove the folder, then run this again"
