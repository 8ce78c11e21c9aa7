import type { FileTarget } from '../../../schemas/types.ts'
import { VERSION } from '../../../schemas/version.ts'
import type { Ports } from '../../core/all-ports.ts'
import { sha256 } from '../../core/digest.ts'
import type { Outcome } from '../../core/failure.ts'
import { ok } from '../../core/failure.ts'
import { findingItems, type ItemMatter, packItem } from '../../present/outbox/items.ts'
import { ocsfEvents } from '../../present/outbox/ocsf.ts'
import { otelLogs } from '../../present/outbox/otel.ts'

/** The file of a pack for a file target: its name, which follows from the pack alone, and its lines. */
export function fileFor(
  { format }: Pick<FileTarget, 'format'>,
  matter: ItemMatter,
): { readonly name: string; readonly lines: () => Iterable<string> } {
  const pack = packItem(matter)
  const values = (): Iterable<unknown> =>
    format === 'ocsf'
      ? ocsfEvents(matter, VERSION)
      : [...findingItems(matter), pack].map((item) => otelLogs(item, VERSION))
  return {
    name: `${format}-${pack.key}.jsonl`,
    lines: function* () {
      for (const value of values()) yield `${JSON.stringify(value)}\n`
    },
  }
}

/** Writes the file of a pack whole, unless it is there with the same content. Whether it was written; fails as writing does. */
export async function writeFileFor(
  { files }: Pick<Ports, 'files'>,
  target: Pick<FileTarget, 'format'> & { readonly folder: string },
  matter: ItemMatter,
): Promise<Outcome<{ readonly path: string; readonly isNew: boolean }>> {
  const { name, lines } = fileFor(target, matter)
  const path = `${target.folder}/${name}`
  if (await files.isThere(path)) {
    const there = await files.digest(path)
    if (there.ok && there.value.sha256 === sha256([...lines()].join(''))) return ok({ path, isNew: false })
  }
  const written = await files.writePieces(path, lines())
  return written.ok ? ok({ path, isNew: true }) : written
}
