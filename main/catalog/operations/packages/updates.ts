import { quote } from '../../../core/base/plain-text.ts'
import type { Parsed, Probe } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { type AptArchives, type AptUpdates, packagesApt, packagesAptArchives } from './apt.ts'
import {
  type Distribution,
  type PackageList,
  packagesDistribution,
  packagesListDpkg,
  type RebootState,
  rebootRequired,
} from './probes.ts'
import {
  type DnfLists,
  packagesDnf,
  packagesRpmRestart,
  packagesZypper,
  type RpmRestart,
  type ZypperLists,
} from './rpm.ts'

const DAY = 86_400

export const vulnPatchLevel = defineCheck({
  id: 'vuln.patch-level',
  property: 'integrity',
  expected: 'No security update in the node’s recent package lists is pending.',
  limitations:
    'Only packages from configured sources are covered: software built by hand, containers, drivers and firmware are not. Updates offered only under Ubuntu Pro are not covered. Security updates are identified by the archive that offers the newest version: a fix that reaches the node only within a later ordinary update is not recognized. Updates that are held back or released in phases count as pending; those that the node’s preferences of apt (pins) keep out are not listed. How long an update has been pending is not shown. Where dnf or zypper installs packages the result is inconclusive, since neither reports updates without writing on the node.',
  requires: { distribution: packagesDistribution },
  optional: {
    apt: packagesApt,
    archives: packagesAptArchives,
    dpkg: packagesListDpkg,
    dnf: packagesDnf,
    zypper: packagesZypper,
  },
  thresholds: ['updates.list-days'],
  evaluate({ distribution }, { apt, archives, dpkg, dnf, zypper }, context) {
    if (distribution.family === 'debian') return decide([...byApt(apt, archives, context), ...followed(dpkg)])
    if (distribution.family === 'rhel') return decide(byDnf(dnf, distribution, context))
    if (distribution.family === 'suse') return decide(byZypper(zypper, context))
    return decide([unclear(`Pending updates of ${quote(distribution.id)} are not read.`, packagesDistribution)])
  },
})

function byApt(apt: Parsed<AptUpdates>, archives: Parsed<AptArchives>, context: Context): readonly DraftObservation[] {
  if (!apt.ok) return unclearAbout(packagesApt, apt)
  const { pending, isWhole, listsChangedAt } = apt.fact
  const security = pending.filter((entry) => entry.security).map((entry) => entry.name)
  return [
    waiting(security),
    ...heardOf(archives),
    ...made(archives, context),
    ...unread(isWhole),
    freshness(listsChangedAt, context, packagesApt),
  ]
}

function byDnf(dnf: Parsed<DnfLists>, { id, version }: Distribution, context: Context): readonly DraftObservation[] {
  const ask = unasked('dnf', 'dnf updateinfo list --security --available')
  if (!dnf.ok) return [ask, ...unclearAbout(packagesDnf, dnf)]
  const { listsChangedAt, heldAt } = dnf.fact
  const steps = [ask, freshness(listsChangedAt, context, packagesDnf)]
  if (id === 'centos')
    steps.push(
      unclear(
        'CentOS publishes no advisories, so that dnf cannot distinguish security updates from others.',
        packagesDistribution,
      ),
    )
  if (heldAt !== null)
    steps.push(
      unclear(
        `The package sources are held at the release ${quote(heldAt, 40)}; updates of later ones are not listed.`,
        packagesDnf,
        'release',
      ),
    )
  else if (id === 'amzn' && version === '2023')
    steps.push(
      unclear(
        'Amazon Linux 2023 holds its package sources at the release that is installed; updates of later ones are not listed.',
        packagesDistribution,
      ),
    )
  return steps
}

function byZypper(zypper: Parsed<ZypperLists>, context: Context): readonly DraftObservation[] {
  const ask = unasked('zypper', 'zypper list-patches --category security')
  if (!zypper.ok) return [ask, ...unclearAbout(packagesZypper, zypper)]
  return [ask, freshness(zypper.fact.listsChangedAt, context, packagesZypper)]
}

// Without a list of a security archive on the node, apt finds no security update, however many exist.
function heardOf(archives: Parsed<AptArchives>): readonly DraftObservation[] {
  if (!archives.ok) return unclearAbout(packagesAptArchives, archives)
  const security = archives.fact.suites.filter((suite) => /-security$/i.test(suite))
  return security.length > 0
    ? [supports(`Security updates are announced by ${named(security, 5)}.`, packagesAptArchives)]
    : [
        unclear(
          'None of the package lists on the node is one of a security archive, so that security updates are unknown to it.',
          packagesAptArchives,
        ),
      ]
}

/**
 * The folder of lists and the stamps of the daily job are renewed where a server of updates was not reached; the list itself states when it was made.
 */
function made(archives: Parsed<AptArchives>, context: Context): readonly DraftObservation[] {
  const at = archives.ok ? archives.fact.securityMadeAt : undefined
  if (at === undefined) return []
  const days = Math.floor((Date.parse(context.observedAt) / 1000 - at) / DAY)
  const limit = limitOf(context, 'updates.list-days')
  return days <= limit.value
    ? []
    : [
        unclear(
          `The newest list of security updates on the node was made ${days} days before the collection (limit ${limitText(limit)}), so that newer fixes are unknown to the node.`,
          packagesAptArchives,
        ),
      ]
}

/**
 * The name of a kernel’s package holds its version: a newer kernel is a package of another name, and an update of nothing but the package
 * without a version that depends on the newest (linux-image-generic, linux-image-amd64). That one is removed to stay with a kernel.
 */
function followed(dpkg: Parsed<PackageList>): readonly DraftObservation[] {
  if (!dpkg.ok) return unclearAbout(packagesListDpkg, dpkg)
  const images = dpkg.fact.packages.flatMap((row) => /^(linux-image-\S+) /.exec(row)?.[1] ?? [])
  const kernels = images.filter((name) => /^linux-image-(unsigned-)?\d/.test(name))
  return kernels.length === 0 || images.length > kernels.length
    ? []
    : [
        unclear(
          `No installed package follows newer kernels: ${named(kernels, 3)} ${kernels.length === 1 ? 'has' : 'have'} the version in ${kernels.length === 1 ? 'its name' : 'their names'}, so that apt lists a newer kernel as no update.`,
          packagesListDpkg,
        ),
      ]
}

const unasked = (tool: string, command: string): DraftObservation =>
  unclear(
    `Pending updates were not queried: ${tool} cannot report them without writing on the node. Attach a dated report of “${command}” produced by an administrator.`,
    packagesDistribution,
  )

const waiting = (security: readonly string[]): DraftObservation =>
  security.length === 0
    ? supports('No security update waits, going by the package lists on the node.', packagesApt, 'upgradable')
    : contradicts(
        `${count(security.length, 'security update')} waiting: ${named(security)}.`,
        packagesApt,
        'upgradable',
      )

const unread = (isWhole: boolean): readonly DraftObservation[] =>
  isWhole
    ? []
    : [
        unclear(
          'apt may not read all of its files as this login, so that updates of some sources are not listed.',
          packagesApt,
          'upgradable',
        ),
      ]

function freshness(changedAt: number | null, context: Context, probe: Probe<unknown>): DraftObservation {
  if (changedAt === null) return unclear('The age of the package lists could not be read.', probe, 'lists')
  const days = Math.floor((Date.parse(context.observedAt) / 1000 - changedAt) / DAY)
  const limit = limitOf(context, 'updates.list-days')
  if (days < -1) return unclear('The package lists are dated in the future.', probe, 'lists')
  return days <= limit.value
    ? supports(
        `The package lists changed ${count(Math.max(days, 0), 'day')} before the collection (limit ${limitText(limit)}).`,
        probe,
        'lists',
      )
    : unclear(
        `The package lists last changed ${days} days before the collection (limit ${limitText(limit)}), so newer fixes are unknown to the node.`,
        probe,
        'lists',
      )
}

export const vulnRebootRequired = defineCheck({
  id: 'vuln.reboot-required',
  property: 'integrity',
  expected: 'The running kernel is the newest one installed, and no restart is required.',
  limitations:
    'Programs that still use old libraries after an update are not detected, nor is it tested whether a live patch covers what a restart would. Whether the newest installed kernel is current is not tested.',
  requires: { state: rebootRequired, distribution: packagesDistribution },
  optional: { rpm: packagesRpmRestart },
  evaluate: ({ state, distribution }, { rpm }) => decide([flag(state), ...core(rpm, distribution), kernel(state)]),
})

const flag = ({ asked }: RebootState): DraftObservation =>
  asked
    ? contradicts('The distribution’s tools request a restart.', rebootRequired, 'flag')
    : supports('No restart is requested.', rebootRequired, 'flag')

/** Distributions with rpm set no restart flag themselves, so their package database is queried. */
function core(rpm: Parsed<RpmRestart>, { family }: Distribution): readonly DraftObservation[] {
  if (family !== 'rhel' && family !== 'suse') return []
  if (!rpm.ok) return unclearAbout(packagesRpmRestart, rpm)
  const { installedSinceBoot: newer } = rpm.fact
  return [
    newer.length === 0
      ? supports('No core package was installed after the server started.', packagesRpmRestart)
      : contradicts(
          `Installed after the server started, and in use only after a restart: ${named(newer)}.`,
          packagesRpmRestart,
        ),
  ]
}

function kernel({ running, installed }: RebootState): DraftObservation {
  if (!installed.includes(running))
    return unclear(
      `The running kernel ${quote(running)} is not among those in /boot, as where a provider starts the server with a kernel of its own; whether a newer one is pending cannot be determined here.`,
      rebootRequired,
      'running',
      'boot',
    )
  const same = installed.filter((version) => flavour(version) === flavour(running))
  const newest = same.reduce((best, version) => (compareVersions(version, best) > 0 ? version : best), running)
  return newest === running
    ? supports(
        `The running kernel ${quote(running)} is the newest of its kind in /boot.`,
        rebootRequired,
        'running',
        'boot',
      )
    : contradicts(
        `The kernel ${quote(running)} is running while ${quote(newest)} is installed.`,
        rebootRequired,
        'running',
        'boot',
      )
}

/**
 * The suffix after the version, such as "generic", so that a kernel is compared with its own kind. The minor release
 * that the Red Hat family appends (el8_10) is not a kind: some first kernels lack it. Nor is the release that Debian
 * names before the kind (deb13-amd64, deb11.21-amd64, bpo-amd64).
 */
const flavour = (version: string): string =>
  /[a-z].*$/i
    .exec(version.replace(/^[\d.]+-?/, '').replace(/^[\d.-]+/, ''))?.[0]
    ?.replace(/^(el\d+)_\d+/, '$1')
    .replace(/^(deb\d+|bpo)[\d.]*-/, '')
    .replace(/\d+/g, '#') ?? ''

/** By number at each place, as rpmvercmp does: 6.8.0-9 comes before 6.8.0-45, and 553.el8_10 before 553.5.1.el8_10, a word before a number. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)]
  for (let place = 0; place < Math.max(left.length, right.length); place++) {
    const [one, other] = [left[place] ?? 0, right[place] ?? 0]
    if (typeof one !== typeof other) return typeof one === 'number' ? 1 : -1
    if (one !== other) return one > other ? 1 : -1
  }
  return 0
}

const parts = (version: string): readonly (number | string)[] =>
  (version.match(/\d+|[a-z]+/gi) ?? []).map((part) => (/^\d/.test(part) ? Number(part) : part))
