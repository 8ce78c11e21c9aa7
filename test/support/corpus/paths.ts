export const partsOf = (path: string): readonly string[] =>
  path.split('/').filter((part) => part !== '' && part !== '.')
export const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')))
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** A part of a shell pattern as a regular expression: star, question mark and brackets. */
export function shellPattern(part: string): RegExp {
  const source = part
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\[!/g, '[^')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.')
  return new RegExp(`^${source}$`)
}
