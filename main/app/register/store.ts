import type { EntrySignature, Register } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { hexOf, sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { documentPath, folderIn } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { TableRow } from '../../core/base/table.ts'
import type { SealReader, Signer } from '../../core/ports/ports.ts'
import { LARGEST_DOCUMENT } from '../../core/register/attachments.ts'
import { EMPTY_REGISTER, type Moment } from '../../core/register/register.ts'
import { currentResponses, respond } from '../../core/register/responses.ts'
import { entryOf, signedBytes, withSignature } from '../../core/register/signatures.ts'
import { readResponseTable } from '../../present/formats/response-table.ts'
import { readSignatures, signatureProblems } from '../../verify/steps/entries.ts'
import { whileSigning } from '../common/seal-file.ts'
import { keepEarlier } from '../engine/context/kept-json.ts'

/** A register's file, and the folder of its documents and earlier copies. */
interface RegisterPlace {
  readonly path: string
  readonly folder: string
}

/** Replaces a register and keeps a copy of the previous one, so that no entry can be lost. */
export async function writeRegister(
  ports: Pick<Ports, 'clock' | 'entropy' | 'files' | 'validator'>,
  { path, folder }: RegisterPlace,
  register: Register,
): Promise<Outcome<null>> {
  const [problem] = ports.validator.problems('register', register)
  if (problem !== undefined) return fail('input.refused', plain(problem))
  const copied = await keepEarlier(ports, path, folderIn(folder, 'registerEarlier'))
  if (!copied.ok) return copied
  return await ports.files.write(path, `${JSON.stringify(register, null, 2)}\n`)
}

/** Stores the bytes of a document under their digest. */
export async function storeBytes(
  { files }: Pick<Ports, 'files'>,
  folder: string,
  bytes: Uint8Array,
): Promise<Outcome<null>> {
  const digest = sha256(bytes)
  const path = documentPath(folder, digest)
  // A link is not a copy of its target: with a limit, only a regular file is read.
  const there = await files.read(path, LARGEST_DOCUMENT)
  return there.ok && sha256(there.value) === digest ? ok(null) : await files.write(path, bytes)
}

export interface Change {
  /** Creates the register where there is none. */
  readonly begin: boolean
  readonly next: (register: Register) => Outcome<Register> | Promise<Outcome<Register>>
  /** The documents that the change adds. */
  readonly bytes?: Uint8Array
}

/**
 * Changes a register file completely or not at all, and returns its new content. Fails with input.not-found where
 * there is none to change, and with input.refused where another process changed it at the same time, for example
 * while a passphrase was entered.
 */
export async function changeRegister(
  ports: Pick<Ports, 'clock' | 'entropy' | 'files' | 'readRegister' | 'validator'>,
  place: RegisterPlace,
  { begin, next, bytes }: Change,
): Promise<Outcome<Register>> {
  const before = await ports.readRegister(place.path)
  if (!before.ok) return before
  if (before.value === null && !begin) return fail('input.not-found', `there is no register ${place.path}`)
  const after = await next(before.value ?? EMPTY_REGISTER)
  if (!after.ok) return after
  // Locked only now: signing may take any time.
  const held = await ports.files.hold(place.folder)
  if (!held.ok) return held
  try {
    const still = await ports.readRegister(place.path)
    if (!still.ok) return still
    if (canonicalJson(still.value) !== canonicalJson(before.value))
      return fail('input.refused', `another process changed ${place.path} meanwhile; try again`)
    // The bytes first: a register never names a file that is not there.
    const stored = bytes === undefined ? ok(null) : await storeBytes(ports, place.folder, bytes)
    if (!stored.ok) return stored
    const written = await writeRegister(ports, place, after.value)
    return written.ok ? after : written
  } finally {
    await held.value.release()
  }
}

/** The signer of an entry, and their role. The key is opened only after everything else was accepted. */
export interface Signing {
  readonly role: EntrySignature['role']
  readonly openSigner: () => Promise<Outcome<Signer>>
}

/**
 * Signs the entry of this id in its present form. Fails with input.refused, before anything is signed, where the keys
 * do not belong to the people named; otherwise as the key does.
 */
export async function entrySignature(
  { sealing, clock }: Pick<Ports, 'sealing' | 'clock'>,
  register: Register,
  id: string,
  { role, openSigner }: Signing,
): Promise<Outcome<EntrySignature>> {
  const entry = entryOf(register, id)
  if (entry === null) return fail('input.refused', 'there is no entry of this id to sign')
  const opened = await openSigner()
  if (!opened.ok) return opened
  const { certificate, chain, fingerprint } = opened.value
  const at = 'requestedAt' in entry ? entry.requestedAt : clock.now()
  const unsigned = { role, fingerprint, at, cms: '', chain: [certificate, ...chain].map(base64) }
  const fits = withSignature(register, id, unsigned)
  if (!fits.ok) return fits
  return await whileSigning(async () => {
    const cms = await sealing.signDetached(opened.value, signedBytes(entry, { role, at }))
    return ok({ ...unsigned, cms: base64(cms) })
  })
}

/**
 * Adds a signature to the entry of this id, which may have changed since it was signed. Fails with input.refused where the keys do not belong to the
 * people named, and where a signature on the entry is invalid, this one or an earlier one.
 */
export async function addSignature(
  { sealing }: Pick<Ports, 'sealing'>,
  register: Register,
  id: string,
  signature: EntrySignature,
): Promise<Outcome<Register>> {
  const next = withSignature(register, id, signature)
  if (!next.ok) return next
  const problem = await signaturesProblem(sealing.reader, next.value, id)
  return problem === null ? next : fail('input.refused', problem)
}

/** Signs the entry of this id and adds the signature. Fails as both do. */
export async function signEntry(
  ports: Pick<Ports, 'sealing' | 'clock'>,
  register: Register,
  id: string,
  signing: Signing,
): Promise<Outcome<Register>> {
  const signature = await entrySignature(ports, register, id, signing)
  return signature.ok ? await addSignature(ports, register, id, signature.value) : signature
}

/** The reason why an entry must be rejected, an invalid signature; null where there is none. */
export async function signaturesProblem(seal: SealReader, register: Register, id: string): Promise<string | null> {
  const entry = entryOf(register, id)
  if (entry === null) return 'there is no entry of this id'
  return signatureProblems(entry, await readSignatures(seal, entry))[0] ?? null
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** How responses of a table are added. */
interface TableImport {
  readonly fleet: string
  /** Checks that can have findings. */
  readonly checks: readonly string[]
  readonly statedBy: string
  /** Called at most once, after every row was accepted; null leaves the entries without a signature. */
  readonly openSigner: (() => Promise<Outcome<Signer>>) | null
}

/**
 * Adds the responses of a table to a register: all, or none. Rows that repeat what the register contains add no
 * entry. Fails with input.refused, naming each row that is not valid, and as opening the signer and signing do.
 */
export function importResponses(
  ports: Pick<Ports, 'clock' | 'entropy' | 'sealing'>,
  register: Register,
  rows: readonly TableRow[],
  { fleet, checks, statedBy, openSigner }: TableImport,
): Promise<Outcome<Imported>> {
  const known = new Set(checks)
  return importTable(ports, register, {
    read: (now, at) => readResponseTable(rows, { fleet, checks, current: currentResponses(now, at) }),
    state: (next, { row: _, ...stated }, moment) =>
      respond(next, { ...stated, statedBy }, { ...moment, hasCheck: (check) => known.has(check) }),
    openSigner,
  })
}

/** Rows of a table as they were read against a register. */
interface TableReading<Row extends { readonly row: number }> {
  readonly changed: readonly Row[]
  readonly unchanged: number
  readonly problems: readonly string[]
}

interface TableStatements<Row extends { readonly row: number }> {
  /** Reads the table against the register at the time of the import. */
  readonly read: (register: Register, now: string) => TableReading<Row>
  /** Adds the entry that a row states. */
  readonly state: (register: Register, row: Row, moment: Moment) => Outcome<Register>
  /** Called at most once, after every row was accepted; null leaves the entries without a signature. */
  readonly openSigner: (() => Promise<Outcome<Signer>>) | null
}

export interface Imported {
  readonly register: Register
  readonly added: readonly string[]
  readonly unchanged: number
}

const MOST_PROBLEMS = 20

/**
 * Adds the entries in the rows of a table to a register: all, or none. Fails with input.refused, naming each row that
 * is not valid, and as opening the signer and signing do.
 */
export async function importTable<Row extends { readonly row: number }>(
  ports: Pick<Ports, 'clock' | 'entropy' | 'sealing'>,
  register: Register,
  { read: readIn, state, openSigner }: TableStatements<Row>,
): Promise<Outcome<Imported>> {
  const now = ports.clock.now()
  const read = readIn(register, now)
  const problems = [...read.problems]
  const added: string[] = []
  let next = register
  for (const one of read.changed) {
    const id = hexOf(ports.entropy.bytes(16))
    const made = state(next, one, { now, id })
    if (made.ok) next = made.value
    else problems.push(`row ${one.row}: ${made.error.detail}`)
    added.push(id)
  }
  if (problems.length > 0) return fail('input.refused', listed(problems))
  if (openSigner === null || added.length === 0) return ok({ register: next, added, unchanged: read.unchanged })
  const signer = await openSigner()
  if (!signer.ok) return signer
  for (const id of added) {
    const signed = await signEntry(ports, next, id, { role: 'respondent', openSigner: async () => signer })
    if (!signed.ok) return signed
    next = signed.value
  }
  return ok({ register: next, added, unchanged: read.unchanged })
}

const listed = (problems: readonly string[]): string => {
  const more = problems.length - MOST_PROBLEMS
  return `${problems.slice(0, MOST_PROBLEMS).join('; ')}${more > 0 ? `; and ${more} more` : ''}. Nothing was stored`
}
