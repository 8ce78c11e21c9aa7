import { type Glob, NO_SUCH_PATH } from '../recording/probe.ts'
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_TIMEOUT_SECONDS,
  isBrief,
  MAX_ERROR_BYTES,
  type Plan,
  type PlannedCommand,
  SLOW_SUDO,
} from './plan.ts'

/**
 * The only program that runs on a node: POSIX sh (dash, bash, busybox), read from stdin, which writes frames to stdout and stderr. It
 * writes no file on the node, and no part of its text comes from the node. `nonce`: 24 hexadecimal digits; anything else throws.
 *
 * Frames, on both streams (N is the nonce of this run; times are /proc/uptime in seconds):
 *   N H 1 <uid> <epoch> <t|b|o|-> <h|->    header, stdout only: how `timeout` works here (coreutils, busybox, busybox
 *                                          before 1.30, not at all), and whether `head -c` caps output
 *   N B <index> <uptime>                   begin; the exact bytes of the stream follow
 *   \nN E <index> <exit> <uptime>          end; the newline before N belongs to the frame. exit `-` on stderr
 *   N Z <epoch>                            end of the answer
 * A command that needs root, in a session without that right, has exit `n`: it was not run. A command whose device or file does not exist
 * has exit `a`, and its stderr names the path. A command that would go through sudo after sudo exceeded its time limit SLOW_SUDO times in
 * a row has exit `s`: it was skipped.
 */
export function collectorScript(plan: Plan, nonce: string): string {
  if (!/^[0-9a-f]{24}$/.test(nonce)) throw new Error('collectorScript: the nonce is 24 hex digits')
  return `${PROLOGUE.replaceAll('@NONCE@', nonce)
    .replaceAll('@SUDO@', plan.sudo ? 'sudo -n' : 'none')
    .replaceAll('@ERR@', String(MAX_ERROR_BYTES + 1))
    .replaceAll('@SLOW@', String(SLOW_SUDO))
    .replaceAll('@LIMIT@', String(DEFAULT_TIMEOUT_SECONDS * 100))
    .replaceAll('@NO_PATH@', NO_SUCH_PATH)}
${plan.commands.map(line).join('\n')}
z
${plan.echo ? 'exec cat' : 'exit 0'}
`
}

/**
 * The same program for a node without SSH access, preceded by a description for its owner. The nonce is fixed when the script is printed:
 * half of it identifies the plan, so that a transcript is read only against the plan that produced it (see import-transcript.ts).
 */
export function printableScript(plan: Plan, nonce: string): string {
  const live = plan.commands.filter((command) => command.live).length
  const asRoot = plan.commands.filter(({ run }) => run.as === 'root').length
  return `#!/bin/sh
# Barewitness collector for a node without SSH access.
#
# Run it on the node, then carry both files back:
#   sh barewitness-collect.sh >node.out 2>node.out.err
#   barewitness collect --import node.out --node NAME
#
# What it does: puts ${plan.commands.length} questions to this system, one after the other, by the commands below and no others. Each line names
# the question, has a time limit and, where its answer can be long, a limit of bytes, gets no input, and runs at the lowest priority.
# ${asRoot} of the questions need root. ${
    plan.sudo
      ? `Where this is not run by root they are asked last, through “sudo -n”, which never asks for a password,
# and no more once that passed its time limit ${SLOW_SUDO} times in a row.`
      : 'Where this is not run by root they are left out and recorded as not asked.'
  }
${
  live === 0
    ? ''
    : `# ${live} of the questions are live tests, which were asked for: they keep one processor busy, each for some seconds, less than a minute in all.
`
}# What it never does: change a file or a setting, install anything, open a network connection of its own, or read private keys,
# password hashes or the contents of your data. Read it before you run it. The answers are yours: read those as well.
${collectorScript(plan, nonce)}`
}

// Descriptor 6 carries stderr past the cap of stdout; 8 and 9 are the real streams. Starting the programs of a pipeline costs the node more
// than everything else, so the shell itself caps stderr (`e`): it copies lines up to the one with the exit status, which becomes that of the
// pipeline. Beyond the cap it returns 141, as for a broken pipe, and it limits its own memory, since a line may have any length. After a
// time-out it reads to the end: timeout(1) may not signal a sudo that runs as root, and a late message of sudo shows why it was slow.
// A tool is first looked for as a file: for an absent tool, sudo reports “a password is required” where its rules have exact arguments, and
// hardened hosts let only root run some tools. An absent tool has exit 127, with or without the right to run it.
// `m` reports a path as missing only where the last existing folder of the path may be searched; otherwise the command runs. `head -c`
// gets one byte more than the limit, so that the reader can distinguish a complete answer from a truncated one.
//
// Commands with brief answers (see plan.ts) start their tool and nothing else: `d`, and `q` for those of root. One watch, `v`, enforces the
// time limit of all of them. It finds a tool in the list of child processes, and its age by the start time of the process, in hundredths of
// a second on every Linux, counted from the start of `v`, since the uptime of a container may have another origin. A process under `timeout`
// has descriptor 7 open and is not watched. Where any of this cannot be read, W is empty and each command has its own `timeout`. The stderr
// of the shell is closed, so that its message about an ended tool is not part of an answer; a tool that cannot be started runs under
// `timeout`, whose messages are known.
const PROLOGUE = `{
N=@NONCE@
LC_ALL=C; LANG=C; PATH=/usr/sbin:/usr/bin:/sbin:/bin; export LC_ALL LANG PATH
unset ENV BASH_ENV HISTFILE CDPATH IFS TZ COLUMNS LINES POSIXLY_CORRECT GREP_OPTIONS LS_COLORS
umask 077
renice -n 19 -p $$ >/dev/null 2>&1
ionice -c 2 -n 7 -p $$ >/dev/null 2>&1
K=-
if timeout -k 1 5 true </dev/null >/dev/null 2>&1; then K=t
elif timeout 5 true </dev/null >/dev/null 2>&1; then K=b
elif timeout -t 5 true </dev/null >/dev/null 2>&1; then K=o; fi
exec 8>&1 9>&2 2>/dev/null
D=-
if [ "$(printf xy | head -c 1 2>/dev/null)" = x ]; then D=h; fi
R='@SUDO@'
I=$(id -u 2>/dev/null)
if [ "$I" = 0 ]; then R=''
elif ! command -v sudo >/dev/null 2>&1; then R=none; fi
u() { U=0; read -r U V </proc/uptime; }
a() {
  case $U in *[!0-9.]* | *.*.* | .* | *.) return 1 ;; *.*) ;; *) return 1 ;; esac
  T=$((\${U%.*} * 100 + 1\${U#*.} - 100))
}
y() {
  Y=; read -r Y <"/proc/$1/stat" || return 1
  set -- \${Y##*) }
  if [ "$#" -lt 20 ]; then return 1; fi
  shift 19; Y=$1
  case $Y in '' | 0 | *[!0-9]*) return 1 ;; esac
}
v() {
  exec </dev/null >/dev/null 8>&- 9>&-
  s=; trap 'kill $s; exit 0' TERM
  read -r j x </proc/self/stat
  if ! y "$$"; then return; fi
  m=$Y
  if ! y "$j"; then return; fi
  b=$Y; u
  if ! a; then return; fi
  o=$T; h=
  while y "$$" && [ "$Y" = "$m" ]; do
    k=$((@LIMIT@ / 100)); x=
    read -r x <"/proc/$$/task/$$/children"
    for q in $x; do
      if [ "$q" = "$j" ] || [ -e "/proc/$q/fd/7" ] || ! y "$q"; then continue; fi
      u
      if ! a; then continue; fi
      g=$((@LIMIT@ + Y - b - T + o))
      if [ "$g" -gt 0 ]; then k=$(((g + 99) / 100))
      elif [ "$h" = "$q $Y" ]; then kill -9 "$q"; k=2
      else kill "$q"; h="$q $Y"; k=2; fi
    done
    sleep "$k" & s=$!
    wait "$s" || return
  done
}
l() {
  s=$1; shift
  case $K in
    t) exec timeout -k 2 "$s" "$@" ;;
    b) exec timeout "$s" "$@" ;;
    o) exec timeout -t "$s" "$@" ;;
    *) exec "$@" ;;
  esac
}
h() { if [ "$D" = h ]; then exec head -c "$1"; else exec cat; fi; }
e() {
  ulimit -v 65536
  k=@ERR@; y=; z=255
  while IFS= read -r x; do
    case $x in "$N X "*)
      z=\${x##* }
      case $z in 124|137|143) continue ;; *) return "$z" ;; esac ;;
    esac
    if [ "\${#x}" -ge "$k" ]; then
      printf "%s%.\${k}s" "$y" "$x"
      if [ "$z" = 255 ]; then return 141; fi
      return "$z"
    fi
    printf '%s%s' "$y" "$x"
    k=$((k - \${#x} - 1)); y='
'
  done
  return "$z"
} 2>/dev/null
c() {
  if ! f "$4"; then n "$1" 127
  elif [ "$4" = sudo ]; then g "$@"
  else w "$@"; fi
}
S=0
g() {
  if [ "$S" -ge @SLOW@ ]; then n "$1" s; return; fi
  w "$@"
  case $r in 124|137|143) S=$((S + 1)) ;; *) S=0 ;; esac
}
w() {
  i=$1; t=$2; o=$3; shift 3
  u
  printf '%s B %s %s\\n' "$N" "$i" "$U"
  printf '%s B %s %s\\n' "$N" "$i" "$U" >&9
  { { { (l "$t" "$@") </dev/null 6>&- 7>&- 8>&- 9>&-; printf '\\n%s X %s\\n' "$N" "$?" >&2; } 2>&6 | (h "$o") >&8 6>&- 9>&-; } 6>&1 | e >&9; } 7>&9
  r=$?
  u
  printf '\\n%s E %s %s %s\\n' "$N" "$i" "$r" "$U"
  printf '\\n%s E %s - %s\\n' "$N" "$i" "$U" >&9
}
d() {
  if [ ! -e "/proc/$W/fd/0" ] || ! t "$4"; then c "$@"; return; fi
  i=$1; shift 3
  u; a; o=$T
  printf '%s B %s %s\\n' "$N" "$i" "$U"
  printf '%s B %s %s\\n' "$N" "$i" "$U" >&9
  (exec "$@") </dev/null 2>&9 8>&- 9>&-
  r=$?
  u
  if a && [ $((T - o)) -ge @LIMIT@ ] && [ "$r" != 137 ]; then r=124; fi
  printf '\\n%s E %s %s %s\\n' "$N" "$i" "$r" "$U"
  printf '\\n%s E %s - %s\\n' "$N" "$i" "$U" >&9
}
t() {
  for d in /usr/sbin /usr/bin /sbin /bin; do if [ -f "$d/$1" ]; then [ -x "$d/$1" ]; return; fi; done
  return 1
}
q() { if [ -z "$R" ]; then d "$@"; else p "$@"; fi; }
f() {
  for d in /usr/sbin /usr/bin /sbin /bin; do if [ -e "$d/$1" ] || [ -h "$d/$1" ]; then return 0; fi; done
  return 1
}
n() {
  printf '%s B %s 0\\n\\n%s E %s %s 0\\n' "$N" "$1" "$N" "$1" "$2"
  printf '%s B %s 0\\n%s\\n%s E %s - 0\\n' "$N" "$1" "$3" "$N" "$1" >&9
}
p() {
  if ! f "$4"; then n "$1" 127
  elif [ -z "$R" ]; then w "$@"
  elif [ "$R" = none ]; then n "$1" n
  else
    i=$1; t=$2; o=$3; shift 3
    g "$i" "$t" "$o" sudo -n "$@"
  fi
}
m() {
  for q in $1; do
    if [ -e "$q" ] || [ -h "$q" ]; then return 1; fi
    d=\${q%/*}
    until [ -e "$d/" ]; do d=\${d%/*}; done
    if [ ! -x "$d/" ]; then return 1; fi
  done
}
x() {
  if m "$2"; then n "$1" a "@NO_PATH@$2"; else return 1; fi
}
z() {
  printf '%s Z %s\\n' "$N" "$(date +%s)"
  printf '%s Z 0\\n' "$N" >&9
  if [ -n "$W" ]; then kill "$W"; fi
}
W=
u
if [ "$K" != - ] && a && y "$$" && f sleep; then
  v & W=$!
  x=; read -r x <"/proc/$$/task/$$/children"
  case " $x " in *" $W "*) ;; *) kill "$W"; W= ;; esac
fi
printf '%s H 1 %s %s %s %s\\n' "$N" "$I" "$(date +%s)" "$K" "$D"
}`

/**
 * The line of one command: `c` as the user of the session, `p` as root, `d` and `q` the same where the answer is brief, preceded by `x` with
 * the paths that must exist. The shell comment identifies the command to people and to servers that replay recordings.
 */
function line(planned: PlannedCommand): string {
  const { index, probe, command, run } = planned
  if (!/^[a-z0-9.-]+\/[a-zA-Z0-9-]+$/.test(`${probe}/${command}`)) throw new Error(`not a name: ${probe}/${command}`)
  const seconds = run.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS
  const bytes = (run.maxBytes ?? DEFAULT_MAX_BYTES) + 1
  const words = run.argv.map((part) => (typeof part === 'string' ? quoteWord(part) : globWord(part, run.as)))
  const paths = (run.needsPath ?? []).map(neededPath)
  const first = paths.length === 0 ? '' : `x ${index} '${paths.join(' ')}' || `
  const [asUser, asRoot] = isBrief(planned) ? ['d', 'q'] : ['c', 'p']
  return `${first}${run.as === 'root' ? asRoot : asUser} ${index} ${seconds} ${bytes} ${words.join(' ')} # ${probe}/${command}`
}

/** Quotes a word for any POSIX shell (XCU 2.2.2). Throws for NUL and line breaks. */
export function quoteWord(word: string): string {
  if (/[\0\n\r]/.test(word)) throw new Error('a command word may hold no NUL or line break')
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function neededPath(path: string): string {
  if (!/^(\/[A-Za-z0-9_.:-]+)+$/.test(path)) throw new Error(`not a plain path: ${path}`)
  return path
}

const GLOB = /^\/[A-Za-z0-9_.:/*?[\]-]*$/

function globWord({ glob }: Glob, as: 'user' | 'root'): string {
  if (as === 'root') throw new Error('a root command may hold no path pattern: its words must be exact')
  if (!GLOB.test(glob)) throw new Error(`not a path pattern: ${glob}`)
  return glob
}
