import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { properties } from '../read-text.ts'

export interface Distribution {
  readonly id: string
  /** The operating system without its version, such as “CentOS Stream”; empty where not named. */
  readonly name: string
  /** Empty for rolling releases and for releases that are not out yet. */
  readonly version: string
  /** SUPPORT_END as the distribution states it, YYYY-MM-DD; null where it states none. */
  readonly supportEnd: string | null
  readonly family: 'debian' | 'rhel' | 'suse' | 'other'
}

/** os-release(5). */
export const packagesDistribution = defineProbe({
  id: 'packages.distribution',
  title: 'Distribution and version',
  why: 'Determines which package manager reports pending updates, and how long the distribution is supported.',
  commands: { release: run(['grep', '-E', '^(ID|ID_LIKE|NAME|VERSION_ID|SUPPORT_END)=', '/etc/os-release']) },
  parse({ release }) {
    const values = properties(release.text)
    const text = (key: string): string => (values.get(key) ?? '').replace(/^["']|["']$/g, '').trim()
    if (text('ID') === '') return unknown('the distribution could not be read')
    const end = text('SUPPORT_END')
    return known<Distribution>({
      id: text('ID'),
      name: text('NAME'),
      version: text('VERSION_ID'),
      supportEnd: /^\d{4}-\d{2}-\d{2}$/.test(end) && !Number.isNaN(Date.parse(end)) ? end : null,
      family: familyOf(`${text('ID')} ${text('ID_LIKE')}`.toLowerCase().split(/\s+/)),
    })
  },
})

function familyOf(words: readonly string[]): Distribution['family'] {
  if (words.some((word) => word === 'debian' || word === 'ubuntu')) return 'debian'
  if (words.some((word) => word === 'suse' || word === 'sles')) return 'suse'
  return words.some((word) => word === 'rhel' || word === 'fedora' || word === 'centos') ? 'rhel' : 'other'
}
