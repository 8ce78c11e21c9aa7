import type {
  ClaimOnNode,
  ClaimRow,
  ClaimsView,
  ClaimTestView,
  ClaimWord,
  ProviderItem,
  ProviderList,
} from '../../../../schemas/ipc-engagement.ts'
import type { Source } from '../../../../schemas/ipc-views.ts'
import type { Assessment, ClaimTestReference, ProviderClaim, ProviderProfile } from '../../../../schemas/types.ts'
import { CLAIM_ANSWERS } from '../../../../schemas/words.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { compare } from '../../../core/recording/recording.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import { conflictWords } from '../../../core/rules/provider.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { assessAgain } from '../runs/up-to-now.ts'
import { changesInTurn, type DeclaredShelf, declaredOf, keepProvider, shelfShown } from '../stored/engagement-store.ts'
import { statedIn } from './engagement-methods.ts'

/** Provider claims, and the result for each node. */
export function providerMethods(context: EngineContext) {
  const { ports, catalog, session } = context
  const turn = changesInTurn(context)
  const listed = async (at: DeclaredShelf): Promise<Outcome<ProviderList>> => {
    const declared = await declaredOf(at)
    return declared.ok ? ok(listOf(catalog, declared.value.provider)) : declared
  }
  const change = async (at: DeclaredShelf, profile: ProviderProfile | null): Promise<Outcome<ProviderList>> => {
    // Nodes of a run in progress are evaluated one by one; half of them would be tested against other claims.
    if (session.going !== null)
      return fail('input.refused', 'a run is in progress; choose the profile when it has ended')
    const written = await keepProvider(at, profile)
    if (!written.ok) return written
    const evaluated = await assessAgain(context)
    return evaluated.ok ? await listed(at) : evaluated
  }
  return methods({
    'provider.list': () => listed(shelfShown(context)),
    'provider.choose': ({ id }) =>
      turn(async (at) => {
        const profile = catalog.providers.find((one) => one.id === id) ?? null
        if (id !== null && profile === null) return fail('input.refused', 'there is no built-in profile of this id')
        return await change(at, profile)
      }),
    'provider.import-choose': (_, chosen) =>
      turn(async (at) => {
        if (chosen === undefined) return ok(null)
        const read = await ports.declarations.provider(chosen.path, null)
        return read.ok ? await change(at, read.value) : read
      }),
    'claims.get': async ({ of }) => {
      const asked = await promised(context, of)
      if (!asked.ok) return asked
      const { provider, assessment } = asked.value
      return ok(provider === null ? null : claimsView(catalog, provider, assessment))
    },
    'claims.answers': async ({ of, claim }) => {
      const asked = await promised(context, of)
      if (!asked.ok) return asked
      const { provider, assessment } = asked.value
      if (provider?.claims.some(({ id }) => id === claim) !== true)
        return fail('input.refused', 'the profile contains no such claim')
      return ok(answersOf(claim, assessment))
    },
  })
}

interface Promised {
  readonly provider: ProviderProfile | null
  /** Null before the first run. */
  readonly assessment: Assessment | null
}

async function promised(context: EngineContext, of: Source): Promise<Outcome<Promised>> {
  if (of === 'pack') {
    const stated = statedIn(context)
    return stated.ok ? ok({ provider: stated.value.scope.provider ?? null, assessment: stated.value }) : stated
  }
  const declared = await declaredOf(shelfShown(context))
  if (!declared.ok) return declared
  const current = await assessAgain(context)
  if (!current.ok) return current
  return ok({ provider: declared.value.provider, assessment: context.session.run?.assessment ?? null })
}

const itemOf = ({ id, name, asOf, claims }: ProviderProfile): ProviderItem => ({
  id,
  name,
  asOf,
  claims: claims.length,
})

const listOf = ({ providers }: Catalog, chosen: ProviderProfile | null): ProviderList => ({
  shipped: providers.map(itemOf),
  chosen: chosen === null ? null : itemOf(chosen),
  own: chosen !== null && !providers.some(({ id }) => id === chosen.id),
})

const NONE: Readonly<Record<ClaimWord, number>> = {
  corroborated: 0,
  contradicted: 0,
  inconclusive: 0,
  'not-observable': 0,
  'document-required': 0,
  'not-applicable': 0,
}

/** The results of an assessment's nodes for each provider claim. */
export function claimsView(catalog: Catalog, profile: ProviderProfile, assessment: Assessment | null): ClaimsView {
  const counts = new Map<string, Record<ClaimWord, number>>()
  for (const { claims = [] } of assessment?.nodes ?? [])
    for (const { claim, result } of claims) {
      const own = counts.get(claim) ?? { ...NONE }
      own[result] += 1
      counts.set(claim, own)
    }
  const { id, name, asOf, notes, conflicts = [] } = profile
  return {
    profile: { id, name, asOf, notes: [...notes, ...conflicts.map(conflictWords)] },
    evaluatedAt: assessment?.asOf ?? null,
    claims: profile.claims.map((claim) => claimRow(catalog, profile, claim, counts.get(claim.id) ?? NONE)),
  }
}

function claimRow(
  catalog: Catalog,
  { sources }: ProviderProfile,
  { id, text, source, tests, condition, why, documentRequired }: ProviderClaim,
  counts: Readonly<Record<ClaimWord, number>>,
): ClaimRow {
  return {
    id,
    text,
    source: sources.find((one) => one.id === source) ?? null,
    tests: [
      ...(condition?.tests ?? [])
        .map((bearing) => bearingView(catalog, bearing))
        .map((view) => ({ ...view, title: `Condition: ${view.title}` })),
      ...tests.map((bearing) => bearingView(catalog, bearing)),
    ],
    why,
    documentRequired,
    nodes: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
  }
}

function bearingView({ checks, claimTests }: Catalog, bearing: ClaimTestReference): ClaimTestView {
  if ('check' in bearing) {
    const check = checks.find(({ id }) => id === bearing.check)
    return check === undefined
      ? { title: `This catalog has no check ${bearing.check}.`, limitations: '', check: null }
      : { title: check.expected, limitations: check.limitations, check: { id: check.id, property: check.property } }
  }
  const test = claimTests.find(({ id }) => id === bearing.test)
  if (test === undefined)
    return { title: `This catalog has no claim test ${bearing.test}.`, limitations: '', check: null }
  const unit = test.takes.unit === undefined ? '' : ` ${test.takes.unit}`
  const promised = bearing.value === null ? '' : ` Claimed: ${bearing.value}${unit}.`
  return { title: `${test.title}${promised}`, limitations: test.limitations, check: null }
}

/** One claim on each node that it concerns, contradicted first, then by name. */
function answersOf(claim: string, assessment: Assessment | null): readonly ClaimOnNode[] {
  const rank = ({ result }: ClaimOnNode): number => CLAIM_ANSWERS.indexOf(result)
  return (assessment?.nodes ?? [])
    .flatMap(({ node, claims = [] }) =>
      claims
        .filter((one) => one.claim === claim)
        .map(({ result, observations }): ClaimOnNode => ({ node, result, observations })),
    )
    .sort((a, b) => rank(a) - rank(b) || compare(a.node, b.node))
}
