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
