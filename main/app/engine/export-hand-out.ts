import type { Input } from '../../../schemas/ipc.ts'
import type { Ports } from '../../core/all-ports.ts'
import type { Catalog } from '../../core/catalog.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { handOutName, packIn } from '../../core/layout.ts'
import { ok } from '../../core/result.ts'
import { INDEX_PATH } from '../../verify/disclosure/commit.ts'
import type { DisclosedCopy } from '../../verify/disclosure/disclose.ts'
import type { DisclosureNotes } from '../../verify/disclosure/notes.ts'
import { discloseCopy } from '../disclose.ts'

type Withhold = NonNullable<Input<'export.build'>['withhold']>

/** A redacted copy, in its own folder: files next to the pack are easily sent along with it. */
export interface HandOut {
  readonly name: string
  readonly underivable: DisclosureNotes['underivable']
}

/** Writes the copy of a sealed pack. Fails with input.refused where the rules cannot redact a named part. */
export async function writeHandOut(
  ports: Pick<Ports, 'clock' | 'packs'>,
  catalog: Catalog,
  pack: { readonly folder: string; readonly run: string },
  withhold: Withhold,
): Promise<Outcome<HandOut>> {
  const { folder, run } = pack
  const copy = await copyOf(ports, catalog, packIn(folder, run), withhold)
  if (!copy.ok) return copy
  const name = handOutName(run)
  const written = await ports.packs.replace(`${folder}/${name}`, copy.value.files)
  return written.ok ? ok({ name, underivable: copy.value.notes.underivable }) : written
}

/** The files of a copy; the pack itself is unchanged. */
export async function copyOf(
  ports: Pick<Ports, 'clock' | 'packs'>,
  catalog: Catalog,
  path: string,
  { classes, who, why }: Withhold,
): Promise<Outcome<DisclosedCopy>> {
  const opened = await ports.packs.open(path)
  if (!opened.ok) return opened
  const source = opened.value
  try {
    if (!source.paths.includes(INDEX_PATH))
      return fail('input.refused', 'this run is too large for a redacted copy; share the complete pack instead')
    const when = ports.clock.now()
    return await discloseCopy({ source, catalog, classes, nodes: [], paths: [], who, why, when })
  } finally {
    await source.close()
  }
}
