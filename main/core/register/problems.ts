import type { Decision, Exception, Explanation, PendingException, Register } from '../../../schemas/types.ts'
import { canonicalJson } from '../canonical-json.ts'
import { LONGEST_DAYS } from '../register.ts'
import { dayProblem, millisOf } from './days.ts'
import { decisionsOf } from './decisions.ts'
import { explanationsOf } from './explanations.ts'
import { pendingOf, termsOf } from './pending.ts'

/**
 * What is wrong with a register by itself, one sentence each: moments that are none, ends that nobody may set, one id on two entries, and
 * an exception that is not what was asked for. A register that our commands wrote has none of these.
 */
export const registerProblems = (register: Register): readonly string[] => [
  ...register.exceptions.flatMap((entry) => termProblems(`exception ${entry.id}`, entry.acceptedAt, entry)),
  ...pendingOf(register).flatMap((entry) => termProblems(`request ${entry.id}`, entry.requestedAt, entry)),
  ...decisionsOf(register).flatMap((entry) => termProblems(`decision ${entry.id}`, entry.decidedAt, entry)),
  ...explanationsOf(register).flatMap((entry) => termProblems(`explanation ${entry.id}`, entry.explainedAt, entry)),
  ...register.attachments.flatMap(({ id, attachedAt, validUntil }) =>
    [attachedAt, ...(validUntil === null ? [] : [validUntil])]
      .filter((at) => Number.isNaN(millisOf(at)))
      .map((at) => `record ${id} names ${at}, and there is no such moment.`),
  ),
  ...register.requests
    .filter(({ due }) => Number.isNaN(millisOf(due)))
    .map(({ due }) => `a record is asked for until ${due}, and there is no such moment.`),
  ...sharedIds(register),
  ...unlikeRequests(register),
]

function termProblems(
  name: string,
  since: string,
  { expiresAt }: Pick<Exception | PendingException | Decision | Explanation, 'expiresAt'>,
): readonly string[] {
  if (Number.isNaN(millisOf(since))) return [`${name} was made at ${since}, and there is no such moment.`]
  if (Number.isNaN(millisOf(expiresAt))) return [`${name} names the end ${expiresAt}, and there is no such moment.`]
  const end = dayProblem(expiresAt.slice(0, 10), { now: since, longest: LONGEST_DAYS })
  return end === null ? [] : [`${name} names an end that nobody can accept until: as of when it was made, it ${end}.`]
}

/** Every entry has an id of its own; only an exception has the one of the request that it was. */
function sharedIds(register: Register): readonly string[] {
  const shared = (ids: readonly string[]): readonly string[] => {
    const seen = new Set<string>()
    return [...new Set(ids.filter((id) => seen.size === seen.add(id).size))]
  }
  const { exceptions, attachments } = register
  const [decided, asked] = [decisionsOf(register), pendingOf(register)]
  const explained = explanationsOf(register)
  const twice = [
    ...shared([...exceptions, ...decided, ...attachments, ...explained].map(({ id }) => id)),
    ...shared([...asked, ...decided, ...attachments, ...explained].map(({ id }) => id)),
  ]
  return [...new Set(twice)].map((id) => `two entries have the id ${id}.`)
}

/** An exception with a request of its id was approved by it, on the terms that were asked for. */
function unlikeRequests(register: Register): readonly string[] {
  const asked = new Map(pendingOf(register).map((entry) => [entry.id, entry]))
  return register.exceptions.flatMap((entry) => {
    const request = asked.get(entry.id)
    if (request === undefined) return []
    if (request.settled?.as !== 'approved')
      return [`exception ${entry.id} stands beside a request of its id that nobody approved.`]
    const { at, by } = request.settled
    return canonicalJson(termsOf(request)) === canonicalJson(termsOf(entry)) &&
      at === entry.acceptedAt &&
      by === entry.approvedBy
      ? []
      : [`exception ${entry.id} is not what its request says was asked for and approved.`]
  })
}
