import type { Probe, RunCommand } from './probe.ts'

/**
 * The root-only commands of probes, in catalog order; those of live tests only when wanted. Their words are exact: no root command
 * holds a path pattern.
 */
export const rootCommands = (
  probes: readonly Probe<unknown>[],
  { liveTests = false }: { readonly liveTests?: boolean } = {},
): readonly RunCommand[] =>
  probes
    .filter(({ live }) => live !== true || liveTests)
    .flatMap(({ commands }) =>
      Object.values(commands).filter(
        (command): command is RunCommand => command.kind === 'run' && command.as === 'root',
      ),
    )

// Where distributions keep programs. A path that does not exist grants nothing, so all are named.
const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'] as const

/**
 * A sudoers(5) drop-in that lets one login run exactly these commands as root, with exactly these arguments and no others. Check it with
 * `visudo -cf FILE`, then install it as /etc/sudoers.d/barewitness, mode 0440. Throws on what sudoers cannot say exactly: our bug.
 */
export function sudoersFor(commands: readonly RunCommand[], { user }: { readonly user: string }): string {
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(user)) throw new Error(`not a login name for sudoers: ${user}`)
  const own = commands.filter((command) => !startsAnother(command))
  const starting = commands.filter(startsAnother)
  return `# Barewitness: read-only questions that need root. Exact arguments; nothing else is granted.
# Check:    visudo -cf FILE
# Install:  /etc/sudoers.d/barewitness, owner root, mode 0440
# Every command that is run is also written to the log file named here, by sudo itself.
Defaults:${user} !requiretty, use_pty, env_reset, !setenv, noexec, secure_path="/usr/sbin:/usr/bin:/sbin:/bin", logfile="/var/log/sudo-barewitness.log"
Cmnd_Alias BAREWITNESS = ${granted(own)}
${user} ALL=(root) NOPASSWD: BAREWITNESS
${
  starting.length === 0
    ? ''
    : `# Live tests: taskset pins the one program that its arguments name, so these lines alone may start another program.
Cmnd_Alias BAREWITNESS_PINNED = ${granted(starting)}
${user} ALL=(root) NOPASSWD: EXEC: BAREWITNESS_PINNED
`
}`
}

const startsAnother = ({ argv }: RunCommand): boolean => argv[0] === 'taskset'

const granted = (commands: readonly RunCommand[]): string => [...new Set(commands.flatMap(linesOf))].join(', \\\n    ')

function linesOf({ argv }: RunCommand): readonly string[] {
  const [program, ...words] = argv.map((part) => {
    if (typeof part !== 'string') throw new Error('a root command may hold no path pattern')
    return part
  })
  return FOLDERS.map((folder) => `${folder}/${program} ${exactly(words)}`)
}

/**
 * These words and no others, for sudoers(5). sudo compares the words joined by spaces, by fnmatch(3) where a special character occurs:
 * a backslash must survive both the reading of the file and fnmatch, `*?[]!` only the latter, and `,:=#` only the former. Other
 * characters may not be escaped. More than one space in a row (an empty word) is written with escaped spaces.
 */
function exactly(words: readonly string[]): string {
  if (words.length === 0) return '""'
  const joined = words.join(' ')
  // From sudo 1.9.10 on, arguments from ^ to $ are a regular expression; older ones cannot read the escape.
  if (joined.startsWith('^')) throw new Error('the first word of a root command may not begin with ^')
  if (/[^ -~]/.test(joined)) throw new Error('the words of a root command are printable ASCII')
  return joined
    .replaceAll('\\', '\\\\\\\\')
    .replaceAll(/[*?[\]!,:=#]/g, '\\$&')
    .replaceAll(/^ | $|(?<= ) /g, '\\ ')
}
