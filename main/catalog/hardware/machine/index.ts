import { quote } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { count, named, supports } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { gpuNvidia, type NvidiaGpu } from '../gpu/nvidia.ts'
import { type GpuCards, gpuCards } from '../gpu/probes.ts'
import { gpuTopology } from '../gpu/topology.ts'
import { cpuFeatures } from '../processors/features.ts'
import { acpiHeaders, acpiOverview, bootMemory } from './acpi.ts'
import data from './checks.json' with { type: 'json' }
import { dmiEntries, dmiIdentity, dmiTable, dmiTags } from './dmi.ts'
import { hostIdentity, hostSerials, osIdentity } from './identity.ts'
import { inventoryMemory, memorySpd } from './memory.ts'

export const inventoryHardware = defineCheck({
  id: 'inventory.hardware',
  property: 'evidence',
  expected: 'Manufacturer, model, processor, memory, GPUs and operating system of this server are recorded.',
  ends: 'recorded',
  limitations: 'Reported by the server about itself. It was not compared with a list of what was bought or leased.',
  requires: { cpu: cpuFeatures, memory: inventoryMemory, dmi: dmiIdentity, os: osIdentity },
  optional: { gpus: gpuNvidia, cards: gpuCards, topology: gpuTopology, serials: hostSerials },
  evaluate({ cpu, memory, dmi, os }, { gpus, cards, topology, serials }) {
    const gib = Math.round(memory.totalKib / 1024 / 1024)
    const models = gpus.ok ? [...new Set(gpus.fact.gpus.map((gpu) => gpu.name))] : []
    return {
      verdict: 'informational',
      observations: [
        supports(
          dmi.present
            ? `Firmware names ${quote(`${dmi.sysVendor} ${dmi.productName}`)}, board ${quote(`${dmi.boardVendor} ${dmi.boardName}`)}, BIOS ${quote(`${dmi.biosVersion} of ${dmi.biosDate}`)}.`
            : 'Firmware reports no manufacturer.',
          dmiIdentity,
        ),
        supports(
          `${count(cpu.sockets, 'processor')}: ${quote(cpu.modelName ?? 'unnamed')}, ${count(cpu.logicalCpus, 'logical CPU')}; ${gib} GiB of memory.`,
          cpuFeatures,
        ),
        supports(`${quote(os.name)}, kernel ${quote(os.kernel)}, ${quote(os.machine)}.`, osIdentity),
        ...(gpus.ok
          ? [
              supports(
                `${count(gpus.fact.gpus.length, 'GPU')}: ${named(models)}, driver ${quote(gpus.fact.driver)}.${boardText(gpus.fact.gpus)}`,
                gpuNvidia,
              ),
            ]
          : cardSteps(cards)),
        ...(topology.ok &&
        [...topology.fact.links.values()].some((cells) => cells.some((cell) => cell.startsWith('NV')))
          ? [supports(`NVLink connects ${count(topology.fact.links.size, 'GPU')}.`, gpuTopology)]
          : []),
        ...(serials.ok
          ? [
              supports(
                `Serial numbers: product ${quote(serials.fact.product)}, board ${quote(serials.fact.board)}, chassis ${quote(serials.fact.chassis)}.`,
                hostSerials,
              ),
            ]
          : unclearAbout(hostSerials, serials)),
      ],
    }
  },
})

/** Part numbers, firmware and serial numbers of the boards, as far as the driver reports them. */
function boardText(gpus: readonly NvidiaGpu[]): string {
  const parts = [...new Set(gpus.flatMap(({ boardPart }) => boardPart ?? []))]
  const firmware = [...new Set(gpus.flatMap(({ vbios }) => vbios ?? []))]
  const serials = gpus.map(({ serial }) => serial).filter((serial) => serial !== '' && serial !== 'N/A')
  return [
    parts.length === 0 ? '' : ` Board ${named(parts, 3)}.`,
    firmware.length === 0 ? '' : ` Firmware ${named(firmware, 3)}.`,
    serials.length === 0 ? '' : ` Serial numbers ${named(serials, 16)}.`,
  ].join('')
}

/** AMD's accelerators, where the kernel names them and no other driver responded. */
function cardSteps(cards: Parsed<GpuCards>): readonly DraftObservation[] {
  const found = cards.ok ? cards.fact.cards.filter(({ productName }) => productName !== null) : []
  if (found.length === 0) return []
  const names = [...new Set(found.map(({ productName }) => productName ?? ''))]
  const serials = found.flatMap(({ serial, uniqueId }) => serial ?? uniqueId ?? [])
  return [
    supports(
      `${count(found.length, 'GPU')}: ${named(names)}.${serials.length === 0 ? '' : ` Serial numbers ${named(serials, 16)}.`}`,
      gpuCards,
    ),
  ]
}

export const machineSubject = defineSubject({
  id: 'machine',
  title: 'Machine identity and firmware tables',
  probes: [
    hostIdentity,
    hostSerials,
    osIdentity,
    dmiIdentity,
    dmiTable,
    acpiOverview,
    acpiHeaders,
    inventoryMemory,
    bootMemory,
    dmiEntries,
    memorySpd,
    dmiTags,
  ],
  checks: [inventoryHardware],
  data,
})
