import type { DocumentDraft } from '../../../schemas/ipc-register.ts'
import type { EvidenceDocument, Inspection, Register } from '../../../schemas/types.ts'
import { daysBetween, endOfDay, isDay } from '../base/days.ts'
import { sha256 } from '../base/digest.ts'
import { fail, type Outcome, ok } from '../base/failure.ts'
import { isSafeName } from '../base/layout.ts'
import { type Moment, trimmed } from './register.ts'
import type { NeedsOf } from './requests.ts'
import { coversControls } from './versions.ts'

export const LARGEST_DOCUMENT = 100 * 1024 * 1024

interface DocumentFacts extends Moment {
  readonly needsOf: NeedsOf
}

/** A file’s bytes with its display name; the original path is never stored. */
export function addDocument(
  register: Register,
  draft: DocumentDraft,
  file: { readonly name: string; readonly bytes: Uint8Array },
  facts: DocumentFacts,
): Outcome<Register> {
  const name = cleanName(file.name)
  return added(register, draft, { kind: 'file', name, mediaType: mediaTypeOf(name, file.bytes) }, file.bytes, facts)
}

/** A typed note, stored as the bytes of its text. */
export function addNote(
  register: Register,
  draft: DocumentDraft & { readonly name: string; readonly text: string },
  facts: DocumentFacts,
): Outcome<Register> {
  const texts = trimmed(draft, ['name'])
  if (!texts.ok) return texts
  const what = { kind: 'note', name: cleanName(texts.value.name), mediaType: NOTE_TYPE } as const
  return added(register, draft, what, noteBytes(draft.text), facts)
}

export const noteBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function added(
  register: Register,
  draft: DocumentDraft,
  what: Pick<EvidenceDocument, 'kind' | 'name' | 'mediaType'>,
  bytes: Uint8Array,
  { now, id, needsOf }: DocumentFacts,
): Outcome<Register> {
  const { level, answers, validUntil, effective } = draft
  const texts = trimmed(draft, ['summary', 'providedBy', 'owner'])
  if (!texts.ok) return texts
  if (bytes.length === 0) return fail('input.refused', 'the file is empty')
  if (bytes.length > LARGEST_DOCUMENT) return fail('input.refused', 'the file is larger than 100 MiB')
  if (validUntil !== null && !isDay(validUntil))
    return fail('input.refused', 'the expiry must be a date such as 2027-03-01')
  const looked = inspectionOf(draft, now)
  if (!looked.ok) return looked
  const period = effectiveProblem(effective)
  if (period !== null) return fail('input.refused', period)
  const placed = placesOf(register, draft)
  if (!placed.ok) return placed
  const { controls, need } = placed.value
  const needs = controls.map(({ framework, control }) => needsOf(framework, control))
  if (needs.includes(null)) return fail('input.refused', 'one of the named controls does not exist')
  if (need !== null && !needs.some((some) => some?.includes(need)))
    return fail('input.refused', 'none of the named controls requires that document')
  const entry: EvidenceDocument = {
    id,
    ...what,
    size: bytes.length,
    sha256: sha256(bytes),
    controls: controls.map(({ framework, control }) => ({ framework, control })),
    need,
    ...texts.value,
    level,
    ...(looked.value === null ? {} : { inspection: looked.value }),
    ...(answers === null ? {} : { answers: { checks: [...answers.checks], nodes: [...answers.nodes] } }),
    ...(effective === null ? {} : { effective: { from: effective.from, to: effective.to } }),
    ...(draft.supersedes === null ? {} : { supersedes: draft.supersedes }),
    attachedAt: now,
    validUntil: validUntil === null ? null : endOfDay(validUntil),
    withdrawn: null,
  }
  return ok({ ...register, documents: [...register.documents, entry] })
}

function effectiveProblem(effective: DocumentDraft['effective']): string | null {
  if (effective === null) return null
  const { from, to } = effective
  if (!isDay(from) || (to !== null && !isDay(to))) return 'the effective period must be in dates such as 2027-03-01'
  return to !== null && to < from ? 'the effective period ends before it begins' : null
}

/** The controls that a document is attached to. A new version must be attached to all controls of the version that it supersedes. */
function placesOf(
  register: Register,
  { controls, need, supersedes }: DocumentDraft,
): Outcome<Pick<DocumentDraft, 'controls' | 'need'>> {
  if (supersedes === null) return ok({ controls, need })
  const earlier = register.documents.find(({ id }) => id === supersedes)
  if (earlier === undefined) return fail('input.refused', 'there is no document of this ID to supersede')
  if (earlier.withdrawn !== null)
    return fail('input.refused', 'the document was withdrawn; attach a document of its own instead')
  const taken = register.documents.some((one) => one.supersedes === supersedes && one.withdrawn === null)
  if (taken) return fail('input.refused', 'the document has a later version already; name that version')
  if (controls.length === 0) return ok({ controls: earlier.controls, need: earlier.need })
  return coversControls({ controls: [...controls] }, earlier)
    ? ok({ controls, need })
    : fail('input.refused', 'a new version must be attached to everything that the earlier version is attached to')
}

/**
 * The stored inspection; null where there was none. A level above “received” requires one, and one
 * requires such a level: inspector, scope of inspection and conclusion make a document count (AT-C 205).
 */
function inspectionOf({ level, inspection }: DocumentDraft, now: string): Outcome<Inspection | null> {
  const isInspected = level === 'inspected' || level === 'reperformed'
  if (inspection === null)
    return isInspected
      ? fail('input.refused', `level “${level}” requires an inspector, the scope of the inspection and a conclusion`)
      : ok(null)
  if (!isInspected) return fail('input.refused', `a document at level “${level}” cannot have an inspection`)
  const texts = trimmed(inspection, ['by', 'lookedAt'])
  if (!texts.ok) return texts
  const { on, conclusion } = inspection
  if (!isDay(on) || daysBetween(`${on}T00:00:00.000Z`, now) < 0)
    return fail('input.refused', 'the inspection date must be a date up to today, such as 2026-11-03')
  // Today: now; on an earlier date: the end of that day.
  const at = now.startsWith(on) ? now : endOfDay(on)
  return ok({ ...texts.value, at, conclusion })
}

const LONGEST_NAME = 200
// As in plain-text.ts: invisible and bidirectional control characters are removed from file names.
const UNFIT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}<>:"|?*]/gu

/** A file’s name without folders and without invisible or misleading characters. */
export function cleanName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = [...last.replace(UNFIT, '').trim()].slice(0, LONGEST_NAME).join('')
  return /^\.*$/.test(clean) ? 'attachment' : clean
}

/** A name valid on every file system: lower case and short. Empty when no character remains. */
export const plainFileName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/-*\.[-.]*/g, '.')
    .slice(-80)
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')

/** Path of a document in a pack. The digest makes it unique; the name is for readers. */
export function attachmentPath({
  sha256: digest,
  name,
  kind,
}: Pick<EvidenceDocument, 'sha256' | 'name' | 'kind'>): string {
  const plain = plainFileName(name)
  const file = `${digest}-${plain}${kind === 'note' && !plain.endsWith('.txt') ? '.txt' : ''}`
  return `data/documents/${plain !== '' && isSafeName(file) ? file : digest}`
}

/** Documents that a pack must contain, by path: a withdrawn document is listed, but its file is not included. */
export const documentPaths = ({ documents }: Register): ReadonlyMap<string, EvidenceDocument> =>
  new Map(documents.filter(({ withdrawn }) => withdrawn === null).map((one) => [attachmentPath(one), one]))

const NOTE_TYPE = 'text/plain'
const UNKNOWN = 'application/octet-stream'

interface Kind {
  readonly type: string
  readonly extensions: readonly string[]
  readonly fits: (bytes: Uint8Array) => boolean
}

const begins =
  (...start: readonly number[]) =>
  (bytes: Uint8Array): boolean =>
    start.every((byte, index) => bytes[index] === byte)

const isZip = begins(0x50, 0x4b, 0x03, 0x04)
const office = (kind: string): string => `application/vnd.openxmlformats-officedocument.${kind}`

/** Kinds that can be viewed directly: first bytes of PDF (ISO 32000-1 §7.5.2), PNG (RFC 2083 §3.1) and JPEG (ITU-T T.81 B.1). */
const SHOWN: readonly Kind[] = [
  { type: 'application/pdf', extensions: ['pdf'], fits: begins(0x25, 0x50, 0x44, 0x46, 0x2d) },
  { type: 'image/png', extensions: ['png'], fits: begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) },
  { type: 'image/jpeg', extensions: ['jpg', 'jpeg'], fits: begins(0xff, 0xd8, 0xff) },
]
const KINDS: readonly Kind[] = [
  ...SHOWN,
  { type: office('wordprocessingml.document'), extensions: ['docx'], fits: isZip },
  { type: office('spreadsheetml.sheet'), extensions: ['xlsx'], fits: isZip },
  { type: 'application/zip', extensions: ['zip'], fits: isZip },
  { type: NOTE_TYPE, extensions: ['txt', 'log', 'md'], fits: isText },
  { type: 'text/csv', extensions: ['csv'], fits: isText },
]

/** The media type where extension and first bytes agree; otherwise application/octet-stream. */
export function mediaTypeOf(name: string, bytes: Uint8Array): string {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return KINDS.find((kind) => kind.extensions.includes(extension) && kind.fits(bytes))?.type ?? UNKNOWN
}

/** The extension for opening in a viewer, from the content and not the name; null: none. */
export const viewerExtension = (bytes: Uint8Array): string | null =>
  SHOWN.find(({ fits }) => fits(bytes))?.extensions[0] ?? null

/** Whether the first 4096 bytes are UTF-8 without control characters other than tabs, form feeds and line ends. */
function isText(bytes: Uint8Array): boolean {
  try {
    const start = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, 4096), { stream: true })
    return !/[\u0000-\u0008\u000b\u000e-\u001f\u007f]/.test(start)
  } catch {
    return false
  }
}
