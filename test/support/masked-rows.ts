import { expect, test } from 'vitest'
import { redact, redactBy } from '../../main/core/collector/redact.ts'
import type { RedactionClass } from '../../main/core/collector/redact-parts.ts'
import { RULES } from '../../main/core/collector/redact-rules.ts'

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

const EVERY_RULE = RULES.map((rule) => ({ ...rule, needs: [''] }))

/** The text as it is stored, of characters of Latin-1. Rules that were not tried would have found nothing. */
export function maskedText(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  const masked = redact(bytes)
  expect(masked).toEqual(redactBy(EVERY_RULE, bytes))
  return Buffer.from(masked.bytes).toString('latin1')
}
