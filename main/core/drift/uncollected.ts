import type { CollectedAs, EvidenceChange, RunDrift, Uncollected } from '../../../schemas/drift.ts'
import { FAILURE_CODES, type FailureCode, failureWords } from '../../../schemas/failure-words.ts'
import { plural } from '../phrases.ts'

/** Why a node was not compared, or not in all, in one line: which run, for what reason, and how much rests on it. */
export function uncollectedWords({ node, before, after, probes, checks }: Uncollected): string {
  const [was, is] = [shortOf(before), shortOf(after)]
  const found =
    was !== null && is !== null
      ? was === is
        ? `${was} in both runs`
        : `${was} in the earlier run, ${is} in the later one`
      : is !== null
        ? `${is} in the later run`
        : `${was ?? 'collected'} in the earlier run`
  const affected = [
    ...(probes.length === 0 ? [] : [`${plural(probes.length, 'probe')} collected in one run only`]),
    `${plural(checks.length, 'verdict')} affected`,
  ].join(', ')
  return `${node} ${found}${reason(is === null ? before : after)} (${affected})`
}

function shortOf({ status }: CollectedAs): string | null {
  if (status === 'complete') return null
  return status === 'partial' ? 'partially collected' : 'not collected'
}

function reason({ failure }: CollectedAs): string {
  if (failure === null) return ''
  const title = isCode(failure) ? failureWords[failure].title : failure
  // An abbreviation keeps its capitals.
  return `: ${/^.[A-Z]/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1)}`
}

const isCode = (failure: string): failure is FailureCode => (FAILURE_CODES as readonly string[]).includes(failure)

/** Changes of evidence without the answers that are missing only because a collection ended early. */
export function evidenceCompared({ evidence, uncollected }: RunDrift): readonly EvidenceChange[] {
  const missing = new Set(uncollected.flatMap(({ node, probes }) => probes.map((probe) => `${node} ${probe}`)))
  return evidence.filter(
    ({ node, what, is }) =>
      !(what.kind === 'reading' && is !== 'changed' && missing.has(`${node} ${what.probe}`)) &&
      !(what.kind === 'status' && uncollected.some((one) => one.node === node)),
  )
}
