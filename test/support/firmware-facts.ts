import { type DmiIdentity, dmiIdentity, dmiTable, parseDmiTable } from '../../main/catalog/hardware/machine/dmi.ts'
import { cpuFeatures, parseCpuInfo } from '../../main/catalog/hardware/processors/features.ts'
import { known } from '../../main/core/recording/probe.ts'
import { dmidecode, type Structure } from './dmidecode.ts'
import type { Fact } from './signal-facts.ts'

export const NO_IDENTITY: DmiIdentity = {
  present: true,
  sysVendor: '',
  productName: '',
  productVersion: '',
  boardVendor: '',
  boardName: '',
  biosVendor: '',
  biosVersion: '',
  biosDate: '',
  chassisVendor: '',
  chassisType: '1',
  chassisAssetTag: '',
}

export const identity = (fields: Partial<DmiIdentity>): Fact => [dmiIdentity, known({ ...NO_IDENTITY, ...fields })]
export const table = (...structures: readonly Structure[]): Fact => [dmiTable, parseDmiTable(dmidecode(...structures))]
export const cpuinfo = (blocks: number, flags = 'fpu', model = 106, family = 6, vendor = 'GenuineIntel'): Fact => [
  cpuFeatures,
  parseCpuInfo(
    [...Array(blocks).keys()]
      .map(
        (at) =>
          `processor\t: ${at}\nvendor_id\t: ${vendor}\ncpu family\t: ${family}\nmodel\t\t: ${model}\nflags\t\t: ${flags}\n`,
      )
      .join('\n'),
  ),
]
export const ARM: Fact = [cpuFeatures, parseCpuInfo('processor\t: 0\nCPU implementer\t: 0x41\n')]
export const ROOTLESS: Fact = [dmiTable, { ok: false, reason: 'not collected: needs administrator rights (dmidecode)' }]
export const NO_TABLE: Fact = [
  dmiTable,
  known({
    present: false,
    counts: new Map(),
    virtualMachineBit: false,
    modules: [],
    processors: [],
    caches: 0,
    slots: [],
  }),
]
