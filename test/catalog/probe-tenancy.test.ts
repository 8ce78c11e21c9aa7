import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  containersOf,
  guestThreadsOf,
  monitorsOf,
  parseProcesses,
  tenancyKfd,
  tenancyPods,
} from '../../main/catalog/base/processes.ts'
import { sessionLimits } from '../../main/catalog/single-tenancy/tenancy/limits.ts'
import { tenancyRay, tenancySlices, tenancySlurm } from '../../main/catalog/single-tenancy/tenancy/schedulers.ts'
import { namespaces, tenancyRuntimes, tenancySessions } from '../../main/catalog/single-tenancy/tenancy/sessions.ts'
import { virtGuests, virtHosted, virtMachines } from '../../main/catalog/single-tenancy/virtualization/index.ts'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import type { Probe } from '../../main/core/recording/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import { absent, answer, fact, reason } from '../support/answers.ts'
import { expectLinear } from '../support/growth.ts'

const NONE = { exitCode: 2, errorText: absent('/proc/vz') }

describe('tenancy.processes', () => {
  const list = (...rows: readonly string[]) => fact(parseProcesses(['PID USER COMMAND CGROUP', ...rows].join('\n')))
  test('a service named after LXC is no container; its monitor is none either', () => {
    const found = containersOf(
      list(
        '1 root systemd 0::/init.scope',
        '900 root lxcfs 0::/system.slice/lxcfs.service',
        '901 root lxc-monitord 0::/system.slice/lxc.service',
        '902 root lxc-start 0::/lxc.monitor.web',
        '903 root init 0::/lxc.payload.web/init.scope',
        '904 root init 0::/lxc/103/ns/init.scope',
      ),
    )
    expect(found.map(({ manager, id }) => `${manager} ${id}`)).toEqual(['LXC web', 'LXC 103'])
  })
  // podman-systemd.unit(5): a .container unit runs with --cgroups=split; conmon stays in “runtime”.
  test('a container of a systemd unit (Podman Quadlet), of root and of an account', () => {
    const [id, other] = ['9687bac58d5c'.padEnd(64, '4'), 'e8c29da1a2f6'.padEnd(64, '7')]
    const found = containersOf(
      list(
        '74403 root conmon 0::/system.slice/nginx.service/runtime',
        `74405 root nginx 0::/system.slice/nginx.service/libpod-payload-${id}`,
        `74430 100032 nginx 0::/system.slice/nginx.service/libpod-payload-${id}`,
        '85139 kim conmon 0::/user.slice/user-1000.slice/user@1000.service/app.slice/redis.service/runtime',
        `85141 kim valkey-server 0::/user.slice/user-1000.slice/user@1000.service/app.slice/redis.service/libpod-payload-${other}`,
      ),
    )
    expect(found).toEqual([
      { manager: 'Podman', id, users: ['100032', 'root'], ownerId: null },
      { manager: 'Podman', id: other, users: ['kim'], ownerId: 1000 },
    ])
  })
  // systemd-nspawn@.service (machinectl start), and the scope that systemd-machined makes where it was started by hand.
  test('systemd-nspawn, by its unit and by hand, under the name of the container', () => {
    const found = containersOf(
      list(
        '700 root systemd-nspawn 0::/machine.slice/systemd-nspawn@web.service/supervisor',
        '701 root systemd 0::/machine.slice/systemd-nspawn@web.service/payload/init.scope',
        '801 root systemd 0::/machine.slice/machine-build.scope/payload/init.scope',
        '901 libvirt-qemu qemu-system-x86 0::/machine.slice/machine-qemu\\x2d1\\x2dg.scope/libvirt/emulator',
      ),
    )
    expect(found.map(({ manager, id }) => `${manager} ${id}`)).toEqual(['systemd-nspawn web', 'systemd-nspawn build'])
  })
  // containerd without systemd’s driver (ctr, and nerdctl on control groups of version 1); Amazon ECS and others that give Docker a group of their own.
  test('containers in groups without the name of a manager', () => {
    const id = '38fac3e99302'.padEnd(64, 'b')
    const found = containersOf(
      list(
        '700 root redis-server 0::/default/redis',
        `701 root nginx 12:pids:/default/${id},11:memory:/default/${id},1:name=systemd:/default/${id}`,
        `702 root java 9:perf_event:/ecs/web/5a0d5ceddf6c44c1928d367a815d890f/${id.replace('38', '39')}`,
        `703 root sh 0::/jobs/${id.replace('38', '3a')}/init.scope`,
        `704 kim sh 0::/user.slice/user-1000.slice/user@1000.service/${id.replace('38', '3b')}`,
        `705 root cat 0::/system.slice/docker-${id.replace('38', '3c')}.scope`,
        '706 root a 0::/system.slice/default/x.service',
        `707 root b 0::/system.slice/run-${id}.service`,
        `708 root c 0::/system.slice/${id.slice(0, 63)}`,
      ),
    )
    expect(found.map(({ manager, id: own, ownerId }) => `${manager} ${own.slice(0, 5)} ${ownerId}`)).toEqual([
      'containerd redis null',
      'containerd 38fac null',
      'other 39fac null',
      'other 3afac null',
      'other 3bfac 1000',
      'Docker 3cfac null',
    ])
  })
  test('threads that the kernel starts for guests', () => {
    const found = list(
      '9011 root vhost-9000 -',
      '9012 root kvm-nx-lpage-re -',
      '9013 root kvm-pit/9000 -',
      '9014 root kvm-irqfd-clean -',
      '9015 bob vhost-1 -',
      '9016 root libvirt_lxc 0::/machine.slice/machine-lxc.scope',
    )
    expect(guestThreadsOf(found).map(({ pid }) => pid)).toEqual([9011, 9012, 9013])
    expect(monitorsOf(found).map(({ pid }) => pid)).toEqual([9016])
  })
})

test('tenancy.runtimes: tasks of containerd, Podman, LXD, Xen, Firecracker', () => {
  const id = 'a'.repeat(64)
  const read = tenancyRuntimes.parse({
    lists: answer(
      `/run/containerd/io.containerd.runtime.v2.task:\nbuildkit\nmoby\n\n/run/containerd/io.containerd.runtime.v2.task/moby:\n${id}\n\n/run/containers/storage/overlay-containers:\n${id}\ncontainers.lock\n\n/run/libvirt/qemu:\nweb.pid\nweb.xml\n\n/run/systemd/machines:\nqemu-1-web\nunit:machine-qemu\\x2d1\\x2dweb.scope\n\n/srv/jailer/firecracker:\nvm-7\n\n/var/lib/lxc:\n103\n\n/var/lib/xen:\nuserdata-d.0.00000000-0000-0000-0000-000000000000.libxl-json\nuserdata-d.4.0b9e5f6a-0000-4000-8000-000000000001.libxl-json\nuserdata-n.4.0b9e5f6a-0000-4000-8000-000000000001.domain-userdata-lock\n\n/var/snap/lxd/common/lxd/containers:\nweb\n\n/var/snap/lxd/common/lxd/virtual-machines:\ndb\n`,
      { exitCode: 2, errorText: absent('/var/lib/incus/containers') },
    ),
  })
  expect(fact(read)).toEqual({
    containerdNamespaces: ['buildkit', 'moby'],
    containerdTasks: [id],
    unlistedNamespaces: ['buildkit'],
    podmanContainers: [id],
    libvirtGuests: ['web'],
    lxcContainers: ['103'],
    definedContainers: ['web'],
    definedGuests: ['db'],
    xenGuests: ['4'],
    jailedGuests: ['vm-7'],
    machines: ['qemu-1-web'],
  })
})

test('tenancy.pods: namespace, name and uid, also of a static pod', () => {
  const read = tenancyPods.parse({
    pods: answer(
      'kube-system_etcd-node1_9d2f5a6b7c8d9e0f1a2b3c4d5e6f7a8b\nacme_job-1_1f0c2e1a-7b44-4f0e-9a55-2f1c0de3b002\n',
    ),
  })
  expect(fact(read).pods).toEqual([
    { namespace: 'kube-system', name: 'etcd-node1', uid: '9d2f5a6b7c8d9e0f1a2b3c4d5e6f7a8b' },
    { namespace: 'acme', name: 'job-1', uid: '1f0c2e1a-7b44-4f0e-9a55-2f1c0de3b002' },
  ])
})

test('tenancy.slices: both versions of control groups, machines, Slurm’s jobs', () => {
  const read = tenancySlices.parse({
    folders: answer(
      [
        '/run/user/1000',
        '/sys/fs/cgroup/machine.slice/cgroup.procs',
        '/sys/fs/cgroup/machine.slice/machine-qemu\\x2d1\\x2dweb.scope',
        '/sys/fs/cgroup/memory/slurm_n1/uid_1007/job_91',
        '/sys/fs/cgroup/system.slice/slurmstepd.scope/job_77',
        '/sys/fs/cgroup/systemd/user.slice/user-1001.slice',
        '/sys/fs/cgroup/user.slice/user-0.slice',
        '/sys/fs/cgroup/user.slice/user-1000.slice',
      ].join('\n'),
      NONE,
    ),
  })
  expect(fact(read)).toEqual({
    userIds: [0, 1000, 1001],
    machines: ['machine-qemu\\x2d1\\x2dweb.scope'],
    jobs: [
      { id: 77, uid: null },
      { id: 91, uid: 1007 },
    ],
  })
  const denied = answer('', { exitCode: 2, errorText: "ls: cannot open directory '/run/user': Permission denied\n" })
  expect(reason(tenancySlices.parse({ folders: denied }))).toMatch(/could not be listed/)
})

test('tenancy.slurm: the columns of squeue(1), and an error of its own', () => {
  const read = (text: string, exitCode = 0) => tenancySlurm.parse({ jobs: answer(text, { exitCode }) })
  expect(fact(read('4711|mortiz|radiology|RUNNING\n4712|jlin|(null)|COMPLETING\n')).jobs).toEqual([
    { id: '4711', user: 'mortiz', account: 'radiology', state: 'RUNNING' },
    { id: '4712', user: 'jlin', account: '(null)', state: 'COMPLETING' },
  ])
  expect(fact(read('')).jobs).toEqual([])
  expect(reason(read('4711|mortiz|radiology\n'))).toMatch(/an unexpected format/)
  expect(reason(read('slurm_load_jobs error: Unable to contact slurm controller', 1))).toMatch(/did not list/)
})

test('tenancy.ray and tenancy.kfd', () => {
  expect(
    fact(
      tenancyRay.parse({ sessions: answer('prom_metrics\nsession_2026-11-20_08-00-00_123456_7000\nsession_latest\n') }),
    ),
  ).toEqual({ sessions: ['session_2026-11-20_08-00-00_123456_7000'] })
  expect(
    fact(tenancyRay.parse({ sessions: answer('', { exitCode: 2, errorText: absent('/tmp/ray') }) })).sessions,
  ).toEqual([])
  expect(fact(tenancyKfd.parse({ processes: answer('48120\n48121\n') })).ids).toEqual([48120, 48121])
  expect(reason(tenancyKfd.parse({ processes: answer('x\n') }))).toMatch(/an unexpected format/)
  expect(reason(tenancyKfd.parse({ processes: answer('', { exitCode: 2 }) }))).toMatch(/could not/)
})

describe('virt.hosted and virt.machines', () => {
  test('Xen’s backends, held functions, taps and not tunnels', () => {
    const read = virtHosted.parse({
      lists: answer(
        '/sys/bus/pci/drivers/vfio-pci:\n0000:5e:00.0\nbind\nmodule\nnew_id\n\n/sys/bus/xen-backend/devices:\nvbd-1-51712\nvif-1-0\nvif-2-0\n\n/sys/class/macvtap:\ntap4\n',
        { exitCode: 2, errorText: absent('/sys/bus/mdev/devices') },
      ),
      taps: answer('/sys/class/net/tun0/tun_flags:0x1001\n/sys/class/net/vnet0/tun_flags:0x5002\n'),
    })
    expect(fact(read)).toEqual({
      xenGuests: [1, 2],
      heldBack: ['0000:5e:00.0'],
      mediated: [],
      taps: ['vnet0', 'tap4'],
    })
  })
  test('machines by their process; no list without debugfs; none with it', () => {
    const read = (text: string, errorText = '') =>
      virtMachines.parse({ lists: answer(text, { exitCode: errorText === '' ? 0 : 2, errorText }) })
    const bdi = '/sys/kernel/debug/bdi:\n259:0\n'
    expect(fact(read(`${bdi}\n/sys/kernel/debug/kvm:\n9011-15\n9011-40\nexits\n`))).toEqual({ holders: [9011] })
    expect(fact(read(bdi, absent('/sys/kernel/debug/kvm')))).toEqual({ holders: [] })
    expect(fact(read('', absent('/sys/kernel/debug/kvm', '/sys/kernel/debug/bdi')))).toEqual({ holders: null })
    expect(reason(read('', "ls: cannot open directory '/sys/kernel/debug/kvm': Permission denied\n"))).toMatch(
      /could not/,
    )
  })
})

const OURS: readonly Probe<unknown>[] = [
  namespaces,
  sessionLimits,
  tenancyKfd,
  tenancyPods,
  tenancyRay,
  tenancyRuntimes,
  tenancySessions,
  tenancySlices,
  tenancySlurm,
  virtGuests,
  virtHosted,
  virtMachines,
]

test('every command reads, and states why', () => {
  for (const { commands, title, why } of OURS) {
    for (const command of Object.values(commands)) {
      if (command.kind !== 'run') continue
      const argv = command.argv.map((word) => (typeof word === 'string' ? word : word.glob))
      expect([argv, deniedCommand(argv)]).toEqual([argv, null])
      if (command.as === 'root') expect(command.argv.every((word) => typeof word === 'string')).toBe(true)
    }
    expect(BANNED.some((word) => word.test(`${title} ${why}`))).toBe(false)
  }
  expect(deniedCommand(['squeue', '-a', '-h', '-o', '%A|%u|%a|%T'])).not.toBeNull()
})

test('parsers take any bytes', () => {
  const shapes = fc.constantFrom(
    '/proc/self/status:CapBnd:\t',
    '/proc/self/status:NSpid:\t',
    '/proc/1/sched:a (1, #threads: ',
    '/sys/fs/cgroup/cpu.max:',
    '/sys/devices/system/cpu/online:',
    '/sys/bus/xen-backend/devices:\n',
    '/sys/class/net/a/tun_flags:0x',
    '/sys/kernel/debug/kvm:\n',
    '/sys/fs/cgroup/user.slice/user-',
    '1|a|b|',
    'lrwxrwxrwx 1 root root 0 Nov 20 09:12 pid -> pid:[',
  )
  const text = fc.array(fc.oneof(shapes, fc.string(), fc.constantFrom('\n', '0', '99999999999', '-', ',')), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(text, fc.string(), fc.constantFrom(0, 1, 2), (parts, errorText, exitCode) => {
      const one = answer(parts.join(''), { errorText, exitCode })
      for (const probe of OURS) {
        const read = probe.parse(Object.fromEntries(Object.keys(probe.commands).map((name) => [name, one])))
        expect(read.ok || read.reason !== '').toBe(true)
      }
    }),
    { numRuns: 500 },
  )
})

test('long answers take no long time', () => {
  const read = (size: number): void => {
    const long = answer(
      `/proc/1/sched:${'(1, #threads: '.repeat(size)}\n/proc/self/status:CapBnd:\t${'f'.repeat(size * 10)}\n`,
    )
    for (const probe of OURS) probe.parse(Object.fromEntries(Object.keys(probe.commands).map((name) => [name, long])))
  }
  expectLinear(read, 5000)
})
