#!/usr/bin/env bash
# Runs `npm ci && npm test` of this working tree in a Debian 12 root that holds nothing but npm and the Node of this shell: no xxd, no ssh, no openssl, no ps, no git.
# Needs root and mmdebstrap. Usage: test/support/bare-root.sh [COMMAND...] (default: both)
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" = 0 ] || { echo 'bare-root.sh needs root' >&2; exit 1; }
command -v mmdebstrap >/dev/null || { echo 'bare-root.sh needs mmdebstrap' >&2; exit 1; }
cache=${BARE_ROOT:-$top/.cache/bare-root}
if [ ! -e "$cache/etc/debian_version" ]; then
  mkdir -p "$cache"
  mmdebstrap --quiet --variant=minbase --include=libstdc++6 bookworm "$cache" >/dev/null
fi
root=$(mktemp -d)
work=$(mktemp -d)
trap 'for at in repo proc dev tmp ""; do umount -l "$root/$at" 2>/dev/null || true; done; umount -l "$work"; rmdir "$work" "$root"' EXIT
# What is written goes away at the end: root and working tree lie below a layer in memory.
mount -t tmpfs tmpfs "$work" -o size=8g
mkdir -p "$work"/{u,w,ru,rw}
mount -t overlay overlay -o "lowerdir=$cache,upperdir=$work/u,workdir=$work/w" "$root"
mkdir -p "$root/repo"
mount -t overlay overlay -o "lowerdir=$top,upperdir=$work/ru,workdir=$work/rw" "$root/repo"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
# Node and npm as this machine has them; everything else stays out.
node=$(readlink -f "$(command -v node)")
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
install -m 755 "$node" "$root/usr/local/bin/node"
mkdir -p "$root/usr/local/lib/node_modules"
cp -r "$npm" "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
for tool in xxd ssh openssl git ps pdftotext qpdf unzip; do
  ! chroot "$root" sh -c "command -v $tool" >/dev/null || { echo "the root is not bare: it has $tool" >&2; exit 1; }
done
# The way to the registry, as npm has it here. Left alone, npm looks for its settings beside the node that runs it, which may be another one.
cp /etc/resolv.conf /etc/hosts "$root/etc/"
settings=$(dirname "$(dirname "$(dirname "$npm")")")/etc/npmrc
registry=$(npm config get registry --globalconfig "$settings" 2>/dev/null)
authorities=$(npm config get cafile --globalconfig "$settings" 2>/dev/null)
[ -f "$authorities" ] && cp "$authorities" "$root/etc/registry.pem"
cat >"$root/root/.npmrc" <<RC
registry=$registry
$([ -f "$authorities" ] && echo cafile=/etc/registry.pem)
RC
[ $# -gt 0 ] || set -- sh -c 'npm ci && npm test'
chroot "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root LANG=C.UTF-8 CI=true TMPDIR=/tmp \
  sh -c 'cd /repo && exec "$@"' sh "$@"
