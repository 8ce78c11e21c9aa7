import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

/** A Match block of sshd_config(5) with those of its settings that decide who may log in and how. */
export interface MatchBlock {
  readonly condition: string
  readonly settings: readonly (readonly [key: string, value: string])[]
}
export interface SshdConditions {
  readonly blocks: readonly MatchBlock[]
  /** Files outside the searched folders that the configuration includes; they may hold Match blocks too. */
  readonly unread: readonly string[]
}

const KEYWORDS = [
  'Match',
  'Include',
  'PermitRootLogin',
  'PasswordAuthentication',
  'KbdInteractiveAuthentication',
  'ChallengeResponseAuthentication',
  'AuthenticationMethods',
  'PermitEmptyPasswords',
  'HostbasedAuthentication',
  'AllowUsers',
  'AllowGroups',
  'PubkeyAcceptedAlgorithms',
  'PubkeyAcceptedKeyTypes',
  'PubkeyAuthOptions',
  'TrustedUserCAKeys',
  'AuthorizedKeysFile',
  'AuthorizedKeysCommand',
  'AuthorizedPrincipalsFile',
  'AuthorizedPrincipalsCommand',
]

// Plain words instead of one pattern: a sudoers line takes them as they are.
const WORDS = KEYWORDS.flatMap((keyword) => ['-e', keyword])

// SUSE keeps the distributor's files below /usr/etc; sshd reads them where /etc has none of its own.
const FILES = ['/etc/ssh/sshd_config', '/etc/ssh/sshd_config.d']
const VENDOR_FILES = ['/usr/etc/ssh/sshd_config', '/usr/etc/ssh/sshd_config.d']

/**
 * `sshd -T` prints the settings before any Match block applies, so the blocks are looked up in the files. A block ends at the
 * next Match or at the end of its file; comments are passed over. Only the folders that distributions include are searched, and
 * what else is included is named.
 */
export const sshdConditions = defineProbe({
  id: 'sshd.conditions',
  title: 'Conditional settings of the SSH server',
  why: 'Match blocks can permit for some users or addresses what the general settings forbid. Only login settings are read.',
  commands: {
    settings: runAsRoot(['grep', '-r', '-H', '-i', '-w', ...WORDS, ...FILES, ...VENDOR_FILES]),
  },
  parse({ settings }) {
    if (!grepIsComplete(settings)) return unknown('not every configuration file of the SSH server could be read')
    const hasVendorFile =
      !/\/usr\/etc\/ssh\/sshd_config: No such file/.test(settings.errorText) &&
      /^\/usr\/etc\/ssh\//m.test(settings.text)
    if (/ \/etc\/ssh\/sshd_config: No such file/.test(settings.errorText) && !hasVendorFile)
      return unknown('the SSH server keeps its configuration elsewhere')
    return known<SshdConditions>(readBlocks(settings.text))
  },
})

function readBlocks(text: string): SshdConditions {
  const blocks: { condition: string; path: string; settings: [string, string][] }[] = []
  const unread = new Set<string>()
  const open = new Map<string, { condition: string; settings: [string, string][] }>()
  for (const { path, line } of foundLines(text)) {
    const [, keyword = '', value = ''] = /^\s*(\w+)[\s=]+(.*)$/.exec(line) ?? []
    const key = keyword.toLowerCase()
    if (key === '') continue
    if (key === 'match') {
      const block = { condition: value.trim(), path, settings: [] as [string, string][] }
      blocks.push(block)
      open.set(path, block)
      continue
    }
    open.get(path)?.settings.push([key, value.replace(/^"|"$/g, '').trim()])
    if (key === 'include') for (const file of value.split(/\s+/)) if (!isSearched(file)) unread.add(file)
  }
  // "Match all" ends conditions again; it applies to everyone, and sshd -T shows it.
  return {
    blocks: blocks
      .filter((block) => block.condition.toLowerCase() !== 'all')
      .map(({ condition, settings }) => ({ condition, settings })),
    unread: [...unread],
  }
}

// The system-wide policy of Fedora's family names algorithms only (crypto-policies(7)). Relative paths start at /etc/ssh.
const isSearched = (path: string): boolean =>
  path === '' ||
  /^"?((\/usr)?\/etc\/ssh\/)?sshd_config\.d\/[^/]*$/.test(path) ||
  /^"?\/etc\/crypto-policies\/back-ends\/opensshserver\.config"?$/.test(path)

/** Values that Match blocks give to a setting, with their conditions. */
export const conditional = (
  { blocks }: SshdConditions,
  key: string,
): readonly { readonly condition: string; readonly value: string }[] =>
  blocks.flatMap((block) =>
    block.settings.filter(([name]) => name === key).map(([, value]) => ({ condition: block.condition, value })),
  )
