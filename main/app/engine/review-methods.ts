import { ok } from '../../core/result.ts'
import type { EngineContext, Handlers } from './context.ts'
import { turnOf } from './kept-json.ts'
import { reviewFindings } from './review-findings.ts'
import { reviewLimits } from './review-limits.ts'
import { importCheckpoint, type Opening, openPack, reopenPack, trustAuthority, trustSigner } from './review-pack.ts'
import { pathOfRecent, recentPacks } from './review-recent.ts'
import { drawFor, noteOn, populationsOf, readWorksheet } from './review-worksheet.ts'
import { saveWorksheet } from './review-worksheet-save.ts'

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
  | 'review.findings'
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
    'review.findings': async () => ok(reviewFindings(context)),
    'review.limits': async () => ok(reviewLimits(context)),
    'review.save-worksheet': (_input, chosen) => turn(() => saveWorksheet(context, 'csv', chosen)),
    'review.save-workbook': (_input, chosen) => turn(() => saveWorksheet(context, 'xlsx', chosen)),
    'review.save-worksheet-pdf': (_input, chosen) => turn(() => saveWorksheet(context, 'pdf', chosen)),
  }
}

/** A file that somebody else sealed. */
const received = (path: string): Opening => ({ path, draft: false, imported: null })
