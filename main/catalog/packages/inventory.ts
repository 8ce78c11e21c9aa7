import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { sha256 } from '../../core/digest.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed, Probe } from '../../core/probe.ts'
import { type GpuModules, gpuModules } from '../gpu/probes.ts'
import { osIdentity } from '../machine/identity.ts'
import { count, named, supports } from '../steps.ts'
import {
  type PackageList,
  type PackageLog,
  packageLogs,
  packagesListDpkg,
  packagesListRpm,
  type RebootState,
  rebootRequired,
} from './probes.ts'

export const integritySoftwareInventory = defineCheck({
  id: 'integrity.software-inventory',
  property: 'integrity',
  expected: 'The installed packages, kernels and GPU driver are listed.',
  ends: 'recorded',
  limitations:
    'Software built by hand, container images, language packages (pip, npm, conda) and snaps are not listed. The package database is on the same server, and root can change it. No expected value is set; the list itself is in the evidence.',
  requires: { os: osIdentity },
  optional: { dpkg: packagesListDpkg, rpm: packagesListRpm, kernels: rebootRequired, modules: gpuModules },
  evaluate({ os }, { dpkg, rpm, kernels, modules }) {
    const lists = [...listed(dpkg, packagesListDpkg), ...listed(rpm, packagesListRpm)]
    const missing =
      lists.length > 0 ? [] : [...unclearAbout(packagesListDpkg, dpkg), ...unclearAbout(packagesListRpm, rpm)]
    return {
      verdict: missing.length > 0 ? 'inconclusive' : 'informational',
      observations: [
        supports(`The system is ${quote(os.name)} with the kernel ${quote(os.kernel)}.`, osIdentity),
        ...lists,
        ...missing,
        ...inBoot(kernels),
        ...driver(modules),
      ],
    }
  },
})

function listed(reading: Parsed<PackageList>, probe: Probe<PackageList>): readonly DraftObservation[] {
  if (!reading.ok) return []
  const { packages } = reading.fact
  const digest = sha256(packages.join('\n')).slice(0, 16)
  return [
    supports(
      `${count(packages.length, 'package')} installed; the sorted list of names and versions has the SHA-256 digest ${digest}… .`,
      probe,
    ),
  ]
}

function inBoot(kernels: Parsed<RebootState>): readonly DraftObservation[] {
  if (!kernels.ok || kernels.fact.installed.length === 0) return []
  const { installed } = kernels.fact
  return [supports(`${count(installed.length, 'kernel')} in /boot: ${named(installed, 6)}.`, rebootRequired, 'boot')]
}

function driver(modules: Parsed<GpuModules>): readonly DraftObservation[] {
  const version = modules.ok ? modules.fact.driver : null
  return version === null ? [] : [supports(`The loaded NVIDIA driver is ${quote(version, 20)}.`, gpuModules)]
}

export const changePackageHistory = defineCheck({
  id: 'change.package-history',
  property: 'operations',
  expected:
    'The number of package changes in the node’s own log, and the dates of the first and the last, are recorded.',
  ends: 'recorded',
  limitations:
    'Older logs are rotated away, an administrator can change them, and software installed without the package manager is not in them. Which change belongs to which approval shows in tickets only.',
  requires: { logs: packageLogs },
  evaluate: ({ logs: { logs } }) => ({
    verdict: 'informational',
    observations: logs.map((log) => supports(describe(log), packageLogs)),
  }),
})

function describe({ path, changes, since, writtenAt }: PackageLog): string {
  const from = since === null ? '' : ` since ${since}`
  const to = writtenAt === null ? '' : `, last written on ${day(writtenAt)}`
  return `${named([path])}: ${count(changes, 'installation, upgrade or removal', 'installations, upgrades and removals')}${from}${to}.`
}

/** Seconds since 1970 (at most twelve digits) as a day in UTC. */
function day(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? 'a day that cannot be' : date.toISOString().slice(0, 10)
}
