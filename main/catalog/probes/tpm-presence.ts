import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { oneLineFiles } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface TpmPresence {
  readonly version: string
  /** Platform configuration registers of the SHA-256 bank: number → value in hexadecimal. */
  readonly registers: ReadonlyMap<number, string>
}

export const NO_TPM_VISIBLE = 'no TPM is visible'

/** Linux Documentation/ABI/stable/sysfs-class-tpm. Reading changes nothing in the TPM. */
export const tpmPresence = defineProbe({
  id: 'tpm.presence',
  title: 'Trusted platform module',
  why: 'Shows whether the server has a TPM and what it recorded about the start of the system.',
  ignoredInDrift: {
    why: 'Register 10 receives a measurement of every file that the kernel measures, and registers 16 and 23 are for tests.',
    normalize: ({ version, registers }: TpmPresence) => ({
      version,
      registers: inOrder([...registers].filter(([number]) => ![10, 16, 23].includes(number))),
    }),
  },
  commands: {
    files: run([
      'grep',
      '-s',
      '-H',
      '',
      '/sys/class/tpm/tpm0/tpm_version_major',
      glob('/sys/class/tpm/tpm0/pcr-sha256/*'),
    ]),
  },
  parse({ files }) {
    const values = oneLineFiles(files.text)
    const version = values.get('/sys/class/tpm/tpm0/tpm_version_major')
    if (version === undefined) return unknown(NO_TPM_VISIBLE)
    const registers = [...values].flatMap(([path, value]) => {
      const [, number] = /\/pcr-sha256\/(\d{1,2})$/.exec(path) ?? []
      return number === undefined || !/^[0-9A-Fa-f]{64}$/.test(value)
        ? []
        : [[Number(number), value.toLowerCase()] as const]
    })
    return known<TpmPresence>({ version, registers: new Map(registers) })
  },
})
