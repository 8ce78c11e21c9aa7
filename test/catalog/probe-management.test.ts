import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bmc, bmcPresence } from '../../main/catalog/hardware/management-controller/probes.ts'
import { tpmEk, tpmMeasurements, tpmPresence } from '../../main/catalog/single-tenancy/boot-integrity/index.ts'
import { readTcgLog, type TcgLog } from '../../main/catalog/single-tenancy/isolation/tcg-log.ts'
import type { Answer, Probe } from '../../main/core/recording/probe.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { readOfFixture } from '../support/device-facts.ts'
import { OVMF_LOG, OVMF_REGISTERS } from '../support/ovmf-log.ts'

const bytes = (of: Uint8Array, rest: Partial<Answer> = {}): Answer => answer('', { bytes: of, ...rest })

// ipmitool 1.8.19 against QEMU 7.2's ipmi-bmc-sim, in a guest booted by us.
const SIMULATED = {
  controller: answer(`Device ID                 : 32
Device Revision           : 0
Firmware Revision         : 0.00
IPMI Version              : 2.0
Manufacturer ID           : 0
Manufacturer Name         : Unknown (0x00)
Product ID                : 0 (0x0000)
Device Available          : yes
Additional Device Support :
    Sensor Device
`),
  sensors: answer('Watchdog         | 00h | ok  | 35.1 | \n'),
  inventory: answer('', { exitCode: 1, errorText: ' Unknown FRU header version 0x00\n' }),
  events: answer(`SEL Information
Version          : 1.5 (v1.5, v2 compliant)
Entries          : 0
Free Space       : 2048 bytes 
Last Add Time    : Not Available
`),
  power: answer('\n', { exitCode: 1, errorText: '\n    DCMI request failed because: Invalid command (c1)\n\n' }),
}

describe('bmc', () => {
  test('QEMU’s model answers with one sensor and nothing else', () => {
    expect(fact(bmc.parse(SIMULATED))).toEqual({
      maker: 'Unknown (0x00)',
      firmware: '0.00',
      ipmiVersion: '2.0',
      sensors: 1,
      readings: 0,
      events: 0,
      inventory: null,
      watts: null,
    })
  })

  test('a server’s controller: sensors that measure, an inventory, power', () => {
    const found = readOfFixture('demo-gpu-01')(bmc)
    expect(fact(found)).toMatchObject({
      maker: 'Supermicro',
      inventory: { productSerial: 'DEMO-S0001', boardSerial: 'DEMO-B0001', chassisSerial: 'DEMO-C0001' },
      events: 47,
      watts: 2387,
    })
    expect(fact(found).readings).toBeGreaterThan(40)
    expect(fact(found).sensors).toBeGreaterThan(fact(found).readings ?? 0)
  })

  test('no controller is not a model of one', () => {
    const none = answer('', { exitCode: 1, errorText: 'Could not open device at /dev/ipmi0 or /dev/ipmi/0\n' })
    expect(reason(bmc.parse({ ...SIMULATED, controller: none }))).toMatch(/offers no management controller/)
    expect(reason(bmc.parse({ ...SIMULATED, controller: answer('') }))).toMatch(/did not respond/)
  })
})

describe('bmc.presence', () => {
  const read = (text: string, rest: Partial<Answer> = {}) => bmcPresence.parse({ paths: answer(text, rest) })
  const missing = "ls: cannot access '/sys/devices/platform/*ipmi*': No such file or directory\n"

  test('device, entries of firmware, neither', () => {
    expect(fact(read('/dev/ipmi0\n/sys/bus/acpi/devices/IPI0001:00\n', { exitCode: 2, errorText: missing }))).toEqual({
      device: true,
      listed: ['/sys/bus/acpi/devices/IPI0001:00'],
    })
    expect(fact(read('', { exitCode: 2, errorText: missing }))).toEqual({ device: false, listed: [] })
    expect(reason(read('', { exitCode: 2, errorText: "ls: cannot access '/sys': Permission denied\n" }))).toMatch(
      /could not/,
    )
  })
})

describe('the firmware’s log', () => {
  const log = (reading: ReturnType<typeof readTcgLog>): TcgLog => {
    if (typeof reading === 'string') throw new Error(reading)
    return reading
  }

  test('OVMF’s replays to the registers of the TPM in the same guest', () => {
    const read = log(readTcgLog(OVMF_LOG))
    expect(new Map([...read.replayed].sort(([a], [b]) => a - b))).toEqual(OVMF_REGISTERS)
    expect(read.blobs).toEqual([
      { base: 0x820000, length: 0xe0000 },
      { base: 0x900000, length: 0xc00000 },
    ])
    expect(read.versions).toEqual([])
  })

  test('a log that starts at locality 3 and names a version', () => {
    const read = readOfFixture('demo-gpu-01')
    const { replayed, versions, events } = fact(read(tpmMeasurements))
    const { registers } = fact(read(tpmPresence))
    expect([...replayed].filter(([number, value]) => registers.get(number) !== value)).toEqual([])
    // As tpm2_eventlog 5.4 replays the same bytes; register 0 by a program of a few lines, for that release begins it at zero.
    expect(replayed.get(7)).toBe('61f5d539d84517794166401f8a494842f3da1e40c41874ac2491ab034c1aaacb')
    expect(replayed.get(4)).toBe('32f381bdaa997070cb030d462680e7a831c46ff06feba30ab9e2848ac929d983')
    expect(replayed.get(0)).toBe('e2fe22906fdb77a01e09a8012faf340b569b5dd2e2bc1b417aaac1c6227f49b1')
    expect(replayed.size).toBe(8)
    expect(versions).toEqual(['X13DEG-OAD 2.1', 'ACPI DATA'])
    expect(events).toBe(29)
  })

  test('the old form, a cut log, an algorithm that its head does not list', () => {
    const old = new Uint8Array(40)
    old[4] = 8
    old[28] = 8
    expect(readTcgLog(old)).toBe('no SHA-256')
    expect(readTcgLog(OVMF_LOG.subarray(0, OVMF_LOG.length - 1))).toBe('broken')
    expect(readTcgLog(new Uint8Array())).toBe('broken')
    const other = Uint8Array.from(OVMF_LOG)
    other[77 + 12] = 0x55
    expect(readTcgLog(other)).toBe('broken')
  })

  test('answers without a log', () => {
    const none = { exitCode: 1, errorText: 'cat: /sys/kernel/security/tpm0/x: No such file or directory\n' }
    expect(reason(tpmMeasurements.parse({ log: bytes(new Uint8Array(), none) }))).toMatch(/handed over no log/)
    expect(reason(tpmMeasurements.parse({ log: bytes(new Uint8Array(), { exitCode: 1 }) }))).toMatch(/could not/)
    expect(reason(tpmMeasurements.parse({ log: bytes(OVMF_LOG.subarray(0, 900)) }))).toMatch(/does not add up/)
  })
})

describe('tpm.ek', () => {
  // Self-signed by OpenSSL 3 under the name that swtpm's own authority bears; the key was thrown away.
  const CERTIFICATE = Buffer.from(
    'MIIBhTCCASugAwIBAgIUDMSTaZ3eiqMkq1n/aSJiCsUONBowCgYIKoZIzj0EAwIwGDEWMBQGA1UEAwwNc3d0cG0tbG9jYWxjYTAeFw0yNjExMjExMDA5NThaFw0zNjExMTgxMDA5NThaMBgxFjAUBgNVBAMMDXN3dHBtLWxvY2FsY2EwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASo4JwzPdbwtYbyHFotTX/DVICbAoG2IPAb7r7+2fvf4pbh/DWlSzBLZflqg0bynBiUkBh3BjyG5bScIYCAt5Aso1MwUTAdBgNVHQ4EFgQUf/tWA57WyONkUFllMFCqGyiESkcwHwYDVR0jBBgwFoAUf/tWA57WyONkUFllMFCqGyiESkcwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAnIWlfhDPP8GTRBtdOeYfxl9wcm1wEppM0eGU6HMmNFMCICREHMLqWS0LImvgs5u+q32Q/Y5GlBjHlTfsHKKe0ARP',
    'base64',
  )
  const read = (of: Uint8Array, exitCode = 0) => tpmEk.parse({ certificate: bytes(of, { exitCode }) })

  test('the issuer, also where the index is larger than the certificate', () => {
    expect(fact(read(CERTIFICATE)).issuer).toBe('CN=swtpm-localca')
    expect(fact(read(Buffer.concat([CERTIFICATE, Buffer.alloc(300, 0xff)]))).issuer).toBe('CN=swtpm-localca')
  })

  test('no certificate, or something else', () => {
    expect(reason(read(CERTIFICATE, 1))).toMatch(/gave no certificate/)
    expect(reason(read(new Uint8Array()))).toMatch(/is no certificate/)
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    expect(reason(read(publicKey.export({ type: 'spki', format: 'der' })))).toMatch(/is no certificate/)
  })
})

test('parsers take any bytes', () => {
  const probes: readonly Probe<unknown>[] = [bmc, bmcPresence, tpmMeasurements, tpmEk]
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .tuple(fc.nat(OVMF_LOG.length), fc.uint8Array({ minLength: 1, maxLength: 8 }))
      .map(([at, put]) =>
        Uint8Array.from([...OVMF_LOG.subarray(0, at), ...put, ...OVMF_LOG.subarray(at + put.length)]),
      ),
  )
  fc.assert(
    fc.property(noise, fc.constantFrom(0, 0, 1), (of, exitCode) => {
      const one = answer(new TextDecoder().decode(of), { bytes: of, exitCode })
      for (const probe of probes) {
        const read = probe.parse(Object.fromEntries(Object.keys(probe.commands).map((name) => [name, one])))
        expect(read.ok || read.reason !== '').toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})
