/** What is between the first opening of a tag and its end; empty where either is missing. */
export function section(text: string, tag: string): string {
  const start = text.indexOf(`<${tag}>`)
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start)
  return end < 0 ? '' : text.slice(start + tag.length + 2, end)
}

/** The same as a short word of the driver. */
export const value = (text: string, tag: string): string => section(text, tag).trim().slice(0, 200)

const NOTHING = /^(|\[?n\/a\]?|none|not supported|unknown error|requested functionality has been deprecated)$/i

/** A value, or null where the driver printed one of its words for "no answer". Not for values that can be "None". */
export function answered(text: string, tag: string): string | null {
  const said = value(text, tag)
  return NOTHING.test(said) ? null : said
}

/** The number that a value begins with, such as 81559 in "81559 MiB" or 16 in "16x". */
export function amount(text: string, tag: string): number | null {
  const digits = /^(\d{1,9})(?!\d)/.exec(value(text, tag))?.[1]
  return digits === undefined ? null : Number(digits)
}
