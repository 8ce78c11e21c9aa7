import { putComplaints } from './from-lists.ts'
import type { VirtualNode } from './virtual-node.ts'

type Note = (node: VirtualNode, text: string) => void

const linesOf = (text: string): readonly string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '')

/** Small notes of one machine each, by the name of their file. */
export const NOTES: Readonly<Record<string, Note>> = {
  'clocksource.txt': (node, text) => {
    const [available, current] = linesOf(text)
    const folder = '/sys/devices/system/clocksource/clocksource0'
    if (available !== undefined) node.file(`${folder}/available_clocksource`, `${available}\n`)
    if (current !== undefined) node.file(`${folder}/current_clocksource`, `${current}\n`)
  },
  'cpufreq.txt': (node, text) => {
    putComplaints(node, text)
    const said = linesOf(text).filter((line) => !line.startsWith('cat:'))
    const hasNoDriver = said.length < linesOf(text).length || said.length === 1
    const [frequency, idle] = hasNoDriver ? [null, said[0]] : said
    const cpufreq = '/sys/devices/system/cpu/cpu0/cpufreq'
    if (frequency === null || frequency === undefined) node.absent(cpufreq)
    else {
      node.file('/sys/devices/system/cpu/cpufreq/policy0/scaling_driver', `${frequency}\n`)
      node.file(`${cpufreq}/scaling_driver`, `${frequency}\n`)
    }
    if (idle !== undefined) node.file('/sys/devices/system/cpu/cpuidle/current_driver', `${idle}\n`)
  },
  'hwmon.txt': (node, text) => named(node, text, '/sys/class/hwmon', 'name'),
  'i2c.txt': (node, text) => {
    putComplaints(node, text)
    named(node, text, '/sys/bus/i2c/devices', 'name')
    // Without any device on the bus, no driver holds one.
    if (!/[0-9]-00[0-9a-f]{2}/.test(text))
      for (const name of ['ee1004', 'spd5118']) node.absent(`/sys/bus/i2c/drivers/${name}`)
  },
  'ipmi.txt': (node, text) => {
    for (const line of linesOf(text)) if (/^\/dev\/\S+$/.test(line)) node.file(line, '')
    node.folder('/sys/class/ipmi', 'whole')
  },
  'stat.txt': (node, text) => node.file('/proc/stat', text),
  'uptime.txt': (node, text) => node.file('/proc/uptime', text),
  'interrupts.txt': (node, text) => node.file('/proc/interrupts', text),
  'iomem.txt': (node, text) => node.file('/proc/iomem', text),
  'ioports.txt': (node, text) => node.file('/proc/ioports', text),
  'meminfo.txt': (node, text) => node.file('/proc/meminfo', text),
  'cmdline.txt': (node, text) => node.file('/proc/cmdline', text),
  'lsmod.txt': (node, text) => {
    const rows = linesOf(text).slice(1)
    node.file(
      '/proc/modules',
      rows.map((row) => `${row.trim().split(/\s+/).slice(0, 3).join(' ')} - Live 0x0\n`).join(''),
    )
  },
  'misc.txt': (node, text) => acpiDevices(node, text),
  'block.txt': (node, text) => blocks(node, text),
  'pci_link.txt': (node, text) => links(node, text),
  'netdev.txt': (node, text) => interfaces(node, text),
}

/** "/sys/class/hwmon/hwmon0 coretemp" per device; the pattern itself where there is none. */
function named(node: VirtualNode, text: string, folder: string, file: string): void {
  node.folder(folder, 'whole')
  for (const line of linesOf(text)) {
    const [, path, value = ''] = /^(\/sys\/\S+) ?(.*)$/.exec(line) ?? []
    if (path === undefined || path.includes('*') || !path.startsWith(folder)) continue
    node.folder(path, 'part')
    if (value !== '') node.file(`${path}/${file}`, `${value}\n`)
  }
}

/** A line of many names of ACPI devices, among other listings. */
function acpiDevices(node: VirtualNode, text: string): void {
  const names = linesOf(text).flatMap((line) => (/\bLNXSYSTM:00\b/.test(line) ? line.split(/\s+/) : []))
  if (names.length === 0) return
  const end = names.indexOf('@@@')
  const own = (end < 0 ? names : names.slice(0, end)).filter((name) => /^[\w-]+:[0-9a-f]+$/i.test(name))
  node.folder('/sys/bus/acpi/devices', 'whole')
  for (const name of own) node.link(`/sys/bus/acpi/devices/${name}`, `../../../devices/LNXSYSTM:00/${name}`)
  // After the mark stand the USB devices, or the bus's own name where there is none.
  const usb = end < 0 ? [] : names.slice(end + 1).filter((name) => name !== 'usb')
  if (end >= 0 && usb.length === 0) node.absent('/sys/bus/usb/devices')
}

/** "vda /sys/devices/…/block/vda model=… serial=… vendor=…" per drive; the pattern itself where there is none. */
function blocks(node: VirtualNode, text: string): void {
  node.folder('/sys/block', 'whole')
  for (const line of linesOf(text)) {
    const [, name, path, rest = ''] = /^(\S+) (\/sys\/devices\/\S+)(.*)$/.exec(line) ?? []
    if (name === undefined || path === undefined) continue
    node.link(`/sys/block/${name}`, `../${path.slice('/sys/'.length)}`)
    node.folder(path, 'whole')
    node.folder(`${path}/device`, 'whole')
    for (const [, key = '', value = ''] of rest.matchAll(/(model|serial|vendor|transport|rev)=(.*?)(?= \w+=|$)/g))
      if (value.trim() !== '') node.file(`${path}/device/${key}`, `${value.trim()}\n`)
    const controller = /^(nvme\d+)n\d+$/.exec(name)?.[1]
    if (controller !== undefined) {
      const folder = path.slice(0, path.lastIndexOf('/'))
      node.link(`/sys/class/nvme/${controller}`, `../../${folder.slice('/sys/'.length)}`)
      for (const file of ['model', 'serial', 'transport']) {
        const value = new RegExp(`${file}=(.*?)(?= \\w+=|$)`).exec(rest)?.[1]?.trim()
        if (value !== undefined && value !== '') node.file(`${folder}/${file}`, `${value}\n`)
      }
    }
  }
}

/** Address of a function, then speed and width of its link: as they are, or as they are and as they could be. */
function links(node: VirtualNode, text: string): void {
  for (const line of linesOf(text)) {
    const address = /[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]/.exec(line)?.[0]
    const speeds = line.match(/[\d.]+ ?GT\/s(?: PCIe)?/g) ?? []
    if (address === undefined || speeds.length === 0) continue
    const widths = [...line.matchAll(/(?:GT\/s(?: PCIe)?|[wW]idth:?|x) ?x?(\d{1,2})\b(?!\.)/g)].map(
      ([, width]) => width ?? '',
    )
    const put = (file: string, value: string | undefined): void => {
      if (value !== undefined) node.file(`/sys/bus/pci/devices/${address}/${file}`, `${value}\n`)
    }
    put('max_link_speed', speeds.at(-1))
    put('max_link_width', widths.at(-1))
    put('current_link_speed', speeds[0])
    put('current_link_width', widths[0])
  }
}

/** "eth0 /sys/bus/…/drivers/virtio_net 52:54:…": the interface hangs below the function that its driver holds, where that is plain. */
function interfaces(node: VirtualNode, text: string): void {
  const rows = linesOf(text).map((line) => {
    const [name = '', ...rest] = line.trim().split(/\s+/)
    return {
      name,
      driver:
        rest
          .find((word) => word.startsWith('/sys/'))
          ?.split('/')
          .at(-1) ?? null,
      mac: rest.find((word) => /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(word)),
    }
  })
  const taken = new Set<string>()
  const places = rows.map(({ name, driver }) => ({
    name,
    place: driver === null ? '/sys/devices/virtual' : carrier(node, driver, taken),
  }))
  if (places.some(({ place }) => place === null)) return
  node.folder('/sys/class/net', 'whole')
  for (const [index, { name, place }] of places.entries()) {
    const path = `${place}/net/${name}`
    node.link(`/sys/class/net/${name}`, `../../${path.slice('/sys/'.length)}`)
    const mac = rows[index]?.mac
    node.folder(path, 'whole')
    if (mac !== undefined) node.file(`${path}/address`, `${mac}\n`)
    if (rows[index]?.driver !== null) node.link(`${path}/device`, '../..')
  }
}

/** The next network function that this driver can hold, with the virtio device below it where it is one. */
function carrier(node: VirtualNode, driver: string, taken: Set<string>): string | null {
  const isVirtio = driver === 'virtio_net'
  for (const address of node.names('/sys/bus/pci/devices')) {
    const uevent = node.text(`/sys/bus/pci/devices/${address}/uevent`) ?? ''
    const held = /^DRIVER=(.*)$/m.exec(uevent)?.[1]
    const fits = isVirtio
      ? /^PCI_ID=1AF4:(1000|1041)$/m.test(uevent)
      : held === undefined
        ? /^PCI_CLASS=2/m.test(uevent)
        : held === driver
    const entry = node.lookup(`/sys/bus/pci/devices/${address}`, false)
    if (!fits || taken.has(address) || typeof entry === 'string' || entry.kind !== 'link') continue
    taken.add(address)
    const place = `/sys/${entry.target.replace(/^(\.\.\/)+/, '')}`
    if (!isVirtio) return place
    const device = `${place}/virtio${taken.size - 1}`
    node.folder(device, 'whole')
    node.file(`${device}/uevent`, `DRIVER=${driver}\n`)
    return device
  }
  return null
}
