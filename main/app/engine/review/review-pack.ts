import type { CheckpointView, PackReview, TrustAnchor } from '../../../../schemas/ipc-packs.ts'
import type { VerificationProgress } from '../../../../schemas/verification.ts'
import type { Ports } from '../../../core/all-ports.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { seenHeadPath } from '../../../core/base/layout.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { PATHS } from '../../../core/pack/pack-files.ts'
import type { SealReading } from '../../../core/ports/ports.ts'
import { EMPTY_REGISTER } from '../../../core/register/register.ts'
import { hasExactly, isDigest, parsedJson } from '../../../core/run-chain/entry.ts'
import { type Checkpoint, headText, LARGEST_CHECKPOINT, parseHead } from '../../../core/run-chain/head.ts'
import { CHAIN_PATHS, CHAIN_SCHEMA } from '../../../core/run-chain/notes.ts'
import { outcomeWord, verificationAnswers, verificationHeadline } from '../../../present/verification-headline.ts'
import type { OnResult } from '../../../verify/pipeline.ts'
import { bytesOf, textOf } from '../../../verify/steps/read.ts'
import { chainIn, readSealOf } from '../../../verify/steps/signature.ts'
import { certificatesOf, type Trust } from '../../../verify/steps/trust.ts'
import { withPack } from '../../common/pack-shelf.ts'
import { assessmentView } from '../../evaluate/views.ts'
import { reviewFile } from '../../export/review.ts'
import type { EngineContext } from '../context/context.ts'
import { fileName, haveTexts, isObject, readKept, turnOf, writeKept } from '../context/kept-json.ts'
import { addAnchorFile, addAnchors, listAnchors, trustOf } from '../trust/trust-anchors.ts'
import { handleOf, keepRecent } from './review-recent.ts'

/** The part of one run chain that this reader saw: the longest history, and each pack with its position in it. */
interface SeenFile {
  readonly schema: 'barewitness.seen-chain/1'
  /** headText() of the longest history. */
  readonly head: string
  /**
   * The signer whose pack showed that history: fingerprint of the root, or of the key without a root. Absent in files
   * of earlier versions.
   */
  readonly by?: string
  /** The reader trusted that signer at the time. */
  readonly trusted?: boolean
  readonly packs: readonly { readonly sha256: string; readonly head: string }[]
}

/** The signer of a pack. Anyone can name another owner's chain in a pack of their own. */
interface SealedBy {
  /** Fingerprint of the root, or of the key without a root. */
  readonly by: string
  readonly trusted: boolean
}

const MOST_PACKS = 1000

type Where = Pick<EngineContext, 'ports' | 'folder'>

/**
 * The checkpoint to compare a pack with: for a pack seen before, the checkpoint of that time; for any other, the
 * longest one seen. So an older pack can be opened again, and a truncated history is still detected. A checkpoint from
 * an untrusted signer applies to that signer's packs only.
 */
export async function headFor(
  context: Where,
  chain: string,
  pack: string,
  by: string,
): Promise<Outcome<Checkpoint | null>> {
  const seen = await readSeen(context, chain)
  if (!seen.ok) return seen
  if (seen.value === null) return ok(null)
  const before = seen.value.packs.find(({ sha256 }) => sha256 === pack)
  if (before === undefined && !appliesTo(seen.value, by)) return ok(null)
  return parseHead(before?.head ?? seen.value.head)
}

/** The checkpoint of a run chain that applies to packs of a signer; null where none is kept. */
async function keptHead(
  context: Where,
  chain: string,
  by: string,
): Promise<Outcome<Omit<CheckpointView, 'comparedWith'> | null>> {
  const seen = await readSeen(context, chain)
  if (!seen.ok) return seen
  if (seen.value === null || !appliesTo(seen.value, by)) return ok(null)
  const head = parseHead(seen.value.head)
  if (!head.ok) return head
  const { size, lastRun, seenAt } = head.value
  return ok({ entries: size, lastRun, keptAt: seenAt, confirmed: seen.value.trusted === true })
}

/**
 * Stores the checkpoint of a pack for which no check failed. An untrusted signer cannot replace a checkpoint from
 * another one.
 */
export async function keepHead(
  context: Where,
  head: Checkpoint,
  pack: string,
  { by, trusted }: SealedBy,
): Promise<Outcome<null>> {
  const seen = await readSeen(context, head.chain)
  if (!seen.ok) return seen
  const { value: before } = seen
  if (!trusted && before !== null && (before.trusted === true || !appliesTo(before, by))) return ok(null)
  const longest = before !== null && appliesTo(before, by) ? parseHead(before.head) : null
  const packs = (before?.packs ?? []).filter(({ sha256 }) => sha256 !== pack)
  const file: SeenFile = {
    schema: 'barewitness.seen-chain/1',
    head: longest?.ok === true && longest.value.size > head.size ? headText(longest.value) : headText(head),
    by,
    trusted,
    packs: [...packs, { sha256: pack, head: headText(head) }].slice(-MOST_PACKS),
  }
  return await writeKept(context.ports, seenHeadPath(context.folder, head.chain), file)
}

const appliesTo = (seen: SeenFile, by: string): boolean => seen.trusted === true || (seen.by ?? by) === by

async function readSeen({ ports, folder }: Where, chain: string): Promise<Outcome<SeenFile | null>> {
  const isOurs = (value: unknown): value is SeenFile => isSeen(value, chain)
  return await readKept(ports, seenHeadPath(folder, chain), isOurs)
}

const isSeen = (value: unknown, chain: string): value is SeenFile =>
  isObject(value) &&
  value.schema === 'barewitness.seen-chain/1' &&
  isHeadOf(value.head, chain) &&
  (value.by === undefined || typeof value.by === 'string') &&
  (value.trusted === undefined || typeof value.trusted === 'boolean') &&
  Array.isArray(value.packs) &&
  value.packs.every((one) => haveTexts(one, ['sha256', 'head']) && isHeadOf(one.head, chain))

function isHeadOf(text: unknown, chain: string): boolean {
  const head = typeof text === 'string' ? parseHead(text) : null
  return head?.ok === true && head.value.chain === chain
}

export interface Opening {
  readonly path: string
  /** An own draft, opened as its reader will open it. */
  readonly draft: boolean
  /** A checkpoint that the reader imported for this file; it replaces the stored one. */
  readonly imported: Checkpoint | null
}

/**
 * Opens a pack or report and runs the six verification checks, with the stored trust anchors and the last checkpoint
 * of its run chain. It becomes the open pack, even where it was altered. Fails only where nothing can be read; the
 * previous pack then stays open. Nothing is stored about an own `draft`. After a stop, which fails with pack.stopped,
 * nothing is shown or stored.
 */
export async function openPack(context: EngineContext, opening: Opening): Promise<Outcome<PackReview>> {
  const { session, notify } = context
  const stop = new AbortController()
  session.verifying = stop
  try {
    return await opened(context, opening, stop.signal)
  } finally {
    session.verifying = null
    notify({ kind: 'verified' })
  }
}

const STOPPED = fail('pack.stopped', 'before all checks were concluded')

async function opened(
  context: EngineContext,
  { path, draft, imported }: Opening,
  signal: AbortSignal,
): Promise<Outcome<PackReview>> {
  const { ports, catalog, session, notify } = context
  const file = plain(fileName(path))
  const onStep = (progress: VerificationProgress): void => notify({ kind: 'verifying', file, progress })
  const onResult: OnResult = (kind, result) =>
    notify({
      kind: 'check-concluded',
      file,
      result: { check: result.check, outcome: result.outcome, word: outcomeWord(kind, result) },
    })
  onStep({ step: 'contents', done: 0, total: 0 })
  const trust = await trustOf(context)
  const peeked = await peek(ports, path, trust)
  if (!peeked.ok) return peeked
  const { chain, seal, sha256: digest } = peeked.value
  const by = (seal?.root ?? seal?.signer)?.fingerprint ?? ''
  const keptFor = chain === null || draft ? ok(null) : await headFor(context, chain, digest, by)
  if (!keptFor.ok) return keptFor
  const comparedWith = imported ?? keptFor.value
  const reviewed = await reviewFile(ports, catalog, {
    path,
    trust: trustFor(peeked.value, trust),
    checkpoint: comparedWith,
    keep: true,
    watch: { onStep, onResult, signal },
  })
  if (!reviewed.ok) return reviewed
  const { report, contents, head } = reviewed.value
  // Trust, notes and memory refer to the bytes that were read first.
  const now = await ports.files.digest(path)
  if (now.ok && now.value.sha256 !== digest)
    return fail('input.refused', 'the file changed while it was read; open it again')
  // From here on, everything is stored and shown, or nothing.
  if (signal.aborted) return STOPPED
  if (!draft) {
    const kept =
      head === null ? ok(null) : await keepHead(context, head, digest, { by, trusted: report.signer?.trusted === true })
    if (!kept.ok) return kept
    // A list that cannot be written is reported by `pack.recent`; the pack can still be read.
    await keepRecent(context, path)
  }
  const anchors = await listAnchors(context)
  if (!anchors.ok) return anchors
  const seen = chain === null || draft ? ok(null) : await keptHead(context, chain, by)
  if (!seen.ok) return seen
  const assessment = contents?.assessment ?? null
  const run = contents?.run ?? ''
  const register = contents?.register ?? null
  const recordings = contents?.recordings ?? []
  const review: PackReview = {
    handle: handleOf(path),
    file: report.file,
    report,
    headline: verificationHeadline(report),
    answers: verificationAnswers(report),
    checkpoint: seen.value === null ? null : { ...seen.value, comparedWith: comparedWith?.size ?? null },
    view:
      assessment === null
        ? null
        : assessmentView(catalog, {
            of: 'pack',
            run,
            assessment,
            recordings,
            register: register ?? EMPTY_REGISTER,
            unreadable: [],
          }),
    verdicts: contents?.verdicts ?? { stated: 0, identical: 0 },
    trust: report.signer?.trusted === true ? anchorOf(peeked.value, anchors.value) : null,
  }
  session.pack = { review, run, assessment, recordings, register, path, sha256: digest, draft, imported }
  return ok(review)
}

/** Reads the same pack again: with the current trust decisions and the current file. */
export async function reopenPack(context: EngineContext): Promise<Outcome<PackReview>> {
  const { pack } = context.session
  return pack === null ? fail('input.refused', 'no pack is open') : await openPack(context, pack)
}

/**
 * Compares the open pack with a checkpoint from a file, as `verify --save-checkpoint` writes it. Refused for any other file.
 */
export async function importCheckpoint(context: EngineContext, path: string): Promise<Outcome<PackReview>> {
  const { pack } = context.session
  if (pack === null) return fail('input.refused', 'no pack is open')
  const read = await context.ports.files.read(path, LARGEST_CHECKPOINT)
  if (!read.ok) return read
  const head = parseHead(new TextDecoder().decode(read.value))
  return head.ok ? await openPack(context, { ...pack, imported: head.value }) : head
}

/** Trusts the time-stamp authorities in a certificate file, then evaluates the open pack again. */
export async function trustAuthority(
  context: EngineContext,
  path: string,
  howVerified: string,
): Promise<Outcome<PackReview>> {
  if (context.session.pack === null) return fail('input.refused', 'no pack is open')
  const turn = turnOf(context, 'anchors')
  const added = await turn(() => addAnchorFile(context, path, { for: 'authorities', howVerified }))
  return added.ok ? await reopenPack(context) : added
}

/**
 * Trusts the signer of the open pack: the root that issued the key, or the key itself without a root. Refused for a
 * demo, for a seal that does not verify, and for a file without the certificate.
 */
export async function trustSigner(context: EngineContext, howVerified: string): Promise<Outcome<PackReview>> {
  const { pack } = context.session
  if (pack === null) return fail('input.refused', 'no pack is open')
  const { report } = pack.review
  if (report.demo) return fail('input.refused', 'this is a demo pack; its key can never be trusted')
  const answer = report.checks.find(({ check }) => check === 'signature')
  if (report.signer === null || answer === undefined || answer.outcome === 'failed')
    return fail('input.refused', 'its seal is invalid, so there is no signer to trust')
  const peeked = await peek(context.ports, pack.path, await trustOf(context))
  if (!peeked.ok) return peeked
  const { seal, certificates } = peeked.value
  const wanted = seal?.root ?? seal?.signer ?? null
  // The current file must be the one the person looked at.
  if (peeked.value.sha256 !== pack.sha256 || seal?.signer?.fingerprint !== report.signer.fingerprint)
    return fail('input.refused', 'the file has changed since it was opened; open it again')
  const known = [...certificates, ...certificatesOf((await trustOf(context)).signers)]
  const certificate = known.find((der) => sha256(der) === wanted?.fingerprint)
  if (certificate === undefined)
    return fail('input.refused', 'the file does not contain the certificate; add the certificate in the settings')
  const turn = turnOf(context, 'anchors')
  const added = await turn(() => addAnchors(context, [certificate], { for: 'signers', howVerified }))
  return added.ok ? await reopenPack(context) : added
}

/** The key itself before its root, in the order of the report. */
function anchorOf({ seal }: Peeked, anchors: readonly TrustAnchor[]): TrustAnchor | null {
  const signers = anchors.filter((anchor) => anchor.for === 'signers')
  const of = (fingerprint: string | undefined) => signers.find((anchor) => anchor.fingerprint === fingerprint)
  return of(seal?.signer?.fingerprint) ?? of(seal?.root?.fingerprint) ?? null
}

/** Data read from a file before the six verification checks. None of it is trusted. */
interface Peeked {
  readonly seal: SealReading | null
  /** Certificates (DER) in the file. */
  readonly certificates: readonly Uint8Array[]
  /** The run chain that the file names, or null. */
  readonly chain: string | null
  /** SHA-256 of the file; of the tag manifest where the pack is a folder. */
  readonly sha256: string
}

/** Reads the seal of a pack or report and the run chain that it names. Fails as opening does. */
async function peek(
  ports: Pick<Ports, 'files' | 'packs' | 'sealing'>,
  path: string,
  trust: Trust,
): Promise<Outcome<Peeked>> {
  if (/\.pdf$/i.test(path)) return await peekPdf(ports, path, trust)
  return await withPack(ports, path, async (pack) => {
    const file = await ports.files.digest(path)
    return ok({
      seal: await readSealOf(pack, ports.sealing.reader, trust),
      certificates: await chainIn(pack, PATHS.chain),
      chain: chainIdIn(await textOf(pack, CHAIN_PATHS.chain)),
      sha256: file.ok ? file.value.sha256 : sha256((await bytesOf(pack, PATHS.tagManifest)) ?? new Uint8Array()),
    })
  })
}

async function peekPdf(
  { files, sealing }: Pick<Ports, 'files' | 'sealing'>,
  path: string,
  trust: Trust,
): Promise<Outcome<Peeked>> {
  const pdf = await files.read(path)
  if (!pdf.ok) return pdf
  const reading = await sealing.reader.readPdf(
    pdf.value,
    certificatesOf([...trust.signers, ...trust.authorities]),
    trust.lists,
  )
  const next = await sealing.nextPdfStamp(pdf.value, { certificates: [], crls: [] })
  const certificates = next.ok ? next.value.certificates : []
  return ok({ seal: reading.seal, certificates, chain: null, sha256: sha256(pdf.value) })
}

/**
 * The anchors that apply to this file. A reader's list covers all owners that they work with; a pack from none of
 * them has an unconfirmed signer, which is no reason to reject it.
 */
function trustFor({ seal }: Peeked, trust: Trust): Trust {
  const names = new Set(
    [seal?.signer, seal?.root, ...(seal?.timestamps ?? []).flatMap(({ authority, root }) => [authority, root])].flatMap(
      (certificate) => certificate?.fingerprint ?? [],
    ),
  )
  const speaking = (anchors: readonly Uint8Array[]) => anchors.filter((der) => names.has(sha256(der)))
  return { signers: speaking(trust.signers), authorities: speaking(trust.authorities), lists: trust.lists }
}

function chainIdIn(text: string | null): string | null {
  const value = parsedJson(text ?? '')
  const stated = hasExactly(value, ['schema', 'id', 'fleet', 'size', 'root']) && value.schema === CHAIN_SCHEMA
  return stated && isDigest(value.id) ? value.id : null
}
