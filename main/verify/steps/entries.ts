import type { EntrySignature, NodeAssessment, Register, TracedNode } from '../../../schemas/types.ts'
import { MOST_PROBLEMS } from '../../core/base/budgets.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { quote } from '../../core/base/plain-text.ts'
import { populationOf } from '../../core/conclusion/assess.ts'
import type { AssessedNode, PackAssessor } from '../../core/conclusion/assessor.ts'
import { nodeAssessmentPath, nodeFolder } from '../../core/pack/pack-files.ts'
import type { PackSource, SchemaValidator, SealReader } from '../../core/ports/ports.ts'
import { compare, type LoadedRecording, recordingDigest } from '../../core/recording/recording.ts'
import { isOnePerson } from '../../core/register/register.ts'
import {
  isOneKey,
  keysProblem,
  ONE_KEY,
  type Signable,
  signablesIn,
  signaturesOf,
  signedBytes,
} from '../../core/register/signatures.ts'
import { canonical, digestOfRead, nodeFolders, type PackReading, readRecording, textOf } from './read.ts'
import { commonOutputs } from './read-once.ts'
import { type DetachedReading, readDetached } from './signature.ts'
import { NO_TRUST } from './trust.ts'

/** Result of reading one signature on a register entry. */
export interface EntrySignatureReading extends Omit<DetachedReading, 'demo' | 'trust'> {
  readonly role: EntrySignature['role']
}

/** Reads every signature on an entry, with the reader’s revocation lists. Never throws, whatever they contain. */
export const readSignatures = (
  seal: SealReader,
  entry: Signable,
  lists: readonly Uint8Array[] = [],
): Promise<readonly EntrySignatureReading[]> =>
  Promise.all(
    signaturesOf(entry).map(async (signature) => {
      const content = signedBytes(entry, signature)
      const trust = { ...NO_TRUST, lists }
      const {
        demo,
        trust: _,
        problems,
        ...reading
      } = await readDetached(seal, content, signature, { what: 'entry', trust })
      return { ...reading, role: signature.role, problems: demo ? [...problems, DEMO] : problems }
    }),
  )

const DEMO = 'It was made with a demo key, which identifies no one.'

/** Name of an entry in messages. */
const entryName = (entry: Signable): string =>
  `${'reference' in entry ? 'auditor request' : 'statedAt' in entry ? 'response' : 'decidedAt' in entry ? 'decision' : 'acceptedAt' in entry ? 'risk acceptance' : 'request'} ${entry.id}`

/** Problems of the signatures of one entry, one sentence each. */
export const signatureProblems = (entry: Signable, readings: readonly EntrySignatureReading[]): readonly string[] => {
  const keys = keysProblem(entry) ?? oneKeyProblem(entry, readings)
  return [
    ...readings.flatMap(({ role, problems }) =>
      problems
        .slice(0, 1)
        .map(
          (problem) =>
            `${entryName(entry)}: the signature of the ${ROLES[role]} is invalid: ${problem} The entry may have been changed since.`,
        ),
    ),
    ...(keys === null ? [] : [`${entryName(entry)}: ${keys}.`]),
  ]
}

/** The same key in two certificates counts as one key. */
function oneKeyProblem(entry: Signable, readings: readonly EntrySignatureReading[]): string | null {
  const keys = readings.flatMap(({ key }) => key ?? [])
  return 'approvedBy' in entry && !isOnePerson(entry) && new Set(keys).size < keys.length ? ONE_KEY : null
}

const ROLES = { requester: 'requester', approver: 'approver', respondent: 'respondent' } as const

/** Result of reading the signatures of a register: problems, and notes for the reader. */
interface EntriesReading {
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

/** Reads the signatures of a whole register. The reader must confirm the holder of each key, so each key is listed once. */
export async function readEntries(
  seal: SealReader,
  register: Register,
  lists: readonly Uint8Array[] = [],
): Promise<EntriesReading> {
  const entries = signablesIn(register)
  const problems: string[] = []
  const revoked = new Map<string, string>()
  const keys = new Map<string, { readonly subject: string; count: number }>()
  const read = new Map<string, readonly EntrySignatureReading[]>()
  for (const entry of entries) {
    if (problems.length > MOST_PROBLEMS) break
    // The same entry any number of times is read once.
    const text = canonicalJson(entry)
    const readings = read.get(text) ?? (await readSignatures(seal, entry, lists))
    read.set(text, readings)
    problems.push(...signatureProblems(entry, readings))
    for (const { subject, fingerprint, revokedAt, problems: wrong } of readings) {
      if (wrong.length > 0) continue
      if (revokedAt !== null) revoked.set(fingerprint, revokedAt)
      const key = keys.get(fingerprint) ?? { subject: subject ?? '', count: 0 }
      keys.set(fingerprint, { ...key, count: key.count + 1 })
    }
  }
  return {
    problems,
    notes: [
      ...peopleNotes(entries.filter((entry) => !('statedAt' in entry))),
      ...unsignedNotes(
        entries.filter((entry) => 'statedAt' in entry && 'check' in entry),
        'management responses',
      ),
      ...unsignedNotes(
        entries.filter((entry) => 'reference' in entry),
        'entries about requests of auditors',
      ),
      ...[...keys].map(([fingerprint, key]) => keyNote(fingerprint, key)),
      ...[...revoked].map(
        ([fingerprint, at]) =>
          `The key ${fingerprint} was revoked at ${at}. The earlier signing times are stated by the signer only.`,
      ),
    ],
  }
}

const keyNote = (
  fingerprint: string,
  { subject, count }: { readonly subject: string; readonly count: number },
): string =>
  `${quote(subject)}, key fingerprint ${fingerprint}, signed ${count === 1 ? 'one entry' : `${count} entries`} of the register. The holder of the key is not confirmed.`

function peopleNotes(entries: readonly Signable[]): readonly string[] {
  const count = (holds: (entry: Signable) => boolean): number => entries.filter(holds).length
  const unsigned = count((entry) => signaturesOf(entry).length === 0)
  const approved = (entry: Signable): boolean => signaturesOf(entry).some(({ role }) => role === 'approver')
  const half = count((entry) => 'approvedBy' in entry && signaturesOf(entry).length > 0 && !approved(entry))
  const one = count((entry) => 'approvedBy' in entry && isOnePerson(entry))
  const key = count(isOneKey)
  const of = `of ${entries.length} risk acceptances, requests and decisions`
  return [
    ...(unsigned === 0
      ? []
      : [`${unsigned} ${of} ${is(unsigned)} not digitally signed; approval is not independently evidenced.`]),
    ...(half === 0 ? [] : [`${half} ${of} ${is(half)} signed by the requester but not by the approver.`]),
    ...(one === 0
      ? []
      : [
          `${one} ${of} ${is(one)} requested and approved by the same person${key === 0 ? '' : `, ${key} with the same key`} (no segregation of duties).`,
        ]),
  ]
}

function unsignedNotes(entries: readonly Signable[], what: string): readonly string[] {
  const unsigned = entries.filter((entry) => signaturesOf(entry).length === 0).length
  return unsigned === 0
    ? []
    : [
        `${unsigned} of ${entries.length} ${what} ${is(unsigned)} not digitally signed; who stated them is not independently evidenced.`,
      ]
}

const is = (count: number): string => (count === 1 ? 'is' : 'are')

/** One declared node: the stated results, their recording, and the results derived here. */
export interface NodeReading {
  readonly node: string
  readonly recording: LoadedRecording | null
  readonly stated: NodeAssessment | null
  /** Evaluated here from the captures; a sentence when a rule threw, which is a program error. */
  readonly derived: NodeAssessment | { readonly threw: string } | null
  /** Its part of the run trace, from the same evaluation. */
  readonly traced: TracedNode | null
  readonly problems: readonly string[]
}

/** A node as its pack states it. */
export type StatedNode = Pick<NodeReading, 'node' | 'recording' | 'stated' | 'problems'>

/** A node that was read and whose evaluation was requested. */
interface AskedNode extends StatedNode {
  readonly assessed: Promise<AssessedNode> | null
}

/**
 * Reads, re-evaluates and yields the declared nodes of a pack in order. The next node is read, and its evaluation requested, before the
 * previous one is yielded, because rules may run in another thread; so a pack of any number of nodes needs the memory of two. With `only`,
 * other nodes are skipped; `onRead` is called with each node while it is evaluated. Facts shared between nodes are taken as the pack states
 * them, and must be compared with those derived from all nodes: see compareWhole().
 */
export async function* readNodes(
  source: PackSource,
  validator: SchemaValidator,
  { scope, assessment }: PackReading,
  judge: PackAssessor | null,
  { only = null, onRead = () => undefined }: NodesAsked,
): AsyncGenerator<NodeReading> {
  const folders = nodeFolders(source)
  const common = commonOutputs()
  const digests = new Map(assessment?.nodes.map(({ node, sha256: digest }) => [node, digest]))
  // Declaring a node costs a pack a few bytes, evaluating it costs a millisecond: beyond this limit the pack is rejected anyway.
  let unstated = 0
  let before: AskedNode | null = null
  for (const node of scope === null ? [] : populationOf(scope)) {
    if (only?.has(node) === false) continue
    const folder = nodeFolder(node)
    const paths = folders.get(folder) ?? []
    const { recording, problems } = paths.some((path) => path !== nodeAssessmentPath(node))
      ? await readRecording(source, folder, paths, validator, common)
      : { recording: null, problems: [] }
    const stated = await readStated(source, validator, node, digests.get(node))
    if (stated.value === null && recording === null) unstated += 1
    const assessed = judge === null || unstated > MOST_PROBLEMS ? null : evaluation(judge, node, recording)
    // A failure reaches the caller that awaits the node. For a node that is never awaited, it is not an unhandled rejection.
    assessed?.catch(() => undefined)
    if (before !== null) {
      onRead(before)
      yield await evaluated(before)
    }
    before = { node, recording, stated: stated.value, assessed, problems: [...problems, ...stated.problems] }
  }
  if (before !== null) {
    onRead(before)
    yield await evaluated(before)
  }
}

/** The digest of the recording comes from the text of its files, where the rules would write them again. */
const evaluation = (judge: PackAssessor, node: string, recording: LoadedRecording | null): Promise<AssessedNode> =>
  recording === null ? judge.node(node, null) : judge.node(node, recording, recordingDigest(recording))

/** Options of readNodes(). */
interface NodesAsked {
  readonly only?: ReadonlySet<string> | null
  readonly onRead?: ((node: StatedNode) => void) | undefined
}

async function evaluated({ assessed: asked, ...node }: AskedNode): Promise<NodeReading> {
  const assessed = await asked
  return {
    ...node,
    derived: assessed === null || 'threw' in assessed ? assessed : assessed.assessment,
    traced: assessed === null || 'threw' in assessed ? null : assessed.traced,
  }
}

/** Folders below data/nodes that do not belong to a declared node. */
export function strangeFolders(source: PackSource, { scope }: PackReading): readonly string[] {
  const declared = new Set((scope?.population ?? []).map(nodeFolder))
  return [...nodeFolders(source).keys()].filter((folder) => !declared.has(folder)).sort(compare)
}

async function readStated(
  source: PackSource,
  validator: SchemaValidator,
  node: string,
  digest: string | undefined,
): Promise<{ readonly value: NodeAssessment | null; readonly problems: readonly string[] }> {
  const path = nodeAssessmentPath(node)
  const text = await textOf(source, path)
  const found = canonical(text)
  const why =
    found === null
      ? ['it is missing, or not JSON in canonical form']
      : validator.problems('node-assessment', found.value)
  if (found === null || why.length > 0) return { value: null, problems: [`${path}: ${why[0]}.`] }
  const value = found.value as NodeAssessment
  const problems = [
    ...(value.node === node ? [] : [`${path} is of node ${quote(value.node)}.`]),
    ...(digest === undefined || text === null || digestOfRead(source, path, text) === digest
      ? []
      : [`${path} differs from the file that the assessment states for node ${quote(node)}.`]),
  ]
  return { value, problems }
}
