import type { Answer } from '../../core/recording/probe.ts'
import { lines } from './read-text.ts'

/**
 * Parses the output of `ls -1 DIR DIR…`: folder → names. Folders that do not exist have no entry. With two or more
 * folders, ls prints headings.
 */
export function listedFolders(text: string): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>()
  let current: string[] | null = null
  for (const line of text.split('\n')) {
    const heading = /^(\/[^\0]*):$/.exec(line)?.[1]
    if (heading !== undefined) {
      current = folders.get(heading) ?? []
      folders.set(heading, current)
    } else if (line !== '' && current !== null) current.push(line)
  }
  return folders
}

interface Entry {
  readonly name: string
  readonly size: number
  readonly isFolder: boolean
  /** Target of a symbolic link, as stored. */
  readonly target: string | null
}

/** Entries of `ls -l` lines (POSIX XCU ls, "long format"); lines of another form, such as "total 0", are left out. */
export function longListing(rows: readonly string[]): readonly Entry[] {
  return rows.flatMap((line) => {
    const match = /^([bcdlps-])\S{9}\S?\s+\d+\s+\S+\s+\S+\s+(\d+)(?:,\s*\d+)?\s+\S+\s+\S+\s+\S+ (.+)$/.exec(line)
    if (match === null) return []
    const [, type = '', size = '', rest = ''] = match
    const arrow = type === 'l' ? rest.indexOf(' -> ') : -1
    const name = arrow < 0 ? rest : rest.slice(0, arrow)
    return [{ name, size: Number(size), isFolder: type === 'd', target: arrow < 0 ? null : rest.slice(arrow + 4) }]
  })
}

/** Whether everything a listing complained of is that something does not exist: then what it did not list is absent. */
export const listingIsComplete = ({ exitCode, errorText }: Answer): boolean =>
  exitCode === 0 ||
  (lines(errorText).length > 0 && lines(errorText).every((complaint) => /: No such file or directory$/.test(complaint)))

/** Values of `grep -H` over sysfs files whose folders hold colons, such as PCI addresses: path → first line, trimmed. */
export function sysfsValues(text: string, names: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const { path, line } of sysfsFound(text, names)) if (!values.has(path)) values.set(path, line.trim())
  return values
}

/** The same with every line: the path ends at the first of the wanted file names that is followed by a colon. */
export function sysfsFound(
  text: string,
  names: readonly string[],
): readonly { readonly path: string; readonly line: string }[] {
  const wanted = names.map((name) => `/${name}:`)
  return lines(text).flatMap((line) => {
    const ends = wanted.flatMap((end) => (line.includes(end) ? [line.indexOf(end) + end.length - 1] : []))
    if (ends.length === 0) return []
    const end = Math.min(...ends)
    return [{ path: line.slice(0, end), line: line.slice(end + 1) }]
  })
}

/** A whole number in decimal or 0x notation, or null. */
export function wholeNumber(text: string | undefined): number | null {
  if (text === undefined || !/^(0x[0-9a-f]{1,12}|\d{1,15})$/i.test(text.trim())) return null
  return Number(text.trim())
}
