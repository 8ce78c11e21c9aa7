import { quote } from '../../../core/base/plain-text.ts'
import {
  type Answer,
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
import { grepIsComplete, lines } from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { type Mount, storageMounts } from '../../data-protection/mounts/probes.ts'
import { packagesDistribution } from '../../operations/packages/probes.ts'
import data from './checks.json' with { type: 'json' }

interface SetuidFiles {
  /** Paths, each once and sorted, as their folders are spelled from the root. */
  readonly paths: readonly string[]
}

/** Folders of installed programs that are links into /usr on a merged system (usrmerge): find(1) does not follow those. */
const PROGRAMS_OR_LINKS: readonly string[] = ['/bin', '/lib', '/lib64', '/sbin']
/**
 * The other folders of installed programs, folders that every account may write to, and those of root. Each is a
 * starting point of the search, so that it is searched even as a file system of its own. Home folders, /srv, the rest
 * of /var and data mounts can contain millions of files and are excluded.
 */
const FOLDERS: readonly string[] = ['/boot', '/etc', '/opt', '/root', '/tmp', '/usr', '/usr/local', '/var/tmp']
/** Every place where the search starts. */
export const SEARCHED: readonly string[] = [...PROGRAMS_OR_LINKS, ...FOLDERS].sort()
/** Folders below a start that are looked into: one more than packages need (/usr/lib/emacs/VERSION/MACHINE/movemail), as find(1) counts. */
export const LEVELS = 6
/** File systems of the server itself that find(1) takes from the mount table. Not btrfs: its subvolumes have device numbers of their own. */
const SEARCHED_TYPES: readonly string[] = ['ext4', 'xfs', 'ext3', 'ext2', 'zfs', 'tmpfs']

/**
 * find(1): files with the setuid or setgid bit (inode(7), S_ISUID and S_ISGID) of a system account or group, by ids below 1000. It stays
 * on each start's own file system (-xdev), and leaves one at once that is of another type. A start is written with /. at its end, which
 * enters it where it is a link, and /usr/local is left out of the search of /usr, so that nothing is entered twice.
 */
export const setuidFiles = defineProbe({
  id: 'setuid.files',
  title: 'Programs that run with their owner’s rights',
  why: 'Finds programs that run with the rights of a system account for any user (setuid, setgid), in folders of installed programs and in temporary folders. Reads names and modes, not contents; does not search home folders or data.',
  commands: {
    files: runAsRoot(
      [
        'find',
        ...PROGRAMS_OR_LINKS,
        ...FOLDERS.map((path) => `${path}/.`),
        ...['-maxdepth', String(LEVELS), '-xdev', '-path', '/usr/./local', '-prune', '-o'],
        ...['-type', 'd', ...SEARCHED_TYPES.flatMap((type) => ['-not', '-fstype', type]), '-prune', '-o'],
        ...['-type', 'f', '-perm', '/4000', '-uid', '-1000', '-print0', '-o'],
        ...['-type', 'f', '-perm', '/2000', '-gid', '-1000', '-print0'],
      ],
      { timeoutSeconds: 20, maxBytes: 1024 * 1024 },
    ),
  },
  parse: ({ files }) => parseFound(files),
})

/**
 * Zero bytes end the paths, since a name may hold anything else. A complaint of anything but a folder that is not there leaves a gap; with
 * complaints find(1) ends with 1, and any other status is that of a search that was ended.
 */
export function parseFound({ exitCode, text, errorText }: Answer): Parsed<SetuidFiles> {
  const complaints = lines(errorText)
  if (exitCode > 1 || (exitCode !== 0 && complaints.length === 0)) return unknown('find did not finish')
  if (complaints.some((complaint) => !/: No such file or directory$/.test(complaint)))
    return unknown('a folder could not be searched')
  if (text !== '' && !text.endsWith('\0')) return unknown('the list of files has no end')
  const paths = text.split('\0').flatMap((path) => (path === '' ? [] : [path.replace('/./', '/')]))
  if (paths.some((path) => !path.startsWith('/'))) return unknown('the list of files has an unexpected format')
  return known({ paths: [...new Set(paths)].sort() })
}

interface PackagedPrograms {
  /** Paths that installed packages deliver, among those that were requested. */
  readonly paths: ReadonlySet<string>
}

/** Helpers outside the folders of programs to which packages are known to give such bits, by the last part of their path. */
export const KNOWN_HELPERS: readonly string[] = [
  ...[
    'Xorg.wrap',
    'apt-update',
    'check_dhcp',
    'check_icmp',
    'chrome-sandbox',
    'cockpit-session',
    'dbus-daemon-launch-helper',
  ],
  ...['dmcrypt-get-device', 'krb5_child', 'ldap_child', 'libgtop_server2', 'lxc-user-nic', 'mount.cifs', 'movemail'],
  ...['p11_child', 'pinger', 'polkit-agent-helper-1', 'proxy_child', 'pt_chown', 'qemu-bridge-helper', 'selinux_child'],
  ...['snap-confine', 'spice-client-glib-usb-acl-helper', 'ssh-keysign', 'starter-suid', 'suexec', 'utempter'],
]

/** Folders of which every path that a package delivers is requested: of a file there the response decides. */
export const isAskedWhole = (path: string): boolean =>
  /^\/(usr\/(local\/)?)?(s?bin|games|libexec)\/|^\/(boot|root|tmp|var\/tmp)\//.test(path)

/**
 * Paths from dpkg's lists of files (dpkg-query(1), /var/lib/dpkg/info/NAME.list), and those that packages put aside for others
 * (dpkg-divert(1)). The database cannot be requested a path of the node without naming it, so all paths of these folders are taken.
 */
export const packagedProgramsDpkg = defineProbe({
  id: 'packages.programs-dpkg',
  title: 'Setuid programs delivered by packages (dpkg)',
  why: 'Distinguishes setuid and setgid programs delivered by packages from others.',
  commands: {
    paths: run([
      'grep',
      '-ahE',
      `^/(usr/(local/)?)?(s?bin|games|libexec)/.|^/(boot|root|tmp|var/tmp)/.|/(${KNOWN_HELPERS.map((name) => name.replaceAll('.', '[.]')).join('|')})$`,
      '/var/lib/dpkg/diversions',
      glob('/var/lib/dpkg/info/*.list'),
    ]),
  },
  parse({ paths }) {
    if (!grepIsComplete(paths)) return unknown('the lists of files of the package database could not be read')
    const found = lines(paths.text).filter((line) => line.startsWith('/'))
    return found.length === 0
      ? unknown('the package database lists no program')
      : known<PackagedPrograms>({ paths: new Set(found) })
  },
})

/**
 * Packages of the RPM distributions that deliver files with such bits. SUSE’s package of the password programs carries the name of the file
 * of password hashes, which no command of the catalog may name: its files stay open there.
 */
const PACKAGES = [
  ...[
    'abrt-addon-ccpp',
    'apptainer-suid',
    'at',
    'authselect-libs',
    'cifs-utils',
    'cockpit-session',
    'cockpit-ws',
    'cronie',
  ],
  ...[
    'dbus',
    'dbus-1',
    'dbus-1-daemon',
    'dbus-common',
    'dbus-daemon',
    'exim',
    'fuse',
    'fuse3',
    'glibc-common',
    'google-chrome-stable',
  ],
  ...[
    'grub2-tools',
    'grub2-tools-minimal',
    'httpd',
    'httpd-core',
    'initscripts-service',
    'ksu',
    'krb5-workstation',
    'libutempter',
  ],
  ...[
    'lockdev',
    'mlocate',
    'munge',
    'nfs-utils',
    'nvidia-modprobe',
    'opensmtpd',
    'openssh',
    'openssh-clients',
    'openssh-common',
  ],
  ...[
    'openssh-server',
    'pam',
    'passwd',
    'permissions',
    'pkexec',
    'plocate',
    'policycoreutils',
    'polkit',
    'postfix',
    'ppp',
  ],
  ...['qemu-common', 'qemu-kvm-common', 'qemu-tools', 'screen', 'sendmail', 'shadow-utils', 'shadow-utils-subid'],
  ...[
    'spice-glib',
    'squid',
    'sssd',
    'sssd-common',
    'sssd-ipa',
    'sssd-krb5',
    'sssd-krb5-common',
    'sssd-ldap',
    'sssd-proxy',
    'sudo',
  ],
  ...[
    'sudo-rs',
    'systemd',
    'unix-chkpwd',
    'usermode',
    'util-linux',
    'util-linux-core',
    'util-linux-systemd',
    'utempter',
  ],
  ...['vlock', 'xorg-x11-server-Xorg', 'xorg-x11-server-wrapper'],
]

/**
 * rpm(8), -q --qf over the files of a package: FILEMODES as octal text, FILENAMES. rpm has the modes that packages set, and cannot be
 * requested files by mode; a list of every file of every package would be some ten megabytes.
 */
export const packagedProgramsRpm = defineProbe({
  id: 'packages.programs-rpm',
  title: 'Setuid programs delivered by packages (rpm)',
  why: 'Distinguishes setuid and setgid programs delivered by packages from others.',
  commands: { paths: run(['rpm', '-q', '--qf', '[%{FILEMODES:octal} %{FILENAMES}\\n]', ...PACKAGES]) },
  parse({ paths }) {
    // The status counts the packages that are not installed.
    if (paths.exitCode > PACKAGES.length) return unknown('rpm did not finish')
    const rows = lines(paths.text).filter((line) => !/^package \S{1,80} is not installed$/.test(line))
    const found = rows.map((line) => /^0?(\d{5,7}) (\/.*)$/.exec(line))
    if (found.some((match) => match === null))
      return unknown('the list of files of the packages has an unexpected format')
    if (found.length === 0) return unknown('the package database lists no program')
    const marked = found.flatMap((match) =>
      match?.[1] !== undefined && match[2] !== undefined && (Number.parseInt(match[1], 8) & SETUID_OR_SETGID) !== 0
        ? [match[2]]
        : [],
    )
    return known<PackagedPrograms>({ paths: new Set(marked) })
  },
})

/** inode(7): S_ISUID and S_ISGID. */
const SETUID_OR_SETGID = 0o6000

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

/** Types that cannot store such bits: FAT has no modes (mount(8)), and what autofs mounts is listed separately. */
const WITHOUT_MODES: ReadonlySet<string> = new Set(['autofs', 'exfat', 'msdos', 'vfat'])

/**
 * File systems that the search did not enter and that can contain a program that becomes root: one that contains a
 * searched folder and has another type, and one mounted further below other than at a starting point. Mounts
 * elsewhere are outside the expected condition.
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

/** The mount of a folder, unless it is a link: the one with the longest matching path. */
function holderOf(folder: string, topmost: ReadonlyMap<string, Mount>): Mount | undefined {
  const parts = folder.split('/')
  const paths = parts.map((_, at) => parts.slice(0, parts.length - at).join('/') || '/')
  return paths.flatMap((path) => topmost.get(path) ?? [])[0]
}

export const setuidSubject = defineSubject({
  id: 'setuid',
  title: 'Files with setuid or setgid',
  probes: [packagedProgramsDpkg, packagedProgramsRpm, setuidFiles],
  checks: [integritySetuidFiles],
  data,
})
