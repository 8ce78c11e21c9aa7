import { quote } from '../../../core/plain-text.ts'
import { cpuFeatures } from '../../probes/cpu-features.ts'
import { dmiIdentity } from '../../probes/dmi-identity.ts'
import { dmiTable } from '../../probes/dmi-table.ts'
import { contradicts, unclear } from '../../steps.ts'
import { isSince2009 } from '../cpu-tables.ts'
import { emulatorsInTable, type FirmwareName, hasOwnWords, namesInIdentity } from '../firmware-names.ts'
import {
  metal,
  neutral,
  notApplicable,
  type Observation,
  type Read,
  type Sign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'
import { NO_SMBIOS, smbiosExtentSignals, withTable } from './smbios-extent.ts'
import { smbiosSumSignals } from './smbios-sums.ts'

const strings: Signal = {
  id: 'dmi.strings',
  family: 'firmware',
  title: 'Names in the firmware’s hardware table',
  onMetal: 'The manufacturer of the board, the system and its firmware.',
  onGuest: 'The hypervisor’s or the cloud’s name, unless someone wrote another.',
  spoofingEffort: 'S0',
  pitfalls: [
    'Hypervisor vendors build servers too: Oracle, Sun, Nutanix and Joyent are named on real boards, so only exact product names count.',
    'Amazon’s .metal sizes, Google’s bare metal and Alibaba’s carry the same cloud name as their guests.',
    'Text: the operator of the machine chooses it. A manufacturer’s name is no evidence of hardware.',
  ],
  source: 'DMTF DSP0134 types 0 to 4 and 17; Linux drivers/firmware/dmi-id.c; measured on 221 servers and 35 guests.',
  probes: [dmiIdentity, dmiTable, cpuFeatures],
  observe(read) {
    const identity = read(dmiIdentity)
    if (!identity.ok) return unreadable(dmiIdentity, identity.reason)
    if (!identity.fact.present) return withoutTable(read)
    const [table, cpu] = [read(dmiTable), read(cpuFeatures)]
    const names = namesInIdentity(identity.fact)
    // Where a cloud sells both, its name is a guest's only together with the processor's own word.
    const saysGuest = cpu.ok && cpu.fact.hypervisorBit
    const signs = [
      ...names.filter(({ alsoMetal }) => !alsoMetal || saysGuest).map(nameSign),
      ...(table.ok ? emulatorsInTable(table.fact) : []).map(leftover),
    ]
    const { sysVendor, productName, biosVendor } = identity.fact
    const value = [sysVendor, productName, biosVendor].map((words) => quote(words, 40)).join(', ')
    if (signs.length > 0) return virtual(value, ...signs)
    const cloud = names[0]
    if (cloud !== undefined)
      return neutral(
        value,
        unclear(
          `The firmware’s identity is ${quote(cloud.words)}, as on both guests and bare metal of this cloud.`,
          dmiIdentity,
        ),
      )
    return hasOwnWords(identity.fact) ? metal(value) : neutral(value)
  },
}

const nameSign = ({ platform, words }: FirmwareName): Sign =>
  sign(
    'names',
    platform,
    contradicts(
      `The firmware’s identity is ${quote(words)}, a name of ${platform ?? 'virtual machines'}.`,
      dmiIdentity,
    ),
  )

const leftover = (words: string): Sign =>
  sign(
    'odd',
    'QEMU',
    contradicts(
      `The firmware names ${quote(words)} as manufacturer of a processor or memory module, as QEMU does.`,
      dmiTable,
    ),
  )

function withoutTable(read: Read): Observation {
  const cpu = read(cpuFeatures)
  if (!cpu.ok) return neutral('no SMBIOS table')
  if (cpu.fact.architecture !== 'x86') return notApplicable(NO_SMBIOS)
  return isSince2009(cpu.fact)
    ? virtual(
        'no SMBIOS table',
        sign(
          'hint',
          null,
          contradicts(
            'There is no SMBIOS table; machines with a current processor and hardware firmware have one.',
            dmiIdentity,
          ),
        ),
      )
    : neutral('no SMBIOS table')
}

const machineBit: Signal = {
  id: 'dmi.vmbit',
  family: 'firmware',
  title: 'Firmware’s own virtual-machine bit',
  onMetal: 'Clear.',
  onGuest: 'Set by UEFI guests and some clouds; clear in many others.',
  spoofingEffort: 'S0',
  pitfalls: [
    'A few real boards set it by mistake: 8 of 162,480 in a public collection, a 24-module server among them.',
    'SeaBIOS guests and Google’s leave it clear, so that a clear bit is weak evidence.',
  ],
  source: 'DMTF DSP0134 table 7 (BIOS characteristics, extension byte 2, bit 4); measured.',
  probes: [dmiTable],
  observe: withTable(({ virtualMachineBit }) =>
    virtualMachineBit
      ? virtual(
          'set',
          sign(
            'odd',
            null,
            contradicts(
              'The firmware sets the bit “System is a virtual machine”; a few real boards do so by mistake.',
              dmiTable,
            ),
          ),
        )
      : metal('clear'),
  ),
}

/** Signals in SMBIOS (DMTF DSP0134). */
export const smbiosSignals: readonly Signal[] = [strings, machineBit, ...smbiosExtentSignals, ...smbiosSumSignals]
