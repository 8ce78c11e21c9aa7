const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text of an XML 1.0 element; null for characters that XML cannot represent. Line ends and tabs become references. */
export function xmlText(text: string): string | null {
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u.test(text)) return null
  return text.replaceAll(/[&<>"\t\n\r]/g, (one) => ENTITIES[one] ?? `&#${one.codePointAt(0)};`)
}
