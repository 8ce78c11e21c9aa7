import { expect, test } from 'vitest'
import { redact } from '../../main/core/collector/redact.ts'
import type { RedactionClass } from '../../main/core/collector/redact-rules.ts'

/**
 * A table of lines in which each secret stands between « and », and nothing else is one: what is between them is replaced by the marker of
 * the class, all the rest stays, and a second pass over the result finds nothing. A row without the marks has no secret.
 */
export function eachMasked(kind: RedactionClass, rows: readonly string[]): void {
  test.each(rows)('%s', (row) => {
    const once = maskedText(row.replaceAll(/[«»]/g, ''))
    expect(once).toBe(row.replaceAll(/«[^»]*»/g, `[redacted:${kind}]`))
    expect(maskedText(once)).toBe(once)
  })
}

/** The text as it is stored, of characters of Latin-1. */
export const maskedText = (text: string): string =>
  Buffer.from(redact(Buffer.from(text, 'latin1')).bytes).toString('latin1')
