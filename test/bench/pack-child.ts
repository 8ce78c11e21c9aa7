import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openPack, writePack } from '../../main/adapters/pack/index.ts'
import { storedFile } from '../../main/adapters/stored-file.ts'
import { catalog } from '../../main/catalog/index.ts'
import { sha256 } from '../../main/core/digest.ts'
import type { StoredBytes } from '../../main/core/ports.ts'
import { NOBODY } from '../../main/core/verify/trust.ts'
import { verifyPack } from '../../main/core/verify.ts'
import { realClock, realEntropy, validator } from '../support/deps.ts'

/** One step in a process of its own: `prepare|write|verify FOLDER PACK`. Prints its milliseconds and its memory. */
export interface ChildFigures {
  readonly milliseconds: number
  /** The most memory this process ever had, by /proc/self/status. */
  readonly peakMiB: number
  /** The same, just before the step. */
  readonly beforeMiB: number
}

const [step = '', folder = '', pack = ''] = process.argv.slice(2)
const LIST = join(folder, 'list')

/** Files on disk whose size and digest are known, as the evidence store knows them. */
function storedFiles(): Map<string, StoredBytes> {
  const list = readFileSync(LIST, 'latin1')
  const files = new Map<string, StoredBytes>()
  for (let at = 0; at < list.length; ) {
    const end = list.indexOf('\n', at)
    const [digest = '', size = '', path = ''] = list.slice(at, end).split(' ')
    files.set(path, storedFile(join(folder, 'pack', path), Number(size), digest))
    at = end + 1
  }
  return files
}

/** The rest of the pack around the attachments, onto the disk beside them: evidence, results, report, lists and seal. */
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

async function verify(): Promise<void> {
  const opened = await openPack(pack)
  if (!opened.ok) throw new Error(opened.error.detail)
  const { createSealing } = await import('../../main/adapters/seal/index.ts')
  const { report } = await verifyPack({
    source: opened.value,
    departures: opened.value.departures,
    seal: createSealing(realClock, realEntropy).reader,
    catalog,
    validator,
    trust: NOBODY,
    lastHead: null,
    verifiedAt: realClock.now(),
    file: 'large.zip',
    keep: false,
  })
  const wrong = report.answers.filter(({ outcome }) => outcome === 'no')
  const shown = report.answers.filter(({ outcome }) => outcome === 'yes').map(({ question }) => question)
  if (wrong.length > 0 || shown.join() !== 'intact,complete,reproducible')
    throw new Error(JSON.stringify(report.answers))
  await opened.value.close()
}

const peakMiB = (): number =>
  Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? Number.NaN) / 1024)

const files = step === 'write' ? storedFiles() : null
const beforeMiB = peakMiB()
const began = process.hrtime.bigint()
if (files !== null) await write(files)
else await (step === 'prepare' ? prepare() : verify())
const milliseconds = Number(process.hrtime.bigint() - began) / 1e6
process.stdout.write(`${JSON.stringify({ milliseconds, peakMiB: peakMiB(), beforeMiB } satisfies ChildFigures)}\n`)
