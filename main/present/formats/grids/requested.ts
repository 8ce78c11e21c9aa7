import { levelWords } from '../../../../schemas/conclusion-words.ts'
import type { ViewSource } from '../../../core/evidence-view.ts'
import type { Tally } from '../../../core/tally.ts'
import { documentCounts, type RequestedDocument } from '../../report/outstanding.ts'
import { countLines } from '../../report/wording.ts'
import type { FormatInput } from '../input.ts'

/** Status of evidence requests by id, as the list of requests has it. */
export type RequestedById = (id: string) => RequestedDocument | undefined

/** Every request of the frameworks in effect, looked up once for many rows. */
export function requestedById(input: Pick<FormatInput, 'assessment' | 'catalog' | 'register'>): RequestedById {
  const found = new Map(documentCounts(input).requested.flatMap((one) => (one.id === null ? [] : [[one.id, one]])))
  return (id) => found.get(id)
}

/** One line per request: its id and title, and how far its document was examined. */
export function requestLines(
  { requests }: FormatInput['catalog'],
  requested: RequestedById,
  ids: readonly string[],
): readonly string[] {
  return ids.map((id) => {
    const title = requests.find((one) => one.id === id)?.title ?? ''
    return `${id} ${title}: ${statusOf(requested(id))}`
  })
}

function statusOf(document: RequestedDocument | undefined): string {
  if (document === undefined) return 'not requested for the frameworks chosen'
  const { level, conclusion } = document.status
  if (conclusion === 'does-not-support') return 'inspected, does not support'
  const reached = level === null ? 'nothing on file' : `on file, ${levelWords[level].label.toLowerCase()}`
  return `${document.isOutstanding ? 'outstanding' : 'held'}; ${reached}`
}

/** What a view rests on and what it does not show, as the last columns of each of its rows. */
export const limitsOf = ({ sources, notShown }: ViewSource): readonly string[] => [sources.join('; '), notShown]

/** Results of one check over all nodes, in one line. */
export function checkText(catalog: FormatInput['catalog'], counted: Tally, id: string): string {
  const check = catalog.checks.find((one) => one.id === id)
  if (check === undefined) return `${id}: a document answers it.`
  return `${id}: ${countLines(counted.overNodes(id))
    .map(({ text }) => text)
    .join(', ')}`
}
