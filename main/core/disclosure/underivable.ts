import type { Verdict } from '../../../schemas/words.ts'
import type { Catalog } from '../catalog.ts'
import { captureKey, type Probe } from '../probe.ts'
import type { DisclosedContent, DisclosedNode, DisclosedRecording } from './rebuild.ts'

/** What a copy no longer lets anyone re-derive, decided by what each check may read. */
export interface Underivable {
  readonly verdicts: readonly { readonly node: string; readonly check: string; readonly verdict: Verdict }[]
  /** Nodes whose answers about isolation cannot be re-derived. */
  readonly isolation: readonly string[]
  /** Nodes whose stated results are withheld themselves. */
  readonly unstated: readonly string[]
}

/**
 * Lists the stated verdicts that rest on something withheld. A verdict can be re-derived only when the scope, the node's name, its recording's
 * header and every line of its captures are disclosed as far as verdicts need them, and every capture of every probe that the check may read
 * is there in whole; isolation may read every probe.
 */
export function underivable(catalog: Catalog, { scope, nodes }: DisclosedContent): Underivable {
  const population = new Set(scope?.population ?? [])
  const reads = new Map(
    catalog.checks.map((check) => [check.id, [...Object.values(check.needs), ...Object.values(check.wants ?? {})]]),
  )
  const judged = nodes.flatMap((node) => {
    const { entry } = node
    if (entry === null) return []
    const isThere = population.has(entry.node) && isToldOf(node)
    return [{ label: node.label, entry, isThere, withheld: withheldKeys(node.recording) }]
  })
  return {
    verdicts: judged.flatMap(({ label, entry, isThere, withheld }) =>
      entry.findings
        .filter(({ check }) => !isThere || rests(reads.get(check) ?? catalog.probes, withheld))
        .map(({ check, verdict }) => ({ node: label, check, verdict })),
    ),
    isolation: judged
      .filter(({ entry, isThere, withheld }) => entry.isolation !== null && (!isThere || withheld.size > 0))
      .map(({ label }) => label),
    unstated: nodes.filter(({ entry }) => entry === null).map(({ label }) => label),
  }
}

/** Whether the copy says of the node what its results rest on: its recording, with some answer if it had any, or that there is none. */
function isToldOf({ entry, recording, isRecorded }: DisclosedNode): boolean {
  if (recording === null) return !isRecorded && entry?.recording === null
  if (recording.recording.node.name !== entry?.node) return false
  const answers = recording.captures.filter(({ meta }) => meta.source === 'node' && meta.status === 'done')
  return answers.length === 0 || answers.some(({ answer }) => answer !== null)
}

const withheldKeys = (recording: DisclosedRecording | null): ReadonlySet<string> =>
  new Set(
    (recording?.captures ?? [])
      .filter(({ answer }) => answer === null)
      .map(({ meta }) => captureKey(meta.probe, meta.command)),
  )

const rests = (probes: readonly Probe<unknown>[], withheld: ReadonlySet<string>): boolean =>
  probes.some(({ id, commands }) => Object.keys(commands).some((command) => withheld.has(captureKey(id, command))))
