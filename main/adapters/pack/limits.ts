/** What a pack may be at most, so that a small file cannot fill a disk or memory. */
export interface Limits {
  readonly entries: number
  readonly totalBytes: number
  /** Unpacked bytes for each packed one. */
  readonly ratio: number
}

export const LIMITS: Limits = { entries: 50_000, totalBytes: 2 * 1024 ** 3, ratio: 200 }

/** A reason not to open an archive or folder. Thrown inside this folder and turned into a Failure at its edge. */
export class Refusal extends Error {
  readonly code: 'pack.unsafe' | 'pack.unreadable'
  constructor(code: 'pack.unsafe' | 'pack.unreadable', message: string) {
    super(message)
    this.code = code
  }
}

export const unsafe = (message: string): Refusal => new Refusal('pack.unsafe', message)
export const unreadable = (message: string): Refusal => new Refusal('pack.unreadable', message)
