import { quote } from '../../core/base/plain-text.ts'
import { compare } from '../../core/recording/recording.ts'

/** Everything in an archive is in this folder. */
export const FOLDER = 'pack/'

/**
 * Refuses names that different systems interpret differently: outside the folder, absolute, with backslashes, control
 * or non-ASCII characters. Throws a Refusal.
 */
export function checkName(name: string): void {
  const problem = nameProblem(name)
  if (problem !== null) throw unsafe(`entry ${quote(name)}: ${problem}`)
}

/**
 * Files that desktop systems add to folders and archives: Finder's and Explorer's settings, and macOS metadata of
 * files.
 */
export const isDesktopFile = (name: string): boolean =>
  name.startsWith('__MACOSX/') || /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/i.test(name)

/**
 * Refuses names of which some system would keep only one: duplicates, names equal but for case, or a file that is also
 * a folder.
 */
export function checkDistinct(names: readonly string[]): void {
  // Most names have no capitals, and stay the same strings.
  const folded = names.map((name) => (/[A-Z]/.test(name) ? name.toLowerCase() : name))
  const order = Uint32Array.from(names.keys()).sort((a, b) => compare(folded[a] ?? '', folded[b] ?? ''))
  // Names that the current one starts with. In this order all names with that prefix follow it directly.
  const beginnings: string[] = []
  let previous = -1
  for (const index of order) {
    const [name, key] = [names[index] ?? '', folded[index] ?? '']
    const before = names[previous] ?? ''
    if (name === before) throw unsafe(`entry ${quote(name)} occurs twice`)
    if (key === folded[previous]) throw unsafe(`entries ${quote(before)} and ${quote(name)} differ only in case`)
    while (beginnings.length > 0 && !key.startsWith(beginnings.at(-1) ?? '')) beginnings.pop()
    // A name that is both a file and a folder unpacks differently depending on order.
    if (beginnings.some((beginning) => key[beginning.length] === '/'))
      throw unsafe(`entry ${quote(name)} is below a file`)
    beginnings.push(key)
    previous = index
  }
}

function nameProblem(name: string): string | null {
  if (name.length === 0 || name.length > 400 + FOLDER.length) return 'the name is empty or too long'
  if (/[^\x20-\x7e]/.test(name)) return 'the name has control characters or characters outside ASCII'
  if (name.includes('\\')) return 'the name has a backslash'
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'the name is absolute'
  const parts = name.split('/')
  if (parts.includes('..') || parts.includes('.')) return 'the name leads out of its folder'
  if (parts.includes('')) return 'the name has an empty part'
  if (parts.some((part) => /[. ]$/.test(part) || /[<>:"|?*]/.test(part))) return 'the name is not valid on every system'
  return null
}

/** Limits of a pack, so that a small file cannot fill a disk or memory. */
export interface Limits {
  readonly entries: number
  readonly totalBytes: number
  /** Unpacked bytes for each packed one. */
  readonly ratio: number
  /** Entries up to this size may have any ratio: a valid capture can consist of zeros. */
  readonly ratioFrom: number
  /** Unpacked bytes of all entries for each byte of the archive. */
  readonly wholeRatio: number
  /** Archives that unpack to no more than this may have any ratio. */
  readonly wholeRatioFrom: number
  /** The list of entries at the end of an archive. */
  readonly listBytes: number
  /** One file read into memory at once; of larger ones only the digest is available. */
  readonly readBytes: number
}

const MIB = 1024 ** 2

export const LIMITS: Limits = {
  entries: 400_000,
  totalBytes: 16 * 1024 * MIB,
  ratio: 200,
  ratioFrom: MIB,
  // Barewitness does not compress; zipped again, its packs shrink to a third. A capture of zeros is a small part of
  // one.
  wholeRatio: 20,
  wholeRatioFrom: 8 * MIB,
  listBytes: 256 * MIB,
  readBytes: 256 * MIB,
}

type RefusalCode = 'pack.unsafe' | 'pack.unreadable' | 'pack.repacked'

/** A reason not to open an archive or folder. Thrown inside this folder and turned into a Failure at its edge. */
export class Refusal extends Error {
  readonly code: RefusalCode
  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

export const unsafe = (message: string): Refusal => new Refusal('pack.unsafe', message)
export const repacked = (message: string): Refusal => new Refusal('pack.repacked', message)
export const unreadable = (message: string): Refusal => new Refusal('pack.unreadable', message)
