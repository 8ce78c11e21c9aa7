import { canonicalJson } from '../../core/base/canonical-json.ts'
import { plainJson } from '../../core/history/trace.ts'
import { type Answer, known, type Parsed, type RunCommand, run, unknown } from '../../core/recording/probe.ts'
import { compare } from '../../core/recording/recording.ts'

/** Lines of a text without their line ends; empty lines are left out. */
export const lines = (text: string): readonly string[] => text.split(/\r?\n/).filter((line) => line !== '')

/** A file and a folder that every Linux system has, requested next to those that may not be there: the control of such a command. */
export const ALWAYS_FILE = '/proc/sys/kernel/ostype'
export const ALWAYS_FOLDER = '/sys/dev'
export const OF_ALWAYS_FILE = { control: `${ALWAYS_FILE}:Linux` } as const
export const OF_ALWAYS_FOLDER = { control: `${ALWAYS_FOLDER}:` } as const
/** The same for `ls -d`, which prints names only. */
export const ALWAYS_PATH = '/proc'
export const OF_ALWAYS_PATH = { control: ALWAYS_PATH } as const

/** One line that `grep -H` printed: its file, and the line. */
export interface FoundLine {
  readonly path: string
  readonly line: string
}

/**
 * Parses `grep -H` output: with -Z, a zero byte ends the file name; otherwise a colon does, for files whose names
 * contain none. Lines with neither are omitted.
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
    exitCode === 2 &&
    complaints.length > 0 &&
    complaints.every((complaint) => /: No such file or directory$/.test(complaint))
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

const UNIT_NAME = /\.(path|service|socket|target|timer)$/

/**
 * systemctl(1) show prints every unit requested, those unknown with LoadState=not-found, and changes nothing. A name without a type is that
 * of a service. readUnits() reads the answer.
 */
export const showUnits = (properties: string, units: readonly string[]): RunCommand =>
  run([
    'systemctl',
    'show',
    `--property=${properties}`,
    ...units.map((unit) => (UNIT_NAME.test(unit) ? unit : `${unit}.service`)),
  ])

/**
 * Parses `systemctl show` output for several units, each under the name by which it was requested: an alias (chrony,
 * chronyd) has a different Id, so that the order decides. Fails where there is not exactly one block for each.
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

/** A whole number from zero on; null for any other value. */
export const asCount = (value: JsonValue | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

/** Helpers with which probes remove what changes by itself from a reading (`Probe.ignoredInDrift`). */

const keyOf = (item: unknown): string => canonicalJson(plainJson(item))

/** A list whose order carries no meaning, in one order; what is in it twice stays twice. */
export const inOrder = <T>(items: Iterable<T>): readonly T[] =>
  [...items]
    .map((item) => ({ item, key: keyOf(item) }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ item }) => item)

/** Each distinct item once: for lists in which the number of equal items changes by itself. */
export const kindsOf = <T>(items: Iterable<T>): readonly T[] => [
  ...new Map(inOrder(items).map((item) => [keyOf(item), item])).values(),
]

/** Reduces a counter to a state: whether it counted anything. Null stays null. */
export const whether = (count: number | null): boolean | null => (count === null ? null : count > 0)

/** Memory in whole GiB: the kernel keeps some pages more or fewer for itself at each start. */
export const gibibytes = (kib: number): number => Math.round(kib / 1024 ** 2)

/** Ends of containers and pods on the host's network: made and taken away with them, under names drawn by chance. */
export const isContainerEnd = (device: string): boolean =>
  /^(veth|cali|lxc|cilium_tmp|eni|azv)[0-9a-z_@]*\d/.test(device)

/** Folders that logins, containers and services mount for themselves while they last. */
export const isPassingMount = (point: string): boolean =>
  /^\/(run\/(user\/\d|credentials\/|netns\/|docker\/|containerd\/|k3s\/|snapd\/ns)|var\/lib\/(docker\/|containers\/|containerd\/|kubelet\/))/.test(
    point,
  )

/** From here up, ports are drawn by chance on most systems (net.ipv4.ip_local_port_range, 32768 to 60999). */
export const FIRST_DRAWN_PORT = 32768

/** A log without the number or day that rotation gives its older copies. */
export const withoutRotation = (path: string): string =>
  path
    .replace(/@[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{16}(?=\.journal)/, '')
    .replace(/([.-]\d{1,10})?(\.(gz|xz|bz2|zst))?$/, '')

/** Settings of the network by path, without those of ends of containers. */
export const lastingSettings = (values: ReadonlyMap<string, string>): readonly (readonly [string, string])[] =>
  inOrder([...values].filter(([path]) => !isContainerEnd(/^ipv[46]\/(?:conf|neigh)\/([^/]+)\//.exec(path)?.[1] ?? '')))

/**
 * Parses `grep -sH ''` output: `path:line`, by path. The lines of one file are joined by newlines. Only for paths
 * without a colon, which holds for every path requested in this folder; everything after it belongs to the value.
 */
export function sysfsLines(text: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const line of text.split('\n')) {
    const split = /^(\/[^:\n]*):(.*)$/.exec(line)
    const path = split?.[1]
    if (path === undefined) continue
    const before = files.get(path)
    files.set(path, before === undefined ? (split?.[2] ?? '') : `${before}\n${split?.[2] ?? ''}`)
  }
  return files
}

/** Undoes the octal escapes that the kernel writes for space, tab, newline, backslash and comma (seq_escape in fs/seq_file.c). */
export const unescapeOctal = (text: string): string =>
  text.replace(/\\([0-3][0-7]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
