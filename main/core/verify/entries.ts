import type { EntrySignature, Register } from '../../../schemas/types.ts'
import { quote } from '../plain-text.ts'
import type { SealReader } from '../ports.ts'
import {
  isOneKey,
  keysProblem,
  ONE_KEY,
  type Signable,
  signablesIn,
  signaturesOf,
  signedBytes,
} from '../register/signatures.ts'
import { isOnePerson } from '../register.ts'
import { type DetachedReading, readDetached } from './detached.ts'
import { NOBODY } from './trust.ts'

/** What one signature on an entry of a register shows. */
export interface EntrySignatureReading extends Omit<DetachedReading, 'demo' | 'standing'> {
  readonly role: EntrySignature['role']
}

/** Reads every signature on an entry, against revocation lists that the reader has. Nothing is thrown, whatever they hold. */
export const readSignatures = (
  seal: SealReader,
  entry: Signable,
  lists: readonly Uint8Array[] = [],
): Promise<readonly EntrySignatureReading[]> =>
  Promise.all(
    signaturesOf(entry).map(async (signature) => {
      const content = signedBytes(entry, signature)
      const trust = { ...NOBODY, lists }
      const {
        demo,
        standing: _,
        problems,
        ...reading
      } = await readDetached(seal, content, signature, { what: 'entry', trust })
      return { ...reading, role: signature.role, problems: demo ? [...problems, DEMO] : problems }
    }),
  )

const DEMO = 'It is of a demonstration key, which stands for nobody.'

/** An entry as people are told of it. */
const entryName = (entry: Signable): string =>
  `${'decidedAt' in entry ? 'decision' : 'acceptedAt' in entry ? 'exception' : 'request'} ${entry.id}`

/** What the signatures of one entry leave wrong, one sentence each. */
export const signatureProblems = (entry: Signable, readings: readonly EntrySignatureReading[]): readonly string[] => {
  const keys = keysProblem(entry) ?? oneKeyProblem(entry, readings)
  return [
    ...readings.flatMap(({ role, problems }) =>
      problems
        .slice(0, 1)
        .map(
          (problem) =>
            `${entryName(entry)}: the signature of ${ROLES[role]} does not stand: ${problem} The entry may have been changed since.`,
        ),
    ),
    ...(keys === null ? [] : [`${entryName(entry)}: ${keys}.`]),
  ]
}

/** One key in two certificates is one key. */
function oneKeyProblem(entry: Signable, readings: readonly EntrySignatureReading[]): string | null {
  const keys = readings.flatMap(({ key }) => key ?? [])
  return 'approvedBy' in entry && !isOnePerson(entry) && new Set(keys).size < keys.length ? ONE_KEY : null
}

const ROLES = { requester: 'who asked', approver: 'who approved' } as const

/** What the signatures in a register show: what is wrong, and what a reader should know besides. */
export interface EntriesReading {
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

/** Reads the signatures of a whole register. Whether a key is whose it says is for the reader to find out, so each is named once. */
export async function readEntries(
  seal: SealReader,
  register: Register,
  lists: readonly Uint8Array[] = [],
): Promise<EntriesReading> {
  const entries = signablesIn(register)
  const problems: string[] = []
  const revoked = new Map<string, string>()
  const keys = new Map<string, { readonly subject: string; count: number }>()
  for (const entry of entries) {
    const readings = await readSignatures(seal, entry, lists)
    problems.push(...signatureProblems(entry, readings))
    for (const { subject, fingerprint, revokedAt, problems: wrong } of readings) {
      if (wrong.length > 0) continue
      if (revokedAt !== null) revoked.set(fingerprint, revokedAt)
      const key = keys.get(fingerprint) ?? { subject: subject ?? '', count: 0 }
      keys.set(fingerprint, { ...key, count: key.count + 1 })
    }
  }
  return {
    problems,
    notes: [
      ...peopleNotes(entries),
      ...[...keys].map(([fingerprint, key]) => keyNote(fingerprint, key)),
      ...[...revoked].map(
        ([fingerprint, at]) =>
          `The key ${fingerprint} was revoked at ${at}. What it signed names earlier moments, on its own word.`,
      ),
    ],
  }
}

const keyNote = (
  fingerprint: string,
  { subject, count }: { readonly subject: string; readonly count: number },
): string =>
  `${quote(subject)}, key fingerprint ${fingerprint}, signed ${count === 1 ? 'one entry' : `${count} entries`} of the register. Whether the key is theirs is not shown by it.`

function peopleNotes(entries: readonly Signable[]): readonly string[] {
  const count = (holds: (entry: Signable) => boolean): number => entries.filter(holds).length
  const unsigned = count((entry) => signaturesOf(entry).length === 0)
  const approved = (entry: Signable): boolean => signaturesOf(entry).some(({ role }) => role === 'approver')
  const half = count((entry) => 'approvedBy' in entry && signaturesOf(entry).length > 0 && !approved(entry))
  const one = count((entry) => 'approvedBy' in entry && isOnePerson(entry))
  const key = count(isOneKey)
  const of = `of ${entries.length} exceptions, requests and decisions`
  return [
    ...(unsigned === 0
      ? []
      : [`${unsigned} ${of} ${is(unsigned)} not signed: that is on the word of whoever made the register.`]),
    ...(half === 0 ? [] : [`${half} ${of} ${is(half)} signed by who asked and not by who approved.`]),
    ...(one === 0
      ? []
      : [
          `${one} ${of} ${is(one)} asked for and approved by one person${key === 0 ? '' : `, ${key} of them with one key`}.`,
        ]),
  ]
}

const is = (count: number): string => (count === 1 ? 'is' : 'are')
