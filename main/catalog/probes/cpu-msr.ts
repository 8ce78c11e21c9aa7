import { type Answer, defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'

/** What one register responded: its value, or that the processor refused it (a general protection fault, which the driver shows as EIO). */
export type RegisterAnswer = bigint | 'refused'

export interface CpuRegisters {
  /** Intel, MSR_PLATFORM_INFO (0xCE). */
  readonly platformInfo: RegisterAnswer
  /** Intel, MSR_SMI_COUNT (0x34). */
  readonly smiCount: RegisterAnswer
  /** Intel, MSR_TEMPERATURE_TARGET (0x1A2). */
  readonly temperatureTarget: RegisterAnswer
  /** Intel, MSR_RAPL_POWER_UNIT (0x606). */
  readonly powerUnit: RegisterAnswer
  /** AMD, the definition of the first P-state (0xC0010064). */
  readonly amdPstate: RegisterAnswer
  /** AMD, RAPL power unit (0xC0010299). */
  readonly amdPowerUnit: RegisterAnswer
}

const DEVICE = '/dev/cpu/0/msr'

const register = (number: number) =>
  runAsRoot(['dd', `if=${DEVICE}`, 'bs=8', 'count=1', 'iflag=skip_bytes', `skip=${number}`, 'status=none'], {
    needsPath: [DEVICE],
    timeoutSeconds: 5,
    maxBytes: 4096,
  })

/**
 * msr(4): eight bytes at the number of the register. Only registers that reading does not change. Intel SDM vol. 4 and AMD PPR for
 * their meaning; Linux arch/x86/kernel/msr.c for EIO. Absent where the module is not loaded; it is not loaded for this.
 */
export const cpuMsr = defineProbe({
  id: 'cpu.msr',
  title: 'Processor registers that describe the hardware',
  why: 'Clock ratio, maximum temperature and energy unit are in processor registers. Guests read zeros there, or nothing.',
  ignoredInDrift: {
    why: 'The processor counts its management interrupts.',
    normalize: ({ smiCount, ...registers }: CpuRegisters) => ({
      ...registers,
      smiCount: smiCount === 'refused' ? smiCount : 'counted',
    }),
  },
  commands: {
    platformInfo: register(0xce),
    smiCount: register(0x34),
    temperatureTarget: register(0x1a2),
    powerUnit: register(0x606),
    amdPstate: register(0xc0010064),
    amdPowerUnit: register(0xc0010299),
  },
  parse: (answers) => everyRegister(answers),
})

type Answers = Readonly<Record<keyof CpuRegisters, Answer>>

function everyRegister(answers: Answers): Parsed<CpuRegisters> {
  const read = Object.entries(answers).map(([name, answer]) => [name, registerAnswer(answer)] as const)
  const failed = read.flatMap(([, answer]) => (answer.ok ? [] : [answer]))[0]
  if (failed !== undefined) return failed
  const values = new Map(read.flatMap(([name, answer]) => (answer.ok ? [[name, answer.fact] as const] : [])))
  const of = (name: keyof CpuRegisters): RegisterAnswer => values.get(name) ?? 'refused'
  return known({
    platformInfo: of('platformInfo'),
    smiCount: of('smiCount'),
    temperatureTarget: of('temperatureTarget'),
    powerUnit: of('powerUnit'),
    amdPstate: of('amdPstate'),
    amdPowerUnit: of('amdPowerUnit'),
  })
}

function registerAnswer({ exitCode, bytes, errorText }: Answer): Parsed<RegisterAnswer> {
  if (exitCode === 0)
    return bytes.length === 8
      ? known(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true))
      : unknown('a register of the processor has an unexpected length')
  if (/: Input\/output error\s*$/.test(errorText)) return known('refused')
  return unknown('the processor’s register device could not be read; its kernel module may not be loaded')
}
