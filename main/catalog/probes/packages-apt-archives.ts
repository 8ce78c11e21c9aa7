import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface AptArchives {
  /** Suites of the package lists on the node, such as `noble-security`; in no order. */
  readonly suites: readonly string[]
}

/**
 * The field Suite of each Release file that apt keeps (“Debian repository format”, section “Release”). The files hold names of
 * archives and checksums; no address of a server and no password is in them.
 */
export const packagesAptArchives = defineProbe({
  id: 'packages.apt-archives',
  title: 'Archives of the package lists on the node (apt)',
  why: 'Shows whether the node receives lists of security updates. One line of each list is read, without the server it came from.',
  ignoredInDrift: {
    why: 'The lists have no fixed order.',
    normalize: ({ suites }: AptArchives) => ({ suites: inOrder(suites) }),
  },
  commands: { suites: run(['grep', '-hm1', '^Suite:', glob('/var/lib/apt/lists/*Release')]) },
  parse({ suites: { text, exitCode } }) {
    if (exitCode > 1) return unknown('there are no package lists, or not all of them could be read')
    return known<AptArchives>({
      suites: lines(text).flatMap((line) => /^Suite: *([\w.+/-]{1,100}) *$/.exec(line)?.[1] ?? []),
    })
  },
})
