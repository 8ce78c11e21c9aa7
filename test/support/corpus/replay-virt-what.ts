import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { nodeOfCase } from './adapter.ts'
import { capturedFiles } from './files.ts'
import { kindOf } from './kinds.ts'

const TOOL = '/usr/sbin/virt-what'
/** What the tool reads below the root of its own tests. */
const READ = /^\/(proc\/|sys\/(hypervisor|bus|devices\/virtual)|dev\/|\.docker|run\/)/

/**
 * What virt-what prints of a captured machine: its own tests let it read another root, with other answers of its helper and of
 * dmidecode. Null where the tool is not installed or the capture does not hold what both would have said.
 */
export function replayVirtWhat(folder: string): string | null {
  const files = capturedFiles(folder)
  const signature = files.find((file) => kindOf(file) === 'signature')
  const table = files.find(({ name }) => /^dmidecode/.test(name))
  if (!existsSync(TOOL) || signature === undefined || table === undefined) return null
  const root = mkdtempSync(join(tmpdir(), 'barewitness-virt-what-'))
  try {
    const node = nodeOfCase(folder)
    for (const path of node.paths().filter((one) => READ.test(one))) {
      const entry = node.lookup(path)
      if (typeof entry === 'string') continue
      if (entry.kind === 'folder') mkdirSync(join(root, path), { recursive: true })
      if (entry.kind === 'file') put(join(root, path), Buffer.from(entry.bytes))
    }
    put(join(root, 'answers/signature'), signature.bytes)
    put(join(root, 'answers/table'), table.text.startsWith('#!') ? Buffer.alloc(0) : table.bytes)
    script(join(root, 'usr/libexec/virt-what-cpuid-helper'), `cat ${root}/answers/signature`)
    script(join(root, 'sbin/dmidecode'), `cat ${root}/answers/table`)
    script(join(root, 'sbin/uname'), `echo ${machineOf(node.text('/proc/cpuinfo') ?? '')}`)
    return execFileSync(TOOL, [`--test-root=${root}`], {
      encoding: 'latin1',
      timeout: 20_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return null
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function put(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
}

function script(path: string, line: string): void {
  put(path, Buffer.from(`#!/bin/sh\n${line}\n`))
  chmodSync(path, 0o755)
}

function machineOf(cpuinfo: string): string {
  if (/^vendor_id\s*: IBM\/S390/m.test(cpuinfo)) return 's390x'
  if (/^cpu\s+: POWER/m.test(cpuinfo)) return 'ppc64'
  if (/^arch\s+: IA-64/m.test(cpuinfo)) return 'ia64'
  if (/^CPU implementer/m.test(cpuinfo)) return 'aarch64'
  return /^cpu\s+:.*SPARC/im.test(cpuinfo) ? 'sparc64' : 'x86_64'
}
