import type { ClaimRow, ClaimsView, ClaimWord } from '../../schemas/ipc-engagement.ts'
import { claimAnswerWords } from '../../schemas/words.ts'
import { plural } from './text.ts'

/** Worst first. */
export const CLAIM_WORDS = Object.keys(claimAnswerWords) as readonly ClaimWord[]

/** The worst result on any node; null where no node was collected. */
export const worstOf = ({ counts }: Pick<ClaimRow, 'counts'>): ClaimWord | null =>
  CLAIM_WORDS.find((word) => counts[word] > 0) ?? null

/** Claims with the worst result first; equal results keep the order of the profile. */
export function worstFirst(claims: readonly ClaimRow[]): readonly ClaimRow[] {
  const rank = (claim: ClaimRow): number => {
    const worst = worstOf(claim)
    return worst === null ? CLAIM_WORDS.length : CLAIM_WORDS.indexOf(worst)
  }
  return [...claims].sort((a, b) => rank(a) - rank(b))
}

/** Results of one claim as counts with their denominator, worst first. */
export const countsOfClaim = ({
  counts,
  nodes,
}: Pick<ClaimRow, 'counts' | 'nodes'>): readonly { readonly word: ClaimWord; readonly text: string }[] =>
  CLAIM_WORDS.filter((word) => counts[word] > 0).map((word) => ({
    word,
    text: `${claimAnswerWords[word].label} on ${counts[word]} of ${plural(nodes, 'node')}`,
  }))

interface RequiredDocument {
  readonly what: string
  readonly claims: readonly string[]
}

/** Required documents, each once, with the provider claims that it applies to. */
export function requiredDocuments({ claims }: Pick<ClaimsView, 'claims'>): readonly RequiredDocument[] {
  const records = new Map<string, string[]>()
  for (const { documentRequired, text } of claims) {
    if (documentRequired === null) continue
    records.set(documentRequired, [...(records.get(documentRequired) ?? []), text])
  }
  return [...records].map(([what, claims]) => ({ what, claims }))
}
