import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { setuidFiles } from '../main/catalog/access/setuid/index.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { rootCommands, sudoersFor } from '../main/core/collector/sudoers.ts'
import { deniedCommand, READ_ONLY_PROGRAMS, SERVICE_STARTERS } from '../main/core/recording/command-allowlist.ts'
import { argvOf, glob, run, runAsRoot } from '../main/core/recording/probe.ts'

const hasVisudo = spawnSync('visudo', ['-V']).status === 0
const checked = (text: string): string => {
  const { status, stdout, stderr } = spawnSync('visudo', ['-cf', '-'], { input: text, encoding: 'utf8' })
  return status === 0 ? 'ok' : stdout + stderr
}

/** The catalog's search for setuid files, with other places to start at. */
const setuidSearch = (...starts: readonly string[]): readonly string[] => {
  const argv = argvOf(setuidFiles.commands.files)
  return ['find', ...starts, ...argv.slice(argv.indexOf('-maxdepth'))]
}

test('the search for setuid files may start in folders of programs', () =>
  expect(deniedCommand(setuidSearch('/bin', '/usr/.'))).toBe(null))

test('no program that starts a service is on the list of those that read, nor in the catalog', () => {
  for (const program of SERVICE_STARTERS) {
    expect(READ_ONLY_PROGRAMS.has(program)).toBe(false)
    expect(deniedCommand([program])).toContain('starts a service')
  }
})

describe('the sudoers drop-in', () => {
  test.skipIf(!hasVisudo)('of the whole catalog is accepted by visudo (skipped where it is absent)', () => {
    expect(checked(sudoersFor(rootCommands(catalog.probes), { user: 'bwaudit' }))).toBe('ok')
  })
  test.skipIf(!hasVisudo)('of words with special characters is accepted by visudo (skipped where it is absent)', () => {
    expect(checked(sudoersFor([runAsRoot(['grep', '-E', 'a,b:c=d\\e[f]*?!', '/etc/x y'])], { user: 'bw' }))).toBe('ok')
  })
  test('an empty word is written as one more space, which is how sudo sees it', () => {
    expect(sudoersFor([runAsRoot(['grep', '-H', '', '/x'])], { user: 'bw' })).toContain('/usr/bin/grep -H \\ /x')
  })
  test('a backslash survives the file and the pattern', () => {
    expect(sudoersFor([runAsRoot(['grep', '-e', 'a\\.b', '/x'])], { user: 'bw' })).toContain('grep -e a\\\\\\\\.b /x')
  })
  test('of the whole catalog leaves nothing out in the form of sudo-rs', () => {
    const all = rootCommands(catalog.probes)
    expect(sudoersFor(all, { user: 'bw', dialect: 'sudo-rs' })).not.toContain('# Omitted')
  })
  test('a command without arguments allows none', () => {
    expect(sudoersFor([runAsRoot(['id'])], { user: 'bw' })).toContain('/usr/bin/id ""')
  })
  test.each([
    ['a path pattern', { ...run(['cat', glob('/etc/*')]), as: 'root' as const }],
    ['a first word that would begin a regular expression', runAsRoot(['grep', '^a$'])],
    ['a word that is not ASCII', runAsRoot(['grep', 'ä'])],
    ['a word with a line break', runAsRoot(['grep', 'a\nb'])],
  ])('%s is refused', (_name, command) => {
    expect(() => sudoersFor([command], { user: 'bw' })).toThrow()
  })
  test.each(['root ALL', 'a,b', 'A', '%wheel', ''])('“%s” is no login name', (user) => {
    expect(() => sudoersFor([runAsRoot(['id'])], { user })).toThrow()
  })
})

describe('what may never be in the catalog', () => {
  test.each([
    ['dmsetup', 'table', '--showkeys'],
    ['cryptsetup', 'luksDump', '--dump-volume-key', '/dev/sda'],
    ['cryptsetup', 'luksDump', '--dump-master-key', '/dev/sda'],
    ['ip', 'xfrm', 'state'],
    ['wg', 'show', 'all', 'dump'],
    ['wg', 'showconf', 'wg0'],
    ['cat', '/etc/shadow'],
    ['getent', 'shadow'],
    ['cat', '/etc/ssh/ssh_host_ed25519_key'],
    ['cat', '/proc/1/environ'],
    ['grep', '-s', '', '/proc/*/cmdline'],
    ['ps', '-ef'],
    ['ps', 'aux'],
    ['ps', '-eo', 'pid,args'],
    ['cat', '/run/cloud-init/instance-data-sensitive.json'],
    ['nft', 'flush', 'ruleset'],
    ['auditctl', '-D'],
    ['sshd', '-T', '-f', '/etc/shadow'],
    ['cvtsudoers', '-f', 'json', '-o', '/etc/x', '/etc/sudoers'],
    ['apt-get', 'upgrade'],
    ['apt-get', '-s', 'dist-upgrade'],
    ['apt', 'list', '--upgradable'],
    ['apt', 'list', '-o', 'Dir::Cache::pkgcache=', '--upgradable'],
    ['apt', 'upgrade', '-o', 'Dir::Cache::pkgcache=', '-o', 'Dir::Cache::srcpkgcache='],
    ['rm', '-rf', '/'],
    ['tee', '/etc/x'],
    ['dd', 'if=/dev/zero', 'of=/dev/sda'],
    ['sysctl', '-w', 'x=1'],
    ['systemctl', 'stop', 'sshd'],
    ['sh', '-c', 'id'],
    ['sudo', 'id'],
    ['find', '/', '-delete'],
    ['find', '/', '/home/.', '-xdev', '-type', 'f', '-perm', '/4000', '-delete'],
    ['find', '/', '-xdev', '-type', 'f', '-perm', '/4000', '-exec', 'id', '{}', ';'],
    ['find', '/', '/home/.', '-xdev', '-type', 'f', '-fprint0', '/etc/x'],
    ['find', '-H', '/home', '/root', '-name', 'authorized_keys', '-delete'],
    ...['/', '/.', '/home/.', '/srv/.', '/var/.', '/var/lib/.', '/usr/./..'].map((start) =>
      setuidSearch('/bin', start),
    ),
    setuidSearch('/bin', '/usr/.').filter((word) => word !== '-xdev'),
    setuidSearch('/bin', '/usr/.').filter((word) => word !== '-maxdepth' && word !== '6'),
    setuidSearch('/bin', '/usr/.').map((word) => (word === '6' ? '60' : word)),
    ['curl', 'http://169.254.169.254/'],
    ['grep', '-s', '', '/etc/*'],
    ['grep', '-r', 'PermitRootLogin', '/etc/ssh'],
    ['grep', '-r', 'x', '/etc/'],
    ['grep', '-r', '--include=*_key', 'x', '/etc/ssh'],
    ['cat', '/etc/ssh/ssh_host_*'],
    ['head', '/etc/ssl/private/*'],
    ['cat', '/home/*/.ssh/id_*'],
    ['cat', '/etc/chrony/chrony.keys'],
    ['cat', '/etc/wireguard/wg0.conf'],
    ['cat', '/var/lib/cloud/instance/user-data.txt'],
    ['cat', '/proc/self/environ'],
    ['cat', '/root/.bash_history'],
    ['cat', '/dev/sda'],
    ['cat', '.ssh/id_rsa'],
    ['/tmp/cat', '/etc/os-release'],
    ['ip', 'link', 'set', 'eth0', 'down'],
    ['ip', 'netns', 'exec', 'a', 'id'],
    ['ss', '-K', 'dst', '10.0.0.1'],
    ['hostname', 'new-name'],
    ['date', '-s', '2020-01-01'],
    ['timedatectl', 'set-time', '2020-01-01'],
    ...SERVICE_STARTERS.flatMap((program) => [[program], [program, 'show'], [program, 'status', '--json=short']]),
    ['busctl', '--system', 'call', 'org.freedesktop.timedate1', '/org/freedesktop/timedate1'],
    ['busctl', '--system', '--auto-start=no', 'get-property', 'org.freedesktop.timesync1', '/', 'x', 'y'],
    ['networkctl', 'status'],
    ['networkctl', 'list'],
    ['chronyc', 'makestep'],
    ['dmidecode', '--dump-bin', '/etc/x'],
    ['nvidia-smi', '-q', '-f', '/etc/x'],
    ['nvidia-smi', '--gpu-reset'],
    ['nvme', 'format', '/dev/nvme0n1'],
    ['systemctl', '-H', 'other', 'show'],
    ['systemctl', 'show', '--host=other'],
    ['journalctl', '--vacuum-size=1'],
    ['tail', '-f', '/var/log/syslog'],
    ['zpool', 'scrub', 'tank'],
    ['zfs', 'destroy', 'tank'],
    ['mokutil', '--import', 'x.der'],
    ['dnf', 'upgrade'],
    ['dnf', '-C', '-q', 'updateinfo', 'list', '--security', '--available'],
    ['dnf5', '-C', 'advisory', 'list'],
    ['yum', '-C', 'updateinfo', 'list'],
    ['needs-restarting', '-r'],
    ['zypper', '-n', '--no-refresh', 'list-patches', '--category', 'security'],
    ['chronyc', '-n', '-c', 'tracking'],
    ['cryptsetup', 'luksDump', '/dev/sda'],
    ['lvs', '--reportformat', 'json'],
    ['vgs'],
    ['pvs'],
    ['fwupdmgr', 'get-devices', '--json'],
    ['passwd', 'root'],
    ['wg', 'set', 'wg0', 'peer', 'x'],
    ['sysctl', 'kernel.x=1'],
    ['cat', 'a\nb'],
  ])('%s %s %s', (...argv) => {
    expect(deniedCommand(argv)).not.toBeNull()
  })
  test.each([
    ['dmsetup', 'table'],
    ['ip', 'xfrm', 'state', 'list', 'nokeys'],
    ['nft', '-j', 'list', 'ruleset'],
    ['auditctl', '-s'],
    ['sshd', '-T'],
    ['apt', 'list', '-o', 'Dir::Cache::pkgcache=', '-o', 'Dir::Cache::srcpkgcache=', '--upgradable'],
    ['chronyc', '-h', '127.0.0.1,::1', '-n', '-c', 'tracking'],
    ['ps', '-eo', 'pid,user,comm'],
    ['cat', '/proc/cmdline'],
    ['stat', '-c', '%a', '/etc/shadow'],
    ['ls', '-l', '/etc/ssh/ssh_host_ed25519_key'],
    ['cat', '/etc/ssh/ssh_host_ed25519_key.pub'],
    ['grep', '-r', '--include=authorized_keys', 'AAAA', '/home', '/root'],
    ['grep', '-sH', '', '/sys/block/*/dm/uuid'],
    ['wg', 'show', 'all', 'peers'],
    ['wg', 'show', 'interfaces'],
    ['ip', '-d', '-j', 'link', 'show', 'type', 'wireguard'],
    ['systemctl', 'show', '--property=Id,ActiveState', 'auditd.service'],
    ['dd', 'if=/dev/cpu/0/cpuid', 'bs=16', 'count=1', 'status=none'],
  ])('%s %s may', (...argv) => {
    expect(deniedCommand(argv)).toBeNull()
  })
})

describe.each(catalog.probes.map((probe) => [probe.id, probe] as const))('%s', (_id, { commands }) => {
  test('runs only what reads', () => {
    for (const command of Object.values(commands)) {
      if (command.kind !== 'run') continue
      const argv = command.argv.map((part) => (typeof part === 'string' ? part : part.glob))
      expect(deniedCommand(argv), argv.join(' ')).toBeNull()
    }
  })
})
