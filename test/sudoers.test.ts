import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { catalog } from '../main/catalog/index.ts'
import { deniedCommand } from '../main/core/deny-list.ts'
import { glob, run, runAsRoot } from '../main/core/probe.ts'
import { rootCommands, sudoersFor } from '../main/core/sudoers.ts'

const hasVisudo = spawnSync('visudo', ['-V']).status === 0
const checked = (text: string): string => {
  const { status, stdout, stderr } = spawnSync('visudo', ['-cf', '-'], { input: text, encoding: 'utf8' })
  return status === 0 ? 'ok' : stdout + stderr
}

describe('the sudoers drop-in', () => {
  test.skipIf(!hasVisudo)('of the whole catalog is accepted by visudo (skipped where visudo is absent)', () => {
    expect(checked(sudoersFor(rootCommands(catalog.probes), { user: 'bwaudit' }))).toBe('ok')
  })
  test.skipIf(!hasVisudo)('of words with special characters is accepted by visudo', () => {
    expect(checked(sudoersFor([runAsRoot(['grep', '-E', 'a,b:c=d\\e[f]*?!', '/etc/x y'])], { user: 'bw' }))).toBe('ok')
  })
  test('a command without arguments allows none', () => {
    expect(sudoersFor([runAsRoot(['id'])], { user: 'bw' })).toContain('/usr/bin/id ""')
  })
  test.each([
    ['a path pattern', { ...run(['cat', glob('/etc/*')]), as: 'root' as const }],
    ['an empty word', runAsRoot(['grep', ''])],
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
    ['rm', '-rf', '/'],
    ['tee', '/etc/x'],
    ['dd', 'if=/dev/zero', 'of=/dev/sda'],
    ['sysctl', '-w', 'x=1'],
    ['systemctl', 'stop', 'sshd'],
    ['sh', '-c', 'id'],
    ['sudo', 'id'],
    ['find', '/', '-delete'],
    ['curl', 'http://169.254.169.254/'],
  ])('%s %s %s', (...argv) => {
    expect(deniedCommand(argv)).not.toBeNull()
  })
  test.each([
    ['dmsetup', 'table'],
    ['ip', 'xfrm', 'state', 'list', 'nokeys'],
    ['nft', '-j', 'list', 'ruleset'],
    ['auditctl', '-s'],
    ['sshd', '-T'],
    ['apt-get', '-s', 'dist-upgrade'],
    ['ps', '-eo', 'pid,user,comm'],
    ['cat', '/proc/cmdline'],
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
