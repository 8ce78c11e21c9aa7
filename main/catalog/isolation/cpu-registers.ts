import type { CpuFeatures } from '../probes/cpu-features.ts'
import type { CpuRegisters, RegisterAnswer } from '../probes/cpu-msr.ts'
import { isSince2009 } from './cpu-tables.ts'

export interface RegisterReading {
  /**
   * sane: they hold what hardware holds; silent: zeros or refusals where hardware has values; mixed: neither; unknown: no list for this
   * manufacturer.
   */
  readonly is: 'sane' | 'silent' | 'mixed' | 'unknown'
  /** What stood there, in a few words. */
  readonly value: string
}

/** Clock ratio: multiples of 100 (133 before 2011) MHz at which the processor is sold. */
const RATIO: readonly [number, number] = [4, 80]
/** Highest temperature of the cores in degrees Celsius. */
const HIGHEST_TEMPERATURE: readonly [number, number] = [60, 125]
const PSTATE_ENABLED = 1n << 63n
/** AMD has the unit of energy in a register since Zen. */
const ZEN = 23

const within = (value: number | null, [low, high]: readonly [number, number]): boolean =>
  value !== null && value >= low && value <= high
const bits = (answer: RegisterAnswer, shift: bigint, mask: bigint): number | null =>
  answer === 'refused' ? null : Number((answer >> shift) & mask)

/** What the registers report about hardware. Intel SDM vol. 4 (0xCE, 0x1A2, 0x606, 0x34); AMD PPR (P-state definition, RAPL unit). */
export function readRegisters(cpu: CpuFeatures, registers: CpuRegisters): RegisterReading {
  if (!isSince2009(cpu)) return { is: 'unknown', value: 'not listed for this processor' }
  if (cpu.vendor === 'GenuineIntel') return intel(registers)
  return cpu.vendor === 'AuthenticAMD' ? amd(registers, (cpu.family ?? 0) >= ZEN) : amd(registers, true)
}

function intel({ platformInfo, temperatureTarget, powerUnit, smiCount }: CpuRegisters): RegisterReading {
  const ratio = bits(platformInfo, 8n, 0xffn)
  const highest = bits(temperatureTarget, 16n, 0xffn)
  const unit = bits(powerUnit, 0n, 0xffffffn)
  const said = [
    `clock ratio ${shown(ratio)}`,
    `highest temperature ${shown(highest)}`,
    `energy unit ${shown(unit, 16)}`,
    `firmware interrupts ${shown(bits(smiCount, 0n, 0xffffffffn))}`,
  ]
  const sane = within(ratio, RATIO) && within(highest, HIGHEST_TEMPERATURE)
  const silent = [ratio, highest, unit].every((value) => value === null || value === 0)
  return { is: sane ? 'sane' : silent ? 'silent' : 'mixed', value: said.join(', ') }
}

function amd({ amdPstate, amdPowerUnit }: CpuRegisters, hasUnit: boolean): RegisterReading {
  const isEnabled = amdPstate !== 'refused' && (amdPstate & PSTATE_ENABLED) !== 0n
  const unit = bits(amdPowerUnit, 0n, 0xffffffn)
  const value = `first performance state ${amdPstate === 'refused' ? 'refused' : isEnabled ? 'defined' : 'not defined'}, energy unit ${shown(unit, 16)}`
  const hasEnergy = unit !== null && unit !== 0
  if (isEnabled && (hasEnergy || !hasUnit)) return { is: 'sane', value }
  return { is: isEnabled || hasEnergy ? 'mixed' : 'silent', value }
}

const shown = (value: number | null, base: 10 | 16 = 10): string =>
  value === null ? 'refused' : base === 16 ? `0x${value.toString(16)}` : String(value)
