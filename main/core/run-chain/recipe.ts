import { CHAIN_PATHS } from './notes.ts'

/**
 * Lines of POSIX sh, for a shell with `set -eu` in the folder of an unpacked pack that has CHAIN_PATHS.inclusion: they stop with a
 * failure unless the hash of the previous run’s line gives, along the path, the root stated by the pack (RFC 9162 §2.1.3.2).
 * Only digits and hexadecimal characters from the files are used in arithmetic or arguments, because the files are untrusted.
 */
export const inclusionRecipe = (): readonly string[] => [
  `count() { sed -n "s/^$1 \\([0-9]\\{1,9\\}\\)\\$/\\1/p" ${CHAIN_PATHS.inclusion}; }`,
  `digests() { sed -n "s/^$1 \\([0-9a-f]\\{64\\}\\)\\$/\\1/p" ${CHAIN_PATHS.inclusion}; }`,
  `parent() { for byte in $(echo "01$1$2" | fold -w2); do printf "\\\\$(printf %o "0x$byte")"; done | sha256sum | cut -c1-64; }`,
  'at=$(count index) last=$(($(count size) - 1))',
  `sed -n "$((at + 1))s/^{\\"entry\\":\\(.*\\),\\"signature\\":null}\\$/\\1/p" ${CHAIN_PATHS.entries} > ../entry.txt`,
  "hash=$({ printf '\\000'; tr -d '\\n' < ../entry.txt; } | sha256sum | cut -c1-64)",
  'test "$hash" = "$(digests leaf)"',
  'for sibling in $(digests path); do',
  '  if [ $((at % 2)) = 1 ] || [ "$at" = "$last" ]; then',
  '    hash=$(parent "$sibling" "$hash")',
  '    while [ $((at % 2)) = 0 ] && [ "$at" != 0 ]; do at=$((at / 2)) last=$((last / 2)); done',
  '  else hash=$(parent "$hash" "$sibling"); fi',
  '  at=$((at / 2)) last=$((last / 2))',
  'done',
  'test "$last" = 0',
  `grep -qF "\\"root\\":\\"$hash\\"" ${CHAIN_PATHS.chain}`,
  'echo "The run chain of this pack contains the pack whose tagmanifest-sha256.txt has the SHA-256"',
  `sed 's/.*"tagManifest":"\\([0-9a-f]*\\)".*/\\1/' ../entry.txt`,
]
