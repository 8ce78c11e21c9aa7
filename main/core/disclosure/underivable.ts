import type { Verdict } from '../../../schemas/words.ts'
import type { Reads } from '../judge.ts'
import { nodeFolder, type PackScope } from '../pack-files.ts'
import { captureKey } from '../probe.ts'
import { type DisclosedContent, type DisclosedNode, type DisclosedRecording, hasGap } from './rebuild.ts'

/** What a copy no longer lets anyone re-derive, decided by what each check may read. */
export interface Underivable {
  readonly verdicts: readonly { readonly node: string; readonly check: string; readonly verdict: Verdict }[]
  /** Nodes whose answers about isolation cannot be re-derived. */
  readonly isolation: readonly string[]
  /** Nodes whose stated results are withheld themselves, and declared nodes of which the copy has nothing. */
  readonly unstated: readonly string[]
}

/**
 * Lists the stated verdicts that rest on something withheld. A verdict can be re-derived only when the scope, the node's name, its recording's
 * header and every line of its captures are disclosed as far as verdicts need them, and every capture of every probe that the check may read
 * is there in whole; isolation may read every probe.
 */
export function underivable(reads: Reads, content: DisclosedContent): Underivable {
  const basisOf = basesIn(reads, content)
  const judged = content.nodes.flatMap((node) =>
    node.entry === null ? [] : [{ label: node.label, entry: node.entry, basis: basisOf(node) }],
  )
  return {
    verdicts: judged.flatMap(({ label, entry, basis }) =>
      entry.findings
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

/** What of a node's results can be derived from a copy. */
export interface Basis {
  readonly canDerive: (check: string) => boolean
  /** Whether every answer of the node is there. */
  readonly isWhole: boolean
  /** Whether what was brought from outside to judge where it is, is there too. */
  readonly isLocated: boolean
}

/** A check that compares nodes rests on what it reads of every one of them. */
export function basesIn(
  reads: Reads,
  { scope, nodes }: Pick<DisclosedContent, 'scope' | 'nodes'>,
): (node: DisclosedNode) => Basis {
  const alone = basesAlone(reads, scope)
  const comparing = new Set(reads.checks.flatMap(({ id, comparesNodes }) => (comparesNodes ? [id] : [])))
  const told = new Set(nodes.flatMap(({ entry }) => entry?.node ?? []))
  const isEveryNodeTold =
    scope?.population.every((name) => told.has(name)) === true && nodes.every((node) => alone(node).isIdentified)
  return (node) => {
    const basis = alone(node)
    return { ...basis, canDerive: (check) => basis.canDerive(check) && (isEveryNodeTold || !comparing.has(check)) }
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
    const isThere = node.entry !== null && population.has(node.entry.node) && isToldOf(node)
    const withheld = withheldKeys(node.recording)
    // Records of other machines count by the host key that they name.
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

/** No result rests on a signature, which goes with whatever it is over. Copies hold anything: nothing is taken for granted here. */
const withoutSignatures = (location: unknown): string =>
  JSON.stringify(location, (key, value: unknown) => (key === 'cms' ? undefined : value)) ?? ''

/** Declared nodes that no folder of the copy is readably of. Where names are withheld, as many folders with withheld names are theirs. */
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

const rests = (answers: readonly string[], withheld: ReadonlySet<string>): boolean =>
  answers.some((answer) => withheld.has(answer))
