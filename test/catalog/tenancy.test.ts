import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accountsLocal } from '../../main/catalog/access/accounts/probes.ts'
import { tenancyPods } from '../../main/catalog/base/processes.ts'
import { sessionLimits } from '../../main/catalog/single-tenancy/tenancy/limits.ts'
import { tenancySlices } from '../../main/catalog/single-tenancy/tenancy/schedulers.ts'
import { namespaces, tenancyRuntimes, tenancySessions } from '../../main/catalog/single-tenancy/tenancy/sessions.ts'
import { known, readProbe, unknown } from '../../main/core/recording/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import { answer as captured } from '../support/answers.ts'
import { fixtureNames } from '../support/fixtures.ts'
import {
  answer,
  type Changed,
  change,
  DEMO,
  factOf,
  nodeOf,
  PROBES,
  processRows,
  tenancyOf,
  texts,
} from '../support/tenancy-readings.ts'
import { sampled } from '../support/thorough.ts'

const POD = '1f0c2e1a-7b44-4f0e-9a55-2f1c0de3b001'
const GROUP = `0::/kubepods.slice/kubepods-pod${POD.replaceAll('-', '_')}.slice/cri-containerd-${'e'.repeat(64)}.scope`

describe('who uses a node', () => {
  test.each([
    ['demo-gpu-01', 'single-observed'],
    ['demo-guest-03', 'single-observed'],
    ['demo-metal-04', 'shared'],
    ['demo-shared-05', 'shared'],
    ['demo-nosudo-06', 'undetermined'],
    ['fx-iso-vmware', 'undetermined'],
    ['fx-iso-hyperv', 'single-observed'],
    ['fx-iso-xen-dom0', 'undetermined'],
    ['fx-iso-container', 'undetermined'],
    ['fx-iso-kvmhost', 'shared'],
    ['fx-iso-k8s', 'shared'],
    ['fx-iso-part', 'undetermined'],
    ['fx-iso-slurm', 'single-observed'],
  ] as const)('%s: %s', (node, tenancy) => {
    const found = tenancyOf(node)
    expect([found.tenancy, texts(found, tenancy === 'shared' ? 'contradicts' : 'unclear')]).toEqual([
      tenancy,
      tenancy === 'single-observed' ? '' : expect.stringMatching(/./),
    ])
  })

  test('the statement carries the moment, and comes first', () => {
    for (const node of ['demo-gpu-01', 'demo-shared-05', 'demo-nosudo-06']) {
      const { statement, because } = tenancyOf(node)
      expect(statement).toContain('2026-11-20T09:12:00.000Z')
      expect(because[0]?.text).toBe(statement)
    }
  })

  test('without a roster nothing is explained', () => {
    expect(tenancyOf(DEMO, [], null).tenancy).toBe('undetermined')
    expect(tenancyOf(DEMO, [], []).tenancy).toBe('shared')
  })

  test('nothing was read: unknown', () => {
    const none: Changed = PROBES.map((probe) => [probe, unknown('this was not collected')])
    expect(tenancyOf(DEMO, none).tenancy).toBe('undetermined')
  })
})

describe('any one capture that is missing', () => {
  const LOST = [/* taken out */ null, 'lost', 'timed-out', 'truncated'] as const
  const nodes = [...fixtureNames().filter((name) => /^(demo|fx-iso)-/.test(name))]

  test.each(sampled(nodes, 10))('%s: never makes the answer single-observed', (name) => {
    const { captures } = nodeOf(name)
    const before = tenancyOf(name).tenancy
    for (const [key, capture] of captures) {
      const probe = PROBES.find(({ id }) => id === capture.meta.probe)
      if (probe === undefined) continue
      for (const status of LOST) {
        const rest = new Map([...captures].filter(([other]) => other !== key))
        if (status !== null) rest.set(key, { ...capture, meta: { ...capture.meta, status, exitCode: null } })
        const { tenancy } = tenancyOf(name, [[probe, readProbe(probe, rest)]])
        if (before !== 'single-observed') expect([key, status, tenancy]).not.toEqual([key, status, 'single-observed'])
      }
    }
  })

  test('a node that was single-observed needs all of them but the schedulers’ own, and mounts', () => {
    const { captures } = nodeOf(DEMO)
    const spare = [...captures].flatMap(([key, capture]) => {
      const probe = PROBES.find(({ id }) => id === capture.meta.probe)
      const rest = new Map([...captures].filter(([other]) => other !== key))
      return probe !== undefined && tenancyOf(DEMO, [[probe, readProbe(probe, rest)]]).tenancy === 'single-observed'
        ? [probe.id]
        : []
    })
    expect([...new Set(spare)].sort()).toEqual(['storage.mounts', 'tenancy.ray', 'tenancy.slurm'])
  })

  test('nor do any few of them together', () => {
    const needed = PROBES.filter(({ id }) => !['storage.mounts', 'tenancy.ray', 'tenancy.slurm'].includes(id))
    fc.assert(
      fc.property(
        fc.constantFrom(...nodes),
        fc.subarray([...needed], { minLength: 1 }),
        fc.subarray([...PROBES]),
        fc.constantFrom('this was not collected', 'not usable: ls did not finish in time'),
        (name, lost, more, reason) => {
          const gone: Changed = [...lost, ...more].map((probe) => [probe, unknown(reason)])
          expect(tenancyOf(name, gone).tenancy).not.toBe('single-observed')
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe('users', () => {
  test('a share of an account off the roster; of one in no list; of a service', () => {
    const of = (...userIds: number[]) => answer(change(tenancySlices, { userIds }))
    expect(of(0, 120, 1000, 1001, 65534).tenancy).toBe('single-observed')
    expect(of(1000, 4242).tenancy).toBe('undetermined')
    const shared = tenancyOf(DEMO, [change(tenancySlices, { userIds: [1000, 1001] })], ['root', 'bwaudit', 'mortiz'])
    expect([shared.tenancy, texts(shared, 'contradicts')]).toEqual(['shared', expect.stringContaining('“jlin”')])
  })
  // “60000-64999: globally allocated by the Debian project, but only created on demand” (Debian Policy 9.2.2), such as of ceph-osd.
  test.each([
    ['ceph:x:64045:64045::/var/lib/ceph:/usr/sbin/nologin', 'single-observed'],
    ['libvirt-qemu:x:64055:108::/var/lib/libvirt:/usr/sbin/nologin', 'single-observed'],
    // snapd makes these for snaps that ask for them (its documentation, “System usernames”).
    ['snap_daemon:x:584788:584788::/nonexistent:/usr/bin/false', 'single-observed'],
    ['_daemon_:x:584792:584792::/nonexistent:/usr/bin/false', 'single-observed'],
    ['snapd-range-524288-root:x:524288:524288::/nonexistent:/usr/bin/false', 'single-observed'],
    ['snap_daemon:x:584788:584788::/home/globex:/bin/bash', 'shared'],
    ['snap_daemon:x:1002:1002::/nonexistent:/usr/bin/false', 'shared'],
    ['globex:x:584788:584788::/home/globex:/usr/sbin/nologin', 'shared'],
    ['globex:x:64045:64045::/home/globex:/bin/bash', 'shared'],
    ['globex:x:65000:65000::/home/globex:/usr/sbin/nologin', 'shared'],
    ['globex:x:59999:59999::/home/globex:/usr/sbin/nologin', 'shared'],
    ['globex:x:1002:1002::/home/globex:/usr/sbin/nologin', 'shared'],
  ])('a process of %s', (line, tenancy) => {
    const [name = '', , uid, gid, , home = '', shell = ''] = line.split(':')
    const own = { name, uid: Number(uid), gid: Number(gid), home, shell }
    const found = answer(
      change(accountsLocal, { accounts: [...factOf(accountsLocal).accounts, own] }),
      processRows(DEMO, [4301, name, 'ceph-osd', '0::/system.slice/system-ceph\\x2dosd.slice/ceph-osd@3.service']),
    )
    expect([found.tenancy, texts(found, 'contradicts')]).toEqual([
      tenancy,
      tenancy === 'shared' ? expect.stringContaining(`“${name}”`) : '',
    ])
  })
  // systemd.exec(5), DynamicUser=: the name is that of the unit, the number one of 61184 to 65519; neither is in a file.
  const UPLOAD = '0::/system.slice/systemd-journal-upload.service'
  const UPLOAD_V1 = '4:memory:/system.slice/systemd-journal-upload.service,1:name=systemd:/system.slice/x.slice'
  test.each([
    ['systemd-journal-upload', UPLOAD, 'single-observed'],
    ['systemd-journal-upload', UPLOAD_V1, 'single-observed'],
    ['relay', '0::/system.slice/system-relay.slice/relay.service', 'single-observed'],
    ['63842', UPLOAD, 'single-observed'],
    ['61183', UPLOAD, 'undetermined'],
    ['65520', UPLOAD, 'undetermined'],
    ['63842', '0::/user.slice/user-63842.slice/session-4.scope', 'undetermined'],
    ['globex', UPLOAD, 'undetermined'],
    ['globex', '0::/user.slice/user-4242.slice/user@4242.service/app.slice/globex.service', 'undetermined'],
    ['globex', '0::/system.slice/globex.service.d', 'undetermined'],
  ])('a process under %s, which no file has, in %s', (name, group, tenancy) => {
    const found = answer(processRows(DEMO, [4301, name, 'systemd-journal', group]))
    expect([found.tenancy, texts(found, 'unclear')]).toEqual([
      tenancy,
      tenancy === 'undetermined' ? expect.stringContaining(`no local account: “${name}”`) : '',
    ])
  })
  test('one of its processes outside of its unit leaves such a name open', () => {
    const rows = [
      [4301, 'relay', 'relay', '0::/system.slice/relay.service'],
      [4302, 'relay', 'bash', '0::/user.slice/user-4242.slice/session-4.scope'],
    ] as const
    expect(answer(processRows(DEMO, ...rows)).tenancy).toBe('undetermined')
  })
  test('a terminal of another user', () => {
    const found = answer(change(tenancySessions, { sessions: [{ user: 'oper', terminal: 'pts/3' }] }))
    expect([found.tenancy, texts(found, 'contradicts')]).toEqual(['shared', expect.stringContaining('“oper”')])
  })
  // GDM records its own login screen in utmp, under a name that no account can have; who(1) of Debian and RHEL prints it so.
  test.each([
    ['(unknown)', ':0', 'single-observed'],
    ['gdm', 'tty1', 'single-observed'],
    ['oper', ':0', 'shared'],
  ])('a login screen as %s on %s', (user, terminal, tenancy) => {
    const read = tenancySessions.parse({
      who: captured(
        `bwaudit  pts/0        2026-11-20 09:11 (192.0.2.7)\n${user.padEnd(8)} ${terminal}           2026-11-20 07:02 (:0)\n`,
      ),
    })
    const found = answer([tenancySessions, read])
    expect([found.tenancy, texts(found, tenancy === 'shared' ? 'contradicts' : 'supports')]).toEqual([
      tenancy,
      expect.stringContaining(`“${user}”`),
    ])
  })
  test('from inside a container that only the kernel’s other answers show', () => {
    expect(answer(change(sessionLimits, { traces: ['/proc/vz'] })).tenancy).toBe('undetermined')
    expect(answer(change(namespaces, { secondProcess: 'bash' })).tenancy).toBe('undetermined')
  })
  test('from inside a container', () => {
    const own = { ...factOf(namespaces).own, pid: 4026532999 }
    expect(answer(change(namespaces, { own })).tenancy).toBe('undetermined')
    expect(texts(answer(change(namespaces, { own: { ...own, pid: null } })), 'unclear')).toMatch(/does not report/)
  })
})

describe('containers', () => {
  const lxc = processRows(DEMO, [7001, 'root', 'init', '0::/lxc.payload.mortiz-lab/init.scope'])
  test('by name on the roster, and without', () => {
    expect(tenancyOf(DEMO, [lxc]).tenancy).toBe('undetermined')
    expect(tenancyOf(DEMO, [lxc], ['root', 'bwaudit', 'mortiz', 'jlin', 'mortiz-lab']).tenancy).toBe('single-observed')
  })
  test.each(['0::/default/redis', `4:memory:/ecs/web/5a0d5ceddf6c44c1928d367a815d890f/${'b'.repeat(64)}`])(
    'in %s, with no name of its manager, its owner is open',
    (group) => {
      const found = answer(processRows(DEMO, [7001, 'root', 'redis-server', group]))
      expect([found.tenancy, texts(found, 'unclear')]).toEqual([
        'undetermined',
        expect.stringContaining('no owner on the declared roster could be identified'),
      ])
    },
  )
  test('a pod with its namespace on the roster, off it, and without a folder', () => {
    const pod = processRows(DEMO, [7001, 'root', 'python3', GROUP])
    const pods = (namespace: string): Changed[number] => [
      tenancyPods,
      known({ pods: [{ namespace, name: 'job-1', uid: POD }] }),
    ]
    expect(answer(pod, pods('mortiz')).tenancy).toBe('single-observed')
    expect(texts(answer(pod, pods('mortiz')), 'supports')).toContain('“mortiz”')
    expect(answer(pod, pods('globex')).tenancy).toBe('shared')
    expect(answer(pod, pods('kube-tenant-b')).tenancy).toBe('shared')
    // As on K3s and RKE2, whose containerd keeps its state elsewhere.
    expect(texts(answer(pod, pods('mortiz')), 'supports')).toContain('nothing at the usual places')
    const unlisted = answer(pod)
    expect([unlisted.tenancy, texts(unlisted, 'unclear')]).toEqual([
      'undetermined',
      expect.stringContaining('namespace is unknown'),
    ])
  })
  test('work that a manager lists and no process belongs to', () => {
    const tasks = { containerdNamespaces: ['moby'], containerdTasks: ['f'.repeat(64)] }
    expect(answer(change(tenancyRuntimes, tasks)).tenancy).toBe('undetermined')
    expect(answer(change(tenancyRuntimes, { ...tasks, containerdTasks: [] })).tenancy).toBe('single-observed')
    expect(answer(change(tenancyRuntimes, { unlistedNamespaces: ['buildkit'] })).tenancy).toBe('undetermined')
    expect(answer(change(tenancySlices, { machines: ['machine-qemu\\x2d1\\x2da.scope'] })).tenancy).toBe('undetermined')
    const defined = answer(change(tenancyRuntimes, { lxcContainers: ['old'], definedGuests: ['idle'] }))
    expect([defined.tenancy, texts(defined, 'supports')]).toEqual([
      'single-observed',
      expect.stringContaining('they know of “old”, “idle”'),
    ])
  })
})

test('no text for people states more than was observed', () => {
  const said = fixtureNames()
    .filter((name) => /^(demo|fx-iso)-/.test(name))
    .flatMap((name) => tenancyOf(name).because.map(({ text }) => text))
  for (const text of said) for (const banned of BANNED) expect(text).not.toMatch(banned)
})
