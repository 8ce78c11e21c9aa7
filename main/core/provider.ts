import type { Bearing, ProviderProfile } from '../../schemas/types.ts'
import type { Catalog } from './catalog.ts'
import type { ClaimTest } from './claim.ts'
import { plain, quote } from './plain-text.ts'
import { isDay } from './register/days.ts'

/** What a profile may name. */
export type KnownToPromises = Pick<Catalog, 'checks' | 'claimTests' | 'notFromNodes'>

/** What does not fit, and where it stands; `text` goes on after the name of the place. */
export interface PromiseProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** What is wrong with a profile that fits its schema, each with its place. */
export function problemsIn(
  { asOf, sources, claims }: ProviderProfile,
  known: KnownToPromises,
): readonly PromiseProblem[] {
  const ids = new Set(sources.map(({ id }) => id))
  return [
    ...(isDay(asOf) ? [] : [{ path: ['asOf'], text: noSuchDay(asOf) }]),
    ...sources.flatMap(({ on }, index) => (isDay(on) ? [] : [{ path: ['sources', index, 'on'], text: noSuchDay(on) }])),
    ...twice(sources, 'sources'),
    ...twice(claims, 'claims'),
    ...claims.flatMap((claim, index): readonly PromiseProblem[] => [
      ...(ids.has(claim.source)
        ? []
        : [{ path: ['claims', index, 'source'], text: `names ${quote(claim.source)}, which is none of the sources` }]),
      ...answerProblems(claim, ['claims', index]),
      ...claim.bears.flatMap((bearing, at) => bearingProblems(bearing, ['claims', index, 'bears', at], known)),
    ]),
  ]
}

const noSuchDay = (day: string): string => `is ${quote(day)}, and the calendar has no such day`

type Path = PromiseProblem['path']

const twice = (list: readonly { readonly id: string }[], field: string): readonly PromiseProblem[] =>
  list.flatMap(({ id }, index) =>
    list.findIndex((one) => one.id === id) < index
      ? [{ path: [field, index, 'id'], text: `is ${quote(id)}, which stands here twice` }]
      : [],
  )

/** Either something on the node answers a promise, or it says why nothing can and what to bring. */
function answerProblems(
  { bears, otherwise, why, bring }: ProviderProfile['claims'][number],
  path: Path,
): readonly PromiseProblem[] {
  if (bears.length > 0)
    return otherwise === null
      ? []
      : [{ path: [...path, 'otherwise'], text: 'must be null where something bears on the promise' }]
  if (otherwise === null)
    return [{ path: [...path, 'otherwise'], text: 'must say needs-record or not-observable where nothing bears on it' }]
  return [
    ...(why === null ? [{ path: [...path, 'why'], text: 'must say why no node can answer it' }] : []),
    ...(otherwise === 'needs-record' && bring === null
      ? [{ path: [...path, 'bring'], text: 'must name the record to bring' }]
      : []),
  ]
}

function bearingProblems(bearing: Bearing, path: Path, known: KnownToPromises): readonly PromiseProblem[] {
  if ('check' in bearing) {
    const text = checkProblem(bearing.check, known)
    return text === null ? [] : [{ path: [...path, 'check'], text }]
  }
  const test = known.claimTests.find(({ id }) => id === bearing.test)
  if (test === undefined)
    return [
      {
        path: [...path, 'test'],
        text: `is ${quote(bearing.test, 60)}, which is no reading that a promise can be compared with`,
      },
    ]
  return test.of(bearing.value) === null
    ? [
        {
          path: [...path, 'value'],
          text: `is ${plain(JSON.stringify(bearing.value), 80)}, and ${test.id} takes ${takesWords(test)}`,
        },
      ]
    : []
}

function checkProblem(id: string, { checks, notFromNodes }: KnownToPromises): string | null {
  const check = checks.find((one) => one.id === id)
  if (check !== undefined)
    return check.ends === 'recorded' ? `is ${quote(id, 100)}, which only records and bears no promise out` : null
  return notFromNodes.some((one) => one.id === id)
    ? `is ${quote(id, 100)}, which no node can answer: leave it out and say needs-record`
    : `is ${quote(id, 100)}, which is no check of the catalog`
}

/** What a reading takes, in words. */
export function takesWords({ takes }: Pick<ClaimTest, 'takes'>): string {
  if (takes.oneOf !== undefined) return `one of ${takes.oneOf.join(', ')}`
  if (takes.kind === 'nothing') return 'no value: null'
  return `${takes.kind === 'number' ? 'a number' : 'text'}${takes.unit === undefined ? '' : ` (${takes.unit})`}`
}
