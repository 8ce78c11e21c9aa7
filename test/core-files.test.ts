import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPorts } from '../main/adapters/ports.ts'
import { folderOfTests } from './support/folders.ts'
import { sampleCatalog } from './support/sample-pack.ts'

const folder = folderOfTests('core')

test.runIf(process.platform === 'linux')('a process that may hold keys leaves its memory out of core files', () => {
  createPorts(sampleCatalog)
  expect(readFileSync('/proc/self/coredump_filter', 'utf8').trim()).toBe('00000000')
})

test.runIf(process.platform === 'linux')('a core file of such a process holds nothing of its memory', ({ skip }) => {
  const secret = '["only", "in", "memory", "28c1f0"].join("-").repeat(1000)'
  // The registers of the processor are written whatever the filter is (NT_X86_XSTATE), and a copy in progress leaves up to 64 bytes in each
  // of them: what counts is a stretch that no register holds.
  const stretch = 'only-in-memory-28c1f0'.repeat(10)
  // A process begins with the filter of the one that started it, and this one's is set by the test before.
  const filter = (bits: string): string =>
    `require("node:fs").writeFileSync("/proc/self/coredump_filter", "${bits}\\n"); `
  /** Whether a core file was written, and whether it holds the secret. */
  const crash = (before: string): readonly [written: boolean, held: boolean] => {
    const program = `${before}globalThis.held = Buffer.from(${secret}); process.abort()`
    spawnSync('sh', ['-c', 'ulimit -c unlimited; exec "$0" -e "$1"', process.execPath, program], { cwd: folder })
    const found = readdirSync(folder).filter((name) => name.startsWith('core'))
    const held = found.some((name) => readFileSync(join(folder, name)).includes(stretch))
    for (const name of found) rmSync(join(folder, name))
    return [found.length > 0, held]
  }
  const [written, held] = crash(filter('0x33'))
  if (!written) skip('this computer writes no core files into the folder of a program')
  expect(held).toBe(true)
  expect(crash(filter('0'))[1]).toBe(false)
})
