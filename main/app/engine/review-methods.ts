import { ok } from '../../core/result.ts'
import type { EngineContext, Handlers } from './context.ts'
import { turnOf } from './kept-json.ts'
import { openPack, reopenPack, trustSigner } from './review-pack.ts'
import { pathOfRecent, recentPacks } from './review-recent.ts'
import { drawFor, noteOn, readWorksheet, worksheetTable } from './review-worksheet.ts'
import { fileName } from './trust-methods.ts'

type Methods =
  | 'pack.choose-and-verify'
  | 'pack.recent'
  | 'pack.open-recent'
  | 'pack.review'
  | 'pack.trust'
  | 'pack.re-evaluate'
  | 'review.sample'
  | 'review.worksheet'
  | 'review.note'
  | 'review.save-worksheet'

/** Methods for an auditor who reads a pack. */
export function reviewMethods(context: EngineContext): Pick<Handlers, Methods> {
  const { ports, session } = context
  const turn = turnOf(context, 'pack')
  return {
    'pack.choose-and-verify': async (_input, chosen) =>
      chosen === undefined ? ok(null) : await turn(() => openPack(context, chosen.path, false)),
    'pack.recent': () => turn(() => recentPacks(context)),
    'pack.open-recent': ({ handle }) =>
      turn(async () => {
        const path = await pathOfRecent(context, handle)
        return path.ok ? await openPack(context, path.value, false) : path
      }),
    'pack.review': async () => ok(session.pack?.review ?? null),
    'pack.trust': ({ howVerified }) => turn(() => trustSigner(context, howVerified)),
    'pack.re-evaluate': () => turn(() => reopenPack(context)),
    'review.sample': (input) => turn(() => drawFor(context, input)),
    'review.worksheet': () => turn(() => readWorksheet(context)),
    'review.note': (input) => turn(() => noteOn(context, input)),
    'review.save-worksheet': async (_input, chosen) => {
      if (chosen === undefined) return ok(null)
      const table = await turn(() => worksheetTable(context))
      if (!table.ok) return table
      const written = await ports.files.write(chosen.path, ports.csv(table.value))
      return written.ok ? ok({ file: fileName(chosen.path) }) : written
    },
  }
}
