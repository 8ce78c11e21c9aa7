import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { inOrder } from '../steady.ts'

export interface PciPort {
  /** domain:bus:slot.function */
  readonly address: string
  readonly vendor: string
  readonly device: string
  /** Highest speed in GT/s; null where there is no link or lspci does not know the number. */
  readonly speed: number | null
  readonly width: number | null
  /** Its configuration space beyond 256 bytes was visible, where the register blocks below stand. */
  readonly isExtended: boolean
  /** Secondary PCI Express capability (0x19): lane equalization, required of ports for 8 GT/s and more. */
  readonly equalizes: boolean
  /** Physical Layer 16.0 GT/s (0x26) and 32.0 GT/s (0x2A), Lane Margining (0x27). */
  readonly physical16: boolean
  readonly physical32: boolean
  readonly margins: boolean
  readonly reportsErrors: boolean
  /** The link that is up now was equalized. */
  readonly isEqualized: boolean
}
export interface PciPorts {
  readonly ports: readonly PciPort[]
}

/**
 * lspci(8), numeric, PCI-to-PCI bridges only: the class filter keeps it from reading other devices, some of which are slow to respond.
 * Reading configuration space can wake a port that sleeps; it changes nothing else. Only root sees the capabilities.
 */
export const pciPorts = defineProbe({
  id: 'pci.ports',
  title: 'Capabilities of the PCI ports',
  why: 'Real fast ports carry the register blocks of their electrical layer; emulated ports report the speed without them.',
  ignoredInDrift: {
    why: 'Links are retrained at another speed to save power.',
    normalize: ({ ports }: PciPorts) => ({ ports: inOrder(ports.map(({ isEqualized: _, ...port }) => port)) }),
  },
  commands: {
    ports: runAsRoot(['lspci', '-Dnvvv', '-d', '::0604'], { timeoutSeconds: 60, maxBytes: 4 * 1024 * 1024 }),
  },
  parse({ ports }) {
    if (ports.exitCode !== 0) return unknown(`the PCI ports could not be read (exit status ${ports.exitCode})`)
    const read = parsePorts(ports.text)
    if (/<access denied>/.test(ports.text)) return unknown('the capabilities of the PCI ports were not shown')
    return ports.text.trim() !== '' && read.length === 0
      ? unknown('the list of PCI ports has an unexpected format')
      : known<PciPorts>({ ports: read })
  },
})

const HEADING = /^([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) 0604: ([0-9a-f]{4}):([0-9a-f]{4})\b/
// Releases of pciutils before 3.6 print the numbers of extended capabilities that they do not know.
const EXTENDED = /^\tCapabilities: \[[1-9a-f][0-9a-f]{2} v\d+\] (.*)$/

type Growing = { -readonly [K in keyof PciPort]: PciPort[K] }

function parsePorts(text: string): readonly PciPort[] {
  const ports: Growing[] = []
  for (const line of text.split('\n')) {
    const [, address, vendor, device] = HEADING.exec(line) ?? []
    const port = ports.at(-1)
    if (address !== undefined && vendor !== undefined && device !== undefined)
      ports.push({ ...EMPTY, address, vendor, device })
    else if (port !== undefined) readLine(port, line.slice(0, 300))
  }
  return ports
}

const EMPTY: PciPort = {
  address: '',
  vendor: '',
  device: '',
  speed: null,
  width: null,
  isExtended: false,
  equalizes: false,
  physical16: false,
  physical32: false,
  margins: false,
  reportsErrors: false,
  isEqualized: false,
}

function readLine(port: Growing, line: string): void {
  const extended = EXTENDED.exec(line)?.[1]
  if (extended !== undefined) {
    port.isExtended = true
    if (/^(Secondary PCI Express|#19$)/.test(extended)) port.equalizes = true
    if (/^(Physical Layer 16\.0 GT\/s|#26$)/.test(extended)) port.physical16 = true
    if (/^(Physical Layer 32\.0 GT\/s|#2a$)/.test(extended)) port.physical32 = true
    if (/^(Lane Margining|#27$)/.test(extended)) port.margins = true
    if (/^Advanced Error Reporting/.test(extended)) port.reportsErrors = true
    return
  }
  const [, speed, width] = /^\t\tLnkCap:\tPort #\d+, Speed (\S+?),? Width x(\d{1,2})\b/.exec(line) ?? []
  if (width !== undefined) {
    port.speed = /^\d+(\.\d+)?GT\/s$/.test(speed ?? '') ? Number.parseFloat(speed ?? '') : null
    port.width = Number(width)
  }
  if (line.includes('EqualizationComplete+')) port.isEqualized = true
}
