import { type Answer, defineProbe, glob, known, type Parsed, run, runAsRoot, unknown } from '../../core/probe.ts'
import { grepIsComplete, lines } from '../read-text.ts'

export interface SetuidFiles {
  /** Paths, each once and sorted, as their folders are spelled from the root. */
  readonly paths: readonly string[]
}

/** Folders of installed programs that are links into /usr on a merged system (usrmerge): find(1) does not follow those. */
const PROGRAMS_OR_LINKS: readonly string[] = ['/bin', '/lib', '/lib64', '/sbin']
/**
 * The other folders of installed programs, those that every account may write to, and those of root. Each is a place where the search
 * starts, so that it is searched where it is a file system of its own. Home folders, /srv, the rest of /var and mounts of data can hold
 * millions of files, and are left out.
 */
const FOLDERS: readonly string[] = ['/boot', '/etc', '/opt', '/root', '/tmp', '/usr', '/usr/local', '/var/tmp']
/** Every place where the search starts. */
export const SEARCHED: readonly string[] = [...PROGRAMS_OR_LINKS, ...FOLDERS].sort()
/** Folders below a start that are looked into: one more than packages need (/usr/lib/emacs/VERSION/MACHINE/movemail), as find(1) counts. */
export const LEVELS = 6
/** File systems of the server itself that find(1) knows by the mount table. Not btrfs: its subvolumes have device numbers of their own. */
export const SEARCHED_TYPES: readonly string[] = ['ext4', 'xfs', 'ext3', 'ext2', 'zfs', 'tmpfs']

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
  if (complaints.some((said) => !/: No such file or directory$/.test(said)))
    return unknown('a folder could not be searched')
  if (text !== '' && !text.endsWith('\0')) return unknown('the list of files has no end')
  const paths = text.split('\0').flatMap((path) => (path === '' ? [] : [path.replace('/./', '/')]))
  if (paths.some((path) => !path.startsWith('/'))) return unknown('the list of files has an unexpected format')
  return known({ paths: [...new Set(paths)].sort() })
}

export interface PackagedPrograms {
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
