import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

/** A Match block of sshd_config(5) with those of its settings that decide who may log in and how. */
export interface MatchBlock {
  readonly condition: string
  readonly settings: readonly (readonly [key: string, value: string])[]
}
export interface SshdConditions {
  readonly blocks: readonly MatchBlock[]
}

const KEYWORDS = [
  'Match',
  'PermitRootLogin',
  'PasswordAuthentication',
  'KbdInteractiveAuthentication',
  'ChallengeResponseAuthentication',
  'AuthenticationMethods',
  'PermitEmptyPasswords',
  'HostbasedAuthentication',
  'AllowUsers',
  'AllowGroups',
]

// Plain words instead of one pattern: a sudoers line takes them as they are.
const WORDS = KEYWORDS.flatMap((keyword) => ['-e', keyword])

/**
 * `sshd -T` prints the settings before any Match block applies, so the blocks are looked up in the files. A block ends at the
 * next Match or at the end of its file; comments are passed over. Only the folder that distributions include is searched.
 */
export const sshdConditions = defineProbe({
  id: 'sshd.conditions',
  title: 'Conditional settings of the SSH server',
  why: 'Match blocks can allow for some people or addresses what the general settings forbid. Only login settings are read.',
  commands: {
    settings: runAsRoot(['grep', '-r', '-H', '-i', '-w', ...WORDS, '/etc/ssh/sshd_config', '/etc/ssh/sshd_config.d']),
  },
  parse({ settings }) {
    if (!grepIsComplete(settings)) return unknown('not every configuration file of the SSH server could be read')
    if (/sshd_config: No such file/.test(settings.errorText))
      return unknown('the SSH server keeps its configuration elsewhere')
    return known<SshdConditions>({ blocks: readBlocks(settings.text) })
  },
})

function readBlocks(text: string): readonly MatchBlock[] {
  const blocks: { condition: string; path: string; settings: [string, string][] }[] = []
  const open = new Map<string, { settings: [string, string][] }>()
  for (const { path, line } of foundLines(text)) {
    const [, keyword = '', value = ''] = /^\s*(\w+)[\s=]+(.*)$/.exec(line) ?? []
    const key = keyword.toLowerCase()
    if (key === '') continue
    if (key === 'match') {
      const block = { condition: value.trim(), path, settings: [] as [string, string][] }
      blocks.push(block)
      open.set(path, block)
    } else open.get(path)?.settings.push([key, value.replace(/^"|"$/g, '').trim()])
  }
  // "Match all" ends conditions again; it applies to everyone, and sshd -T shows it.
  return blocks
    .filter((block) => block.condition.toLowerCase() !== 'all')
    .map(({ condition, settings }) => ({ condition, settings }))
}

/** Values that Match blocks give to a setting, with their conditions. */
export const conditional = (
  { blocks }: SshdConditions,
  key: string,
): readonly { readonly condition: string; readonly value: string }[] =>
  blocks.flatMap((block) =>
    block.settings.filter(([name]) => name === key).map(([, value]) => ({ condition: block.condition, value })),
  )
