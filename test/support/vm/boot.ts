import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { printableCollector } from '../../../main/app/collect/import-transcript.ts'
import { catalog } from '../../../main/catalog/definition/index.ts'
import type { Guest } from './guests.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const QEMU = '/usr/bin/qemu-system-x86_64'
const OVMF = '/usr/share/OVMF/OVMF_CODE.fd'
const LONGEST_BOOT_SECONDS = 420

/** What is missing to boot guests here, in words; null when all is there. */
export function whyNoGuests(): string | null {
  if (!existsSync(QEMU)) return `${QEMU} is absent (Debian package qemu-system-x86)`
  if (!existsSync(OVMF)) return `${OVMF} is absent (Debian package ovmf)`
  if (kernelRelease() === null) return 'no full Debian kernel under /boot (package linux-image-amd64)'
  return existsSync('/bin/busybox') ? null : '/bin/busybox is absent (Debian package busybox-static)'
}

/** The newest full Debian kernel: the cloud flavour has no drivers for the devices that a dressed-up guest shows. */
function kernelRelease(): string | null {
  const releases = readdirSync('/boot').flatMap((name) => /^vmlinuz-(\d\S+-amd64)$/.exec(name)?.[1] ?? [])
  return (
    releases
      .filter((release) => !release.includes('cloud') && existsSync(`/lib/modules/${release}`))
      .sort()
      .at(-1) ?? null
  )
}

export interface Booted {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  /** What other tools said inside the same guest. */
  readonly peers: Readonly<Record<string, string>>
  readonly seconds: number
}

/** Boots the guest under emulation, has it run the printed collector once, and returns the transcript. Fails with the console’s end. */
export async function bootGuest(guest: Guest): Promise<Booted> {
  const release = kernelRelease()
  if (release === null) throw new Error('no kernel')
  const folder = mkdtempSync(join(tmpdir(), 'guest-'))
  try {
    const at = (name: string): string => join(folder, name)
    writeFileSync(at('collector.sh'), printableCollector(catalog.probes, entropy, { sudo: false }))
    await runToEnd('sh', [join(HERE, 'build-image.sh'), release, at('collector.sh'), at('guest.cpio.gz')], 120)
    const started = Date.now()
    const lines = ['console', 'out', 'err'].flatMap((name) => ['-serial', `file:${at(name)}`])
    const firmware = guest.firmware === 'ovmf' ? ['-drive', `if=pflash,format=raw,unit=0,readonly=on,file=${OVMF}`] : []
    if (guest.table !== undefined) writeFileSync(at('table'), guest.table)
    const table = guest.table === undefined ? [] : ['-smbios', `file=${at('table')}`]
    await runToEnd(
      QEMU,
      [
        ...['-accel', 'tcg,thread=multi', '-m', '1024', '-display', 'none', '-no-reboot', '-nodefaults'],
        ...['-kernel', `/boot/vmlinuz-${release}`, '-initrd', at('guest.cpio.gz')],
        ...['-append', 'console=ttyS0 rdinit=/start loglevel=3', ...lines, ...firmware, ...table, ...guest.args],
      ],
      LONGEST_BOOT_SECONDS,
    )
    const console = readFileSync(at('console'), 'utf8')
    if (!console.includes('guest: done'))
      throw new Error(`${guest.name} did not come to its end: ${console.slice(-600)}`)
    const printedBy = (tool: string): string => (new RegExp(`^${tool}: (.*)$`, 'm').exec(console)?.[1] ?? '').trim()
    return {
      stdout: readFileSync(at('out')),
      stderr: readFileSync(at('err')),
      peers: {
        'virt-what': printedBy('virt-what'),
        'systemd-detect-virt': printedBy('systemd-detect-virt'),
        facter: printedBy('facter'),
      },
      seconds: Math.round((Date.now() - started) / 1000),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const entropy = { bytes: (length: number): Uint8Array => new Uint8Array(randomBytes(length)) }

function runToEnd(program: string, args: readonly string[], seconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    child.stderr.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-4000)
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000)
    child.on('error', reject)
    child.on('exit', (code) => {
      clearTimeout(timer)
      if (code === 0) resolve()
      else reject(new Error(`${program} ended with ${code}: ${output.slice(-1000)}`))
    })
  })
}
