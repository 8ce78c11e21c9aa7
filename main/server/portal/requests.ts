import type { PortalRequest, RequestCounts, RequestEntry, RequestStatus } from '../../../schemas/ipc-portal.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import type { Who } from './events.ts'

/** Officers answer, auditors accept or return. */
export type RequestRole = RequestEntry['role']

/** A request of an auditor for evidence, with all entries of both sides. */
export interface Asked extends Pick<PortalRequest, 'id' | 'title' | 'text' | 'about' | 'due' | 'status' | 'entries'> {
  readonly by: Who
  readonly at: string
}

/** For each status, the statuses that each side may set next. */
const NEXT: Readonly<Record<RequestStatus, Readonly<Record<RequestRole, readonly RequestStatus[]>>>> = {
  open: { officer: ['in-progress', 'answered'], auditor: ['withdrawn'] },
  'in-progress': { officer: ['answered'], auditor: ['withdrawn'] },
  answered: { officer: [], auditor: ['accepted', 'returned', 'withdrawn'] },
  returned: { officer: ['in-progress', 'answered'], auditor: ['withdrawn'] },
  accepted: { officer: [], auditor: [] },
  withdrawn: { officer: [], auditor: [] },
}

/** The statuses that a side may set now. */
export const nextStatuses = (status: RequestStatus, role: RequestRole): readonly RequestStatus[] => NEXT[status][role]

/** Whether neither a status nor a comment can follow. */
const isClosed = (status: RequestStatus): boolean => status === 'accepted' || status === 'withdrawn'

/** Whether a side is expected to act. */
export const waitsFor = (status: RequestStatus, role: RequestRole): boolean =>
  !isClosed(status) && (role === 'auditor') === (status === 'answered')

/** Whether the other side, which has to act, commented on a request and this side has added nothing since. */
export function hasNewComment({ status, entries }: Pick<Asked, 'status' | 'entries'>, role: RequestRole): boolean {
  if (isClosed(status) || waitsFor(status, role)) return false
  const own = entries.findLastIndex((entry) => entry.role === role)
  return entries.slice(own + 1).some(({ to }) => to === null)
}

/** Whether a request is past its due day, a day in UTC, and not closed. */
const isLate = ({ status, due }: Asked, today: string): boolean => !isClosed(status) && due < today

/** The requests that await a side, counted. */
export function countsOf(all: readonly Asked[], role: RequestRole, today: string): RequestCounts {
  const waiting = all.filter(({ status }) => waitsFor(status, role))
  return {
    waiting: waiting.length,
    late: waiting.filter((one) => isLate(one, today)).length,
    commented: all.filter((one) => hasNewComment(one, role)).length,
  }
}

/** Adds an entry of one side. Fails with input.refused for a status that may not follow, and where a required comment or evidence is missing. */
export function withEntry(asked: Asked, entry: RequestEntry): Outcome<Asked> {
  const { to, role, comment, packs, documents, findings } = entry
  if (isClosed(asked.status)) return fail('input.refused', 'this request is closed')
  if (to !== null && !nextStatuses(asked.status, role).includes(to))
    return fail('input.refused', `a request that is ${asked.status} cannot become ${to} by the ${role}`)
  const names = packs.length + documents.length + findings.length
  if (names > 0 && to !== 'answered') return fail('input.refused', 'only an answer names evidence')
  if (to === 'answered' && comment === '' && names === 0)
    return fail('input.refused', 'an answer needs a comment, or names evidence')
  if ((to === null || to === 'returned' || to === 'withdrawn') && comment === '')
    return fail('input.refused', 'a comment must be entered')
  return ok({ ...asked, status: to ?? asked.status, entries: [...asked.entries, entry] })
}

/**
 * Every request with its number among those of its auditor, from 1. A number over all of them would show an auditor how many requests others
 * made.
 */
export function numbered(all: readonly Asked[]): readonly { readonly asked: Asked; readonly number: number }[] {
  const made = new Map<string, number>()
  return all.map((asked) => {
    const number = (made.get(asked.by.subject) ?? 0) + 1
    made.set(asked.by.subject, number)
    return { asked, number }
  })
}

/** A request as one side sees it. `canRead`: whether that side may read a shared pack; packs that it may not read are omitted from answers. */
export function requestView(asked: Asked, { role, number, today, canRead }: RequestReader): PortalRequest {
  const { id, at, by, title, text, about, due, status, entries } = asked
  return {
    ...{ id, reference: `AR-${number}`, asked: { at, by: by.name }, title, text, about, due, status },
    isLate: isLate(asked, today),
    waits: waitsFor(status, role),
    hasNewComment: hasNewComment(asked, role),
    may: nextStatuses(status, role),
    isClosed: isClosed(status),
    entries: entries.map((entry) => ({ ...entry, packs: entry.packs.filter((one) => canRead(one.id)) })),
  }
}

interface RequestReader {
  readonly role: RequestRole
  /** As `numbered()` returns it. */
  readonly number: number
  /** YYYY-MM-DD, UTC. */
  readonly today: string
  readonly canRead: (pack: string) => boolean
}
