import { describe, expect, test } from 'vitest'
import { cloudInit } from '../../main/catalog/access/provider-access/probes.ts'
import { tenancyProcesses } from '../../main/catalog/base/processes.ts'
import { hostSerials, osIdentity } from '../../main/catalog/hardware/machine/identity.ts'
import { type Bmc, bmc, bmcPresence } from '../../main/catalog/hardware/management-controller/probes.ts'
import {
  secureBoot,
  tpmEk,
  tpmMeasurements,
  tpmPresence,
} from '../../main/catalog/single-tenancy/boot-integrity/index.ts'
import { managementSignals } from '../../main/catalog/single-tenancy/isolation/signals/management.ts'
import { readTcgLog, type TcgLog } from '../../main/catalog/single-tenancy/isolation/tcg-log.ts'
import { known } from '../../main/core/recording/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import { readOfFixture } from '../support/device-facts.ts'
import { ARM, cpuinfo, identity } from '../support/firmware-facts.ts'
import { OVMF_LOG, OVMF_REGISTERS } from '../support/ovmf-log.ts'
import { type Fact, indicating, weighing } from '../support/signal-facts.ts'

const reads = indicating(managementSignals)
const says = weighing(managementSignals)
const X86 = cpuinfo(1, 'fpu', 0x55)
const SERVER = identity({ sysVendor: 'Supermicro', productName: 'SYS-821GE-TNHR', chassisType: '23' })
const LAPTOP = identity({ sysVendor: 'LENOVO', productName: '20XW', chassisType: '10' })

test('the ids are those of the catalogue; unread is unreadable', () => {
  expect(managementSignals.map(({ id, family }) => `${family} ${id}`)).toEqual(
    ['bmc.dev', 'bmc.depth', 'tpm.log', 'tpm.ek', 'agent.guest', 'cloud.id', 'sec.boot'].map(
      (id) => `management ${id}`,
    ),
  )
  for (const { id } of managementSignals) expect(reads(id), id).toBe('unreadable')
})

describe('bmc.dev', () => {
  const presence = (device: boolean, ...listed: readonly string[]): Fact => [bmcPresence, known({ device, listed })]
  test('device, entry of firmware, none on a server, none elsewhere', () => {
    expect(reads('bmc.dev', presence(true), SERVER)).toBe('bare-metal')
    expect(reads('bmc.dev', presence(false, '/sys/bus/acpi/devices/IPI0001:00'), SERVER)).toBe('bare-metal')
    expect(says('bmc.dev', presence(false), SERVER)).toEqual(['hint null'])
    expect(reads('bmc.dev', presence(false), LAPTOP)).toBe('neutral')
    expect(reads('bmc.dev', presence(false))).toBe('neutral')
  })
})

describe('bmc.depth', () => {
  const depth = (more: Partial<Bmc>): Fact => [
    bmc,
    known({
      maker: 'Supermicro',
      firmware: '1.03',
      ipmiVersion: '2.0',
      sensors: 57,
      readings: 50,
      events: 47,
      inventory: { productSerial: 'S456', boardSerial: 'WM22CS600123', chassisSerial: 'C4290FK33N5' },
      watts: 2387,
      ...more,
    }),
  ]
  const serials = (product: string, board: string, chassis: string): Fact => [
    hostSerials,
    known({ product, board, chassis }),
  ]

  test('a model’s one sensor, whatever the machine calls itself', () => {
    const model = depth({ sensors: 1, readings: 0, events: 0, inventory: null, watts: null })
    expect(says('bmc.depth', model, SERVER)).toEqual(['odd null'])
    expect(says('bmc.depth', model, LAPTOP)).toEqual(['odd null'])
    expect(reads('bmc.depth', depth({ sensors: null, readings: null }), SERVER)).toBe('neutral')
  })

  test('a controller that knows its server', () => {
    expect(reads('bmc.depth', depth({}), SERVER)).toBe('bare-metal')
    expect(reads('bmc.depth', depth({}), SERVER, serials('S456', 'WM22CS600123', 'Default string'))).toBe('bare-metal')
    // A replaced board: one number differs, another agrees.
    expect(reads('bmc.depth', depth({}), SERVER, serials('S456', 'WM23CS600999', ''))).toBe('bare-metal')
  })

  test('an inventory of another machine; placeholders are not compared', () => {
    expect(says('bmc.depth', depth({}), SERVER, serials('S999', 'WM99', 'C999'))).toEqual(['odd null'])
    expect(reads('bmc.depth', depth({}), SERVER, serials('0123456789', 'To be filled by O.E.M.', 'N/A'))).toBe(
      'bare-metal',
    )
  })
})

describe('tpm.log', () => {
  const log = (more: Partial<TcgLog> = {}): Fact => {
    const read = readTcgLog(OVMF_LOG)
    if (typeof read === 'string') throw new Error(read)
    return [tpmMeasurements, known({ ...read, blobs: [], ...more })]
  }
  const tpm = (registers: ReadonlyMap<number, string>): Fact => [tpmPresence, known({ version: '2', registers })]
  const other = new Map([...OVMF_REGISTERS].map(([number]) => [number, 'f'.repeat(64)]))

  test('OVMF gives itself away although its log replays in full', () => {
    const read = readTcgLog(OVMF_LOG)
    expect(says('tpm.log', [tpmMeasurements, known(read)], tpm(OVMF_REGISTERS), X86)).toEqual(['impossible null'])
  })

  test('versions of clouds name them; EDK II alone needs an explanation on x86', () => {
    const of = (version: string) => log({ versions: [version] })
    expect(says('tpm.log', of('GCE Virtual Firmware v1'), tpm(OVMF_REGISTERS), X86)).toEqual([
      'names Google Compute Engine',
    ])
    expect(says('tpm.log', of('VMW71.00V.16722896.B64.2008100651'), X86)).toEqual(['names VMware'])
    expect(says('tpm.log', of('edk2-20230524-3.el9'), tpm(OVMF_REGISTERS), X86)).toEqual(['odd null'])
    expect(says('tpm.log', of('edk2-20230524-3.el9'), tpm(OVMF_REGISTERS), ARM)).toEqual(['hint null'])
  })

  test('a log of another TPM, one register that differs, all that fit', () => {
    expect(says('tpm.log', log(), tpm(other), X86)).toEqual(['odd null'])
    const one = new Map([...OVMF_REGISTERS, [0, 'f'.repeat(64)]])
    expect(reads('tpm.log', log(), tpm(one), X86)).toBe('neutral')
    expect(reads('tpm.log', log(), tpm(OVMF_REGISTERS), X86)).toBe('bare-metal')
    expect(reads('tpm.log', log(), tpm(new Map()), X86)).toBe('neutral')
    expect(reads('tpm.log', log(), X86)).toBe('unreadable')
  })
})

describe('tpm.ek', () => {
  const issued = (issuer: string): Fact => [tpmEk, known({ issuer, validTo: 'Dec 31 23:59:59 2040 GMT' })]
  test('authorities of virtual TPMs name them; makers of chips leave it open', () => {
    expect(says('tpm.ek', issued('CN=swtpm-localca'))).toEqual(['names null'])
    expect(says('tpm.ek', issued('CN=Global Virtual TPM CA - 01'))).toEqual(['names Microsoft Hyper-V'])
    expect(says('tpm.ek', issued('C=US\nO=Google LLC\nCN=EK/AK CA Intermediate'))).toEqual([
      'names Google Compute Engine',
    ])
    expect(
      reads('tpm.ek', issued('C=DE\nO=Infineon Technologies AG\nCN=Infineon OPTIGA(TM) RSA Manufacturing CA')),
    ).toBe('neutral')
    expect(reads('tpm.ek', issued('CN=Somebody'))).toBe('neutral')
  })
})

describe('software of the system', () => {
  const running = (isComplete: boolean, ...commands: readonly string[]): Fact => [
    tenancyProcesses,
    known({
      processes: commands.map((command, pid) => ({ pid, user: 'root', command, cgroup: '-' })),
      isComplete,
    }),
  ]
  test('guest agents are hints', () => {
    expect(says('agent.guest', running(true, 'systemd', 'qemu-ga', 'qemu-ga'))).toEqual(['hint QEMU'])
    expect(says('agent.guest', running(false, 'google_guest_ag'))).toEqual(['hint null'])
    expect(reads('agent.guest', running(true, 'systemd', 'sshd'))).toBe('bare-metal')
    expect(reads('agent.guest', running(false, 'bash'))).toBe('neutral')
  })

  const kernel = (version: string): Fact => [
    osIdentity,
    known({ name: 'x', kernel: `Linux ${version}`, machine: 'x86_64' }),
  ]
  test('kernels for clouds are hints, a cloud’s name alone is none', () => {
    const named: Fact = [
      cloudInit,
      known({ present: true, cloudName: 'openstack', region: null, availabilityZone: null }),
    ]
    for (const version of ['6.8.0-1021-aws', '6.1.0-28-cloud-amd64', '5.4.0-1106-kvm', '6.17.0-1005-azure'])
      expect(says('cloud.id', kernel(version)), version).toEqual(['hint null'])
    expect(reads('cloud.id', kernel('6.8.0-87-generic'), named)).toBe('neutral')
    expect(reads('cloud.id', kernel('5.14.0-427.el9.x86_64'))).toBe('neutral')
  })

  test('Secure Boot shows nothing either way', () => {
    const fact: Fact = [
      secureBoot,
      known({ firmware: 'uefi', secureBoot: true, setupMode: false, shimSkipsChecks: false }),
    ]
    expect(reads('sec.boot', fact)).toBe('neutral')
  })
})

describe('the demo nodes', () => {
  const look = (node: string) =>
    new Map(managementSignals.map(({ id, observe: one }) => [id, one(readOfFixture(node))]))
  test('the server’s controller and log read as hardware', () => {
    const found = look('demo-gpu-01')
    expect(['bmc.dev', 'bmc.depth', 'tpm.log'].map((id) => found.get(id)?.indicates)).toEqual([
      'bare-metal',
      'bare-metal',
      'bare-metal',
    ])
    // Its maker's name can be copied: it never speaks for hardware.
    expect(found.get('tpm.ek')?.indicates).toBe('neutral')
  })

  test('the dressed-up guest has no controller, and is not made to report its absence', () => {
    const found = look('demo-metal-04')
    expect(found.get('bmc.dev')?.indicates).toBe('virtual')
    expect(found.get('bmc.depth')?.indicates).toBe('not-applicable')
  })
})

test('the words are fit to print', () => {
  for (const { id, title, onMetal, onGuest, pitfalls, source } of managementSignals) {
    const text = [title, onMetal, onGuest, source, ...pitfalls].join(' ')
    expect([id, BANNED.filter((word) => word.test(text))]).toEqual([id, []])
  }
})
