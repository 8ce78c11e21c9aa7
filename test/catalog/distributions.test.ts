import { describe, expect, test } from 'vitest'
import { probes as isolationProbes } from '../../main/catalog/groups/isolation.ts'
import { catalog } from '../../main/catalog/index.ts'
import { accountsPasswordState } from '../../main/catalog/probes/accounts-password-state.ts'
import { packagesApt } from '../../main/catalog/probes/packages-apt.ts'
import { sshdEffective } from '../../main/catalog/probes/sshd-effective.ts'
import { storageLsblk } from '../../main/catalog/probes/storage-lsblk.ts'
import { sudoProgram } from '../../main/catalog/probes/sudo-program.ts'
import { captureKey, type Probe, readProbe } from '../../main/core/probe.ts'
import { fixtureRecording } from '../support/fixtures.ts'

/** What the tools of each distribution answer, from recordings of real ones where they could be had (fx-dist-*: node.json says how). */

const NODES = [
  'fx-dist-amazon',
  'fx-dist-busybox',
  'fx-dist-debian-11',
  'fx-dist-debian-13',
  'fx-dist-rhel',
  'fx-dist-suse',
  'fx-dist-ubuntu',
  'fx-dist-ubuntu-20',
] as const
const byKey = (name: string) =>
  new Map(
    fixtureRecording(name, catalog.probes).captures.map((one) => [captureKey(one.meta.probe, one.meta.command), one]),
  )
const captures = new Map(NODES.map((name) => [name, byKey(name)]))
const read = <F>(name: (typeof NODES)[number], probe: Probe<F>) => readProbe(probe, captures.get(name) ?? new Map())
const factOf = <F>(name: (typeof NODES)[number], probe: Probe<F>): F => {
  const reading = read(name, probe)
  if (!reading.ok) throw new Error(`${name}: ${probe.id}: ${reading.reason}`)
  return reading.fact
}
const isolation = new Set(isolationProbes.map(({ id }) => id))
const own = catalog.probes.filter(({ id }) => !isolation.has(id))

describe.each(NODES)('%s', (name) => {
  test('every question gives a fact, or a reason in words', () => {
    const reasons = own.map((probe) => [probe.id, read(name, probe)] as const)
    const poor = reasons.filter(([, reading]) => !reading.ok && !/^[a-z“A-Z][^\n]{12,200}$/.test(reading.reason))
    expect(poor).toEqual([])
  })
})

describe('the version of sudo', () => {
  test.each([
    ['fx-dist-debian-11', 'sudo', '1.9.5p2', true],
    ['fx-dist-debian-13', 'sudo', '1.9.16p2', true],
    ['fx-dist-ubuntu-20', 'sudo', '1.8.31', true],
    ['fx-dist-ubuntu', 'sudo-rs', '0.2.13', true],
    ['fx-dist-rhel', 'sudo', '1.9.5p2', true],
    ['fx-dist-suse', 'sudo', '1.9.15p5', false],
  ] as const)('%s', (node, name, version, hasMergedFolders) => {
    expect(factOf(node, sudoProgram)).toEqual({ name, version, hasMergedFolders })
  })
  test('busybox has none', () => {
    expect(read('fx-dist-busybox', sudoProgram)).toEqual({ ok: false, reason: 'not collected: tool absent (sudo)' })
  })
})

describe('the state of passwords', () => {
  test.each(['fx-dist-debian-11', 'fx-dist-debian-13', 'fx-dist-ubuntu-20', 'fx-dist-ubuntu'] as const)(
    '%s: with dates of either form, every account is read',
    (node) => {
      const { states } = factOf(node, accountsPasswordState)
      expect(states.size).toBeGreaterThan(20)
      expect(states.get('root')).toBe('locked')
    },
  )
  test.each(['fx-dist-rhel', 'fx-dist-busybox'] as const)(
    '%s: where passwd knows no -a, nothing is claimed',
    (node) => {
      expect(read(node, accountsPasswordState).ok).toBe(false)
    },
  )
})

describe('the settings of the SSH server', () => {
  test.each([
    ['fx-dist-debian-11', 'yes'],
    ['fx-dist-debian-13', 'yes'],
    ['fx-dist-ubuntu-20', 'yes'],
    ['fx-dist-ubuntu', 'yes'],
    ['fx-dist-rhel', 'yes'],
    ['fx-dist-amazon', 'no'],
  ] as const)('%s', (node, passwords) => {
    const { settings } = factOf(node, sshdEffective)
    expect(settings.get('passwordauthentication')).toEqual([passwords])
    expect(settings.get('kbdinteractiveauthentication')).toHaveLength(1)
  })
})

describe('the tree of block devices', () => {
  test('lsblk of RHEL 8 prints numbers as strings and one mount point', () => {
    const devices = [...factOf('fx-dist-rhel', storageLsblk).devices.values()]
    expect(devices.map(({ name, type }) => `${name} ${type}`).sort()).toEqual([
      'luks-5f0c crypt',
      'nvme0n1 disk',
      'nvme0n1p1 part',
      'nvme0n1p2 part',
      'nvme0n1p3 part',
      'rhel-root lvm',
      'rhel-swap lvm',
    ])
  })
  test.each(['fx-dist-debian-11', 'fx-dist-debian-13', 'fx-dist-ubuntu-20', 'fx-dist-ubuntu'] as const)(
    '%s',
    (node) => {
      expect([...factOf(node, storageLsblk).devices.values()].some(({ name }) => name === 'vda')).toBe(true)
    },
  )
})

describe('pending updates', () => {
  test.each([
    ['fx-dist-debian-11', 'openssl'],
    ['fx-dist-ubuntu-20', 'bash'],
    ['fx-dist-ubuntu', 'tzdata'],
  ] as const)('%s: security updates are told by the archive they come from', (node, name) => {
    const { pending } = factOf(node, packagesApt)
    expect(pending.find((one) => one.name === name)?.security).toBe(true)
  })
})
