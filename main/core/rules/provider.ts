import type { ClaimSource, ClaimTestReference, ProviderProfile, StatementConflict } from '../../../schemas/types.ts'
import { isDay } from '../base/days.ts'
import { plain, quote } from '../base/plain-text.ts'
import type { Catalog } from './catalog.ts'
import type { ClaimTest } from './claim.ts'

/** What a provider profile may refer to. */
type KnownToClaims = Pick<Catalog, 'checks' | 'claimTests' | 'offNodeChecks'>

/** A problem and its position; `text` follows the name of the position. */
interface ClaimProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** The problems of a schema-valid profile. */
export function problemsIn(
  { asOf, sources, claims, conflicts = [] }: ProviderProfile,
  known: KnownToClaims,
): readonly ClaimProblem[] {
  const ids = new Set(sources.map(({ id }) => id))
  return [
    ...(isDay(asOf) ? [] : [{ path: ['asOf'], text: noSuchDay(asOf) }]),
    ...sources.flatMap(({ on }, index) => (isDay(on) ? [] : [{ path: ['sources', index, 'on'], text: noSuchDay(on) }])),
    ...twice(sources, 'sources'),
    ...twice(claims, 'claims'),
    ...conflicts.flatMap((conflict, index) =>
      (['source', 'againstSource'] as const).flatMap((field) =>
        sourceProblem(ids, conflict[field], ['conflicts', index, field]),
      ),
    ),
    ...claims.flatMap((claim, index): readonly ClaimProblem[] => [
      ...sourceProblem(ids, claim.source, ['claims', index, 'source']),
      ...answerProblems(claim, ['claims', index]),
      ...claim.tests.flatMap((bearing, at) => bearingProblems(bearing, ['claims', index, 'tests', at], known)),
      ...conditionProblems(claim, ['claims', index, 'condition', 'tests'], known),
    ]),
  ]
}

const noSuchDay = (day: string): string => `is ${quote(day)}, which is not a valid date`

type Path = ClaimProblem['path']

const sourceProblem = (ids: ReadonlySet<string>, source: string, path: Path): readonly ClaimProblem[] =>
  ids.has(source) ? [] : [{ path, text: `names ${quote(source)}, which is not a listed source` }]

/** A condition without a test would be met everywhere, or nowhere. */
const conditionProblems = (
  { condition }: ProviderProfile['claims'][number],
  path: Path,
  known: KnownToClaims,
): readonly ClaimProblem[] =>
  condition === undefined
    ? []
    : condition.tests.length === 0
      ? [{ path, text: 'must name at least one test' }]
      : condition.tests.flatMap((bearing, at) => bearingProblems(bearing, [...path, at], known))

const twice = (list: readonly { readonly id: string }[], field: string): readonly ClaimProblem[] =>
  list.flatMap(({ id }, index) =>
    list.findIndex((one) => one.id === id) < index
      ? [{ path: [field, index, 'id'], text: `is ${quote(id)}, which occurs twice` }]
      : [],
  )

/** A provider claim is either tested on the node, or states why it cannot be and which document is required. */
function answerProblems(
  { tests, otherwise, why, documentRequired, whenUndecided }: ProviderProfile['claims'][number],
  path: Path,
): readonly ClaimProblem[] {
  if (tests.length > 0)
    return [
      ...(otherwise === null ? [] : [{ path: [...path, 'otherwise'], text: 'must be null where the claim has tests' }]),
      ...(whenUndecided === undefined || documentRequired !== null
        ? []
        : [
            {
              path: [...path, 'documentRequired'],
              text: 'must name the required document where the result can be inconclusive',
            },
          ]),
    ]
  if (whenUndecided !== undefined)
    return [{ path: [...path, 'whenUndecided'], text: 'must be absent where the claim has no tests' }]
  if (otherwise === null)
    return [
      {
        path: [...path, 'otherwise'],
        text: 'must be document-required or not-observable where the claim has no tests',
      },
    ]
  return [
    ...(why === null ? [{ path: [...path, 'why'], text: 'must state why it is not observable from nodes' }] : []),
    ...(otherwise === 'document-required' && documentRequired === null
      ? [{ path: [...path, 'documentRequired'], text: 'must name the required document' }]
      : []),
  ]
}

function bearingProblems(bearing: ClaimTestReference, path: Path, known: KnownToClaims): readonly ClaimProblem[] {
  if ('check' in bearing) {
    const text = checkProblem(bearing.check, known)
    return text === null ? [] : [{ path: [...path, 'check'], text }]
  }
  const test = known.claimTests.find(({ id }) => id === bearing.test)
  if (test === undefined)
    return [
      {
        path: [...path, 'test'],
        text: `is ${quote(bearing.test, 60)}, which is not a claim test`,
      },
    ]
  return test.of(bearing.value) === null
    ? [
        {
          path: [...path, 'value'],
          text: `is ${plain(JSON.stringify(bearing.value), 80)}, but ${test.id} requires ${takesWords(test)}`,
        },
      ]
    : []
}

function checkProblem(id: string, { checks, offNodeChecks }: KnownToClaims): string | null {
  const check = checks.find((one) => one.id === id)
  if (check !== undefined)
    return check.ends === 'recorded' ? `is ${quote(id, 100)}, which is informational and cannot test a claim` : null
  return offNodeChecks.some((one) => one.id === id)
    ? `is ${quote(id, 100)}, which is not tested on nodes: remove it and use document-required`
    : `is ${quote(id, 100)}, which is not in the catalog`
}

/** The value that a test takes, in words. */
export function takesWords({ takes }: Pick<ClaimTest, 'takes'>): string {
  if (takes.oneOf !== undefined) return `one of ${takes.oneOf.join(', ')}`
  if (takes.kind === 'nothing') return 'no value: null'
  return `${takes.kind === 'number' ? 'a number' : 'text'}${takes.unit === undefined ? '' : ` (${takes.unit})`}`
}

/** Two statements of one provider that disagree, as one note. */
export const conflictWords = ({ text, against, why, documentRequired }: StatementConflict): string =>
  `Two statements of this provider conflict (summarized). Statement: ${text} Conflicting statement: ${against} ${why} Request: ${documentRequired}.`

/** The title of a source or, where none was recorded, its location. */
export const sourceName = ({ title, where }: Pick<ClaimSource, 'title' | 'where'>): string =>
  title ?? `${where} (title not recorded)`

/**
 * Where a statement was read and whether a copy is stored, as an auditor cites information produced by the entity
 * (AT-C 205): "source: <title>, read on <day>; no copy of the page is kept".
 */
export function sourceCitation(source: ClaimSource, readOn: string): string {
  const { kind, publisher, address, sha256 } = source
  const by = publisher === undefined ? '' : `, ${publisher}`
  const at = address === undefined ? '' : `, ${address}`
  const what = kind === 'page' ? 'the page' : 'the document'
  const copy = sha256 === undefined ? `no copy of ${what} is retained` : `SHA-256 of the retained copy: ${sha256}`
  return `source: ${sourceName(source)}${by}${at}, retrieved on ${readOn}; ${copy}`
}
