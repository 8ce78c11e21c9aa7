import { defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { boardOf } from '../gpu/models.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { type PciDevice, pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { gpusOnBus, NVIDIA, withoutGpu } from './gpu-bus.ts'
import { oneOf } from './values.ts'

const KINDS = ['sxm', 'hopper-sxm'] as const
type Kind = (typeof KINDS)[number]

const WORDS: Readonly<Record<Kind, string>> = {
  sxm: 'a module on a baseboard (SXM)',
  'hopper-sxm': 'a Hopper module with 18 NVLinks on a baseboard (H100 or H200, SXM)',
}

/** Names of NVIDIA's cards, which no module has: the form in the name, or a family that is sold as a card only (NVIDIA data sheets). */
const CARD = /\bPCIe?\b|\bNVL\d?\b|\b(L4|L20|L40S?|A2|A10G?|A16|A30X?|A40|T4|RTX)\b/i

const LIMITS =
  'Ids of the PCI bus against this catalog’s list of modules, and names of cards as the driver prints them. An ID in neither is inconclusive.'

export const gpuBoard: ClaimTest = {
  id: 'gpu.board',
  title: 'Every GPU is a module of the claimed kind.',
  takes: { kind: 'text', oneOf: KINDS },
  limitations: LIMITS,
  of(value) {
    const kind = oneOf(value, KINDS)
    if (kind === null) return null
    return defineCheck({
      id: 'gpu.board',
      property: 'operations',
      expected: `Every GPU on the bus is ${WORDS[kind]}.`,
      limitations: LIMITS,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia },
      evaluate({ pci }, { driver }) {
        const none = withoutGpu(pci)
        if (none !== null) return decide([none])
        const gpus = gpusOnBus(pci)
        const names = new Map((driver.ok ? driver.fact.gpus : []).map(({ address, name }) => [address, name]))
        const isKind = (gpu: PciDevice): boolean => fits(gpu, kind)
        const isOther = (gpu: PciDevice): boolean =>
          !isKind(gpu) && (gpu.vendor !== NVIDIA || boardOf(gpu) !== null || CARD.test(names.get(gpu.address) ?? ''))
        const ids = (some: readonly PciDevice[]): string =>
          named([...new Set(some.map((gpu) => names.get(gpu.address) || `${gpu.vendor}:${gpu.device}`))].sort())
        const [those, others] = [gpus.filter(isKind), gpus.filter(isOther)]
        const what = count(gpus.length, 'GPU')
        if (those.length === gpus.length) return decide([supports(`${what}, each ${WORDS[kind]}.`, pciDevices)])
        return decide([
          others.length === gpus.length
            ? contradicts(`${what}, none of which is ${WORDS[kind]}: ${ids(others)}.`, pciDevices)
            : unclear(
                `${what}, of which ${those.length} are known to be ${WORDS[kind]} and ${others.length} known to be another.`,
                pciDevices,
              ),
        ])
      },
    })
  },
}

/** Modules that sit on a board with Grace are none of SXM. */
function fits(gpu: PciDevice, kind: Kind): boolean {
  const board = boardOf(gpu)
  if (board === null) return false
  return kind === 'hopper-sxm'
    ? board.family === 'H100' && board.links === 18
    : ['A100', 'H100', 'B200', 'B300'].includes(board.family)
}
