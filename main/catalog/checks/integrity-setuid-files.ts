import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed, Probe } from '../../core/probe.ts'
import { packagesDistribution } from '../probes/packages-distribution.ts'
import {
  isAskedWhole,
  KNOWN_HELPERS,
  LEFT_OUT,
  type PackagedPrograms,
  packagedProgramsDpkg,
  packagedProgramsRpm,
  SEARCHED,
  SEARCHED_TYPES,
  setuidFiles,
} from '../probes/setuid-files.ts'
import { type Mount, storageMounts } from '../probes/storage-mounts.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

/**
 * The CIS benchmarks ask to review such files (“Ensure SUID and SGID files are reviewed”). What no package delivered is contradicted where
 * the package database was asked for the whole folder; where it could not be asked for the path, that stays open.
 */
export const integritySetuidFiles = defineCheck({
  id: 'integrity.setuid-files',
  property: 'integrity',
  claim:
    'Every file on the searched file systems that takes on the rights of a system account or group (setuid, setgid) belongs to an installed package.',
  limits:
    'That a package delivered a path does not show that the file is unchanged. Searched are the root file system and those at usual places, on local drives with ext, XFS or ZFS; file systems that are mounted nosuid or noexec give such files no effect. Not searched are network and memory file systems, container images and their stores, and files of ordinary accounts and groups (ids from 1000). File capabilities are not read. On RPM systems the files of a fixed list of packages are compared, and on SUSE systems those for passwords stay open, as does every btrfs. The package database lies on the same server, and root can change it.',
  needs: { files: setuidFiles, mounts: storageMounts, distribution: packagesDistribution },
  wants: { dpkg: packagedProgramsDpkg, rpm: packagedProgramsRpm },
  evaluate: ({ files, mounts, distribution: { family, id } }, { dpkg, rpm }) =>
    weigh([
      ...(family === 'debian'
        ? compared(files.paths, dpkg, packagedProgramsDpkg, isAskedOfDpkg)
        : family === 'rhel' || family === 'suse'
          ? compared(files.paths, rpm, packagedProgramsRpm, isNoPlaceOfPackages)
          : [leavesUnclear(`The package database of ${quote(id)} is not read.`, packagesDistribution)]),
      ...notSearched(mounts.mounts),
    ]),
})

/** dpkg's database was asked for every path of the folder, or for every path that ends in this name. */
const isAskedOfDpkg = (path: string): boolean =>
  isAskedWhole(path) || KNOWN_HELPERS.includes(path.slice(path.lastIndexOf('/') + 1))

/** Filesystem Hierarchy Standard 3.0, sections 3.8, 3.11, 3.12, 3.14, 3.17, 3.18, 5.15: for users, for the site, or to be emptied; no package delivers there. */
const isNoPlaceOfPackages = (path: string): boolean => /^\/(home|media|mnt|root|srv|tmp|var\/tmp)\//.test(path)

/** With /bin and /lib as links into /usr, a package may list a path that the search finds below /usr (Debian, usrmerge). */
const merged = (path: string): string => path.replace(/^\/(?=(s?bin|lib(32|64|x32)?)\/)/, '/usr/')

function compared(
  found: readonly string[],
  packaged: Parsed<PackagedPrograms>,
  probe: Probe<PackagedPrograms>,
  isDecided: (path: string) => boolean,
): readonly Step[] {
  if (!packaged.ok) return unclearAbout(probe, packaged)
  if (found.length === 0)
    return [leavesUnclear('No file with setuid or setgid was found at all, which no usual system has.', setuidFiles)]
  const delivered = new Set([...packaged.fact.paths].map(merged))
  const foreign = found.filter((path) => !delivered.has(merged(path)))
  const outside = foreign.filter(isDecided)
  const open = foreign.filter((path) => !isDecided(path))
  const owned = found.length - foreign.length
  return [
    ...(owned === 0
      ? []
      : [
          speaksFor(
            `${count(owned, 'file')} of ${found.length} with setuid or setgid of a system account or group ${owned === 1 ? 'belongs' : 'belong'} to installed packages.`,
            probe,
          ),
        ]),
    ...(outside.length === 0
      ? []
      : [
          speaksAgainst(
            `${count(outside.length, 'file')} with setuid or setgid outside the package database: ${named(outside)}.`,
            setuidFiles,
          ),
        ]),
    ...(open.length === 0
      ? []
      : [
          leavesUnclear(
            `The package database was not asked for ${count(open.length, 'file')} with setuid or setgid: ${named(open)}.`,
            setuidFiles,
          ),
        ]),
  ]
}

/** File systems on drives, on which such a bit has effect where the mount allows it. */
const ON_DRIVES: ReadonlySet<string> = new Set([
  ...SEARCHED_TYPES,
  ...['bcachefs', 'btrfs', 'f2fs', 'jfs', 'nilfs2', 'reiserfs'],
])

/** Drives whose files were not looked at and can hold a program that becomes root: a root that is no drive counts among them. */
function notSearched(mounts: readonly Mount[]): readonly Step[] {
  const topmost = [...new Map(mounts.map((mount) => [mount.point, mount])).values()]
  const isInert = ({ options }: Mount): boolean => options.includes('nosuid') || options.includes('noexec')
  const isSearched = ({ point, fsType }: Mount): boolean =>
    (point === '/' || SEARCHED.includes(point)) && SEARCHED_TYPES.includes(fsType)
  const isLeftOut = ({ point }: Mount): boolean =>
    LEFT_OUT.some((folder) => point === folder || point.startsWith(`${folder}/`))
  const devices = new Set(topmost.filter(isSearched).map(({ device }) => device))
  const left = topmost.filter(
    (mount) =>
      !isInert(mount) &&
      !isSearched(mount) &&
      !isLeftOut(mount) &&
      (ON_DRIVES.has(mount.fsType) ? !devices.has(mount.device) : mount.point === '/'),
  )
  return left.length === 0
    ? []
    : [
        leavesUnclear(
          `Not searched, and mounted so that setuid has effect: ${named(left.map(({ point, fsType }) => `${point} (${fsType})`))}. Mounted with nosuid, ${left.length === 1 ? 'it needs' : 'they need'} no search.`,
          storageMounts,
        ),
      ]
}
