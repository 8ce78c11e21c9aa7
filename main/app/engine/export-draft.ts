import type { ExportDraft, ExportedFileView, ExportView } from '../../../schemas/ipc-packs.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'

/** A sealed export in an internal folder. */
export interface Draft {
  readonly folder: string
  readonly view: ExportDraft
  /** The file for its reader: the redacted copy where there is one, otherwise the pack. */
  readonly opens: string
  /** The run chain names its pack. */
  readonly chained: boolean
  saved: boolean
}

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
 * chain looks like a hidden one. Only the window forgets it.
 */
export async function discardDraft({ files }: Pick<Ports, 'files'>, draft: Draft): Promise<Outcome<null>> {
  return draft.saved || !draft.chained ? await files.remove(draft.folder) : ok(null)
}

const isSame = (a: { readonly size: number; readonly sha256: string }, b: ExportedFileView): boolean =>
  a.size === b.size && a.sha256 === b.sha256

const altered = ({ name }: ExportedFileView) =>
  fail('store.failed', `${name} differs from the sealed file after copying; nothing was saved`)
