import type { Chosen } from '../../../schemas/ipc.ts'
import type { SavedFile } from '../../../schemas/ipc-views.ts'
import { catalogFor } from '../../core/catalog.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import { textRows } from '../../present/formats/grids/grid.ts'
import { type WorksheetInput, worksheetDocument, worksheetGrid, worksheetSheets } from '../../present/worksheet.ts'
import { PRODUCER } from '../producer.ts'
import type { EngineContext } from './context.ts'
import { readWorksheet } from './review-worksheet.ts'
import { fileName } from './trust-methods.ts'

const MAKERS = {
  csv: async ({ ports }: EngineContext, input: WorksheetInput) => {
    const { columns, rows } = worksheetGrid(input)
    return ports.csv(textRows(columns, rows))
  },
  xlsx: async ({ ports }: EngineContext, input: WorksheetInput) => await ports.xlsx(worksheetSheets(input)),
  pdf: async ({ ports }: EngineContext, input: WorksheetInput) =>
    await ports.reports.render(worksheetDocument(input), { attachments: [], created: input.writtenAt }),
} as const

/** Writes the worksheet of the open pack in one format. Null when the dialog was closed; refused without samples and notes. */
export async function saveWorksheet(
  context: EngineContext,
  format: keyof typeof MAKERS,
  chosen: Chosen | undefined,
): Promise<Outcome<SavedFile | null>> {
  if (chosen === undefined) return ok(null)
  const input = await inputOf(context)
  if (!input.ok) return input
  const written = await context.ports.files.write(chosen.path, await MAKERS[format](context, input.value))
  return written.ok ? ok({ file: fileName(chosen.path) }) : written
}

async function inputOf(context: EngineContext): Promise<Outcome<WorksheetInput>> {
  const { pack } = context.session
  const sheet = await readWorksheet(context)
  if (!sheet.ok) return sheet
  if (pack === null || pack.assessment === null || sheet.value === null)
    return fail('input.refused', 'there are no samples or notes yet')
  const { checks } = catalogFor(context.catalog, pack.assessment.scope)
  const expected = new Map(checks.map((check) => [check.id, check.expected]))
  const verdicts = new Map(
    pack.assessment.nodes.flatMap(({ node, results }) =>
      results.map(({ check, verdict }) => [`${node}\n${check}`, verdict] as const),
    ),
  )
  return ok({
    sheet: sheet.value,
    sha256: pack.sha256,
    demo: pack.review.report.demo,
    producer: PRODUCER,
    writtenAt: context.ports.clock.now(),
    verdictOf: (node, check) => verdicts.get(`${node}\n${check}`),
    expectedOf: (check) => expected.get(check) ?? '',
  })
}
