import { describe, expect, test } from 'vitest'
import { tenancyKfd, tenancyPods } from '../../main/catalog/base/processes.ts'
import { gpuNvidia } from '../../main/catalog/hardware/gpu/nvidia.ts'
import { pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { TENANCY_PROBES } from '../../main/catalog/single-tenancy/tenancy/readings.ts'
import { tenancyRay, tenancySlices, tenancySlurm } from '../../main/catalog/single-tenancy/tenancy/schedulers.ts'
import { tenancyRuntimes } from '../../main/catalog/single-tenancy/tenancy/sessions.ts'
import { virtGuests, virtHosted, virtMachines } from '../../main/catalog/single-tenancy/virtualization/index.ts'
import { known, unknown } from '../../main/core/recording/probe.ts'
import { over, stepText } from '../support/concluded.ts'
import {
  answer,
  type Changed,
  change,
  DEMO,
  factOf,
  nodeOf,
  processRows,
  tenancyOf,
  texts,
} from '../support/tenancy-readings.ts'

describe('jobs and clusters', () => {
  const slurmd = [3300, 'root', 'slurmd', '0::/system.slice/slurmd.service'] as const
  const task = [7001, 'mortiz', 'python3', '0::/system.slice/slurmstepd.scope/job_77/step_0/user/task_0'] as const
  const jobs = (...of: readonly (readonly [string, string])[]): Changed[number] => [
    tenancySlurm,
    known({ jobs: of.map(([user, account], at) => ({ id: String(77 + at), user, account, state: 'RUNNING' })) }),
  ]

  test('the scheduler’s own list counts where the scheduler runs', () => {
    expect(answer(jobs(['eve', 'globex'])).tenancy).toBe('single-observed')
    expect(answer(processRows(DEMO, slurmd)).tenancy).toBe('undetermined')
    expect(answer(processRows(DEMO, slurmd), jobs()).tenancy).toBe('single-observed')
    const own = answer(processRows(DEMO, slurmd, task), jobs(['mortiz', 'radiology'], ['jlin', 'oncology']))
    expect([own.tenancy, texts(own, 'supports')]).toEqual([
      'single-observed',
      expect.stringContaining('for the accounts “oncology”, “radiology”'),
    ])
    const foreign = answer(processRows(DEMO, slurmd, task), jobs(['mortiz', 'radiology'], ['eve', 'globex']))
    expect([foreign.tenancy, texts(foreign, 'contradicts')]).toEqual(['shared', expect.stringContaining('“eve”')])
  })
  test('a job’s control group is enough to ask', () => {
    const group = change(tenancySlices, { jobs: [{ id: 77, uid: 4242 }] })
    const found = answer(group, jobs())
    expect([found.tenancy, texts(found, 'contradicts')]).toEqual(['shared', expect.stringContaining('number 4242')])
    expect(answer(change(tenancySlices, { jobs: [{ id: 77, uid: 1000 }] })).tenancy).toBe('undetermined')
    // A scheduler that keeps others' jobs from an ordinary login.
    const hidden = answer(change(tenancySlices, { jobs: [{ id: 91, uid: null }] }), jobs())
    expect([hidden.tenancy, texts(hidden, 'unclear')]).toEqual(['undetermined', expect.stringContaining('“91”')])
  })
  // Slurm with control groups of version 1, as on Red Hat 8: their folders have the number of the account, which a directory gives.
  test('an account of a directory is known by the scheduler’s list, or by its processes', () => {
    const local = factOf(TENANCY_PROBES.accounts)
    const directory: Changed[number] = [TENANCY_PROBES.accounts, known({ ...local, otherSources: ['sss'] })]
    const group = change(tenancySlices, { jobs: [{ id: 77, uid: 50_123 }] })
    const roster = [...(nodeOf(DEMO).context.node.roster ?? []), 'anna']
    const found = (...more: Changed) => tenancyOf(DEMO, [directory, group, ...more], roster)
    expect(texts(found(jobs(['anna', 'radiology'])), 'contradicts')).toBe('')
    expect(texts(found(jobs(['anna', 'radiology'])), 'supports')).toContain('Slurm runs 1 job here')
    const own = [7001, 'anna', 'python3', '4:memory:/slurm/uid_50123/job_77/step_0/task_0'] as const
    expect(texts(found(processRows(DEMO, own), jobs()), 'contradicts')).toBe('')
    expect(texts(found(jobs(['eve', 'globex'])), 'contradicts')).toContain('“eve”')
    const nameless = found([tenancySlurm, unknown('the scheduler did not list its jobs')])
    expect([nameless.tenancy, texts(nameless, 'contradicts')]).toEqual(['undetermined', ''])
    expect(texts(nameless, 'unclear')).toContain('“number 50123”')
  })
  // Nomad’s exec driver and HTCondor (UID_DOMAIN) run jobs under “nobody” unless the job names an account.
  test.each([
    ['0::/nomad.slice/share.slice/8d7c31e3-0d54-4a4f-9d1f-2f5b0f6c1a11.train.scope', 'nobody', 'undetermined'],
    ['0::/nomad.slice/share.slice/8d7c31e3-0d54-4a4f-9d1f-2f5b0f6c1a11.train.scope', 'mortiz', 'single-observed'],
    ['0::/system.slice/htcondor/condor_var_lib_condor_execute_slot1_23@gpu1', 'nobody', 'undetermined'],
    ['4:memory:/htcondor/condor_var_lib_condor_execute_slot1,1:name=systemd:/x', 'nobody', 'undetermined'],
    ['0::/system.slice/nomad.service', 'nobody', 'single-observed'],
    ['0::/system.slice/condor.service', 'nobody', 'single-observed'],
  ] as const)('a job in %s under %s', (group, user, tenancy) => {
    const found = answer(processRows(DEMO, [7001, user, 'python3', group]))
    expect([found.tenancy, texts(found, 'unclear')]).toEqual([
      tenancy,
      tenancy === 'undetermined' ? expect.stringContaining('runs jobs here under accounts') : '',
    ])
  })
  test('Ray: reported where it is the tenant’s own', () => {
    const ray = (user: string) => processRows(DEMO, [7001, user, 'raylet', '0::/system.slice/ray.service'])
    const sessions: Changed[number] = [tenancyRay, known({ sessions: ['session_2026-11-20_08-00-00_123456_7000'] })]
    const own = answer(ray('mortiz'), sessions)
    expect([own.tenancy, texts(own, 'supports')]).toEqual(['single-observed', expect.stringContaining('since 1 start')])
    expect(answer(ray('eve'), sessions).tenancy).toBe('shared')
    expect(answer(ray('mortiz'), [tenancyRay, unknown('this was not collected')]).tenancy).toBe('undetermined')
    expect(tenancyOf(DEMO, [ray('mortiz'), sessions], null).tenancy).toBe('undetermined')
  })
})

// KubeRay’s pods run the image of Ray, whose account is number 1000; ps prints the account of the server with that number, or the number.
describe('Ray in containers', () => {
  const uid = '1f0c2e1a-7b44-4f0e-9a55-2f1c0de3b001'
  const pod = `0::/kubepods.slice/kubepods-pod${uid.replaceAll('-', '_')}.slice/cri-containerd-${'e'.repeat(64)}.scope`
  const docker = `0::/system.slice/docker-${'e'.repeat(64)}.scope`
  const ray = (user: string, group: string) => processRows(DEMO, [7001, user, 'raylet', group])
  const pods: Changed[number] = [tenancyPods, known({ pods: [{ namespace: 'mortiz', name: 'ray-1', uid }] })]
  test.each([
    ['1000', pod, 'single-observed'],
    ['ubuntu', pod, 'single-observed'],
    ['root', pod, 'single-observed'],
    // Its manager’s lists do not show whose a container of Docker is.
    ['1000', docker, 'undetermined'],
    ['eve', docker, 'shared'],
    ['1000', '0::/system.slice/ray.service', 'shared'],
  ] as const)('under %s in %s: %s', (user, group, tenancy) => {
    const found = answer(ray(user, group), pods)
    expect([found.tenancy, texts(found, 'contradicts') !== '']).toEqual([tenancy, tenancy === 'shared'])
    if (tenancy === 'single-observed') expect(texts(found, 'supports')).toContain('Ray runs here in containers alone')
  })
})

describe('guests of this system', () => {
  const qemu = (user: string) =>
    processRows(DEMO, [
      9011,
      user,
      'qemu-system-x86',
      '0::/machine.slice/machine-qemu\\x2d1\\x2dg.scope/libvirt/emulator',
    ])
  test('under an account of the roster, under root, by a name on the roster', () => {
    expect(answer(qemu('mortiz')).tenancy).toBe('single-observed')
    expect(answer(qemu('root')).tenancy).toBe('shared')
    const listed = change(tenancyRuntimes, { libvirtGuests: ['lab'] })
    const roster = ['root', 'bwaudit', 'mortiz', 'jlin']
    expect(tenancyOf(DEMO, [qemu('root'), listed], roster).tenancy).toBe('shared')
    expect(tenancyOf(DEMO, [qemu('root'), listed], [...roster, 'lab']).tenancy).toBe('single-observed')
  })
  test('under another name, by the kernel’s own list, count and threads', () => {
    expect(answer(change(virtMachines, { holders: [48101] })).tenancy).toBe('shared')
    expect(texts(answer(change(virtMachines, { holders: [48101] })), 'contradicts')).toContain('“torchrun”')
    expect(texts(answer(change(virtMachines, { holders: [99] })), 'contradicts')).toContain('not in the process list')
    expect(answer(change(virtMachines, { holders: null })).tenancy).toBe('single-observed')
    expect(answer(change(virtGuests, { openGuests: 3 })).tenancy).toBe('shared')
    expect(answer(processRows(DEMO, [9020, 'root', 'vhost-9011', '-'])).tenancy).toBe('shared')
    expect(answer(processRows(DEMO, [9020, 'mortiz', 'vhost-9011', '-'])).tenancy).toBe('single-observed')
  })
  test('of Xen, and parts of devices made for guests', () => {
    expect(answer(change(virtHosted, { xenGuests: [1, 2] })).tenancy).toBe('shared')
    expect(answer(change(tenancyRuntimes, { xenGuests: ['3'] })).tenancy).toBe('undetermined')
    expect(answer(change(virtHosted, { mediated: ['aa618089-8b16-4d01-a136-25a0f3c73123'] })).tenancy).toBe(
      'undetermined',
    )
    // A driver outside the kernel, such as DPDK's, holds a function the same way.
    expect(answer(change(virtHosted, { heldBack: ['0000:5e:00.0'], taps: ['tap0'] })).tenancy).toBe('single-observed')
  })
  // Proxmox VE, KubeVirt, XCP-ng and Debian’s Xen, with no guest at this moment: as ps prints their services.
  test.each(['libvirtd', 'qmeventd', 'pvedaemon', 'pvedaemon worke', 'virt-handler', 'xapi', 'oxenstored'])(
    'the service %s that starts them leaves it open whether there are none',
    (command) => {
      const found = over('tenancy.no-guests', processRows(DEMO, [2600, 'root', command, '0::/system.slice/x.service']))
      expect([found.verdict, stepText(found)]).toEqual(['inconclusive', expect.stringContaining(`“${command}”`)])
    },
  )
  test('a service that could start them is no guest', () => {
    expect(answer(processRows(DEMO, [2600, 'root', 'libvirtd', '0::/system.slice/libvirtd.service'])).tenancy).toBe(
      'single-observed',
    )
  })
})

describe('GPUs', () => {
  const { gpus } = factOf(gpuNvidia)
  const with0 = (fields: Partial<(typeof gpus)[number]>): Changed[number] =>
    change(gpuNvidia, { gpus: gpus.map((gpu, at) => (at === 0 ? { ...gpu, ...fields } : gpu)) })
  const job = (pid: number) => with0({ processes: [{ pid, type: 'C', memoryMib: 60_000 }] })
  // It may have ended or started between the two lists: the check of GPU processes leaves it open as well.
  test('a process that the list of processes lacks', () => {
    const found = answer(job(777))
    expect([found.tenancy, texts(found, 'unclear')]).toEqual(['undetermined', expect.stringContaining('1 of 8')])
  })
  test('a process in a container under a number without an account', () => {
    const pod = `0::/kubepods.slice/kubepods-pod1f0c2e1a_7b44_4f0e_9a55_2f1c0de3b001.slice/cri-containerd-${'e'.repeat(64)}.scope`
    const found = answer(job(7001), processRows(DEMO, [7001, '65532', 'tritonserver', pod]))
    expect([found.tenancy, texts(found, 'unclear')]).toEqual(['undetermined', expect.stringContaining('“65532”')])
    expect(answer(job(7001), processRows(DEMO, [7001, '65532', 'tritonserver', '0::/user.slice'])).tenancy).toBe(
      'shared',
    )
  })
  test('the picture of a login screen', () => {
    const screen = (type: string) => with0({ processes: [{ pid: 7001, type, memoryMib: 9 }] })
    const gdm = processRows(DEMO, [7001, 'gdm', 'gnome-shell', '0::/user.slice/user-120.slice/session-c1.scope'])
    // The node of the demo has no account of that name, which leaves it open.
    expect(answer(screen('G'), gdm).tenancy).toBe('undetermined')
    expect(texts(answer(screen('G'), gdm), 'supports')).toContain('login screen draws on a GPU: “gdm”')
    expect(answer(screen('C'), gdm).tenancy).toBe('shared')
  })
  test('memory that no process holds', () => {
    const unheld = answer(with0({ processes: [], memory: { totalMib: 81559, usedMib: 40_000 } }))
    expect([unheld.tenancy, texts(unheld, 'unclear')]).toEqual(['undetermined', expect.stringContaining('40000 MiB')])
    expect(answer(with0({ processes: [], memory: { totalMib: 81559, usedMib: 1100 } })).tenancy).toBe('single-observed')
    const untold = [{ pid: 48120, type: 'C', memoryMib: null }]
    expect(answer(with0({ processes: untold, memory: { totalMib: 81559, usedMib: 40_000 } })).tenancy).toBe(
      'single-observed',
    )
  })
  test('slices and a sharing service of the tenant’s own are reported', () => {
    const sliced = answer(with0({ migMode: 'Enabled', migDevices: 7 }))
    expect([sliced.tenancy, texts(sliced, 'supports')]).toEqual([
      'single-observed',
      expect.stringContaining('7 slices'),
    ])
    const service = (user: string) => processRows(DEMO, [7001, user, 'nvidia-cuda-mps', '0::/system.slice/mps.service'])
    expect(answer(service('mortiz')).tenancy).toBe('single-observed')
    expect(answer(service('eve')).tenancy).toBe('shared')
  })
  test('GPUs that nothing asked, and machines that have none', () => {
    expect(answer([gpuNvidia, unknown('not collected: tool absent (nvidia-smi)')]).tenancy).toBe('undetermined')
    const devices = factOf(pciDevices).devices.filter(({ class: kind }) => !/^(03|12)/.test(kind))
    const bare = change(pciDevices, { devices })
    expect(answer(bare, [gpuNvidia, unknown('not collected: tool absent (nvidia-smi)')]).tenancy).toBe(
      'single-observed',
    )
    expect(answer(bare, [gpuNvidia, unknown('this was not collected')]).tenancy).toBe('undetermined')
    expect(answer(bare, [gpuNvidia, unknown('not usable: nvidia-smi did not finish in time')]).tenancy).toBe(
      'undetermined',
    )
  })
  test('AMD’s by the kernel’s list; others were not asked', () => {
    expect(answer(change(tenancyKfd, { ids: [48120] })).tenancy).toBe('single-observed')
    expect(answer(change(tenancyKfd, { ids: [31337] })).tenancy).toBe('undetermined')
    const { devices } = factOf(pciDevices)
    const first = devices[0]
    if (first === undefined) throw new Error('no device')
    const gaudi = { ...first, address: '0000:f1:00.0', class: '120000', vendor: '1da3' }
    expect(answer(change(pciDevices, { devices: [...devices, gaudi] })).tenancy).toBe('undetermined')
  })
})
