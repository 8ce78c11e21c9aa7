import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines as textLines } from '../read-text.ts'
import { newest } from './packages-dnf.ts'

export interface AptUpdates {
  /** Packages that an upgrade would change; `security` when any listed origin is a security suite. */
  readonly pending: readonly { readonly name: string; readonly security: boolean }[]
  /** Packages with an update that an upgrade would not install: held, phased, or in conflict. */
  readonly keptBack: readonly string[]
  /** Newest change of the package lists, seconds since 1970; null when there are none. */
  readonly listsChangedAt: number | null
  /** Security updates that apt names and cannot install without the paid Ubuntu Pro. */
  readonly bySubscription: readonly string[]
}

// Without names apt keeps from writing what root could: /var/log/apt/eipp.log.xz, and /var/cache/apt/*.bin wherever those are stale.
const SETTINGS = ['Debug::NoLocking=1', 'Dir::Log::Planner=', 'Dir::Cache::pkgcache=', 'Dir::Cache::srcpkgcache=']

/**
 * apt-get(8) -s simulates and changes nothing; Debug::NoLocking lets an ordinary user ask. Lines are
 * `Inst name [old] (new origin, origin [arch])`.
 */
export const packagesApt = defineProbe({
  id: 'packages.apt',
  title: 'Pending package updates (apt)',
  why: 'Shows which security updates wait to be installed, from the package lists that are already on the server. Nothing is downloaded.',
  commands: {
    upgrade: run(['apt-get', '-s', ...SETTINGS.flatMap((setting) => ['-o', setting]), 'dist-upgrade'], {
      timeoutSeconds: 30,
    }),
    lists: run([
      'stat',
      '-c',
      '%Y %n',
      '/var/lib/apt/lists',
      '/var/lib/apt/periodic/update-success-stamp',
      '/var/lib/apt/periodic/update-stamp',
    ]),
  },
  parse({ upgrade, lists }) {
    if (upgrade.exitCode !== 0) return unknown('apt could not work out the pending updates')
    if (!/^\d+ upgraded, \d+ newly installed, \d+ to remove and \d+ not upgraded\.$/m.test(upgrade.text)) {
      return unknown('the answer of apt-get has another form')
    }
    return known<AptUpdates>({
      pending: textLines(upgrade.text).flatMap((line) => {
        const [, name, origins] = /^Inst (\S+) (?:\[[^\]]*\] )?\((.*)\)/.exec(line) ?? []
        return name === undefined || origins === undefined ? [] : [{ name, security: /-security\b/i.test(origins) }]
      }),
      keptBack: keptBack(upgrade.text),
      listsChangedAt: newest(lists),
      bySubscription: bySubscription(upgrade.text),
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

// "The following security updates require Ubuntu Pro with 'esm-apps' enabled:" (ubuntu-pro-client, apt-hook).
function bySubscription(text: string): readonly string[] {
  const blocks = text.matchAll(
    /^The following security updates require Ubuntu Pro with '[\w-]+' enabled:\n((?: {2}.*\n)*)/gm,
  )
  return [...blocks].flatMap(([, block = '']) => block.split(/\s+/).filter((name) => name !== ''))
}
