import type { Verdict } from '../../../schemas/words.ts'
import type { PackScope } from '../../core/conclusion/assess.ts'
import type { Reads } from '../../core/conclusion/assessor.ts'
import { nodeFolder } from '../../core/pack/pack-files.ts'
import { captureKey } from '../../core/recording/probe.ts'
import { type DisclosedContent, type DisclosedNode, type DisclosedRecording, hasGap } from './rebuild.ts'

/** Results that cannot be reproduced from a copy, based on the evidence that each check can read. */
export interface Underivable {
  readonly verdicts: readonly { readonly node: string; readonly check: string; readonly verdict: Verdict }[]
  /** Nodes whose isolation results cannot be reproduced. */
  readonly isolation: readonly string[]
  /** Nodes whose stated results are redacted, and declared nodes missing from the copy. */
  readonly unstated: readonly string[]
}

/**
 * Lists the stated verdicts that depend on redacted parts. A verdict can be reproduced only when the copy discloses the parts of the scope,
 * the node’s name, its recording’s header and every line of its captures on which verdicts depend, and when every capture of every probe
 * that the check can read is complete. Isolation can read every probe.
 */
export function underivable(reads: Reads, content: DisclosedContent): Underivable {
  const basisOf = basesIn(reads, content)
  const judged = content.nodes.flatMap((node) =>
    node.entry === null ? [] : [{ label: node.label, entry: node.entry, basis: basisOf(node) }],
  )
  return {
    verdicts: judged.flatMap(({ label, entry, basis }) =>
      entry.results
        .filter(({ check }) => !basis.canDerive(check))
        .map(({ check, verdict }) => ({ node: label, check, verdict })),
    ),
    isolation: judged
      .filter(({ entry, basis }) => entry.isolation !== null && !basis.isWhole)
      .map(({ label }) => label),
    unstated: [
      ...content.nodes.filter(({ entry }) => entry === null).map(({ label }) => label),
      ...absentNodes(content),
    ],
  }
}

/** Which results of a node can be derived from a copy. */
export interface Basis {
  readonly canDerive: (check: string) => boolean
  /** Whether every capture of the node is present. */
  readonly isWhole: boolean
  /** Whether the external location evidence is present too. */
  readonly isLocated: boolean
}

/** A check that compares nodes depends on the evidence of all of them. */
export function basesIn(
  reads: Reads,
  { scope, nodes }: Pick<DisclosedContent, 'scope' | 'nodes'>,
): (node: DisclosedNode) => Basis {
  const alone = basesAlone(reads, scope)
  const comparing = new Set(reads.checks.flatMap(({ id, comparesNodes }) => (comparesNodes ? [id] : [])))
  const disclosed = new Set(nodes.flatMap(({ entry }) => entry?.node ?? []))
  const isEveryNodeStated =
    scope?.population.every((name) => disclosed.has(name)) === true && nodes.every((node) => alone(node).isIdentified)
  return (node) => {
    const basis = alone(node)
    return { ...basis, canDerive: (check) => basis.canDerive(check) && (isEveryNodeStated || !comparing.has(check)) }
  }
}

function basesAlone(
  { checks, identity, all }: Reads,
  scope: PackScope | null,
): (node: DisclosedNode) => Basis & { readonly isIdentified: boolean } {
  const population = new Set(scope?.population ?? [])
  const isBrought = scope?.location === undefined || !hasGap(withoutSignatures(scope.location))
  const located = new Set(checks.flatMap(({ id, isAboutLocation }) => (isAboutLocation ? [id] : [])))
  const answers = new Map(checks.map((check) => [check.id, check.answers]))
  return (node) => {
    const isThere = node.entry !== null && population.has(node.entry.node) && hasBasis(node)
    const withheld = withheldKeys(node.recording)
    // Measurements from other machines are matched by the host key they name.
    const isKnown = !hasGap(JSON.stringify(node.recording?.recording.hostKey ?? null))
    const isLocated = scope?.location === undefined || (isBrought && isKnown)
    return {
      canDerive: (check) =>
        isThere && (isLocated || !located.has(check)) && !rests(answers.get(check) ?? all, withheld),
      isWhole: isThere && withheld.size === 0,
      isLocated,
      isIdentified: isThere && !rests(identity, withheld),
    }
  }
}

/** No result depends on a signature, which is redacted with its content. The copy is untrusted input, so nothing is assumed about its form. */
const withoutSignatures = (location: unknown): string =>
  JSON.stringify(location, (key, value: unknown) => (key === 'cms' ? undefined : value)) ?? ''

/** Declared nodes without a readable folder in the copy. Where names are redacted, the same number of folders with redacted names is deducted. */
export function absentNodes({ scope, nodes }: DisclosedContent): readonly string[] {
  const declared = scope?.population ?? []
  const there = new Set(nodes.flatMap(({ folder, entry }) => [folder, ...(entry === null ? [] : [nameOf(entry.node)])]))
  const nameless = declared.filter(hasGap).length - nodes.filter(({ folder }) => hasGap(folder)).length
  return [
    ...new Set(declared.filter((name) => !hasGap(name) && !there.has(nameOf(name)))),
    ...Array.from({ length: Math.max(nameless, 0) }, (_, index) => `absent-node-${index + 1}`),
  ]
}

const nameOf = (node: string): string => nodeFolder(node).slice('data/nodes/'.length)

/**
 * Whether the copy contains the basis of the node’s results: its recording, with at least one capture where it had any, or the statement
 * that there is no recording.
 */
function hasBasis({ entry, recording, isRecorded }: DisclosedNode): boolean {
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

const rests = (answers: readonly string[], withheld: ReadonlySet<string>): boolean =>
  answers.some((answer) => withheld.has(answer))
