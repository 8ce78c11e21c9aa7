import { describe, expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import { assessIsolation } from '../../main/catalog/single-tenancy/isolation/argue.ts'
import { SIGNAL_PROBES } from '../../main/catalog/single-tenancy/isolation/signals.ts'
import { readProbe } from '../../main/core/recording/probe.ts'
import { LOSSES, nearness, withEachLost } from './isolation-lost.ts'
import { argue, capturesOf, readingsFrom } from './isolation-readings.ts'

/** Each of these was once an answer whose silence read as "there is none". */
const SILENCES = [
  'acpi.headers/marks',
  'acpi.overview/profile',
  'bmc.state/sensors',
  'cpu.sensors/values',
  'gpu.nvlink/status',
  'usb.devices/ids',
  'virt.buses/files',
  'virt.interrupts/counts',
]

describe('an answer kept from us counts like one that was taken out', () => {
  test.each(SILENCES)('%s of a node that reads as hardware', (key) => {
    const lost = [...withEachLost('demo-gpu-01', new RegExp(`^${key}$`))]
    expect(lost.map(([, way]) => way)).toEqual(Object.keys(LOSSES))
    const [[, , removed] = []] = lost
    expect(removed?.environment).toBe('undetermined')
    for (const [, way, argument] of lost)
      expect(nearness(argument), way).toBeLessThanOrEqual(removed === undefined ? 0 : nearness(removed))
  })

  test('an absence that the kernel reports is still an answer', () => {
    expect(argue('demo-gpu-01').environment).toBe('bare-metal')
    const { captures } = capturesOf('demo-gpu-01')
    for (const id of ['virt.buses', 'memory.spd', 'namespaces', 'session.limits', 'virt.interrupts']) {
      const probe = SIGNAL_PROBES[id]
      if (probe === undefined) throw new Error(id)
      expect(readProbe(probe, captures).ok, id).toBe(true)
    }
  })
})

test('firmware tables that the kernel does not show need an explanation: without them hardware is not argued', () => {
  const { captures, context } = capturesOf('demo-gpu-01')
  const lists = captures.get('acpi.overview/lists')
  if (lists === undefined) throw new Error('no lists')
  const none = {
    meta: { ...lists.meta, exitCode: 2 },
    stdout: new TextEncoder().encode('total 0\n/sys/dev:\n'),
    stderr: new TextEncoder().encode(
      "ls: cannot access '/sys/firmware/acpi/tables': No such file or directory\nls: cannot access '/sys/bus/acpi/devices': No such file or directory\n",
    ),
  }
  const argument = assessIsolation(readingsFrom(new Map([...captures, ['acpi.overview/lists', none]])), context)
  expect([argument.environment, argument.anomalies.map(({ signal }) => signal)]).toEqual(['undetermined', ['acpi.set']])
})

describe('controls: what an answer holds on every system', () => {
  const controlled = catalog.probes.flatMap((probe) =>
    Object.entries(probe.commands).flatMap(([name, command]) =>
      command.kind === 'run' && command.control !== undefined ? [[`${probe.id}/${name}`, probe, command] as const] : [],
    ),
  )
  test.each(controlled)('%s: without its control the answer was not read, with any other content', (key, probe) => {
    const { captures } = capturesOf('demo-gpu-01')
    const answer = captures.get(key)
    if (answer === undefined) throw new Error(`${key} is not among the fixture’s answers`)
    expect(readProbe(probe, captures).ok).toBe(true)
    for (const [stdout, exitCode] of [
      ['', 0],
      ['', 1],
      ['/other:1\n', 0],
    ] as const) {
      const changed = { ...answer, stdout: new TextEncoder().encode(stdout), meta: { ...answer.meta, exitCode } }
      expect(readProbe(probe, new Map([...captures, [key, changed]])).ok).toBe(false)
    }
  })
})
