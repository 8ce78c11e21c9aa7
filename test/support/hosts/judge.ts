import type { Verdict } from '../../../schemas/words.ts'

/** What is true of a host by its configuration, as far as the claim of one check goes. */
export interface Statement {
  readonly check: string
  /**
   * `holds`: the claim is true, or the rule asks for nothing here. `fails`: the claim is false. `open`: it hangs on what a node cannot
   * show, so that any decision would be an invention.
   */
  readonly truth: 'holds' | 'fails' | 'open'
  /** The configuration that makes it so. */
  readonly because: string
  /** Why no decision is right as well; without it, an undecided verdict counts as a missing answer. */
  readonly undecidedIf?: string
}

/** How a verdict compares with what was configured. */
export type Outcome = 'right' | 'false support' | 'false deviation' | 'undecided' | 'missing answer'

const SUPPORTS: readonly Verdict[] = ['satisfied', 'not-applicable']

/** Compares a verdict with the truth. A check without any result is a missing answer: silence must not pass. */
export function judge({ truth, undecidedIf }: Statement, verdict: Verdict | undefined): Outcome {
  if (verdict === 'not-satisfied') return truth === 'fails' ? 'right' : 'false deviation'
  if (verdict !== undefined && SUPPORTS.includes(verdict)) return truth === 'holds' ? 'right' : 'false support'
  if (verdict !== 'inconclusive') return 'missing answer'
  return truth === 'open' ? 'right' : undecidedIf === undefined ? 'missing answer' : 'undecided'
}

/** Statements that hold for several hosts, with those of one host in the place of shared ones about the same check. */
export function statementsOf(shared: readonly Statement[], own: readonly Statement[]): readonly Statement[] {
  const replaced = new Set(own.map(({ check }) => check))
  return [...shared.filter(({ check }) => !replaced.has(check)), ...own]
}
