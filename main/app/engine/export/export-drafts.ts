import type { ExportDraft, ExportedFileView, ExportView } from '../../../../schemas/ipc-packs.ts'
import type { Ports } from '../../../core/all-ports.ts'
import { type Failure, fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { plain } from '../../../core/base/plain-text.ts'
import type { PadesLevel, Signer } from '../../../core/ports/ports.ts'
import type { Stamping } from '../../common/seal-file.ts'
import type { EngineContext } from '../context/context.ts'
import { windowStamping } from '../trust/trust-anchors.ts'
import { FILE_WORDS, type Keeping } from '../trust/trust-secrets.ts'
import { wordsOf } from './export-plan.ts'

/** A sealed export in an internal folder. */
export interface Draft {
  readonly folder: string
  readonly view: ExportDraft
  /** The file that its reader opens: the redacted copy where one was requested, otherwise the pack. */
  readonly opens: string
  /** The run chain names its pack. */
  readonly chained: boolean
  saved: boolean
}

export const filesOf = (files: readonly ExportedFileView[]): ExportDraft['files'] =>
  files.map(({ name, size, sha256 }) => ({ name, size, sha256 }))

export const signerWords = ({ subject, fingerprint }: Pick<Signer, 'subject' | 'fingerprint'>): string =>
  `${plain(subject)}, key ${fingerprint}`

/**
 * Copies every file of a draft to a chosen folder, all or none, and never over another file. Each copy is read back and
 * compared with the digest of the sealed file. Fails with input.refused or store.failed.
 */
export async function saveDraft(
  { files }: Pick<Ports, 'files'>,
  draft: Draft,
  to: string,
): Promise<Outcome<ExportView>> {
  const wanted = draft.view.files
  for (const { name } of wanted)
    if (await files.isThere(`${to}/${name}`))
      return fail('input.refused', `${name} already exists in that folder; choose another folder`)
  const made: string[] = []
  for (const file of wanted) {
    const path = `${to}/${file.name}`
    const copied = await files.copyNew(`${draft.folder}/${file.name}`, path)
    if (copied.ok) made.push(path)
    const problem = copied.ok ? (isSame(copied.value, file) ? null : altered(file)) : copied
    if (problem === null) continue
    for (const one of made) await files.remove(one)
    return problem
  }
  draft.saved = true
  return ok({ folder: to, files: wanted })
}

/**
 * Deletes a draft. The files of an unsaved draft that the run chain names are kept: a pack that is missing from its
 * chain looks like a hidden one. Such a draft only leaves the window.
 */
export async function discardDraft(
  { ports, keepsSealed }: Pick<EngineContext, 'ports' | 'keepsSealed'>,
  { saved, chained, folder }: Draft,
): Promise<Outcome<null>> {
  const isElsewhere = saved && !keepsSealed
  return isElsewhere || !chained ? await ports.files.remove(folder) : ok(null)
}

const isSame = (a: { readonly size: number; readonly sha256: string }, b: ExportedFileView): boolean =>
  a.size === b.size && a.sha256 === b.sha256

const altered = ({ name }: ExportedFileView) =>
  fail('store.failed', `${name} differs from the sealed file after copying; nothing was saved`)

/** The configured authority, and the certificates that complete its chain. */
export async function stampingOf(context: EngineContext): Promise<Outcome<Stamping>> {
  const stamping = await windowStamping(context)
  return stamping === null
    ? fail('input.refused', 'no time-stamp authority is configured; set one, or seal with the time of this computer')
    : ok(stamping)
}

/** The time-stamps that were requested, and which of them were obtained. */
interface Timed {
  /** The time-stamp authority that was queried, or null. */
  readonly authority: string | null
  readonly level: PadesLevel
  readonly stamped: boolean
  readonly shortfalls: readonly Failure[]
  readonly onServer: boolean
}

/** Notices about the time of an export. `onServer`: sealed on a team server, so that its clock counts. */
export function timeNotes({ authority, level, stamped, shortfalls, onServer }: Timed): readonly string[] {
  const clock = onServer ? 'the server' : 'this computer'
  if (authority === null) return [`Time from ${clock} only: no time-stamp authority was used.`]
  if (shortfalls.length === 0 && stamped && level === 'B-LTA') return []
  return [
    `You requested a time-stamp by ${plain(authority)}. It could not be obtained completely.`,
    stamped ? 'The pack has a time-stamp.' : `The pack has no time-stamp: its time is from ${clock} only.`,
    level === 'B-B'
      ? 'The report has no time-stamp either: it is at PAdES level B-B.'
      : `The report has a time-stamp, at PAdES level ${level}${level === 'B-LTA' ? '.' : ', without the data for long-term validation.'}`,
    ...shortfalls.map(wordsOf),
  ]
}

/** Notices about where key and files are stored. `kept` is null for a key that is not stored. */
export const storedNotes = ({
  kept,
  chained,
  keepsSealed,
}: {
  readonly kept: Keeping['kept'] | null
  readonly chained: boolean
  readonly keepsSealed: boolean
}): readonly string[] => [
  ...(kept === 'file' ? [`Your signing key is stored ${FILE_WORDS}.`] : []),
  keepsSealed ? 'The pack is stored on the server.' : 'The pack is stored in the Barewitness folder until you save it.',
  ...(chained
    ? [
        keepsSealed
          ? 'The run chain now contains this pack. Its files stay there, also if you discard it.'
          : 'The run chain now contains this pack. If you discard it unsaved, its files stay in that folder.',
      ]
    : []),
]
