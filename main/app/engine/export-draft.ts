import type { ExportDraft, ExportedFileView, ExportView } from '../../../schemas/ipc-packs.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import type { World } from '../../core/world.ts'

/** A sealed export that lies in a folder of ours. */
export interface Draft {
  readonly folder: string
  readonly view: ExportDraft
  /** What its reader will open: the copy with parts withheld where there is one, else the pack. */
  readonly opens: string
  /** A chain of runs names its pack. */
  readonly chained: boolean
  saved: boolean
}

/**
 * Copies every file of a draft to where a person chose, all of them or none, and never over another. Each copy is read back and compared with
 * the digest of what was sealed. Fails with input.refused or store.failed.
 */
export async function saveDraft({ files }: World, draft: Draft, to: string): Promise<Outcome<ExportView>> {
  const wanted = draft.view.files
  for (const { name } of wanted)
    if (await files.isThere(`${to}/${name}`))
      return fail('input.refused', `${name} exists already in that folder; choose another one`)
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
 * Takes a draft away. One that a chain of runs names and that nobody saved keeps its files: a pack that is missing from its chain looks like one
 * that was hidden. The window only forgets it.
 */
export async function discardDraft({ files }: World, draft: Draft): Promise<Outcome<null>> {
  return draft.saved || !draft.chained ? await files.remove(draft.folder) : ok(null)
}

const isSame = (a: { readonly size: number; readonly sha256: string }, b: ExportedFileView): boolean =>
  a.size === b.size && a.sha256 === b.sha256

const altered = ({ name }: ExportedFileView) =>
  fail('store.failed', `${name} did not arrive as it was sealed; nothing was saved`)
