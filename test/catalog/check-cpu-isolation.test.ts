import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuTopology } from '../../main/catalog/hardware/processors/features.ts'
import { cpuIsolation, tenancyCpuIsolation } from '../../main/catalog/hardware/processors/index.ts'
import { readProbe } from '../../main/core/recording/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import { answer, fact } from '../support/answers.ts'
import { concludeOn, fixtureOf } from '../support/evaluated.ts'

const read = (files: string, kernel = '', memory = '') =>
  cpuIsolation.parse({ files: answer(files), kernel: answer(kernel), memory: answer(memory) })

describe('what the kernel shows of CPUs set aside', () => {
  test('an empty list, “(null)” and a file that is not there are distinguished', () => {
    const [isolated, tickless] = ['isolated', 'nohz_full'].map((name) => `/sys/devices/system/cpu/${name}:`)
    expect(fact(read(`${isolated}\n${tickless}(null)\n`))).toMatchObject({ isolated: [], tickless: [] })
    expect(fact(read(`${isolated}2-4,9\n${tickless} 2\n`))).toMatchObject({ isolated: [2, 3, 4, 9], tickless: [2] })
    expect(fact(read(''))).toMatchObject({ isolated: null, tickless: null, isRealTime: null, isBalancing: null })
    expect(fact(read(`${isolated}x\n`))).toMatchObject({ isolated: null })
  })

  test('a real-time kernel is known by its file, or by its version', () => {
    const version = (text: string) => fact(read(`/proc/sys/kernel/version:${text}\n`)).isRealTime
    expect(version('#1 SMP PREEMPT_RT Debian 6.12')).toBe(true)
    expect(version('#1 SMP PREEMPT RT Wed')).toBe(true)
    expect(version('#1 SMP PREEMPT_DYNAMIC Debian')).toBe(false)
    expect(fact(read('/sys/kernel/realtime:1\n/proc/sys/kernel/version:#1 SMP\n')).isRealTime).toBe(true)
  })

  test('memory nodes come in their order, and kernel arguments as they were given', () => {
    const line = (node: number) =>
      `/sys/devices/system/node/node${node}/meminfo:Node ${node} MemTotal:       1048576 kB\n`
    const given =
      '/proc/cmdline:isolcpus=managed_irq,domain,2-5\n/proc/cmdline:rcu_nocbs\n/proc/sys/kernel/ostype:Linux\n'
    const { nodes, kernelArguments } = fact(read('', given, `${line(10)}${line(2)}`))
    expect(nodes.map(({ node }) => node)).toEqual([2, 10])
    expect(kernelArguments).toEqual(['isolcpus=managed_irq,domain,2-5', 'rcu_nocbs'])
  })

  test('whatever the bytes, it reads or gives a reason', () =>
    fc.assert(fc.property(fc.string(), fc.string(), fc.string(), (a, b, c) => typeof read(a, b, c).ok === 'boolean')))
})

describe('the record', () => {
  const texts = (node: string, without?: string) => {
    const by = new Map(fixtureOf(node).captures)
    if (without !== undefined) by.delete(without)
    const concluded = concludeOn(
      tenancyCpuIsolation,
      node,
      [cpuIsolation, cpuTopology].map((probe) => [probe.id, readProbe<unknown>(probe, by)]),
    )
    const said = concluded.observations.map(({ text }) => text)
    for (const text of said) for (const banned of BANNED) expect(text).not.toMatch(banned)
    return [concluded.verdict, ...said]
  }

  test('of a server that sets CPUs aside', () => {
    expect(texts('fx-iso-realtime')).toEqual([
      'informational',
      'CPUs that the scheduler leaves alone (isolcpus): 2-55,58-111 (108); CPUs without a periodic tick (nohz_full): 2-55,58-111 (108). The kernel was started with “isolcpus=managed_irq,domain,2-55,58-111”, “nohz_full=2-55,58-111”, “rcu_nocbs=2-55,58-111”.',
      'The kernel is a real-time kernel (PREEMPT_RT).',
      '2 memory nodes: node 0: 1008 GiB, node 1: 1008 GiB.',
      'Distances between memory nodes (10 is itself): node 0: 10 21; node 1: 21 10.',
      'The kernel does not move pages and tasks between memory nodes automatically (numa_balancing).',
    ])
  })

  test('of one that does not is no failure; without its answer it is open', () => {
    expect(texts('demo-gpu-01')[0]).toBe('informational')
    expect(texts('demo-gpu-01')[1]).toContain('(isolcpus): none; CPUs without a periodic tick (nohz_full): none.')
    expect(texts('demo-guest-03').filter((text) => text.startsWith('Distances'))).toEqual([])
    for (const key of ['files', 'kernel', 'memory'])
      expect(texts('demo-gpu-01', `cpu.isolation/${key}`)[0]).toBe('inconclusive')
  })
})
