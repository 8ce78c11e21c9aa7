import type { DecisionView, ExceptionView, PendingView, RegisterView, Standing } from '../schemas/ipc-packs.ts'
import type { ControlRow } from '../schemas/ipc-results.ts'
import type { Decision, EntrySignature } from '../schemas/types.ts'
import { besidesOf, type Tally, tallyIn } from './model.ts'
import { day, plural, visible } from './text.ts'

/** What has ended comes first: it is a finding again that nobody accepts. */
export const STANDINGS: readonly Standing[] = ['expired', 'in-force', 'not-begun', 'withdrawn']
export type Shown = Standing | 'pending' | 'all'

export const pendingWords: Readonly<Record<PendingView['standing'], string>> = {
  open: 'Waits for approval',
  lapsed: 'Not settled before its end',
  approved: 'Approved',
  refused: 'Refused',
  withdrawn: 'Withdrawn',
}

/** Words in which people look for an entry. */
const speaksOf = (
  entry: { readonly check: string; readonly owner: string; readonly reason: string; readonly nodes: readonly string[] },
  more: readonly string[],
  wanted: string,
): boolean => [entry.check, entry.owner, entry.reason, ...entry.nodes, ...more].join(' ').toLowerCase().includes(wanted)

/** Exceptions and requests that are looked for. A request that was approved is listed as the exception it became. */
export function exceptionsShown(
  { exceptions, pending }: Pick<RegisterView, 'exceptions' | 'pending'>,
  text: string,
  shown: Shown,
): {
  readonly pending: readonly PendingView[]
  readonly groups: readonly { readonly standing: Standing; readonly entries: readonly ExceptionView[] }[]
  readonly count: number
  readonly total: number
} {
  const wanted = text.trim().toLowerCase()
  const asked = pending.filter(({ standing }) => standing !== 'approved')
  const found = exceptions.filter(
    (one) => (shown === 'all' || one.standing === shown) && speaksOf(one, [one.approvedBy], wanted),
  )
  const waiting = asked.filter(
    (one) => (shown === 'all' || shown === 'pending') && speaksOf(one, [one.requestedBy], wanted),
  )
  const groups = STANDINGS.map((standing) => ({
    standing,
    entries: found.filter((one) => one.standing === standing).sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1)),
  })).filter(({ entries }) => entries.length > 0)
  const open = ({ standing }: PendingView): number => (standing === 'open' ? 0 : 1)
  return {
    pending: [...waiting].sort((a, b) => open(a) - open(b) || (a.expiresAt < b.expiresAt ? -1 : 1)),
    groups,
    count: found.length + waiting.length,
    total: exceptions.length + asked.length,
  }
}

/** Decisions about one row, the latest first. */
export const decisionsFor = (
  { decisions }: Pick<RegisterView, 'decisions'>,
  framework: string,
  control: string,
): readonly DecisionView[] =>
  decisions
    .filter((one) => one.framework === framework && one.control === control)
    .sort((a, b) => (a.decidedAt < b.decidedAt ? 1 : -1))

/** What can be decided about a row: of an addressable specification all of it (45 CFR 164.306(d)(3)), else that it does not apply. */
export const decisionChoices = ({ level }: Pick<ControlRow, 'level'>): readonly Decision['decision'][] =>
  level === 'addressable'
    ? ['implemented', 'equivalent-alternative', 'not-implemented', 'not-applicable']
    : ['not-applicable']

/** Who signed an entry with a key. Nobody can be held to a name that was only typed. */
export function signedLine(signatures: readonly EntrySignature[] = []): string {
  const by = SIGNERS.flatMap(([role, words]) => (signatures.some((one) => one.role === role) ? [words] : []))
  return by.length === 0 ? 'Unsigned: the names were typed.' : `Signed with a key by ${by.join(' and by ')}.`
}
const SIGNERS: readonly (readonly [EntrySignature['role'], string])[] = [
  ['requester', 'who asked'],
  ['approver', 'who approved'],
]

/**
 * Why a row has its state, in sentences with their counts: contradictions and how many of them exceptions cover, what is missing, records
 * held, and who approved that it does not apply. Empty for a row that this run says nothing of.
 */
export function stateReasons(
  control: Pick<ControlRow, 'key' | 'needsAlso' | 'assessed' | 'counted'>,
  framework: string,
  register: Pick<RegisterView, 'attachments' | 'decisions'>,
): readonly string[] {
  const { assessed } = control
  if (assessed === null) return []
  if (assessed.state === 'out-of-scope') return ['It lies outside of what evidence of servers can bear on.']
  const received = assessed.outstanding.filter((need) =>
    register.attachments.some(
      (one) =>
        one.need === need &&
        one.standing === 'in-force' &&
        one.method === 'received' &&
        one.controls.some((row) => row.framework === framework && row.control === control.key),
    ),
  ).length
  const { needed, held } = assessed.records
  return [
    ...(assessed.nodePart === null
      ? ['Evidence of nodes decides nothing about it.']
      : nodeReasons(assessed, tallyIn(control.counted))),
    ...rationaleReasons(assessed, register.decisions),
    needed === 0 ? 'It needs no record from people.' : `Records held: ${held} of ${needed} needed.`,
    ...(received === 0
      ? []
      : [
          `${plural(received, 'record')} ${received === 1 ? 'was' : 'were'} received and not examined, and ${received === 1 ? 'counts' : 'count'} as outstanding.`,
        ]),
  ]
}

type Assessed = NonNullable<ControlRow['assessed']>

function nodeReasons({ checks, nodePart }: Assessed, { counts, decidable, total }: Tally): readonly string[] {
  if (checks.length === 0) return ['No check is mapped to it.']
  const excepted = checks.reduce((sum, one) => sum + one.excepted, 0)
  const { met, 'not-met': contradicted } = counts
  const decided = met + counts['not-applicable']
  const absent = checks.filter(({ built }) => !built)
  const notAsked =
    absent.length === 0
      ? ''
      : `, ${absent.reduce((sum, { notTested }) => sum + notTested, 0)} of them of ${plural(absent.length, 'check')} that nodes are not asked for`
  return [
    ...(decidable === 0 ? [] : [`Supported: ${met} of ${decidable} findings.`]),
    ...(contradicted === 0
      ? []
      : [
          `Contradicted: ${contradicted} of ${decidable} findings. Exceptions in force cover ${excepted} of ${contradicted}.`,
          ...(excepted === contradicted && met === 0
            ? ['Nothing is supported on any node, so there is nothing to make an exception from.']
            : []),
        ]),
    ...(counts.inconclusive === 0 ? [] : [`Not enough evidence: ${counts.inconclusive} of ${decidable} findings.`]),
    ...(counts['not-tested'] === 0
      ? []
      : [`Not collected: ${counts['not-tested']} of ${decidable} findings${notAsked}.`]),
    ...(total === decidable
      ? []
      : [`Besides: ${besidesOf({ counts, decidable, total })}. Together ${total} findings.`]),
    ...(nodePart === 'insufficient-evidence' && counts.inconclusive + counts['not-tested'] === 0
      ? [
          decided === 0
            ? 'No mapped check gave an answer that decides.'
            : 'The provider’s list holds rows that nobody accounts for, so the nodes may not be all.',
        ]
      : []),
    ...(nodePart === 'not-applicable' ? ['Every mapped check found that it does not apply to any node.'] : []),
  ]
}

function rationaleReasons(
  { rationale, nodePart, state }: Assessed,
  decisions: readonly DecisionView[],
): readonly string[] {
  if (rationale === null)
    return nodePart === 'not-applicable' ? ['Nobody has approved a reason why this row does not apply.'] : []
  const by = decisions.find(({ id }) => id === rationale)
  const said =
    by === undefined
      ? 'A reason why it does not apply is approved.'
      : `That it does not apply was approved by ${visible(by.approvedBy)}, ${visible(by.approverRole)}, until ${day(by.expiresAt)}: ${visible(by.reason)}`
  return [said, ...(state === 'not-applicable' ? [] : ['A contradiction outweighs that reason.'])]
}
