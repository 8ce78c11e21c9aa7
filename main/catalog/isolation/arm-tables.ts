// Manufacturers (implementer codes) and server cores (part numbers) of arm64: Linux arch/arm64/include/asm/cputype.h; util-linux
// lscpu-arm.c.
const MAKERS: ReadonlyMap<number, string> = new Map([
  [0x41, 'Arm'],
  [0x42, 'Broadcom'],
  [0x43, 'Cavium'],
  [0x46, 'Fujitsu'],
  [0x48, 'HiSilicon'],
  [0x4e, 'NVIDIA'],
  [0x50, 'Applied Micro'],
  [0x51, 'Qualcomm'],
  [0x61, 'Apple'],
  [0x6d, 'Microsoft'],
  [0x70, 'Phytium'],
  [0xc0, 'Ampere'],
])
const SERVER_CORES: ReadonlyMap<number, ReadonlyMap<number, string>> = new Map([
  [
    0x41,
    new Map([
      [0xd0c, 'Neoverse N1'],
      [0xd40, 'Neoverse V1'],
      [0xd49, 'Neoverse N2'],
      [0xd4f, 'Neoverse V2'],
      [0xd84, 'Neoverse V3'],
      [0xd8e, 'Neoverse N3'],
    ]),
  ],
  [
    0x43,
    new Map([
      [0x0a1, 'ThunderX'],
      [0x0af, 'ThunderX2'],
    ]),
  ],
  [0x46, new Map([[0x001, 'A64FX']])],
  [
    0x48,
    new Map([
      [0xd01, 'TaiShan v110'],
      [0xd02, 'TaiShan v120'],
    ]),
  ],
  [0x4e, new Map([[0x010, 'Olympus']])],
  [0x6d, new Map([[0xd49, 'Azure Cobalt 100']])],
  [
    0xc0,
    new Map([
      [0xac3, 'AmpereOne'],
      [0xac4, 'AmpereOne A'],
      [0xac5, 'AmpereOne B'],
    ]),
  ],
])

const hex = (number: number): string => `0x${number.toString(16)}`

/** "Arm Neoverse N1", or the manufacturer and the number of the part. */
export const armCoreName = (implementer: number, part: number): string =>
  `${MAKERS.get(implementer) ?? `maker ${hex(implementer)}`} ${SERVER_CORES.get(implementer)?.get(part) ?? `part ${hex(part)}`}`

/** A core that is built into servers only. */
export const isArmServerCore = (implementer: number, part: number): boolean =>
  SERVER_CORES.get(implementer)?.has(part) === true
