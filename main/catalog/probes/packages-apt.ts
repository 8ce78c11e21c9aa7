import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines as textLines } from '../read-text.ts'

export interface AptUpdates {
  /** Packages that an upgrade would change; `security` when any listed origin is a security suite. */
  readonly pending: readonly { readonly name: string; readonly security: boolean }[]
  /** Packages with an update that an upgrade would not install: held, phased, or in conflict. */
  readonly keptBack: readonly string[]
  /** Newest change of the package lists, seconds since 1970; null when there are none. */
  readonly listsChangedAt: number | null
}

/**
 * apt-get(8) -s simulates and changes nothing; Debug::NoLocking lets an ordinary user ask, and the empty
 * Dir::Log::Planner keeps it from writing /var/log/apt/eipp.log.xz when root asks. Lines are
 * `Inst name [old] (new origin, origin [arch])`.
 */
export const packagesApt = defineProbe({
  id: 'packages.apt',
  title: 'Pending package updates (apt)',
  why: 'Shows which security updates wait to be installed, from the package lists that are already on the server. Nothing is downloaded.',
  commands: {
    upgrade: run(['apt-get', '-s', '-o', 'Debug::NoLocking=1', '-o', 'Dir::Log::Planner=', 'dist-upgrade'], {
      timeoutSeconds: 30,
    }),
    lists: run(['stat', '-c', '%Y %n', '/var/lib/apt/lists', '/var/lib/apt/periodic/update-success-stamp']),
  },
  parse({ upgrade, lists }) {
    if (upgrade.exitCode !== 0) return unknown('apt could not work out the pending updates')
    if (!/^\d+ upgraded, \d+ newly installed, \d+ to remove and \d+ not upgraded\.$/m.test(upgrade.text)) {
      return unknown('the answer of apt-get has another form')
    }
    const stamps = [...lists.text.matchAll(/^(\d{1,12}) \//gm)].map(([, seconds]) => Number(seconds))
    return known<AptUpdates>({
      pending: textLines(upgrade.text).flatMap((line) => {
        const [, name, origins] = /^Inst (\S+) (?:\[[^\]]*\] )?\((.*)\)/.exec(line) ?? []
        return name === undefined || origins === undefined ? [] : [{ name, security: /-security\b/i.test(origins) }]
      }),
      keptBack: keptBack(upgrade.text),
      listsChangedAt: stamps.length === 0 ? null : Math.max(...stamps),
    })
  },
})

// The names follow a heading, indented by two spaces.
function keptBack(text: string): readonly string[] {
  const [, block = ''] = /^The following packages have been kept back:\n((?: {2}.*\n)*)/m.exec(text) ?? []
  const [, phased = ''] =
    /^The following upgrades have been deferred due to phasing:\n((?: {2}.*\n)*)/m.exec(text) ?? []
  return `${block} ${phased}`.split(/\s+/).filter((name) => name !== '')
}
