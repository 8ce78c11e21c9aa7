import type { Chosen } from '../../../schemas/ipc.ts'
import type { LimitGroup } from '../../../schemas/ipc-packs.ts'
import type { SavedFile } from '../../../schemas/ipc-views.ts'
import { PRODUCER } from '../../../schemas/version.ts'
import { catalogFor } from '../../core/catalog.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { tally } from '../../core/tally.ts'
import { textRows } from '../../present/formats/grids/grid.ts'
import { limitsPage } from '../../present/limits-page.ts'
import { paperOf } from '../../present/report.ts'
import { type WorksheetInput, worksheetDocument, worksheetGrid, worksheetSheets } from '../../present/worksheet.ts'
import type { EngineContext, Handlers } from './context.ts'
import { fileName, turnOf } from './kept-json.ts'
import { presentationOfPack } from './presented.ts'
import { importCheckpoint, type Opening, openPack, reopenPack, trustAuthority, trustSigner } from './review-pack.ts'
import { pathOfRecent, recentPacks } from './review-recent.ts'
import { drawFor, noteOn, populationsOf, readWorksheet } from './review-worksheet.ts'

type Methods =
  | 'pack.choose-and-verify'
  | 'pack.stop'
  | 'pack.recent'
  | 'pack.open-recent'
  | 'pack.review'
  | 'pack.trust'
  | 'pack.trust-authority'
  | 'pack.import-checkpoint'
  | 'pack.re-evaluate'
  | 'review.sample'
  | 'review.worksheet'
  | 'review.note'
  | 'review.populations'
  | 'review.limits'
  | 'review.save-worksheet'
  | 'review.save-workbook'
  | 'review.save-worksheet-pdf'

/** Methods for an auditor who reads a pack. */
export function reviewMethods(context: EngineContext): Pick<Handlers, Methods> {
  const { session } = context
  const turn = turnOf(context, 'pack')
  return {
    'pack.choose-and-verify': async (_input, chosen) =>
      chosen === undefined ? ok(null) : await turn(() => openPack(context, received(chosen.path))),
    // Not in turn: it ends what has the turn.
    'pack.stop': async () => {
      session.verifying?.abort()
      return ok(null)
    },
    'pack.recent': () => turn(() => recentPacks(context)),
    'pack.open-recent': ({ handle }) =>
      turn(async () => {
        const path = await pathOfRecent(context, handle)
        return path.ok ? await openPack(context, received(path.value)) : path
      }),
    'pack.review': async () => ok(session.pack?.review ?? null),
    'pack.trust': ({ howVerified }) => turn(() => trustSigner(context, howVerified)),
    'pack.trust-authority': async ({ howVerified }, chosen) =>
      chosen === undefined ? ok(null) : await turn(() => trustAuthority(context, chosen.path, howVerified)),
    'pack.import-checkpoint': async (_input, chosen) =>
      chosen === undefined ? ok(null) : await turn(() => importCheckpoint(context, chosen.path)),
    'pack.re-evaluate': () => turn(() => reopenPack(context)),
    'review.sample': (input) => turn(() => drawFor(context, input)),
    'review.worksheet': () => turn(() => readWorksheet(context)),
    'review.note': (input) => turn(() => noteOn(context, input)),
    'review.populations': async () => populationsOf(context),
    'review.limits': async () => ok(reviewLimits(context)),
    'review.save-worksheet': (_input, chosen) => turn(() => saveWorksheet(context, 'csv', chosen)),
    'review.save-workbook': (_input, chosen) => turn(() => saveWorksheet(context, 'xlsx', chosen)),
    'review.save-worksheet-pdf': (_input, chosen) => turn(() => saveWorksheet(context, 'pdf', chosen)),
  }
}

/** A file from another party, in contrast to a draft of this user. */
const received = (path: string): Opening => ({ path, draft: false, imported: null })

/** Everything that the open pack does not show; nothing where no pack is open. */
function reviewLimits(context: EngineContext): readonly LimitGroup[] {
  const { pack } = context.session
  if (pack === null) return []
  const { assessment } = pack
  const presentation = presentationOfPack(context, pack)
  if (assessment === null || presentation === null) return limitsPage({ report: pack.review.report, shown: null })
  const catalog = catalogFor(context.catalog, assessment.scope)
  return limitsPage({
    report: pack.review.report,
    shown: { assessment, catalog, tally: tally(assessment, catalog.checks), presentation },
  })
}

const MAKERS = {
  csv: async ({ ports }: EngineContext, input: WorksheetInput) => {
    const { columns, rows } = worksheetGrid(input)
    return ports.csv(textRows(columns, rows))
  },
  xlsx: async ({ ports }: EngineContext, input: WorksheetInput) =>
    await ports.xlsx(worksheetSheets(input), {
      paper: input.paper,
      foot: `${input.demo ? 'Demo data. ' : ''}Pack ${plain(input.sheet.file, 100)}`,
    }),
  pdf: async ({ ports }: EngineContext, input: WorksheetInput) =>
    await ports.reports.render(worksheetDocument(input), { attachments: [], created: input.writtenAt }),
} as const

/** Writes the worksheet of the open pack in one format. Null when the dialog was closed; refused without samples and notes. */
async function saveWorksheet(
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
    paper: paperOf(pack.assessment.scope),
    writtenAt: context.ports.clock.now(),
    verdictOf: (node, check) => verdicts.get(`${node}\n${check}`),
    expectedOf: (check) => expected.get(check) ?? '',
  })
}
