import type { Ports } from '../core/all-ports.ts'
import type { Outcome } from '../core/failure.ts'
import { htmlName, reportName } from '../core/layout.ts'
import { assessmentPieces } from '../core/pack-files.ts'
import { ok } from '../core/result.ts'
import type { FormatInput } from '../present/formats/input.ts'
import { claimsTable } from './claims-table.ts'
import { evidenceTable } from './evidence-table.ts'
import { summaryText } from './summary.ts'
import { controlsTable, findingsTable, locationTable, populationTable, resultsTable } from './tables.ts'

export interface ExportedFile {
  readonly name: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

export type Content = Uint8Array | string | Iterable<string>
/** Files by name, in the order in which they are made. */
export type Contents = Iterable<readonly [string, Content]> | AsyncIterable<readonly [string, Content]>

/** Outputs that people open without a pack, by name. Each is generated on demand: with a large fleet each is large. */
export function* besideFiles(
  { csvPieces }: Pick<Ports, 'csvPieces'>,
  input: FormatInput,
  { report, html }: { readonly report: Uint8Array; readonly html: Content },
): Generator<readonly [string, Content]> {
  const { assessment, catalog, register, recordings, run } = input
  yield [reportName(run), report]
  yield [htmlName(run), html]
  yield ['assessment.json', assessmentPieces(assessment)]
  yield ['summary.txt', `${summaryText(input)}\n`]
  yield ['findings.csv', csvPieces(findingsTable(input))]
  yield ['results.csv', csvPieces(resultsTable(input))]
  yield ['controls.csv', csvPieces(controlsTable(assessment, catalog, register))]
  yield ['population.csv', csvPieces(populationTable(assessment))]
  yield ['location.csv', csvPieces(locationTable(assessment))]
  yield ['evidence.csv', csvPieces(evidenceTable(recordings))]
  if (assessment.scope.provider !== undefined) yield ['claims.csv', csvPieces(claimsTable(assessment))]
}

/** Writes files next to the pack, one at a time; returns all of them, the pack first. Fails with store.failed. */
export async function writeBeside(
  ports: Pick<Ports, 'files'>,
  folder: string,
  packName: string,
  ...contents: readonly Contents[]
): Promise<Outcome<readonly ExportedFile[]>> {
  const archive = await ports.files.digest(`${folder}/${packName}`)
  if (!archive.ok) return archive
  const files: ExportedFile[] = [{ name: packName, path: `${folder}/${packName}`, ...archive.value }]
  for (const some of contents)
    for await (const [name, content] of some) {
      const path = `${folder}/${name}`
      const whole = typeof content === 'string' || content instanceof Uint8Array
      const written = await ports.files.writePieces(path, whole ? [content] : content)
      if (!written.ok) return written
      files.push({ name, path, ...written.value })
    }
  return ok(files)
}
