import { plain } from '../../core/plain-text.ts'
import { partClassWords } from './classes.ts'
import type { CommittedPart, PartPlace } from './commit.ts'
import { type DisclosedUnit, isOpen, textOfParts } from './copy.ts'

/** Placeholder of a redacted part in readable output. */
export const gapText = (part: CommittedPart): string =>
  `⟦${partClassWords[part.class]}, up to ${part.bucket} bytes, redacted⟧`

/** Readable form of a unit: its path, and its lines with placeholders, made safe to print. A binary file is shown by its size only. */
export function unitText(unit: DisclosedUnit): string {
  const content = unit.content.map((part): DisclosedUnit['content'][number] =>
    'salt' in part && part.class === 'file'
      ? {
          ...part,
          bytes: new TextEncoder().encode(`⟦${partClassWords.file}, ${part.bytes.length} bytes, not shown as text⟧`),
        }
      : part,
  )
  const lines = textOfParts(content, gapText).split('\n')
  return [plain(textOfParts(unit.path, gapText), 1000), ...lines.map((line) => plain(line, 2000))].join('\n')
}

/** The redacted parts of a unit, each with its position as used in reveals. */
export const withheldPlaces = (unit: DisclosedUnit): readonly (PartPlace & { readonly what: string })[] =>
  (['path', 'content'] as const).flatMap((of) =>
    unit[of].flatMap((part, index) => (isOpen(part) ? [] : [{ of, part: index + 1, what: gapText(part) }])),
  )
