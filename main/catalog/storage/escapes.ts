/** Undoes the octal escapes that the kernel writes for space, tab, newline, backslash and comma (seq_escape in fs/seq_file.c). */
export const unescapeOctal = (text: string): string =>
  text.replace(/\\([0-3][0-7]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
