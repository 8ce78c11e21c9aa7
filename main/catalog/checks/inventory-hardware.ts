import { defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { cpuFeatures } from '../probes/cpu-features.ts'
import { dmiIdentity } from '../probes/dmi-identity.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { gpuTopology } from '../probes/gpu-topology.ts'
import { hostSerials } from '../probes/host-identity.ts'
import { inventoryMemory } from '../probes/inventory-memory.ts'
import { osIdentity } from '../probes/os-identity.ts'
import { count, named, speaksFor } from '../steps.ts'

export const inventoryHardware = defineCheck({
  id: 'inventory.hardware',
  property: 'evidence',
  claim: 'Maker, model, processor, memory, GPUs and operating system of this server are on record.',
  limits: 'Reported by the server about itself. It was not compared with a list of what was bought or leased.',
  needs: { cpu: cpuFeatures, memory: inventoryMemory, dmi: dmiIdentity, os: osIdentity },
  wants: { gpus: gpuNvidia, topology: gpuTopology, serials: hostSerials },
  evaluate({ cpu, memory, dmi, os }, { gpus, topology, serials }) {
    const gib = Math.round(memory.totalKib / 1024 / 1024)
    const models = gpus.ok ? [...new Set(gpus.fact.gpus.map((gpu) => gpu.name))] : []
    return {
      verdict: 'informational',
      because: [
        speaksFor(
          dmi.present
            ? `Firmware names ${quote(`${dmi.sysVendor} ${dmi.productName}`)}, board ${quote(`${dmi.boardVendor} ${dmi.boardName}`)}, BIOS ${quote(`${dmi.biosVersion} of ${dmi.biosDate}`)}.`
            : 'Firmware names no maker.',
          dmiIdentity,
        ),
        speaksFor(
          `${count(cpu.sockets, 'processor')}: ${quote(cpu.modelName ?? 'unnamed')}, ${count(cpu.logicalCpus, 'logical CPU')}; ${gib} GiB of memory.`,
          cpuFeatures,
        ),
        speaksFor(`${quote(os.name)}, kernel ${quote(os.kernel)}, ${quote(os.machine)}.`, osIdentity),
        ...(gpus.ok
          ? [
              speaksFor(
                `${count(gpus.fact.gpus.length, 'GPU')}: ${named(models)}, driver ${quote(gpus.fact.driver)}.`,
                gpuNvidia,
              ),
            ]
          : []),
        ...(topology.ok &&
        [...topology.fact.links.values()].some((cells) => cells.some((cell) => cell.startsWith('NV')))
          ? [speaksFor(`NVLink connects ${count(topology.fact.links.size, 'GPU')}.`, gpuTopology)]
          : []),
        ...(serials.ok
          ? [
              speaksFor(
                `Serial numbers: product ${quote(serials.fact.product)}, board ${quote(serials.fact.board)}, chassis ${quote(serials.fact.chassis)}.`,
                hostSerials,
              ),
            ]
          : unclearAbout(hostSerials, serials)),
      ],
    }
  },
})
