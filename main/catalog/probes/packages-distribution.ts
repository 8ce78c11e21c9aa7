import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { properties } from '../read-text.ts'

export interface Distribution {
  readonly id: string
  readonly version: string
  readonly family: 'debian' | 'rhel' | 'other'
}

/** os-release(5). */
export const packagesDistribution = defineProbe({
  id: 'packages.distribution',
  title: 'Distribution and version',
  why: 'Decides which package manager knows about pending updates.',
  commands: { release: run(['grep', '-E', '^(ID|ID_LIKE|VERSION_ID)=', '/etc/os-release']) },
  parse({ release }) {
    const values = properties(release.text)
    const text = (key: string): string => (values.get(key) ?? '').replace(/^["']|["']$/g, '').trim()
    if (text('ID') === '') return unknown('the distribution could not be read')
    const words = `${text('ID')} ${text('ID_LIKE')}`.toLowerCase().split(/\s+/)
    const family = words.some((word) => word === 'debian' || word === 'ubuntu')
      ? 'debian'
      : words.some((word) => word === 'rhel' || word === 'fedora' || word === 'centos')
        ? 'rhel'
        : 'other'
    return known<Distribution>({ id: text('ID'), version: text('VERSION_ID'), family })
  },
})
