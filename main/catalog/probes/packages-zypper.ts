import { defineProbe, glob, known, run } from '../../core/probe.ts'
import { newest } from './packages-dnf.ts'

export interface ZypperLists {
  /** When the newest list was last fetched or found unchanged, seconds since 1970; null when there are none. */
  readonly listsChangedAt: number | null
}

/**
 * zypper itself is not queried: even to list it writes (as root /var/log/zypper.log, /run/zypp.pid and its cache, as any other party
 * folders in /var/tmp; seen with strace of zypper 1.14.59). libzypp touches repomd.xml whenever it finds a list unchanged
 * (RepoManager::touchIndexFile).
 */
export const packagesZypper = defineProbe({
  id: 'packages.zypper',
  title: 'Package lists of zypper',
  why: 'Shows when the server last fetched the lists of patches. zypper is not run.',
  ignoredInDrift: {
    why: 'Lists are refreshed.',
    normalize: () => null,
  },
  commands: { lists: run(['stat', '-c', '%Y %n', glob('/var/cache/zypp/raw/*/repodata/repomd.xml')]) },
  parse: ({ lists }) => known<ZypperLists>({ listsChangedAt: newest(lists) }),
})
