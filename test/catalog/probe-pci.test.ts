import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOnRootBus, pciDevices, pciPorts, usbDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { virtInterrupts } from '../../main/catalog/single-tenancy/virtualization/index.ts'
import type { Probe } from '../../main/core/recording/probe.ts'
import { answer, fact, reason } from '../support/answers.ts'

const ABSENT = { exitCode: 2, errorText: "ls: cannot access 'x': No such file or directory\n" }

// lspci 3.9.0 in a guest of QEMU 7.2 booted by us: pcie-root-port as it comes, and ioh3420. Lines in between are left out.
const QEMU_PORTS = `0000:00:01.0 0604: 1b36:000c
	Subsystem: 1b36:0000
	Capabilities: [54] Express (v2) Root Port (Slot+), MSI 00
		LnkCap:	Port #0, Speed 16GT/s, Width x32, ASPM L0s, Exit Latency L0s <64ns
			ClockPM- Surprise- LLActRep+ BwNot+ ASPMOptComp-
		LnkSta:	Speed 2.5GT/s, Width x1
			TrErr- Train- SlotClk- DLActive- BWMgmt- ABWMgmt-
		LnkCap2: Supported Link Speeds: 2.5-16GT/s, Crosslink- Retimer- 2Retimers- DRS-
		LnkSta2: Current De-emphasis Level: -6dB, EqualizationComplete- EqualizationPhase1-
	Capabilities: [40] Subsystem: 1b36:0000
	Capabilities: [100 v2] Advanced Error Reporting
	Capabilities: [148 v1] Access Control Services
	Kernel driver in use: pcieport

0000:00:02.0 0604: 8086:3420 (rev 02)
	Capabilities: [90] Express (v2) Root Port (Slot+), MSI 00
		LnkCap:	Port #0, Speed 2.5GT/s, Width x1, ASPM L0s, Exit Latency L0s <64ns
		LnkSta2: Current De-emphasis Level: -6dB, EqualizationComplete- EqualizationPhase1-
	Capabilities: [100 v2] Advanced Error Reporting
`
// The forms that pciutils 3.5 (numbers) and 3.9 (names) print of a root port of an EPYC server.
const EPYC_PORT = (
  names: readonly [string, string, string],
): string => `0000:40:01.1 0604: 1022:1483 (prog-if 00 [Normal decode])
	Capabilities: [58] Express (v2) Root Port (Slot+), MSI 00
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM L1, Exit Latency L1 <64us
		LnkSta:	Speed 16GT/s (ok), Width x16 (ok)
		LnkSta2: Current De-emphasis Level: -3.5dB, EqualizationComplete+ EqualizationPhase1+
	Capabilities: [150 v2] Advanced Error Reporting
	Capabilities: [270 v1] ${names[0]}
	Capabilities: [410 v1] ${names[1]}
	Capabilities: [440 v1] ${names[2]}
`

const ports = (text: string, exitCode = 0): ReturnType<typeof pciPorts.parse> =>
  pciPorts.parse({ ports: answer(text, { exitCode }) })

describe('pci.ports', () => {
  test('models of ports claim a speed and have no registers for it', () => {
    const [fast, slow] = fact(ports(QEMU_PORTS)).ports
    expect(fast).toMatchObject({ address: '0000:00:01.0', speed: 16, width: 32, isExtended: true, equalizes: false })
    expect(fast).toMatchObject({ reportsErrors: true, isEqualized: false, physical16: false })
    expect(slow).toMatchObject({ vendor: '8086', device: '3420', speed: 2.5, width: 1 })
  })

  test('a real port, in the words of old and new releases of lspci', () => {
    const real = { speed: 16, width: 16, equalizes: true, physical16: true, margins: true, isEqualized: true }
    const words = EPYC_PORT([
      'Secondary PCI Express',
      'Physical Layer 16.0 GT/s <?>',
      'Lane Margining at the Receiver <?>',
    ])
    expect(fact(ports(words)).ports[0]).toMatchObject(real)
    expect(fact(ports(EPYC_PORT(['#19', '#26', '#27']))).ports[0]).toMatchObject(real)
  })

  test('no port, no root, another form, a failure', () => {
    expect(fact(ports('')).ports).toEqual([])
    expect(reason(ports('0000:00:01.0 0604: 8086:3420\n\tCapabilities: <access denied>\n'))).toMatch(/not shown/)
    expect(reason(ports('pcilib: nothing\n'))).toMatch(/an unexpected format/)
    expect(reason(ports('', 1))).toMatch(/exit status 1/)
  })
})

describe('pci.devices', () => {
  const row = (address: string, path: string): string =>
    `lrwxrwxrwx 1 root root 0 Nov 21 06:59 ${address} -> ../../../devices/${path}/${address}\n`
  const ids = (address: string): string =>
    `/sys/bus/pci/devices/${address}/uevent:PCI_CLASS=30200\n/sys/bus/pci/devices/${address}/uevent:PCI_ID=10DE:2330\n`
  const read = (address: string, path: string, links = '') =>
    fact(
      pciDevices.parse({
        ids: answer(ids(address)),
        tree: answer(`total 0\n${row(address, path)}`),
        links: answer(links),
      }),
    ).devices[0]

  test('the root bus, and what hangs on it directly', () => {
    const [plain, below] = [read('0000:00:1e.0', 'pci0000:00'), read('0000:18:00.0', 'pci0000:15/0000:15:01.0')]
    expect(plain && [plain.root, isOnRootBus(plain)]).toEqual(['0000:00', true])
    expect(below && [below.root, isOnRootBus(below)]).toEqual(['0000:15', false])
    const handed = read('0001:00:00.0', 'LNXSYSTM:00/VMBUS:00/47505500-0001-0000-3130-444531454238/pci0001:00')
    expect(handed && isOnRootBus(handed)).toBe(true)
    const elsewhere = read('0000:18:00.0', 'pci0000:00')
    expect(elsewhere && isOnRootBus(elsewhere)).toBe(false)
  })

  test('lanes', () => {
    const path = '/sys/bus/pci/devices/0000:00:1e.0'
    expect(read('0000:00:1e.0', 'pci0000:00', `${path}/max_link_width:16\n`)?.maxLinkWidth).toBe(16)
    expect(read('0000:00:1e.0', 'pci0000:00', `${path}/max_link_width:0\n`)?.maxLinkWidth).toBeNull()
  })
})

describe('usb.devices', () => {
  test('ids with the words of each device', () => {
    const path = '/sys/bus/usb/devices'
    const text = `${path}/1-1/idVendor:0627\n${path}/usb1/idVendor:1d6b\n${path}/1-1/idProduct:0001\n${path}/usb1/idProduct:0002\n${path}/1-1/manufacturer:QEMU\n${path}/1-1/product:QEMU USB Tablet\n`
    expect(fact(usbDevices.parse({ ids: answer(text) })).devices).toEqual([
      { vendor: '0627', product: '0001', maker: 'QEMU', name: 'QEMU USB Tablet' },
      { vendor: '1d6b', product: '0002', maker: '', name: '' },
    ])
    expect(fact(usbDevices.parse({ ids: answer('', ABSENT) })).devices).toEqual([])
  })
})

describe('virt.interrupts', () => {
  const read = (text: string, exitCode = 0) => virtInterrupts.parse({ counts: answer(text, { exitCode }) })

  test('counts of a Firecracker guest, of Windows’ Linux, and zeros of an old kernel on hardware', () => {
    expect(fact(read(' HYP:         89         28   Hypervisor callback interrupts\n'))).toEqual({
      callbacks: 117,
      hyperV: 0,
    })
    const wsl =
      ' HYP:      26775       2010   Hypervisor callback interrupts\n HRE:          0          0   Hyper-V reenlightenment interrupts\n HVS:     106482     101490   Hyper-V stimer0 interrupts\n'
    expect(fact(read(wsl))).toEqual({ callbacks: 28785, hyperV: 207972 })
    expect(fact(read(' HYP:          0          0   Hypervisor callback interrupts\n')).callbacks).toBe(0)
    expect(fact(read('', 1))).toEqual({ callbacks: 0, hyperV: 0 })
  })

  test('a file that could not be read decides nothing', () => {
    const denied = answer('', { exitCode: 2, errorText: 'grep: /proc/interrupts: Permission denied\n' })
    expect(reason(virtInterrupts.parse({ counts: denied }))).toMatch(/could not be read/)
  })
})

test('parsers take any bytes', () => {
  const probes: readonly Probe<unknown>[] = [pciPorts, pciDevices, usbDevices, virtInterrupts]
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc
      .tuple(fc.constantFrom(QEMU_PORTS, EPYC_PORT(['#19', '#26', '#27'])), fc.nat(600), fc.string({ maxLength: 20 }))
      .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 7)),
  )
  fc.assert(
    fc.property(texts, fc.constantFrom(0, 1, 2), (text, exitCode) => {
      for (const probe of probes) {
        const answers = Object.fromEntries(
          Object.keys(probe.commands).map((name) => [name, answer(text, { exitCode })]),
        )
        const read = probe.parse(answers)
        expect(read.ok || read.reason !== '').toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})
