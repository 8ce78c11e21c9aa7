import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed, Probe } from '../../core/probe.ts'
import { type Mount, storageMounts } from '../mounts/probes.ts'
import { packagesDistribution } from '../packages/probes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import {
  isAskedWhole,
  KNOWN_HELPERS,
  LEVELS,
  type PackagedPrograms,
  packagedProgramsDpkg,
  packagedProgramsRpm,
  SEARCHED,
  SEARCHED_TYPES,
  setuidFiles,
} from './probes.ts'

/**
 * The CIS benchmarks ask to review such files (“Ensure SUID and SGID files are reviewed”). What no package delivered is contradicted where
 * the package database was queried for the whole folder; where it could not be queried for the path, that stays open.
 */
export const integritySetuidFiles = defineCheck({
  id: 'integrity.setuid-files',
  property: 'integrity',
  expected:
    'Every setuid or setgid file of a system account or group in the searched program and temporary folders belongs to an installed package.',
  limitations: `Searched are ${SEARCHED.slice(0, -1).join(', ')} and ${SEARCHED.at(-1)}, each down to ${LEVELS} levels and on its own file system, if that is ext, XFS, ZFS or tmpfs; file systems that are mounted nosuid or noexec give such files no effect. Not searched are home folders, /srv, the rest of /var, data mounts, container images and their stores, /dev/shm and every other folder, network file systems, and files of ordinary accounts and groups (ids from 1000). That a package delivered a path does not show that the file is unchanged. File capabilities are not read. On RPM systems the files of a fixed list of packages are compared, and on SUSE systems those for passwords are inconclusive, as is every btrfs. The package database is on the same server, and root can change it.`,
  requires: { files: setuidFiles, mounts: storageMounts, distribution: packagesDistribution },
  optional: { dpkg: packagedProgramsDpkg, rpm: packagedProgramsRpm },
  evaluate: ({ files, mounts, distribution: { family, id } }, { dpkg, rpm }) =>
    decide([
      ...(family === 'debian'
        ? compared(files.paths, dpkg, packagedProgramsDpkg, isAskedOfDpkg)
        : family === 'rhel' || family === 'suse'
          ? compared(files.paths, rpm, packagedProgramsRpm, isNoPlaceOfPackages)
          : [unclear(`The package database of ${quote(id)} is not read.`, packagesDistribution)]),
      ...notSearched(mounts.mounts),
    ]),
})

/** dpkg's database was queried for every path of the folder, or for every path that ends in this name. */
const isAskedOfDpkg = (path: string): boolean =>
  isAskedWhole(path) || KNOWN_HELPERS.includes(path.slice(path.lastIndexOf('/') + 1))

/** Filesystem Hierarchy Standard 3.0, sections 3.14, 3.18, 5.15: for root, or to be emptied; no package delivers there. */
const isNoPlaceOfPackages = (path: string): boolean => /^\/(root|tmp|var\/tmp)\//.test(path)

/** With /bin and /lib as links into /usr, a package may list a path that the search finds below /usr (Debian, usrmerge). */
const merged = (path: string): string => path.replace(/^\/(?=(s?bin|lib(32|64|x32)?)\/)/, '/usr/')

function compared(
  found: readonly string[],
  packaged: Parsed<PackagedPrograms>,
  probe: Probe<PackagedPrograms>,
  isDecided: (path: string) => boolean,
): readonly DraftObservation[] {
  if (!packaged.ok) return unclearAbout(probe, packaged)
  if (found.length === 0)
    return [
      unclear(
        'No file with setuid or setgid was found in the searched folders, which no usual system has.',
        setuidFiles,
      ),
    ]
  const delivered = new Set([...packaged.fact.paths].map(merged))
  const foreign = found.filter((path) => !delivered.has(merged(path)))
  const outside = foreign.filter(isDecided)
  const open = foreign.filter((path) => !isDecided(path))
  const owned = found.length - foreign.length
  return [
    ...(owned === 0
      ? []
      : [
          supports(
            `${count(owned, 'file')} of ${found.length} with setuid or setgid of a system account or group in the searched folders ${owned === 1 ? 'belongs' : 'belong'} to installed packages.`,
            probe,
          ),
        ]),
    ...(outside.length === 0
      ? []
      : [
          contradicts(
            `${count(outside.length, 'file')} with setuid or setgid outside the package database: ${named(outside)}.`,
            setuidFiles,
          ),
        ]),
    ...(open.length === 0
      ? []
      : [
          unclear(
            `The package database was not queried for ${count(open.length, 'file')} with setuid or setgid: ${named(open)}.`,
            setuidFiles,
          ),
        ]),
  ]
}

/** Types without room for such bits: FAT keeps no modes (mount(8)), and what autofs mounts has a line of its own. */
const WITHOUT_MODES: ReadonlySet<string> = new Set(['autofs', 'exfat', 'msdos', 'vfat'])

/**
 * File systems that the search left, and that can hold a program that becomes root: one that holds a searched folder and is of another
 * type, and one that is mounted further below, other than where the search starts. What is mounted elsewhere is outside the claim.
 */
function notSearched(mounts: readonly Mount[]): readonly DraftObservation[] {
  const topmost = new Map(mounts.map((mount) => [mount.point, mount]))
  const holding = SEARCHED.flatMap((folder) => holderOf(folder, topmost) ?? []).filter(
    ({ fsType }) => !SEARCHED_TYPES.includes(fsType),
  )
  const below = [...topmost.values()].filter(
    ({ point }) => !SEARCHED.includes(point) && SEARCHED.some((folder) => point.startsWith(`${folder}/`)),
  )
  const left = [...new Set([...holding, ...below])].filter(
    ({ options, fsType }) => !options.includes('nosuid') && !options.includes('noexec') && !WITHOUT_MODES.has(fsType),
  )
  return left.length === 0
    ? []
    : [
        unclear(
          `Not searched, and mounted so that setuid has effect: ${named(left.map(({ point, fsType }) => `${point} (${fsType})`))}. Mounted with nosuid, ${left.length === 1 ? 'it needs' : 'they need'} no search.`,
          storageMounts,
        ),
      ]
}

/** The mount that a folder is on, if it is no link: the one at the longest path that leads to it. */
function holderOf(folder: string, topmost: ReadonlyMap<string, Mount>): Mount | undefined {
  const parts = folder.split('/')
  const paths = parts.map((_, at) => parts.slice(0, parts.length - at).join('/') || '/')
  return paths.flatMap((path) => topmost.get(path) ?? [])[0]
}
