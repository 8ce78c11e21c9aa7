import { describe, expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import { assessIsolation } from '../../main/catalog/single-tenancy/isolation/argue.ts'
import { readProbe } from '../../main/core/recording/probe.ts'
import type { IsolationArgument } from '../../main/core/rules/catalog.ts'
import { BANNED } from '../../schemas/words.ts'
import { fixtureNames } from '../support/fixtures.ts'
import { sampled } from '../support/thorough.ts'
import { GUESTS } from '../support/vm/guests.ts'
import { withEachLost } from './isolation-lost.ts'
import { argue, capturesOf, probesArguedFrom, readingsFrom } from './isolation-readings.ts'

const RANK = { B: 1, C: 2, D: 3 } as const
const ISOLATION = fixtureNames().filter((name) => /^(demo-|fx-iso-|vm-)/.test(name))

/** The argument again and again with one capture of the node taken out. */
function* withoutEach(node: string): Generator<readonly [string, IsolationArgument]> {
  const { captures, context } = capturesOf(node)
  const whole = readingsFrom(captures)
  const asked = probesArguedFrom(whole, context)
  for (const [key, { meta }] of captures) {
    if (!asked.has(meta.probe)) continue
    const less = new Map([...captures].filter(([other]) => other !== key))
    const probe = catalog.probes.find(({ id }) => id === meta.probe)
    if (probe === undefined) continue
    yield [key, assessIsolation(new Map([...whole, [probe.id, readProbe(probe, less)]]), context)]
  }
}

describe('the rules', () => {
  test.each(sampled(ISOLATION, 8))('%s: no capture can be taken out so that the answer gets better', (node) => {
    const whole = argue(node)
    for (const [key, { environment, grade }] of withoutEach(node)) {
      if (whole.environment !== 'bare-metal') expect(environment, key).not.toBe('bare-metal')
      // Another layer is another question: a guest of which less is known is no better graded than the one that was named.
      if (environment === whole.environment) expect(RANK[grade], key).toBeGreaterThanOrEqual(RANK[whole.grade])
    }
  })

  test.each(ISOLATION)('%s: every text is readable for a person, and is bounded', (node) => {
    const said = argue(node)
    const texts = [
      said.rule.text,
      ...said.observations.map(({ text }) => text),
      ...said.minimum.flatMap(({ title, text }) => [title, text]),
      ...said.adversaries.flatMap(({ adversary, wouldNeedToFalsify, residualIndicators }) => [
        adversary,
        ...wouldNeedToFalsify,
        ...residualIndicators,
      ]),
      ...said.limitations,
      ...said.openPoints.flatMap(({ point, resolution }) => [point, resolution]),
    ]
    for (const text of texts) {
      for (const banned of BANNED) expect(text).not.toMatch(banned)
      expect(text.length).toBeLessThan(3000)
      expect(text).not.toBe('')
    }
    expect(said.signals.map(({ id }) => id)).toEqual(catalog.signals.map(({ id }) => id))
  })

  test('two readings towards a guest from two families exclude hardware, however slight; one does not', () => {
    const hint = (probe: string, command: string, edit: (text: string) => string) => {
      const { captures } = capturesOf('demo-gpu-01')
      const answer = captures.get(`${probe}/${command}`)
      if (answer === undefined) throw new Error(`${probe}/${command}`)
      const stdout = new TextEncoder().encode(edit(new TextDecoder().decode(answer.stdout)))
      return [`${probe}/${command}`, { ...answer, stdout }] as const
    }
    const { captures, context } = capturesOf('demo-gpu-01')
    const held = (...changed: readonly ReturnType<typeof hint>[]) => {
      const { environment, minimum, rule } = assessIsolation(readingsFrom(new Map([...captures, ...changed])), context)
      return [environment, rule.id, minimum.find(({ item }) => item === 'g')?.holds]
    }
    const firmware = hint('boot.memory', 'folders', (text) =>
      text.replace('/sys/firmware/efi:', '/sys/firmware/other:'),
    )
    const processor = hint('cpu.platform', 'values', (text) =>
      text.replace(/(cpuidle\/current_driver:)\S+/, '$1haltpoll'),
    )
    expect(held()).toEqual(['bare-metal', 'R6', 'yes'])
    expect(held(processor)).toEqual(['bare-metal', 'R6', 'yes'])
    expect(held(firmware, processor)).toEqual(['undetermined', 'R7', 'no'])
  })

  test('without rights the best answer is that no sign was found, with the lines that would settle it', () => {
    const { environment, rule, grade } = argue('demo-nosudo-06')
    expect([environment, rule.id, grade]).toEqual(['undetermined', 'R8', 'D'])
    expect(rule.text).toContain('“lspci -Dnvvv -d ::0604”')
    // Where something was seen, no one says that nothing was.
    expect(argue('vm-patched-bare').rule.id).toBe('R7')
    expect(argue('fx-access-silent').rule.id).toBe('R7')
  })

  test.each(['vm-patched-tools', 'vm-patched-bare'])(
    '%s: an emulated guest that was patched meets no condition for hardware',
    (name) => {
      const { minimum } = argue(name)
      const holds = Object.fromEntries(minimum.map((part) => [part.item, part.holds]))
      expect(holds).toMatchObject({ a: 'no', b: 'no', c: 'no', g: 'no', h: 'no' })
    },
  )

  test.each(['fx-iso-tpm', 'fx-iso-cc', 'vm-patched-tools'])(
    '%s: no answer can be kept from us so that the answer becomes hardware',
    (name) => {
      const asked = /^(tpm|gpu|cpu\.msr|cpu\.hypervisor-leaf|pci\.ports)/
      for (const [key, way, { environment }] of withEachLost(name, asked))
        expect(environment, `${key}, ${way}`).not.toBe('bare-metal')
    },
  )

  test('live tests that fit raise the grade to B, and only then', () => {
    expect(argue('demo-gpu-01').grade).toBe('C')
    const live = argue('fx-iso-live-metal')
    expect([live.environment, live.grade]).toEqual(['bare-metal', 'B'])
    expect(live.minimum.find(({ item }) => item === 'd')?.holds).toBe('yes')
  })

  test('a replay that our clock hears for no time is no live test: never grade B, and never hardware', () => {
    const { captures, context } = capturesOf('fx-iso-live-metal')
    const at = (heardMs: number | undefined) =>
      assessIsolation(
        readingsFrom(
          new Map(
            [...captures].map(([key, answer]) => {
              const { heardMs: _, ...meta } = answer.meta
              return [key, { ...answer, meta: heardMs === undefined ? meta : { ...meta, heardMs } }] as const
            }),
          ),
        ),
        context,
      )
    expect([at(0).environment, at(0).grade]).toEqual(['undetermined', 'D'])
    expect(at(0).anomalies.map(({ signal }) => signal)).toContain('time.heard')
    expect(at(undefined).grade).not.toBe('B')
  })

  test('the adversary with root in the image comes first, can fake every signal, and is named in what cannot be shown', () => {
    const { adversaries, limitations } = argue('demo-gpu-01')
    expect(adversaries.map(({ level }) => level)).toEqual(['PI', 'P0', 'P1', 'P2', 'P3', 'P4'])
    expect(adversaries[0]?.readOnThisNode).toEqual([])
    expect(limitations[0]).toContain('root in the system’s image')
    // What would still show is only what was read on this node.
    expect(
      argue('fx-access-silent')
        .adversaries.slice(2, 5)
        .flatMap(({ readOnThisNode }) => readOnThisNode),
    ).toEqual([])
  })

  test('a GPU without its maker’s driver comes first among what would settle it', () => {
    const { captures, context } = capturesOf('demo-gpu-01')
    const ids = captures.get('pci.devices/ids')
    if (ids === undefined) throw new Error('no ids')
    const text = new TextDecoder().decode(ids.stdout).replaceAll(/^.*:DRIVER=nvidia\n/gm, '')
    const changed = new Map([...captures, ['pci.devices/ids', { ...ids, stdout: new TextEncoder().encode(text) }]])
    for (const key of [...changed.keys()].filter((one) => one.startsWith('gpu.'))) changed.delete(key)
    const [first, ...rest] = assessIsolation(readingsFrom(changed), context).openPoints
    expect(first?.signals.length).toBeGreaterThan(1)
    expect(first?.signals.every((id) => id.startsWith('gpu.'))).toBe(true)
    expect(rest.length).toBeGreaterThan(0)
    expect(argue('demo-gpu-01').openPoints[0]?.signals.every((id) => id.startsWith('gpu.'))).not.toBe(true)
  })

  test('an owner without rights is given the exact line to allow', () => {
    const open = argue('demo-nosudo-06').openPoints.find(({ point }) => point.startsWith('Full hardware table'))
    expect(open?.resolution).toContain('“dmidecode -t ')
    expect(open?.resolution).toContain('sudo')
  })

  test('GPUs of every class and maker count: a display one of NVIDIA without its driver, one of a maker that nothing was read of', () => {
    const kindOf = (node: string, from: RegExp, to: string): string | undefined => {
      const { captures, context } = capturesOf(node)
      const ids = captures.get('pci.devices/ids')
      if (ids === undefined) throw new Error('no ids')
      const text = Buffer.from(ids.stdout).toString('utf8').replaceAll(from, to)
      const changed = new Map([...captures, ['pci.devices/ids', { ...ids, stdout: new TextEncoder().encode(text) }]])
      changed.delete('gpu.nvidia/query')
      return assessIsolation(readingsFrom(changed), context).minimum.find(({ item }) => item === 'f')?.holds
    }
    expect(kindOf('demo-gpu-01', /PCI_CLASS=30200/g, 'PCI_CLASS=30000')).toBe('no')
    expect(kindOf('fx-iso-amdgpu', /1002:74A1/g, '8086:0BD5')).toBe('no')
    expect(kindOf('fx-iso-amdgpu', /nothing/g, '')).toBe('yes')
    expect(argue('fx-iso-amd').minimum.find(({ item }) => item === 'f')?.holds).toBe('not-applicable')
  })

  test('a session whose user namespace was not listed is not taken for the system’s own', () => {
    const { captures, context } = capturesOf('demo-gpu-01')
    const own = captures.get('namespaces/own')
    if (own === undefined) throw new Error('no namespaces')
    const text = Buffer.from(own.stdout)
      .toString('utf8')
      .replace(/^.* user -> .*\n/m, '')
    const changed = new Map([...captures, ['namespaces/own', { ...own, stdout: new TextEncoder().encode(text) }]])
    const { environment, minimum } = assessIsolation(readingsFrom(changed), context)
    expect([environment, minimum.find(({ item }) => item === 'e')?.holds]).toEqual(['undetermined', 'no'])
  })

  test('parts of the machine are pinned, the same for the same machine', () => {
    const pins = argue('demo-gpu-01').pins
    expect(new Set(pins.map(({ kind }) => kind))).toEqual(
      new Set(['board', 'chassis', 'disk', 'gpu', 'hca', 'nic', 'system']),
    )
    expect(argue('fx-iso-echo').pins).toEqual(pins)
  })
})

describe('guests that were booted for this, by what they answered (npm run test:vm)', () => {
  test.each(GUESTS.map((guest) => [guest.name, guest] as const))('%s', (name, guest) => {
    const { environment, concealed, anomalies } = argue(name)
    expect([environment, concealed]).toEqual(['virtual-machine', guest.concealed])
    if (guest.concealed) expect(new Set(anomalies.map(({ signal }) => signal)).size).toBeGreaterThanOrEqual(5)
  })
})

describe('the signals as data', () => {
  test.each(catalog.signals.map((note) => [note.id, note] as const))(
    '%s states what it looks at and where it misleads',
    (_, note) => {
      expect(note.title).not.toBe('')
      expect(note.onMetal).not.toBe('')
      expect(note.onGuest).not.toBe('')
      expect(note.source).not.toBe('')
      expect(note.pitfalls.length).toBeGreaterThan(0)
      expect(note.probes.length).toBeGreaterThan(0)
      for (const probe of note.probes) expect(catalog.probes.map(({ id }) => id)).toContain(probe)
      for (const text of [note.title, note.onMetal, note.onGuest, ...note.pitfalls])
        for (const banned of BANNED) expect(text).not.toMatch(banned)
    },
  )
  test('whose traps name an option of ordinary software cost no more than a patched monitor', () => {
    const options =
      /x-pci-|-smp|-smbios|-device|by options|by default|vcpupin|rapl=on|x-force-features|-acpitable|x-speed|ipmi-bmc|swtpm|options? of (libvirt|QEMU)|one option/
    const named = catalog.signals.filter(({ pitfalls }) => pitfalls.some((trap) => options.test(trap)))
    expect(named.length).toBeGreaterThan(5)
    expect(
      named.filter(({ spoofingEffort }) => spoofingEffort !== 'S0' && spoofingEffort !== 'S1').map(({ id }) => id),
    ).toEqual([])
  })
  test('cost a patched hypervisor kernel only where the monitor and its options cannot answer', () => {
    const dear = catalog.signals
      .filter(({ spoofingEffort }) => spoofingEffort === 'S2' || spoofingEffort === 'S3')
      .map(({ id }) => id)
    expect(dear).toEqual(['time.cpuid', 'time.delta', 'time.external'])
  })
  test('have ids of their own', () => {
    const ids = catalog.signals.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
