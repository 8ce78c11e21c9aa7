import type { AssessmentIndex, CatalogReference } from '../../../schemas/types.ts'
import type { RulesReading } from '../../../schemas/verification.ts'
import type { Catalog } from '../catalog.ts'
import { type AboutRules, type Judge, judgeOf, type KeptRules, type PackJudge } from '../judge.ts'
import { plain, quote } from '../plain-text.ts'
import { NOTHING_SHARED } from '../same-machine.ts'
import type { PackReading } from './read.ts'

/**
 * What a pack's own name of its rules is worth to a reader who has the rules of `here`. `same`: it names exactly these. `falsified`: it names
 * their version, with another module of rules or another catalog than that version has. `unknown`: a version that the reader does not have.
 */
export type RulesStanding = RulesReading['standing']

export function rulesStanding(stated: CatalogReference, here: CatalogReference): RulesStanding {
  if (stated.version !== here.version) return 'unknown'
  return stated.module === here.module && stated.digest === here.digest ? 'same' : 'falsified'
}

/** The rules at hand that fit best what a pack names, and what that name is worth. */
export interface RulesAtHand extends AboutRules {
  readonly judge: Judge
  readonly standing: RulesStanding
}

/** Where this program's rules and those of earlier versions are. */
export interface RulesSources {
  readonly catalog: Catalog
  readonly kept: KeptRules
}

export async function rulesAtHand(
  sources: RulesSources,
  { catalog: stated, scope }: Pick<AssessmentIndex, 'catalog' | 'scope'>,
): Promise<RulesAtHand> {
  const judge = await judgeOf(sources, stated.version)
  const about = await judge.about(scope)
  return { ...about, judge, standing: rulesStanding(stated, about.reference) }
}

/** The rules at work on a pack; null where it lacks what an evaluation takes. */
export const judgeOfPack = async (
  rules: RulesAtHand | null,
  { scope, assessment }: Pick<PackReading, 'scope' | 'assessment'>,
): Promise<PackJudge | null> =>
  rules === null || scope === null || assessment === null
    ? null
    : rules.judge.pack({ scope, shared: assessment.shared ?? NOTHING_SHARED })

/** What a verification tells of the rules, for whoever reads it by program. */
export const rulesReading = (
  stated: CatalogReference,
  standing: RulesStanding,
  { stated: results, identical }: { readonly stated: number; readonly identical: number },
): RulesReading => ({
  standing,
  version: plain(stated.version, 40),
  results,
  unconfirmed: results - identical,
})

/** Why rules of a known version are not taken for that version. */
export function falsifiedRules(stated: CatalogReference, here: CatalogReference): string {
  const differs = (['module', 'digest'] as const)
    .filter((part) => stated[part] !== here[part])
    .map((part) => `the SHA-256 of its ${PARTS[part]} is ${here[part]}, and ${quote(stated[part], 64)} is stated`)
  return `Rules of version ${quote(stated.version, 40)} are named, and they are not the rules of that version: ${differs.join('; ')}.`
}

const PARTS = { module: 'module', digest: 'catalog' } as const

/** The headline for rules that the reader does not have: how many results they could not confirm. */
export const unknownRules = (
  version: string,
  { stated, identical }: { readonly stated: number; readonly identical: number },
): string =>
  `${stated - identical} of ${stated} results could not be confirmed: the rules of version ${quote(version, 40)} are not known here. With the rules here, ${identical} of ${stated} verdicts come out the same. Verify with a version of Barewitness that has those rules.`
