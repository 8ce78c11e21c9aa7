import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface DnfUpdates {
  readonly security: readonly string[]
  /** Newest change of the package lists, seconds since 1970; null when there are none. */
  readonly listsChangedAt: number | null
}

/**
 * dnf(8) -C reads the system's cache only, and only root sees that cache: an ordinary user's own one is empty and says
 * “nothing pending”. Lines are `ADVISORY Severity/Sec. package`.
 */
export const packagesDnf = defineProbe({
  id: 'packages.dnf',
  title: 'Pending package updates (dnf)',
  why: 'Shows which security updates wait to be installed, from the package lists that are already on the server. Nothing is downloaded.',
  commands: {
    advisories: runAsRoot(['dnf', '-C', '-q', 'updateinfo', 'list', '--security', '--available'], {
      timeoutSeconds: 30,
    }),
    lists: runAsRoot(['stat', '-c', '%Y %n', '/var/cache/dnf', '/var/cache/libdnf5']),
  },
  parse({ advisories, lists: cache }) {
    if (advisories.exitCode !== 0) return unknown('dnf could not list the pending updates')
    if (advisories.errorText.trim() !== '') return unknown('dnf reported a problem with its package lists')
    const rows = lines(advisories.text).filter((line) => !/^(Name|Advisory)\s/i.test(line))
    const packages = rows.map(
      (line) => /^\S+\s+(?:\S+\/Sec\.|security)\s+(?:\S+\s+)?(\S+\.\S+)/.exec(line)?.[1] ?? null,
    )
    if (packages.includes(null)) return unknown('the answer of dnf has another form')
    const stamps = [...cache.text.matchAll(/^(\d{1,12}) \//gm)].map(([, seconds]) => Number(seconds))
    return known<DnfUpdates>({
      security: [...new Set(packages.filter((name) => name !== null))],
      listsChangedAt: stamps.length === 0 ? null : Math.max(...stamps),
    })
  },
})
