import { defineProbe, glob, known, run, unknown } from '../../../core/recording/probe.ts'
import { inOrder, lines, lines as textLines } from '../../base/read-text.ts'
import { newest } from './rpm.ts'

export interface AptUpdates {
  /**
   * Installed packages for which the lists contain a newer version, including held and phased ones; `security` where
   * any of its suites provides security updates.
   */
  readonly pending: readonly { readonly name: string; readonly security: boolean }[]
  /**
   * False where apt reports that it could not read one of its own files, so that updates from that source are
   * missing.
   */
  readonly isWhole: boolean
  /** Latest change of the package lists, in seconds since 1970; null without lists. */
  readonly listsChangedAt: number | null
}

const ENTRY = /^([^\s/]+)\/(\S*) \S+ \S+(?: \[(.*)\])?$/

/**
 * apt(8), `list --upgradable`: a heading, then lines of `name/suite,suite version arch [upgradable from: old]` (apt, private-list.cc and
 * private-output.cc). Lines with another word in brackets, or none, report other versions where apt.conf(5) requires those; indented ones
 * are summaries. What cannot be installed yet (held, phased, in conflict) is listed like the others, and what Ubuntu Pro alone offers is
 * not listed. A source that the login may not read leaves status 0 and a warning.
 *
 * Of `apt-get -s dist-upgrade` this is a quarter of the work: nothing is solved. Without names apt keeps from writing /var/cache/apt/*.bin.
 */
export const packagesApt = defineProbe({
  id: 'packages.apt',
  title: 'Pending package updates (apt)',
  why: 'Shows which security updates are pending, from the package lists that are already on the server. Nothing is downloaded.',
  ignoredInDrift: {
    why: 'Lists are refreshed and updates are published; only whether the lists can be read is compared.',
    normalize: ({ isWhole }: AptUpdates) => ({ isWhole }),
  },
  commands: {
    upgradable: run(['apt', 'list', '-o', 'Dir::Cache::pkgcache=', '-o', 'Dir::Cache::srcpkgcache=', '--upgradable'], {
      timeoutSeconds: 30,
    }),
    lists: run(['stat', '-c', '%Y %n', '/var/lib/apt/lists', '/var/lib/apt/periodic/update-success-stamp']),
  },
  parse({ upgradable, lists }) {
    if (upgradable.exitCode !== 0) return unknown('apt could not list the pending updates')
    const [heading = '', ...listed] = textLines(upgradable.text)
    const entries = listed.filter((line) => !/^\s/.test(line)).map((line) => ENTRY.exec(line))
    if (!/^Listing\.\.\.(?: Done)?$/.test(heading) || entries.includes(null))
      return unknown('the output of apt has an unexpected format')
    return known<AptUpdates>({
      pending: entries.flatMap((entry) => {
        const [, name = '', suites = '', status = ''] = entry ?? []
        return status.startsWith('upgradable from: ') ? [{ name, security: isSecurity(suites) }] : []
      }),
      isWhole: !/^[EW]: Unable to read /m.test(upgradable.errorText),
      listsChangedAt: newest(lists),
    })
  },
})

// stable-security, bookworm-security; noble-security, noble-apps-security, noble-infra-security (Ubuntu Pro).
const isSecurity = (suites: string): boolean => suites.split(',').some((suite) => /-security$/i.test(suite))

export interface AptArchives {
  /** Suites of the package lists on the node, such as `noble-security`; in no order. */
  readonly suites: readonly string[]
  /** When the newest list of security updates was made, in seconds since 1970; absent where none states it. */
  readonly securityMadeAt?: number
}

/**
 * The fields Suite and Date of each Release file that apt keeps (“Debian repository format”, section “Release”). The files hold names of
 * archives and checksums; no address of a server and no password is in them. Security archives are made anew all the time, and apt keeps the
 * last list that it could fetch: apt-get update ends with success where no server was reached (apt-get(8), --error-on), and the stamps of its
 * daily job and of update-notifier are renewed.
 */
export const packagesAptArchives = defineProbe({
  id: 'packages.apt-archives',
  title: 'Archives of the package lists on the node (apt)',
  why: 'Shows whether the node receives lists of security updates. Two lines of each list are read, without the server it came from.',
  ignoredInDrift: {
    why: 'The lists have no fixed order.',
    normalize: ({ suites }: AptArchives) => ({ suites: inOrder(suites) }),
  },
  commands: { suites: run(['grep', '-hm2', '-E', '^(Suite|Date):', glob('/var/lib/apt/lists/*Release')]) },
  parse({ suites: { text, exitCode } }) {
    if (exitCode > 1) return unknown('there are no package lists, or not all of them could be read')
    const rows = lines(text)
    const named = rows.map((line) => /^Suite: *([\w.+/-]{1,100}) *$/.exec(line)?.[1] ?? null)
    // Archives write the date after the suite; each line is of the same file as the one before it, unless that is a date.
    const made = named.flatMap((suite, at) => {
      const seconds = suite !== null && isSecurity(suite) ? dateOf(rows[at + 1] ?? '') : null
      return seconds === null ? [] : [seconds]
    })
    return known<AptArchives>({
      suites: named.filter((suite) => suite !== null),
      ...(made.length === 0 ? {} : { securityMadeAt: Math.max(...made) }),
    })
  },
})

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** "Date: Sun, 29 Nov 2026 00:53:13 UTC" in seconds since 1970; null for any other line. */
function dateOf(line: string): number | null {
  const [, day, month = '', year, hour, minute, second] =
    /^Date: *[A-Z][a-z]{2}, +(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) +(\d{1,2}):(\d{2}):(\d{2}) +(?:UTC|GMT|\+0000|Z) *$/.exec(
      line,
    ) ?? []
  const at = Date.UTC(Number(year), MONTHS.indexOf(month), Number(day), Number(hour), Number(minute), Number(second))
  return MONTHS.includes(month) && Number.isFinite(at) ? at / 1000 : null
}
