import { MARK_NAMES, type MarkName } from '../../core/base/report-document.ts'

// As UNPRINTABLE of core/base/plain-text.ts, but for tabs and line ends, which captured text keeps.
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

// As in the window and the PDF: each meaning has its own shape, so that color never carries it alone.
const SHAPES: Readonly<Record<MarkName, string>> = {
  'ring-tick': '<circle cx="8" cy="8" r="6.6"/><path d="M4.9 8.3 7.2 10.6 11.2 5.7"/>',
  'square-cross':
    '<rect x="1.2" y="1.2" width="13.6" height="13.6" class="solid"/><path d="M5 5 11 11M11 5 5 11" class="cut"/>',
  'diamond-question':
    '<path d="M8 .9 15.1 8 8 15.1 .9 8Z" stroke-dasharray="2.2 1.4"/><path d="M6.3 6.5a1.75 1.75 0 1 1 2.5 1.6c-.5.25-.8.55-.8 1.1"/><circle cx="8" cy="11.2" r=".85" class="solid"/>',
  bar: '<path d="M3 8h10" stroke-width="2.4"/>',
  'dotted-ring': '<circle cx="8" cy="8" r="6.4" stroke-dasharray=".2 2.68" stroke-linecap="round" stroke-width="1.9"/>',
  dot: '<circle cx="8" cy="8" r="3" class="solid"/>',
  'severity-critical': ladder(4),
  'severity-high': ladder(3),
  'severity-medium': ladder(2),
  'severity-low': ladder(1),
  'severity-info': ladder(0),
}

/** Four rungs that grow to the right; those above the severity are outlines. */
function ladder(filled: number): string {
  return [0, 1, 2, 3]
    .map((rung) => {
      const height = 5 + rung * 3.2
      const kind = rung < filled ? ' class="solid"' : ' stroke-width=".9"'
      return `<rect x="${1 + rung * 3.7}" y="${(15 - height).toFixed(1)}" width="2.8" height="${height.toFixed(1)}"${kind}/>`
    })
    .join('')
}

/** All marks, once for the document; mark() refers to them. */
export const SPRITE = `<svg class="sprite" aria-hidden="true" focusable="false">${MARK_NAMES.map(
  (name) => `<symbol id="m-${name}" viewBox="0 0 16 16">${SHAPES[name]}</symbol>`,
).join('')}</svg>`

/** A mark beside a word that has its meaning; with a label of its own where it is alone. */
export const mark = (name: MarkName, label?: string): string =>
  `<svg class="mark ${name}"${label === undefined ? ' aria-hidden="true"' : ` role="img" aria-label="${htmlText(label)}"`} focusable="false"><use href="#m-${name}"/></svg>`

/** A mark with its word. */
export const marked = (name: MarkName, words: string): string =>
  `<span class="marked ${name}">${mark(name)}<span>${htmlText(words)}</span></span>`
