import { describe, expect, test } from 'vitest'
import { sessionLimits } from '../../main/catalog/single-tenancy/tenancy/limits.ts'
import { absent, answer, fact, reason } from '../support/answers.ts'

const missing = (...paths: readonly string[]): string =>
  paths.map((path) => `grep: ${path}: No such file or directory\n`).join('')
const NONE = { exitCode: 2, errorText: absent('/proc/vz') }

describe('session.limits', () => {
  const read = (status: string, groups: string, traces = '', denied = '') =>
    sessionLimits.parse({
      status: answer(status, denied === '' ? {} : { exitCode: 2, errorText: denied }),
      groups: answer(groups, { exitCode: 2, errorText: missing('/run/systemd/container') }),
      traces: answer(traces, NONE),
    })

  test('a Firecracker guest of 2026, control groups of version 1: own capture', () => {
    const found = read(
      '/proc/self/status:NSpid:\t3082\n/proc/self/status:CapBnd:\t000001fffeffffff\n/proc/self/status:Seccomp:\t0\n/proc/1/sched:init (1, #threads: 14)\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us:-1\n/sys/fs/cgroup/cpu/cpu.cfs_period_us:100000\n/sys/fs/cgroup/memory/memory.limit_in_bytes:9223372036854771712\n/sys/fs/cgroup/cpuset/cpuset.effective_cpus:0-1\n/sys/devices/system/cpu/online:0-1\n',
    )
    expect(fact(found)).toEqual({
      depth: 1,
      droppedCapabilities: [24],
      filtersCalls: false,
      virtualServer: null,
      schedulerId: 1,
      manager: null,
      groups: null,
      cpuQuota: null,
      memoryBytes: null,
      processors: 2,
      usableProcessors: 2,
      traces: [],
    })
  })

  test('what LXC’s common configuration drops, on a kernel that reports no more; all 64 bits of an old one', () => {
    const found = fact(read('/proc/self/status:CapBnd:\t000001fcfdfcffff\n', ''))
    expect([found.droppedCapabilities, found.depth, found.filtersCalls]).toEqual([[16, 17, 25, 32, 33], null, null])
    expect(fact(read('/proc/self/status:CapBnd:\tffffffffffffffff\n', '')).droppedCapabilities).toEqual([])
  })

  test('Docker’s documented bounding set, version 2 with limits, a manager', () => {
    const found = fact(
      read(
        '/proc/self/status:NSpid:\t7\n/proc/self/status:CapBnd:\t00000000a80425fb\n/proc/self/status:Seccomp:\t2\n/proc/1/sched:bash (5276, #threads: 1)\n',
        '/run/host/container-manager:oci\n/sys/fs/cgroup/cgroup.type:domain\n/sys/fs/cgroup/cpu.max:250000 100000\n/sys/fs/cgroup/memory.max:536870912\n/sys/fs/cgroup/cpuset.cpus.effective:0-3,8\n/sys/devices/system/cpu/online:0-63\n',
      ),
    )
    expect(found).toMatchObject({
      schedulerId: 5276,
      filtersCalls: true,
      manager: 'oci',
      groups: 'part',
      cpuQuota: 2.5,
      memoryBytes: 536870912,
      processors: 64,
      usableProcessors: 5,
    })
    expect(found.droppedCapabilities).toContain(21)
  })

  test('the whole tree; a first process that is hidden; virtual servers', () => {
    const hidden = 'grep: /proc/1/sched: Operation not permitted\n'
    const found = fact(
      read(
        '/proc/self/status:CapBnd:\t000001ffffffffff\n/proc/self/status:VxID: 42\n',
        '/sys/fs/cgroup/cpuset.cpus.effective:0-7\n',
        '/proc/vz\n/proc/bc\n',
        hidden,
      ),
    )
    expect(found).toMatchObject({ groups: 'whole', droppedCapabilities: [], schedulerId: null, virtualServer: 42 })
    expect(found.traces).toEqual(['/proc/vz', '/proc/bc'])
  })

  test('answers without the values', () => {
    expect(reason(read('', ''))).toMatch(/could not be read/)
    expect(
      reason(read('/proc/self/status:CapBnd:\t0\n', '', '', 'grep: /proc/self/status: Permission denied\n')),
    ).toMatch(/could not be read/)
  })
})
