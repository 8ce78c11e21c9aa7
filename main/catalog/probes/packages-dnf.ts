import { type Answer, defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { grepIsComplete, isAbsent, oneLineFiles } from '../read-text.ts'

export interface DnfLists {
  /** When the newest list was last fetched or found unchanged, seconds since 1970; null when there are none. */
  readonly listsChangedAt: number | null
  /** A release that the package sources are held at, as an administrator wrote it; null where they follow the newest. */
  readonly heldAt: string | null
}

const VARIABLES = ['/etc/dnf/vars/releasever', '/etc/yum/vars/releasever']

/**
 * dnf itself is not queried: even with -C it writes its logs (root: /var/log/dnf.log and others) or a cache below /var/tmp (any other
 * party). Nor is its updateinfo.xml read: which advisories apply is for its solver to state (modules, excluded and disabled sources), and
 * the rows of one release are more than a recording may hold. The age of a list is that of its file *primary.xml*, which dnf goes by
 * (libdnf, Repo::getAge); the folder above changes whenever dnf runs. dnf.conf(5), “Variables”: a file releasever holds the sources at one
 * release.
 */
export const packagesDnf = defineProbe({
  id: 'packages.dnf',
  title: 'Package lists of dnf',
  why: 'Shows when the server last fetched the lists of package updates, and whether they are held at one release. dnf is not run.',
  ignoredInDrift: {
    why: 'Lists are refreshed.',
    normalize: ({ heldAt }: DnfLists) => ({ heldAt }),
  },
  commands: {
    lists: run([
      'stat',
      '-c',
      '%Y %n',
      glob('/var/cache/dnf/*/repodata/*primary.xml*'),
      glob('/var/cache/libdnf5/*/repodata/*primary.xml*'),
    ]),
    release: run(['grep', '-H', '', ...VARIABLES]),
  },
  parse({ lists, release }) {
    if (!grepIsComplete(release)) return unknown('the release that dnf is held at could not be read')
    return known<DnfLists>({
      listsChangedAt: newest(lists),
      heldAt: [...oneLineFiles(release.text).values()].find((value) => value !== '' && value !== 'latest') ?? null,
    })
  },
})

/** Newest of the times that stat(1) printed as `%Y %n`; null where there was none, or one that exists could not be read. */
export function newest(stamps: Answer): number | null {
  if (stamps.exitCode !== 0 && !isAbsent(stamps)) return null
  const times = [...stamps.text.matchAll(/^(\d{1,12}) \//gm)].map(([, seconds]) => Number(seconds))
  return times.length === 0 ? null : times.reduce((best, time) => Math.max(best, time))
}
