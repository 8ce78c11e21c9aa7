import { sha256 } from '../../../core/base/digest.ts'
import { quote } from '../../../core/base/plain-text.ts'
import {
  defineProbe,
  glob,
  known,
  type Parsed,
  type Probe,
  run,
  runAsRoot,
  unknown,
} from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { foundLines, grepIsComplete, lines } from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { type GpuModules, gpuModules } from '../../hardware/gpu/probes.ts'
import { osIdentity } from '../../hardware/machine/identity.ts'
import { packagesApt, packagesAptArchives } from './apt.ts'
import data from './checks.json' with { type: 'json' }
import {
  type PackageList,
  type PackageLog,
  packageLogs,
  packagesDistribution,
  packagesListDpkg,
  packagesListRpm,
  type RebootState,
  rebootRequired,
} from './probes.ts'
import { packagesDnf, packagesRpmRestart, packagesZypper } from './rpm.ts'
import { integrityRepoSigning, packagesSourcesApt, packagesSourcesRpm } from './sources.ts'
import { vulnPatchLevel, vulnRebootRequired } from './updates.ts'

interface VerifiedFiles {
  /** Packages requested that are installed, and those that are not. */
  readonly checked: readonly string[]
  readonly absent: readonly string[]
  /** Files other than configuration whose content differs, or that are gone. */
  readonly altered: readonly string[]
  readonly missing: readonly string[]
  /** Files whose owner, mode or capabilities differ, with the content as it was. */
  readonly reattributed: readonly string[]
  readonly unreadable: readonly string[]
  /** Configuration files that differ: allowed. */
  readonly configured: number
}

const DEBIAN = [
  'openssh-server',
  'sudo',
  'sudo-rs',
  'libpam0g',
  'libpam-modules',
  'libpam-modules-bin',
  'libpam-runtime',
  'login',
  'passwd',
  'coreutils',
  'auditd',
  'rsyslog',
]
const RPM = ['openssh-server', 'sudo', 'pam', 'shadow-utils', 'util-linux', 'coreutils', 'audit', 'rsyslog']

// Left out on purpose by images without documentation (dpkg.cfg path-exclude, rpm tsflags=nodocs).
const DOCUMENTATION = /^\/usr\/share\/(doc|man|info|locale|lintian|licenses)\//
// Profiles from which pam-auth-update(8) makes the files in /etc/pam.d. The CIS Benchmarks have them edited; no package marks them as configuration.
const PROFILE = /^\/usr\/share\/pam-configs\//
const FORM = /^(missing|[.?0-9A-Z]{8,9}) {1,6}(?:([a-z]) )?(\/.*)$/

/** dpkg(1) --verify, in the format of rpm. Debian keeps MD5 sums of content only. As another user than root, many files are “?”. */
export const packagesVerifyDpkg = defineProbe({
  id: 'packages.verify-dpkg',
  title: 'Files of login and logging packages (dpkg)',
  why: 'Compares the files of a short list of packages with the checksums of the package database.',
  commands: { files: runAsRoot(['dpkg', '--verify', ...DEBIAN], { timeoutSeconds: 30 }) },
  parse({ files }) {
    // The dpkg of busybox has no --verify, and ends with the status of a dpkg that found differences.
    const complaints = lines(files.errorText).filter(
      (complaint) => !/^dpkg: package '.{1,80}' is not installed$/.test(complaint),
    )
    if (files.exitCode > 1 || complaints.length > 0) return unknown('dpkg could not compare the files')
    const absent = [...files.errorText.matchAll(/package '([^'\n]{1,80})' is not installed/g)].map(
      ([, name = '']) => name,
    )
    return readVerified(lines(files.text), DEBIAN, absent)
  },
})

interface PackageSums {
  /** Packages requested whose sums the database keeps. */
  readonly packages: readonly string[]
}

const INFO = '/var/lib/dpkg/info/'

/** dpkg --verify passes in silence over a package whose list of sums is gone, or of which only settings are left: deb-md5sums(5). */
export const packagesSumsDpkg = defineProbe({
  id: 'packages.sums-dpkg',
  title: 'Checksums of login and logging packages (dpkg)',
  why: 'Shows that there is something to compare the files of these packages with. The sums are counted, not read.',
  commands: {
    sums: run([
      'grep',
      '-HcZ',
      '',
      ...DEBIAN.map((name) => `${INFO}${name}.md5sums`),
      // For a package that can be installed for several architectures, the file name includes the architecture.
      glob('/var/lib/dpkg/info/libpam0g:*.md5sums'),
      glob('/var/lib/dpkg/info/libpam-modules:*.md5sums'),
    ]),
  },
  parse({ sums }) {
    if (!grepIsComplete(sums)) return unknown('the checksums of the package database could not be counted')
    const packages = foundLines(sums.text).flatMap(({ path, line }) => {
      const name = DEBIAN.find((one) => path === `${INFO}${one}.md5sums` || path.startsWith(`${INFO}${one}:`))
      return name !== undefined && /^[1-9]\d{0,8}$/.test(line) ? [name] : []
    })
    return known<PackageSums>({ packages: [...new Set(packages)] })
  },
})

/** rpm(8) -V: nine marks, the kind of file and its path. Times are left out, since they change without the content; scripts of packages are not run. */
export const packagesVerifyRpm = defineProbe({
  id: 'packages.verify-rpm',
  title: 'Files of login and logging packages (rpm)',
  why: 'Compares the files of a short list of packages with the checksums of the package database.',
  commands: { files: runAsRoot(['rpm', '-V', '--nomtime', '--nodeps', '--noscripts', ...RPM], { timeoutSeconds: 30 }) },
  parse({ files }) {
    // The status counts the packages that differ or are not there; a higher one is a signal's or a shell's.
    if (files.exitCode > RPM.length) return unknown('rpm did not finish')
    if (lines(files.errorText).some((complaint) => !complaint.startsWith('warning: ')))
      return unknown('rpm could not compare the files')
    const all = lines(files.text)
    const absent = all.flatMap((line) => /^package (\S{1,80}) is not installed$/.exec(line)?.[1] ?? [])
    return readVerified(
      all.filter((line) => !line.startsWith('package ')),
      RPM,
      absent,
    )
  },
})

function readVerified(
  rows: readonly string[],
  asked: readonly string[],
  absent: readonly string[],
): Parsed<VerifiedFiles> {
  const read = rows.map((row) => {
    const [, marks, kind, path] = FORM.exec(row) ?? []
    return marks === undefined || path === undefined ? null : { marks, kind: kind ?? '', path }
  })
  if (read.includes(null)) return unknown('the list of differing files has an unexpected format')
  const found = read
    .filter((entry) => entry !== null)
    .filter(({ kind, path }) => kind !== 'd' && !DOCUMENTATION.test(path))
  const isSetting = ({ kind, path }: (typeof found)[number]): boolean => kind === 'c' || PROFILE.test(path)
  const own = found.filter((entry) => !isSetting(entry) && entry.kind !== 'g')
  const isUnreadable = ({ marks, path }: { readonly marks: string; readonly path: string }): boolean =>
    path.endsWith(' (Permission denied)') || (marks !== 'missing' && marks[2] === '?')
  const paths = (wanted: (entry: (typeof own)[number]) => boolean): readonly string[] =>
    own.filter(wanted).map(({ path }) => path)
  const isAltered = ({ marks }: { readonly marks: string }): boolean =>
    marks !== 'missing' && (marks[2] === '5' || marks[0] === 'S')
  return known({
    checked: asked.filter((name) => !absent.includes(name)),
    absent,
    altered: paths(isAltered),
    missing: paths((entry) => entry.marks === 'missing' && !isUnreadable(entry)),
    reattributed: paths((entry) => !isAltered(entry) && entry.marks !== 'missing' && /[DLMUGP]/.test(entry.marks)),
    unreadable: paths(isUnreadable),
    configured: found.filter((entry) => isSetting(entry) && /[5S]/.test(entry.marks)).length,
  })
}

export const integrityPackageVerify = defineCheck({
  id: 'integrity.package-verify',
  property: 'integrity',
  expected: 'The installed programs for login, administration and logging are those that their packages delivered.',
  limitations:
    'Only a short list is compared: the packages of the SSH server, sudo, PAM, passwords, core tools, audit and rsyslog. The package database is on the same server, and root can change both; Debian’s sums are MD5. Configuration files may differ, and so may the profiles of pam-auth-update.',
  requires: { distribution: packagesDistribution },
  optional: { dpkg: packagesVerifyDpkg, sums: packagesSumsDpkg, rpm: packagesVerifyRpm },
  evaluate({ distribution: { family, id } }, { dpkg, sums, rpm }) {
    if (family === 'debian') return decide([...compared(dpkg, packagesVerifyDpkg), ...unsummed(dpkg, sums)])
    if (family === 'rhel' || family === 'suse') return decide(compared(rpm, packagesVerifyRpm))
    return decide([unclear(`The package database of ${quote(id)} is not read.`, packagesDistribution)])
  },
})

function compared(reading: Parsed<VerifiedFiles>, probe: Probe<VerifiedFiles>): readonly DraftObservation[] {
  if (!reading.ok) return unclearAbout(probe, reading)
  const { checked, altered, missing, reattributed, unreadable, configured } = reading.fact
  if (checked.length === 0) return [unclear('None of the packages that are compared is installed.', probe)]
  const observationOn = (paths: readonly string[], step: typeof unclear, what: string): readonly DraftObservation[] =>
    paths.length === 0 ? [] : [step(`${count(paths.length, 'file')} ${what}: ${named(paths, 5)}.`, probe)]
  return [
    supports(
      `The files of ${count(checked.length, 'package')} were compared with the package database: ${named(checked, 12)}. ${configured === 0 ? 'No configuration file differs' : `${count(configured, 'configuration file')} ${configured === 1 ? 'differs' : 'differ'}, which is allowed`}.`,
      probe,
    ),
    ...observationOn(altered, contradicts, 'with other content than the package delivered'),
    ...observationOn(missing, contradicts, 'of the packages gone'),
    ...observationOn(reattributed, unclear, 'with another owner, mode or link than the package set'),
    ...observationOn(unreadable, unclear, 'that could not be compared'),
  ]
}

/** dpkg reports nothing about a package without checksums, as if all were well. */
function unsummed(reading: Parsed<VerifiedFiles>, sums: Parsed<PackageSums>): readonly DraftObservation[] {
  if (!reading.ok) return []
  if (!sums.ok) return unclearAbout(packagesSumsDpkg, sums)
  const without = reading.fact.checked.filter((name) => !sums.fact.packages.includes(name))
  return without.length === 0
    ? []
    : [
        unclear(
          `The package database keeps no checksums of ${named(without, 12)}: there was nothing to compare with.`,
          packagesSumsDpkg,
        ),
      ]
}

const integritySoftwareInventory = defineCheck({
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

const changePackageHistory = defineCheck({
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

export const packagesSubject = defineSubject({
  id: 'packages',
  title: 'Software packages and updates',
  probes: [
    packagesDistribution,
    packagesApt,
    packagesDnf,
    rebootRequired,
    packagesAptArchives,
    packagesZypper,
    packagesRpmRestart,
    packagesVerifyDpkg,
    packagesSumsDpkg,
    packagesVerifyRpm,
    packagesSourcesApt,
    packagesSourcesRpm,
    packagesListDpkg,
    packagesListRpm,
    packageLogs,
  ],
  checks: [
    vulnPatchLevel,
    vulnRebootRequired,
    integrityPackageVerify,
    integrityRepoSigning,
    integritySoftwareInventory,
    changePackageHistory,
  ],
  data,
})
