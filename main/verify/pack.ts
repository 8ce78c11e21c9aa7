import type { Assessment, NodeAssessment, Register, Scope, Statement, TracedNode } from '../../schemas/types.ts'
import type { Difference, VerificationCheckResult, VerificationReport } from '../../schemas/verification.ts'
import { addAll, atMost } from '../core/base/budgets.ts'
import type { PackAssessor } from '../core/conclusion/assessor.ts'
import { PATHS } from '../core/pack/pack-files.ts'
import type { PackSource, SchemaValidator, SealReader, SealReading } from '../core/ports/ports.ts'
import type { LoadedRecording } from '../core/recording/recording.ts'
import type { NodeVerdicts } from '../core/register/documents.ts'
import { EMPTY_REGISTER } from '../core/register/register.ts'
import { ownEntry } from '../core/run-chain/entry.ts'
import { type Checkpoint, headOf } from '../core/run-chain/head.ts'
import { indexProblems } from './disclosure/cuts/copy.ts'
import { type Asked, begins, concludes, conclusion, isTrusted, sealChecks, sealStep, validSigner } from './pipeline.ts'
import { collectionProblems, isUncounted, recordingNotes, uncountedNotes } from './steps/collected.ts'
import { absenceOf, completeness, nodeProblems, wholeProblems } from './steps/complete.ts'
import { engagementOfPack } from './steps/engagement.ts'
import { type NodeReading, readNodes, type StatedNode, strangeFolders } from './steps/entries.ts'
import { locationOfPack } from './steps/location.ts'
import { readPackedCatalog } from './steps/pack-catalog.ts'
import {
  ALREADY_REJECTED,
  earlierProblems,
  executiveProblems,
  type PageComparer,
  readEarlier,
  readReport,
  reportProblems,
} from './steps/pages.ts'
import { chainOf, traceDiffers } from './steps/period-walk.ts'
import { type PackReading, readPack } from './steps/read.ts'
import { registerOfPack } from './steps/register.ts'
import { compareNode, compareWhole, wordingDiffers } from './steps/reproduce.ts'
import { checkResult } from './steps/result.ts'
import {
  assessorOfPack,
  falsifiedRules,
  profileNotes,
  type RulesAtHand,
  type RulesSources,
  rulesAtHand,
  rulesReading,
  unknownRules,
} from './steps/rules.ts'
import { alterations, matterOfRun, onlyRepacked, packedAgain, tagFileProblems } from './steps/tags.ts'

export interface VerifyInput extends Asked, RulesSources {
  readonly source: PackSource
  /** Departures of the archive from the form that this program writes; empty for a folder. */
  readonly departures: readonly string[]
  /** Result of indexProblems(), where another thread has already started to compute it: see OpenPack. */
  readonly index?: Promise<readonly string[]> | null
  readonly seal: SealReader
  readonly validator: SchemaValidator
  /** Regenerates the pages of the pack and compares them. */
  readonly pages: PageComparer
  /** The checkpoint of the run chain that the reader kept from an earlier pack. */
  readonly checkpoint: Checkpoint | null
  /** Keep every recording and result for later use. Otherwise only one node at a time is in memory. */
  readonly keep: boolean
  /** Returns one shared copy for equal plain data, because many nodes can have the same. */
  readonly share?: (<T>(value: T) => T) | undefined
  /** Called after the last use of the rules, before pages are made: rules in a thread of their own can then be ended to free their memory. */
  readonly onAssessed?: (() => void) | undefined
}

export interface VerifiedPack {
  readonly report: VerificationReport
  readonly contents: PackContents
  /** Checkpoint of the run chain with this pack as its last entry, for the reader to keep. Null when the pack is in no chain or does not verify. */
  readonly head: Checkpoint | null
}

/** The readable statements of a pack, whether or not it verifies. */
export interface PackContents {
  readonly run: string | null
  readonly statement: Statement | null
  readonly scope: Scope | null
  /** With `keep`: the stated assessment, joined from its parts. */
  readonly assessment: Assessment | null
  readonly recordings: readonly LoadedRecording[]
  /** The register; null when it cannot be read. */
  readonly register: Register | null
  /** Verdicts stated, and how many of them were reproduced here. */
  readonly verdicts: { readonly stated: number; readonly identical: number }
}

/**
 * Performs the six verification checks of a pack independently: a failed check does not prevent the others. Never throws,
 * whatever the pack contains. `ok` is false as soon as one check fails.
 */
export async function verifyPack(input: VerifyInput): Promise<VerifiedPack> {
  const { source, trust, verifiedAt } = input
  begins(input, 'contents')
  const reading = await readPack(source, input.validator)
  const asked = evaluationOf(input, reading)
  const packed = await readPackedCatalog(source, { ...reading, catalog: input.catalog })
  const ofPack = await registerOfPack({ ...input, packed }, reading)
  const declared = await engagementOfPack(source, { ...reading, packed }, input.catalog)
  const location = await locationOfPack(source, reading, input.seal, trust)
  begins(input, 'seal')
  const sealed = await sealStep(source, input.seal, input)
  const { seal } = sealed
  const statedAt = reading.assessment?.asOf ?? null
  concludes(input, 'pack', sealChecks(input, sealed, statedAt))
  begins(input, 'files')
  const compared = await alterations(source, reading.statement)
  const compare = async (): Promise<Integrity> => {
    const problems = [
      ...compared,
      ...(await (input.index?.catch(() => indexProblems(source)) ?? indexProblems(source))),
      ...(seal?.signer == null || reading.statement === null
        ? []
        : await tagFileProblems(source, matterOfRun(reading.statement, seal.signer))),
    ]
    const altered = [...input.departures.map(packedAgain), ...problems]
    const files = source.paths.length
    const repacked = onlyRepacked({ ...input, problems, sealProblems: seal?.problems ?? null, files })
    const integrity = repacked ?? intact(altered, seal, files)
    concludes(input, 'pack', [integrity])
    return { altered, integrity }
  }
  const comparing = compare()
  comparing.catch(() => undefined)
  // Where another thread computes the problems of the index, the nodes are read meanwhile.
  if (input.index == null) await comparing
  const { rules, assess, nodes } = await asked
  const walked = await walk(input, reading, nodes)
  const { altered, integrity } = await comparing
  begins(input, 'chain')
  const pdf = await readReport(source, input.seal, trust, PATHS.report)
  const executive = await readReport(source, input.seal, trust, PATHS.executive)
  const earlier = await readEarlier(source, input.validator)
  const chain = await chainOf({ ...input, trusted: isTrusted(sealed, input) }, ownOf(reading), seal)
  concludes(input, 'pack', [chain.answer])
  const signer = validSigner(sealed)
  const { statement, assessment, scope } = reading
  const problems = [
    ...walked.problems,
    ...declared,
    ...location.problems,
    ...ofPack.problems,
    ...earlier.problems,
    ...(earlier.earlier === null ? [] : earlierProblems(earlier.earlier, chain.stated)),
    ...reportProblems(pdf, reading, signer),
    ...executiveProblems(executive, reading, signer),
  ]
  const rederived = await reproducible(reading, { rules, assess }, walked, {
    register: ofPack.register,
    trace: await traceDiffers(input, reading, { assess, rules: rules?.status ?? null }, walked),
  })
  concludes(input, 'pack', [rederived])
  const isRejected = altered.length > 0 || problems.length > 0 || rederived.outcome === 'failed'
  input.onAssessed?.()
  begins(input, 'pages')
  const pages =
    isRejected || statement === null || ofPack.register === null || seal?.signer == null
      ? ALREADY_REJECTED
      : await input.pages.compare({
          source,
          reading,
          statement,
          register: ofPack.register,
          earlier: earlier.earlier,
          signer: seal.signer,
        })
  const complete = completeness(problems, {
    ...walked,
    declared: reading.scope?.population.length ?? 0,
    notes: [...atMost(walked.recordingNotes), ...uncountedNotes(walked.uncounted), ...ofPack.notes, ...location.notes],
    level: pdf?.level ?? null,
    pages,
    earlier: earlier.earlier?.runs.length ?? 0,
  })
  concludes(input, 'pack', [complete])
  const report = conclusion('pack', input, sealed, {
    integrity,
    completeness: complete,
    reproducibility: rederived,
    continuity: chain.answer,
    statedAt,
    demo: assessment?.demo === true || statement?.predicate.demo === true || walked.demo,
    rules:
      assessment === null || rules === null
        ? null
        : rulesReading(assessment.catalog, rules.status, { stated: walked.count, identical: walked.identical }),
    differences: walked.differences,
  })
  const contents: PackContents = {
    run: statement?.predicate.run ?? null,
    statement,
    scope: assessment?.scope ?? scope,
    assessment:
      assessment === null || !input.keep
        ? null
        : {
            ...assessment,
            schema: 'barewitness.assessment/1',
            nodes: walked.stated,
          },
    recordings: walked.recordings,
    register: ofPack.register,
    verdicts: { stated: walked.count, identical: walked.identical },
  }
  return {
    report,
    contents,
    head: report.ok && chain.own !== null ? headOf(chain.reading, chain.own, verifiedAt) : null,
  }
}

interface Integrity {
  readonly altered: readonly string[]
  readonly integrity: VerificationCheckResult
}

interface Evaluation {
  readonly rules: RulesAtHand | null
  readonly assess: PackAssessor | null
  /** To be taken once. */
  readonly nodes: AsyncIterable<NodeReading>
}

/**
 * Loads the rules of a pack and evaluates its nodes with them. This starts before the files are compared, because the rules run in another
 * thread, which can load them and evaluate the first nodes meanwhile. Results are used only when the verification reaches that step.
 */
function evaluationOf(input: VerifyInput, reading: PackReading): Promise<Evaluation> {
  const begun = (async (): Promise<Evaluation> => {
    const { source, validator, pages } = input
    const { assessment, scope } = reading
    const rules = assessment === null ? null : await rulesAtHand(input, assessment)
    const assess = await assessorOfPack(rules, reading)
    // The pages need data of a node that does not depend on its evaluation, which runs in another thread meanwhile.
    const onRead = scope === null ? undefined : (node: StatedNode) => pages.add(node, scope)
    return { rules, assess, nodes: firstBegun(readNodes(source, validator, reading, assess, { onRead })) }
  })()
  begun.catch(() => undefined)
  return begun
}

/** Yields the same values, and requests the first one immediately. */
function firstBegun<T>(values: AsyncGenerator<T>): AsyncIterable<T> {
  const first = values.next()
  first.catch(() => undefined)
  return (async function* () {
    for (let next = await first; next.done !== true; next = await values.next()) yield next.value
  })()
}

const ownOf = ({ statement }: PackReading) =>
  statement === null
    ? null
    : (tagManifest: Uint8Array, signer: string) => ownEntry(statement.predicate, tagManifest, signer)

type Walk = Awaited<ReturnType<typeof walk>>

/** One pass over the nodes. Only the data that the checks need is kept. */
async function walk(
  { source, catalog, keep, onStep, share = (value) => value }: VerifyInput,
  reading: PackReading,
  nodes: AsyncIterable<NodeReading>,
) {
  const found = {
    problems: [...wholeProblems(reading, strangeFolders(source, reading))],
    absences: [] as string[],
    /** Notes on recordings. */
    recordingNotes: [] as string[],
    differences: [] as Difference[],
    details: [] as string[],
    wording: [] as string[],
    verdicts: [] as NodeVerdicts[],
    count: 0,
    identical: 0,
    collected: 0,
    /** Complete recordings of another catalog. */
    uncounted: 0,
    demo: false,
    /** Null as soon as one node could not be re-evaluated. */
    traced: [] as TracedNode[] | null,
    /** These and the recordings only with `keep`. */
    stated: [] as NodeAssessment[],
    recordings: [] as LoadedRecording[],
  }
  const total = reading.scope?.population.length ?? 0
  let done = 0
  onStep?.({ step: 'nodes', done, total })
  for await (const node of nodes) {
    done += 1
    onStep?.({ step: 'nodes', done, total })
    const compared = compareNode(node)
    const absence = absenceOf(node)
    addAll(found.problems, [...nodeProblems(node, reading), ...collectionProblems(node, catalog)])
    if (isUncounted(node.recording, catalog)) found.uncounted += 1
    addAll(found.recordingNotes, recordingNotes(node, reading.statement?.predicate.run ?? null))
    addAll(found.differences, compared.differences)
    addAll(found.details, compared.details)
    if (compared.details.length === 0) addAll(found.wording, wordingDiffers(node))
    if (absence !== null) found.absences.push(absence)
    if (compared.verdicts !== null) found.verdicts.push(share(compared.verdicts))
    found.count += compared.stated
    found.identical += compared.identical
    if (node.stated?.status === 'complete' || node.stated?.status === 'partial') found.collected += 1
    found.demo ||= node.recording?.recording.demo === true
    if (node.traced === null) found.traced = null
    else found.traced?.push(share(node.traced))
    if (keep && node.stated !== null) found.stated.push(node.stated)
    if (keep && node.recording !== null) found.recordings.push(node.recording)
  }
  return found
}

/** Compares the files with the sealed list. Without a valid seal, nothing shows that the list is the sealed one. */
export function intact(altered: readonly string[], seal: SealReading | null, files: number): VerificationCheckResult {
  if (altered.length > 0) {
    const differences = altered.length === 1 ? 'One difference' : `${altered.length} differences`
    return checkResult('integrity', 'failed', `${differences} from the sealed contents.`, altered)
  }
  return seal === null || seal.problems.length > 0
    ? checkResult('integrity', 'indeterminate', 'Digests match, but no valid seal covers the list.')
    : checkResult('integrity', 'passed', `All ${files} files match the sealed digests.`)
}

async function reproducible(
  reading: PackReading,
  { rules, assess }: { readonly rules: RulesAtHand | null; readonly assess: PackAssessor | null },
  walked: Walk,
  { register, trace }: { readonly register: Register | null; readonly trace: readonly string[] },
): Promise<VerificationCheckResult> {
  const check = 'reproducibility'
  const count = `${walked.identical} of ${walked.count} verdicts`
  if (rules === null || assess === null || reading.assessment === null)
    return checkResult(check, 'failed', 'Re-evaluation is not possible.', [
      'The pack lacks files required for re-evaluation.',
    ])
  const derived = await assess.whole(walked.verdicts, { demo: walked.demo, register: register ?? EMPTY_REGISTER })
  const whole = compareWhole(reading.assessment, derived, rules.status)
  const explained = [...walked.details, ...whole.details]
  const rest =
    whole.wording && explained.length === 0 ? ['The stated assessment as a whole differs from the derived one.'] : []
  const differing = [...explained, ...walked.wording, ...rest, ...trace]
  const { sentence, relaxed } = profileNotes(rules.thresholds, reading.scope?.profile)
  const details = [...differing, ...relaxed]
  switch (rules.status) {
    case 'falsified':
      return checkResult(check, 'failed', falsifiedRules(reading.assessment.catalog, rules.reference), [
        `With the rules of this program, ${count} are reproduced.`,
        ...details,
      ])
    case 'unknown': {
      const unconfirmed = unknownRules(reading.assessment.catalog.version, {
        stated: walked.count,
        identical: walked.identical,
      })
      return checkResult(check, 'indeterminate', `${unconfirmed} ${sentence}`, details)
    }
    case 'same': {
      const isSame = differing.length === 0
      const summary = `Re-evaluated from the captures: ${count} reproduced${isSame ? ', byte for byte' : ''}. ${sentence}`
      return checkResult(check, isSame ? 'passed' : 'failed', summary, details)
    }
  }
}
