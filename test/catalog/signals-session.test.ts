import { describe, expect, test } from 'vitest'
import { parseMountinfo, storageMounts } from '../../main/catalog/data-protection/mounts/probes.ts'
import { containerAnswer } from '../../main/catalog/single-tenancy/isolation/container.ts'
import { sessionSignals } from '../../main/catalog/single-tenancy/isolation/signals/session.ts'
import { type SessionLimits, sessionLimits } from '../../main/catalog/single-tenancy/tenancy/limits.ts'
import { INITIAL_NAMESPACES, type Namespaces, namespaces } from '../../main/catalog/single-tenancy/tenancy/sessions.ts'
import { virtBuses, virtGuests, virtHosted } from '../../main/catalog/single-tenancy/virtualization/index.ts'
import { known, unknown } from '../../main/core/recording/probe.ts'
import { type Read, readFrom } from '../../main/core/recording/readings.ts'
import { BANNED } from '../../schemas/words.ts'
import { observedText, weighed } from '../support/device-facts.ts'
import { type Fact, observed } from '../support/signal-facts.ts'
import { readWith } from '../support/tenancy-readings.ts'

const HOST: Namespaces = {
  own: INITIAL_NAMESPACES,
  firstProcess: 'systemd',
  secondProcess: 'kthreadd',
  containerGroups: [],
  marks: [],
}

const WHOLE: SessionLimits = {
  depth: 1,
  droppedCapabilities: [],
  filtersCalls: false,
  virtualServer: null,
  schedulerId: 1,
  manager: null,
  groups: 'whole',
  cpuQuota: null,
  memoryBytes: null,
  processors: 64,
  usableProcessors: 64,
  traces: [],
}

const ROOT = '22 1 253:1 / / rw - ext4 /dev/sda1 rw\n'
const session = (fields: Partial<Namespaces> = {}): Fact => [namespaces, known({ ...HOST, ...fields })]
const limits = (fields: Partial<SessionLimits> = {}): Fact => [sessionLimits, known({ ...WHOLE, ...fields })]
const mounts = (text = ROOT): Fact => [storageMounts, parseMountinfo(text)]
const reading = (...facts: readonly Fact[]): Read => readFrom(new Map(facts.map(([{ id }, found]) => [id, found])))
const on = (id: string, ...facts: readonly Fact[]) =>
  observed(sessionSignals, id, reading(session(), limits(), mounts(), ...facts))
const INSIDE = { ...INITIAL_NAMESPACES, pid: 4026533101 }

describe('a container', () => {
  const container = (...facts: readonly Fact[]) => containerAnswer(reading(...facts))

  test('by process or user namespace, and by nothing that was not read', () => {
    expect(container(session({ own: INSIDE })).isContainer).toBe(true)
    // Rootless containers of Podman share the process namespace only when asked to.
    expect(container(session({ own: { ...INITIAL_NAMESPACES, user: 4026532777 } })).isContainer).toBe(true)
    // A service of systemd with a private host name, and kernels that lack a kind.
    expect(container(session({ own: { ...INITIAL_NAMESPACES, uts: 4026532777 } })).isContainer).toBe(false)
    expect(container(session({ own: { ...INITIAL_NAMESPACES, user: null, time: null } })).isContainer).toBe(false)
    expect(container(session(), limits(), mounts())).toEqual({ isContainer: false, platform: null, steps: [] })
    expect(container().isContainer).toBe(false)
    expect(container([namespaces, unknown('not usable')], [sessionLimits, unknown('not usable')]).isContainer).toBe(
      false,
    )
  })

  test('by what else the kernel reports, where a number alone was made to fit', () => {
    for (const fields of [{ depth: 2 }, { schedulerId: 5276 }, { traces: ['/proc/vz'] }, { virtualServer: 42 }])
      expect([fields, container(session(), limits(fields)).isContainer]).toEqual([fields, true])
    expect(container(session({ secondProcess: 'systemd-journal' }))).toMatchObject({ isContainer: true })
    expect(container(session({ secondProcess: null }), limits({ depth: null, schedulerId: null })).isContainer).toBe(
      false,
    )
    expect(container(limits({ traces: ['/proc/vz', '/proc/bc'] })).isContainer).toBe(false)
    expect(container(limits({ virtualServer: 0 })).isContainer).toBe(false)
  })

  test('a guest that was made from an image of Docker’s is none', () => {
    expect(container(session({ marks: ['/.dockerenv'] }), limits({ manager: 'docker' })).isContainer).toBe(false)
  })

  const group = (line: string): Fact => session({ own: INSIDE, containerGroups: [line] })
  const marked = (marks: readonly string[]): Fact => session({ own: INSIDE, marks })
  const bind = (root: string): string => `${ROOT}30 22 253:1 ${root} /etc/hostname rw - ext4 /dev/sda1 rw\n`
  const ID = 'a'.repeat(64)
  test.each([
    ['Docker', group(`12:pids:/docker/${ID}`), limits()],
    ['Docker', marked(['/.dockerenv']), limits()],
    ['Docker', session({ own: INSIDE }), mounts(bind(`/var/lib/docker/containers/${ID}/hostname`))],
    ['Podman', group(`1:name=systemd:/machine.slice/libpod-${ID}.scope`), limits()],
    ['Podman', marked(['/run/.containerenv']), limits({ manager: 'podman' })],
    [
      'Podman',
      session({ own: INSIDE }),
      mounts(bind(`/containers/storage/overlay-containers/${ID}/userdata/hostname`)),
    ],
    ['LXC', group('0::/lxc.payload.103/init.scope'), limits({ manager: 'lxc' })],
    ['LXC', marked(['/run/systemd/container']), limits({ traces: ['/dev/lxd/sock'] })],
    ['LXC', session({ own: INSIDE }), mounts(`${ROOT}30 22 0:50 / /proc/meminfo rw - fuse.lxcfs lxcfs rw\n`)],
    ['OpenVZ', marked(['/proc/vz']), limits({ traces: ['/proc/vz'] })],
    ['Kubernetes', group(`0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-${ID}.scope`), limits()],
    ['Kubernetes', marked(['/.dockerenv']), limits({ traces: ['/run/secrets/kubernetes.io'] })],
    ['Kubernetes', session({ own: INSIDE }), mounts(bind('/var/lib/kubelet/pods/1f0c/etc-hosts'))],
    ['systemd-nspawn', marked(['/run/systemd/container']), limits({ manager: 'systemd-nspawn' })],
    [null, session({ own: INSIDE }), limits({ manager: 'acme' })],
    [null, session({ own: INSIDE }), mounts('22 1 0:50 / / rw - overlay overlay rw\n')],
  ] as const)('%s', (platform, one, two) => {
    const found = container(one, two)
    expect([found.isContainer, found.platform]).toEqual([true, platform])
    expect(found.steps.every(({ direction }) => direction === 'contradicts')).toBe(true)
  })

  test('of the fixtures one is a container, and the demo guest, made from an image, is none', () => {
    expect(containerAnswer(readWith('fx-iso-container'))).toMatchObject({ isContainer: true, platform: 'LXC' })
    for (const name of ['demo-gpu-01', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05', 'fx-iso-k8s'])
      expect([name, containerAnswer(readWith(name)).isContainer]).toEqual([name, false])
  })
})

describe('namespaces and first processes', () => {
  test('initial; in a container; a service kept apart; not reported', () => {
    expect(weighed(on('ns.inode'))).toEqual(['bare-metal'])
    expect(weighed(on('ns.inode', session({ own: { ...INITIAL_NAMESPACES, time: null } })))).toEqual(['bare-metal'])
    const inside = on('ns.inode', session({ own: INSIDE }))
    expect([inside.indicates, observedText(inside)]).toEqual(['neutral', ''])
    expect(observedText(on('ns.inode', session({ own: { ...INITIAL_NAMESPACES, uts: 1 } })))).toContain('uts')
    expect(on('ns.inode', session({ own: { ...INITIAL_NAMESPACES, pid: null } })).indicates).toBe('neutral')
    expect(on('ns.inode', [namespaces, unknown('lost')]).indicates).toBe('unreadable')
  })
  test('process 2, the scheduler and the group of process 1', () => {
    expect(on('ns.pid1').indicates).toBe('bare-metal')
    expect(on('ns.pid1', limits({ schedulerId: null })).indicates).toBe('bare-metal')
    expect(on('ns.pid1', limits({ schedulerId: 5276 })).indicates).toBe('neutral')
    expect(on('ns.pid1', session({ secondProcess: null })).indicates).toBe('neutral')
    expect(observedText(on('ns.pid1', session({ containerGroups: ['0::/lxc/1'] })))).toMatch(/initial namespaces/)
    expect(on('ns.pid1', [namespaces, unknown('lost')]).indicates).toBe('unreadable')
  })
})

describe('files, capabilities, limits, OpenVZ', () => {
  test('traces of container software show little in the initial namespaces', () => {
    expect(on('ns.files').indicates).toBe('bare-metal')
    const image = on('ns.files', session({ marks: ['/.dockerenv', '/proc/bc'] }))
    expect([image.indicates, observedText(image)]).toEqual([
      'neutral',
      expect.stringMatching(/“\/\.dockerenv”.*alone are weak evidence/),
    ])
    expect(observedText(on('ns.files', session({ own: INSIDE, marks: ['/.dockerenv'] })))).toBe('')
    expect(on('ns.files', mounts('22 1 0:50 / / rw - overlay overlay rw\n')).indicates).toBe('neutral')
    // The system that runs containers has their layers mounted in its own tree.
    expect(
      on('ns.files', mounts(`${ROOT}30 22 0:50 / /var/lib/docker/overlay2/a/merged rw - overlay overlay rw\n`))
        .indicates,
    ).toBe('bare-metal')
    for (const probe of [namespaces, sessionLimits, storageMounts])
      expect(on('ns.files', [probe, unknown('lost')]).indicates).toBe('unreadable')
  })
  test('capabilities', () => {
    expect(on('ns.caps').indicates).toBe('bare-metal')
    expect(observedText(on('ns.caps', limits({ droppedCapabilities: [16, 17, 21] })))).toMatch(
      /kernel modules, raw input/,
    )
    expect([on('ns.caps', limits({ droppedCapabilities: [24] })).indicates]).toEqual(['neutral'])
    expect(observedText(on('ns.caps', limits({ droppedCapabilities: [24] })))).toBe('')
    expect(on('ns.caps', limits({ droppedCapabilities: null })).indicates).toBe('neutral')
    expect(on('ns.caps', [sessionLimits, unknown('lost')]).indicates).toBe('unreadable')
  })
  test('limits at the root', () => {
    expect(on('ns.cgroup').indicates).toBe('bare-metal')
    expect(on('ns.cgroup', limits({ groups: null })).indicates).toBe('neutral')
    const part = on('ns.cgroup', limits({ groups: 'part', usableProcessors: 8, cpuQuota: 2.5, memoryBytes: 2 ** 30 }))
    expect([part.indicates, observedText(part)]).toEqual([
      'neutral',
      expect.stringContaining('8 of 64 processors, the time of 2.5 processors, 1024 MiB of memory'),
    ])
    expect(on('ns.cgroup', limits({ groups: 'part' })).indicates).toBe('neutral')
    expect(observedText(on('ns.cgroup', session({ own: INSIDE }), limits({ cpuQuota: 1 })))).toBe('')
    expect(on('ns.cgroup', [sessionLimits, unknown('lost')]).indicates).toBe('unreadable')
  })
  test('OpenVZ: container, holder of containers, neither', () => {
    const vz = (...traces: readonly string[]) => on('ns.vz', limits({ traces }))
    expect([vz().indicates, vz('/proc/vz').indicates, vz('/proc/vz', '/proc/bc').indicates]).toEqual([
      'bare-metal',
      'neutral',
      'neutral',
    ])
    expect(observedText(vz('/proc/vz', '/proc/bc'))).toMatch(/can hold containers of others/)
    expect(on('ns.vz', limits({ virtualServer: 7 })).indicates).toBe('neutral')
    expect(on('ns.vz', [sessionLimits, unknown('lost')]).indicates).toBe('unreadable')
  })
})

describe('systems that hold guests', () => {
  const guests = (openGuests: number | null, ...found: readonly string[]): Fact => [
    virtGuests,
    known({ found, openGuests }),
  ]
  const hosted = (xenGuests: readonly number[], taps: readonly string[] = []): Fact => [
    virtHosted,
    known({ xenGuests, heldBack: [], mediated: [], taps }),
  ]
  const buses = (isControlDomain: boolean, hypervisorType: string | null): Fact => [
    virtBuses,
    known({ isControlDomain, hypervisorType }),
  ]
  test('KVM and Xen show nothing about hardware: guests can hold guests', () => {
    expect(on('host.kvm', guests(9, '/dev/kvm'), hosted([], ['vnet0']))).toMatchObject({
      indicates: 'neutral',
      value: 'KVM held 9 times; 1 device configured for guests',
    })
    expect(on('host.kvm', guests(null))).toMatchObject({ indicates: 'neutral', value: 'no support for guests' })
    expect(on('host.kvm').indicates).toBe('unreadable')
    expect(on('host.xen', buses(true, 'xen'), hosted([1, 2]))).toMatchObject({
      indicates: 'neutral',
      value: 'control domain, serves devices to 2 guests',
    })
    expect(on('host.xen', buses(false, 'xen'))).toMatchObject({ indicates: 'neutral' })
    expect(on('host.xen', buses(false, null))).toMatchObject({ indicates: 'neutral', value: 'no control domain' })
    expect(on('host.xen').indicates).toBe('unreadable')
  })
})

test('no signal of the session ever indicates “virtual”, and each states what an auditor needs', () => {
  for (const name of ['demo-gpu-01', 'demo-guest-03', 'demo-metal-04', 'fx-iso-container', 'fx-iso-xen-dom0'])
    for (const { observe } of sessionSignals) expect(observe(readWith(name)).indicates).not.toBe('virtual')
  for (const { id, title, onMetal, onGuest, source, pitfalls, probes } of sessionSignals) {
    expect([id, probes.length > 0, pitfalls.length > 0]).toEqual([id, true, true])
    expect([id, BANNED.some((word) => word.test([title, onMetal, onGuest, source, ...pitfalls].join(' ')))]).toEqual([
      id,
      false,
    ])
  }
  expect(new Set(sessionSignals.map(({ id }) => id)).size).toBe(sessionSignals.length)
})
