/**
 * The same program without characters outside ASCII. With one of them, V8 holds a program with two bytes for each of its characters, for as
 * long as it runs, and takes longer to read it. Throws where the character before is a backslash, or the text is read as it is written:
 * escaped, that would be another program.
 */
export function inOneByte(code: string, name: string): string {
  if (/\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f]/.test(code))
    throw new Error(`${name}: a character outside ASCII cannot be escaped`)
  return code.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
