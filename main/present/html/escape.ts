// As UNPRINTABLE of core/plain-text.ts, but for tabs and line ends, which captured text keeps.
const UNPRINTABLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]|\p{Surrogate}/gu
const SPECIAL = /[&<>"'`]/g
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/**
 * The one way in which text becomes part of the HTML report, inside elements and inside quoted attributes alike. Characters that have a meaning
 * in HTML become references; invisible and direction-changing characters become `\u{hex}`, so that text from a node shows what it is.
 */
export const htmlText = (text: string): string =>
  text
    .replace(UNPRINTABLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(SPECIAL, (char) => ENTITIES[char] ?? '')

/**
 * An anchor as the value of an `id`. Characters that need care in an address are replaced by their number, so that two anchors never become
 * one id.
 */
export const idOf = (anchor: string): string =>
  anchor.replace(/[^A-Za-z0-9.:-]/gu, (char) => `_${(char.codePointAt(0) ?? 0).toString(16)}_`)
