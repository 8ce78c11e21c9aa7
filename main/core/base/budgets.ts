import type { VerificationCheckResult } from '../../../schemas/verification.ts'

/**
 * Limits on reading a pack. Its sender chooses its contents, so the contents must not determine how much memory or
 * time a reader uses. Each limit is several times what the largest genuine pack needs (1,250 nodes with 320 files
 * each). The archive reader accepts 400,000 files; see main/adapters/pack/limits.ts.
 */
const MIB = 1024 ** 2

/** Problems listed per check; further ones are counted. */
export const MOST_PROBLEMS = 50

/** A JSON document; the trace of 1,250 nodes has 11 MiB. */
export const LARGEST_JSON = 64 * MIB
/**
 * Arrays, objects and members of one document in total; that trace has 370,000. Each takes up to 60 bytes of memory
 * once parsed.
 */
export const MOST_VALUES = 1_000_000
/** Nesting depth of arrays and objects; our deepest document has 12. */
export const DEEPEST_JSON = 64

/** bag-info.txt, bagit.txt, and other texts of a few lines. */
export const LARGEST_NOTE = 64 * 1024
/** A list of files may have this size, or twice what the files that are present need in it. */
export const LARGEST_LIST = MIB
/** Any other text: entries of a run chain, captures of a node, lists of a provider. */
export const LARGEST_TEXT = 128 * MIB
/** Entries of a run chain: ten runs a day for fifty years. */
export const MOST_ENTRIES = 200_000

/** Certificates in a pack; a chain has two to four. */
export const MOST_CERTIFICATES = 64
/** Revocation lists in a pack for one chain; there is one per certificate. */
export const MOST_REVOCATION_LISTS = 64
/** Time-stamps over one seal: one every five years for 160 years. */
export const MOST_STAMPS = 32
/** One time-stamp; responses of authorities are accepted up to 64 KiB. */
export const LARGEST_STAMP = 256 * 1024

/** Declared nodes of a pack; a fleet file has at most 20,000. */
export const MOST_NODES = 20_000

/** Captures of one node in total, as listed; larger recordings are not loaded either. */
export const LARGEST_RECORDING = 256 * MIB
/**
 * One file can be the output of several commands with equal, mostly empty output. The listed sizes may exceed the
 * files by this much in total.
 */
export const LARGEST_REPEATED = 4 * MIB

/** The first problems, and the number of further ones. */
export const atMost = (problems: readonly string[]): readonly string[] =>
  problems.length <= MOST_PROBLEMS
    ? problems
    : [...problems.slice(0, MOST_PROBLEMS), `${problems.length - MOST_PROBLEMS} more of this kind are not listed.`]

/** How many problems atMost() counted in its last sentence; 0 where it left none out. */
export const unlistedIn = (last: string): number =>
  Number(/^(\d+) more of this kind are not listed\.$/.exec(last)?.[1] ?? 0)

/** A check result with its details limited to MOST_PROBLEMS. */
export const bounded = (answer: VerificationCheckResult): VerificationCheckResult => ({
  ...answer,
  details: atMost(answer.details),
})

/**
 * Appends any number of items. A spread call is limited to about 100,000 arguments, and a pack can cause more
 * problems than that.
 */
export function addAll<T>(list: T[], more: readonly T[]): void {
  for (const one of more) list.push(one)
}
