import type { AttachmentDraft } from '../../../schemas/ipc-packs.ts'
import type { Attachment, Inspection, Register } from '../../../schemas/types.ts'
import { sha256 } from '../digest.ts'
import { fail, type Outcome } from '../failure.ts'
import { isSafeName } from '../pack-files.ts'
import { type Moment, trimmed } from '../register.ts'
import { ok } from '../result.ts'
import { daysBetween, endOfDay, isDay } from './days.ts'
import { mediaTypeOf, NOTE_TYPE } from './media-type.ts'
import type { NeedsOf } from './requests.ts'

export const LARGEST_ATTACHMENT = 100 * 1024 * 1024

export interface AttachmentFacts extends Moment {
  readonly needsOf: NeedsOf
}

/** A file's bytes under a person's name for it; the path it came from is never kept. */
export function addAttachment(
  register: Register,
  draft: AttachmentDraft,
  file: { readonly name: string; readonly bytes: Uint8Array },
  facts: AttachmentFacts,
): Outcome<Register> {
  const name = cleanName(file.name)
  return added(register, draft, { kind: 'file', name, mediaType: mediaTypeOf(name, file.bytes) }, file.bytes, facts)
}

/** A note that a person wrote here, kept as the bytes of its text. */
export function addNote(
  register: Register,
  draft: AttachmentDraft & { readonly name: string; readonly text: string },
  facts: AttachmentFacts,
): Outcome<Register> {
  const texts = trimmed(draft, ['name'])
  if (!texts.ok) return texts
  const what = { kind: 'note', name: cleanName(texts.value.name), mediaType: NOTE_TYPE } as const
  return added(register, draft, what, noteBytes(draft.text), facts)
}

export const noteBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function added(
  register: Register,
  draft: AttachmentDraft,
  what: Pick<Attachment, 'kind' | 'name' | 'mediaType'>,
  bytes: Uint8Array,
  { now, id, needsOf }: AttachmentFacts,
): Outcome<Register> {
  const { controls, need, level, answers, validUntil } = draft
  const texts = trimmed(draft, ['shows', 'saidBy', 'owner'])
  if (!texts.ok) return texts
  if (bytes.length === 0) return fail('input.refused', 'it is empty, so there is nothing to attach')
  if (bytes.length > LARGEST_ATTACHMENT) return fail('input.refused', 'it is larger than 100 MiB')
  if (validUntil !== null && !isDay(validUntil))
    return fail('input.refused', 'the end of its validity must be a day such as 2027-03-01')
  const looked = inspectionOf(draft, now)
  if (!looked.ok) return looked
  const needs = controls.map(({ framework, control }) => needsOf(framework, control))
  if (needs.includes(null)) return fail('input.refused', 'one of the named controls does not exist')
  if (need !== null && !needs.some((some) => some?.includes(need)))
    return fail('input.refused', 'none of the named controls asks for that record')
  const entry: Attachment = {
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
    attachedAt: now,
    validUntil: validUntil === null ? null : endOfDay(validUntil),
    withdrawn: null,
  }
  return ok({ ...register, attachments: [...register.attachments, entry] })
}

/**
 * The inspection as it is kept; null where there was none. A level above “received” needs one, and one
 * needs such a level: who inspected, what was looked at, and the conclusion are what make a document count (AT-C 205).
 */
function inspectionOf({ level, inspection }: AttachmentDraft, now: string): Outcome<Inspection | null> {
  const isInspected = level === 'inspected' || level === 'reperformed'
  if (inspection === null)
    return isInspected
      ? fail('input.refused', `level “${level}” needs who inspected it, what was looked at, and a conclusion`)
      : ok(null)
  if (!isInspected) return fail('input.refused', `a document at level “${level}” has no inspection to record`)
  const texts = trimmed(inspection, ['by', 'lookedAt'])
  if (!texts.ok) return texts
  const { on, conclusion } = inspection
  if (!isDay(on) || daysBetween(`${on}T00:00:00.000Z`, now) < 0)
    return fail('input.refused', 'the day of the inspection must be a day up to today, such as 2026-11-03')
  // On the day itself it happened by now; on an earlier one, by its end.
  const at = now.startsWith(on) ? now : endOfDay(on)
  return ok({ ...texts.value, at, conclusion })
}

const LONGEST_NAME = 200
// As in plain-text.ts: what cannot be seen, or turns the text around, has no place in a file's name.
const UNFIT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}<>:"|?*]/gu

/** A file's own name, without folders and characters that hide or mislead. */
export function cleanName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = [...last.replace(UNFIT, '').trim()].slice(0, LONGEST_NAME).join('')
  return /^\.*$/.test(clean) ? 'attachment' : clean
}

/** A name that every file system keeps: lower case, and short. Empty when nothing of it can be kept. */
export const plainFileName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/-*\.[-.]*/g, '.')
    .slice(-80)
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')

/** Where an attachment lies in a pack. The whole digest keeps two apart; the name is for people. */
export function attachmentPath({ sha256: digest, name, kind }: Pick<Attachment, 'sha256' | 'name' | 'kind'>): string {
  const plain = plainFileName(name)
  const file = `${digest}-${plain}${kind === 'note' && !plain.endsWith('.txt') ? '.txt' : ''}`
  return `data/attachments/${plain !== '' && isSafeName(file) ? file : digest}`
}

/** What must lie in a pack, by path: a record that was taken back is named there, and its bytes stay out. */
export const attachmentPaths = ({ attachments }: Register): ReadonlyMap<string, Attachment> =>
  new Map(attachments.filter(({ withdrawn }) => withdrawn === null).map((one) => [attachmentPath(one), one]))
