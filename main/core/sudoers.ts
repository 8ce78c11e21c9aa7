import type { Probe, RunCommand } from './probe.ts'

/** The root-only commands of probes, in catalog order. Their words are exact: no root command holds a path pattern. */
export const rootCommands = (probes: readonly Probe<unknown>[]): readonly RunCommand[] =>
  probes.flatMap(({ commands }) =>
    Object.values(commands).filter((command): command is RunCommand => command.kind === 'run' && command.as === 'root'),
  )

// Where distributions keep programs. A path that does not exist grants nothing, so both are named.
const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'] as const

/**
 * A sudoers(5) drop-in that lets one login run exactly these commands as root, with exactly these arguments and no others. Check it with
 * `visudo -cf FILE`, then install it as /etc/sudoers.d/barewitness, mode 0440.
 */
export function sudoersFor(commands: readonly RunCommand[], { user }: { readonly user: string }): string {
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(user)) throw new Error(`not a login name for sudoers: ${user}`)
  const lines = commands.flatMap(({ argv }) => {
    const [program, ...words] = argv.map((part) => {
      if (typeof part !== 'string') throw new Error('a root command may hold no path pattern')
      return part
    })
    const rest = words.length === 0 ? '""' : words.map(escapeWord).join(' ')
    return FOLDERS.map((folder) => `${folder}/${program} ${rest}`)
  })
  return `# Barewitness: read-only questions that need root. Exact arguments; nothing else is granted.
# Check:    visudo -cf FILE
# Install:  /etc/sudoers.d/barewitness, owner root, mode 0440
Defaults:${user} !requiretty, env_reset, !setenv, noexec, secure_path="/usr/sbin:/usr/bin:/sbin:/bin", logfile="/var/log/sudo-barewitness.log"
Cmnd_Alias BAREWITNESS = ${lines.join(', \\\n    ')}
${user} ALL=(root) NOPASSWD: BAREWITNESS
`
}

// sudoers(5), "Other special characters and reserved words", and the wildcards of "Wildcards", which must be literal here.
const escapeWord = (word: string): string => {
  // sudo matches the words joined by spaces, so that an empty one cannot be told from a longer gap.
  if (word === '') throw new Error('a root command may hold no empty word')
  return word.replaceAll(/[\\,:=#!()*?[\]^$"' ]/g, (character) => `\\${character}`)
}
