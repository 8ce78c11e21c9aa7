import { type Answer, known, type Parsed, unknown } from '../core/probe.ts'

/** Lines of a text without their line ends; empty lines are left out. */
export const lines = (text: string): readonly string[] => text.split(/\r?\n/).filter((line) => line !== '')

/** A file and a folder that every Linux system has, requested next to those that may not be there: the control of such a command. */
export const ALWAYS_FILE = '/proc/sys/kernel/ostype'
export const ALWAYS_FOLDER = '/sys/dev'
export const OF_ALWAYS_FILE = { control: `${ALWAYS_FILE}:Linux` } as const
export const OF_ALWAYS_FOLDER = { control: `${ALWAYS_FOLDER}:` } as const
/** The same for `ls -d`, which prints names alone. */
export const ALWAYS_PATH = '/proc'
export const OF_ALWAYS_PATH = { control: ALWAYS_PATH } as const

/** One line that `grep -H` printed: the file it stood in, and the line. */
export interface FoundLine {
  readonly path: string
  readonly line: string
}

/**
 * Reads `grep -H` output: with -Z a zero byte ends the file name, else a colon does, for files whose names hold none. Lines with
 * neither are left out.
 */
export function foundLines(text: string): readonly FoundLine[] {
  return lines(text).flatMap((line) => {
    const zero = line.indexOf('\0')
    const end = zero < 0 ? line.indexOf(':') : zero
    return end > 0 ? [{ path: line.slice(0, end), line: line.slice(end + 1) }] : []
  })
}

/** One-line files read with `grep -H ''`: path → its first line, trimmed. */
export function oneLineFiles(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const { path, line } of foundLines(text)) if (!values.has(path)) values.set(path, line.trim())
  return values
}

/**
 * Whether a grep over named files can be taken as complete: status 0 (found) or 1 (nothing found), or 2 (grep(1)) when its only
 * complaint is files that do not exist. A file that exists and could not be read makes it incomplete.
 */
export function grepIsComplete({ exitCode, errorText }: Answer): boolean {
  if (exitCode === 0 || exitCode === 1) return true
  const complaints = lines(errorText)
  return (
    exitCode === 2 && complaints.length > 0 && complaints.every((said) => /: No such file or directory$/.test(said))
  )
}

/** Whether a file-reading tool failed only because the file does not exist. */
export const isAbsent = ({ exitCode, errorText }: Answer): boolean =>
  exitCode !== 0 && /No such file or directory/.test(errorText)

/** `KEY=value` lines, as systemd's show commands print them. */
export function properties(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const line of lines(text)) {
    const equals = line.indexOf('=')
    if (equals > 0) values.set(line.slice(0, equals), line.slice(equals + 1))
  }
  return values
}

/** Properties of one unit, by name. */
export type UnitState = ReadonlyMap<string, string>

/**
 * What `systemctl show` printed of units, each by the name that it was requested by: an alias (chrony, chronyd) has another Id, so that
 * the order decides. Fails where it is not one block for each.
 */
export function readUnits<U extends string>(
  { exitCode, text }: Pick<Answer, 'exitCode' | 'text'>,
  units: readonly U[],
): Parsed<ReadonlyMap<U, UnitState>> {
  if (exitCode !== 0) return unknown('the service manager did not respond')
  const blocks = text
    .split(/\r?\n\r?\n/)
    .map(properties)
    .filter((block) => block.size > 0)
  return blocks.length === units.length
    ? known(new Map(units.map((unit, at) => [unit, blocks[at] ?? new Map()])))
    : unknown('the service manager reported other units than requested')
}

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** JSON text as a value, or a reason. */
export function readJson(text: string, tool: string): Parsed<JsonValue> {
  try {
    return known(JSON.parse(text) as JsonValue)
  } catch {
    return unknown(`the output of ${tool} is not JSON`)
  }
}

export const isRecord = (value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const asRecord = (value: JsonValue | undefined): { readonly [key: string]: JsonValue } =>
  isRecord(value) ? value : {}
export const asList = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])
export const asText = (value: JsonValue | undefined): string | null => (typeof value === 'string' ? value : null)
