import { execFileSync } from 'node:child_process'
import { openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPack, writePack } from '../main/adapters/pack/index.ts'
import { LIMITS } from '../main/adapters/pack/limits.ts'
import type { OpenPack } from '../main/core/all-ports.ts'
import { indexProblems } from '../main/verify/disclosure/cuts/copy.ts'
import { INDEX_PATH, SEED_PATH } from '../main/verify/disclosure/cuts/parts.ts'
import { bundled } from './support/bundled.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'
import { NO_KEPT_RULES, outcomes, samplePack, sampleSigner, verifySource } from './support/sample-pack.ts'

const folder = folderOfTests('index-apart')
let built: Awaited<ReturnType<typeof bundled>>
let files: Map<string, Uint8Array>

beforeAll(async () => {
  built = await bundled('../../main/adapters/pack/index-thread.ts')
  files = await samplePack({ signer: await sampleSigner(join(folder, 'ids'), 'signer') })
})
afterAll(() => rmSync(built.folder, { recursive: true, force: true }))

async function archive(name: string, of: ReadonlyMap<string, Uint8Array>, program: string | null): Promise<OpenPack> {
  const path = join(folder, name)
  expect(await writePack(path, new Map(of))).toEqual({ ok: true, value: null })
  return must(await openPack(path, LIMITS, program))
}

test('another thread finds the problems of an index that this one finds', async () => {
  const forged = new Map([...files, [INDEX_PATH, new TextEncoder().encode('0\n')]])
  const without = new Map([...files].filter(([path]) => path !== SEED_PATH && path !== INDEX_PATH))
  const found = []
  for (const [name, of] of [['good', files] as const, ['forged', forged] as const, ['without', without] as const]) {
    const pack = await archive(`${name}.zip`, of, built.program)
    const apart = await pack.indexApart()
    expect(apart).toEqual(await indexProblems(pack))
    found.push(apart?.length)
    await pack.close()
  }
  expect(found).toEqual([0, 1, 0])
})

test('an archive without the program of the thread, and a folder, have none', async () => {
  const pack = await archive('here.zip', files, null)
  expect(pack.indexApart()).toBeNull()
  await pack.close()
})

test('a thread that ends without an answer leaves the finding to this one', async () => {
  const program = join(folder, 'silent.mjs')
  writeFileSync(program, 'export {}\n')
  const pack = await archive('silent.zip', files, program)
  await expect(pack.indexApart()).rejects.toThrow('ended')
  const index = Promise.reject<readonly string[]>(new Error('ended'))
  index.catch(() => undefined)
  expect(outcomes(await verifySource(pack, [], { index, kept: NO_KEPT_RULES }))).toMatchObject({ integrity: 'passed' })
  await pack.close()
})

test('what another thread found is what fails integrity', async () => {
  const pack = await archive('found.zip', files, null)
  const found = await verifySource(pack, [], { index: Promise.resolve(['a problem']) })
  expect(outcomes(found)).toMatchObject({ integrity: 'failed' })
  await pack.close()
})

test('closing a pack ends its thread', async () => {
  const program = join(folder, 'endless.mjs')
  writeFileSync(program, 'setInterval(() => {}, 1000)\n')
  const pack = await archive('endless.zip', files, program)
  const answer = pack.indexApart()
  await pack.close()
  await expect(answer).rejects.toThrow('ended')
})

test('a pack is closed although its thread, which has answered, does not end', async () => {
  const fifo = join(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  const program = join(folder, 'stuck.mjs')
  // Reading blocks in the system, where nothing ends a thread.
  writeFileSync(
    program,
    `import { openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
parentPort.postMessage([])
readSync(openSync(${JSON.stringify(fifo)}, 'r'), Buffer.alloc(1))
`,
  )
  const pack = await archive('stuck.zip', files, program)
  expect(await pack.indexApart()).toEqual([])
  await pack.close()
  // Opened for both sides, it waits for no reader, and the byte waits in it for the thread, which may come later.
  writeSync(openSync(fifo, 'r+'), 'x')
})
