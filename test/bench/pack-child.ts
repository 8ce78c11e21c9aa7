import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writePack } from '../../main/adapters/pack/index.ts'
import { storedFile } from '../../main/adapters/stored-file.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import type { StoredBytes } from '../../main/core/recording/recording.ts'
import { type ChildFigures, peakOf } from './peak.ts'

// One step in a process of its own: `prepare|write FOLDER PACK`. Prints its milliseconds and its memory.
const [step = '', folder = '', pack = ''] = process.argv.slice(2)
const LIST = join(folder, 'list')

/** Files on disk whose size and digest are known, as the evidence store knows them. */
function storedFiles(): Map<string, StoredBytes> {
  const list = readFileSync(LIST, 'latin1')
  const files = new Map<string, StoredBytes>()
  for (let at = 0; at < list.length; ) {
    const end = list.indexOf('\n', at)
    const pathAt = list.indexOf(' ', at + 65) + 1
    const path = list.slice(pathAt, end)
    files.set(path, storedFile(`${folder}/pack/${path}`, Number(list.slice(at + 65, pathAt)), list.slice(at, at + 64)))
    at = end + 1
  }
  return files
}

/** The rest of the pack around the large files, onto the disk beside them: evidence, results, report, lists and seal. */
async function prepare(): Promise<void> {
  const { largePack } = await import('./pack-evidence.ts')
  for (const [path, bytes] of await largePack(storedFiles())) {
    const place = join(folder, 'pack', path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, bytes)
    appendFileSync(LIST, `${sha256(bytes)} ${bytes.length} ${path}\n`)
  }
}

async function write(files: ReadonlyMap<string, StoredBytes>): Promise<void> {
  const written = await writePack(pack, files)
  if (!written.ok) throw new Error(written.error.detail)
}

const files = step === 'write' ? storedFiles() : null
const beforeMiB = peakOf('self')
const began = process.hrtime.bigint()
if (files !== null) await write(files)
else await prepare()
const milliseconds = Number(process.hrtime.bigint() - began) / 1e6
process.stdout.write(`${JSON.stringify({ milliseconds, peakMiB: peakOf('self'), beforeMiB } satisfies ChildFigures)}\n`)
