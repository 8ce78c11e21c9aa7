import type { Command } from 'commander'
import type { Planned, Scope } from '../../../schemas/types.ts'
import { askable } from '../../adapters/http.ts'
import { readCertificates, readHolding } from '../../app/common/certificate-files.ts'
import type { Stamping } from '../../app/common/seal-file.ts'
import { windowStamping } from '../../app/engine/trust/trust-anchors.ts'
import { ALSO, type Also, exportRun } from '../../app/export/export.ts'
import type { Exported } from '../../app/export/report-input.ts'
import { catalog } from '../../catalog/definition/index.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { revocationListsIn } from '../../core/base/pem.ts'
import { plain } from '../../core/base/plain-text.ts'
import { PAPERS, type Paper } from '../../core/base/report-document.ts'
import type { IdentityInfo } from '../../core/ports/identities.ts'
import type { Signer } from '../../core/ports/ports.ts'
import type { RecordingSource } from '../../core/recording/recording.ts'
import {
  type Context,
  type FolderOption,
  folderOf,
  type PassphraseOptions,
  passphrase,
  printFailure,
  printLine,
  withFoldersChecked,
  withPassphrase,
} from './options.ts'
import { readRegister } from './register.ts'

export interface KeyOptions extends PassphraseOptions, FolderOption {
  readonly identity?: string
}

export interface SigningOptions extends KeyOptions, AuthorityOptions {
  readonly timestamp?: string
  readonly chain?: string
  readonly register?: string
  readonly formats?: string
  readonly paper?: string
  /** For a scheduled run: the folder in which the window keeps its declarations. */
  readonly declarations?: string
}

/** The additional outputs by default: those that are one file each. */
const USUALLY: readonly Also[] = ['executive', 'xlsx', 'oscal']

function alsoList(text: string | undefined): Outcome<readonly Also[]> {
  if (text === undefined) return ok(USUALLY)
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => name !== '' && !ALSO.some((known) => known === name))
  if (unknown !== undefined) return fail('input.refused', `--formats: “${unknown}” is not one of ${ALSO.join(', ')}`)
  return ok(ALSO.filter((known) => names.includes(known)))
}

/** Options of a sealed export: signing identity, time-stamp authority, run chain, additional outputs and register. */
export const signingOptions = (command: Command): Command =>
  authorityOptions(keyOptions(command))
    .option('--timestamp <url>', 'RFC 3161 time-stamp authority; default timestampAuthority of the fleet file')
    .option('--chain <folder>', 'Run chain that the pack extends; “run” keeps one in its --out folder')
    .option(
      '--formats <list>',
      `Additional outputs, comma-separated: ${ALSO.join(', ')}; default ${USUALLY.join(',')}; empty for none`,
    )
    .option(
      '--paper <size>',
      `Paper of the report: ${PAPERS.join(' or ')}; default letter where HIPAA is examined, else a4`,
    )
    .option(
      '--register <file>',
      'Register of risk acceptances and documents; files in the folder “documents” next to it',
    )

/** Options that select the signing identity. */
export const keyOptions = (command: Command): Command =>
  withPassphrase(
    withFoldersChecked(command).option(
      '--identity <name>',
      'Signing identity (see “identity create”); default the only one',
    ),
  )

/** Opens the named identity, or the only one. Fails with identity.missing, and as reading the passphrase and opening do. */
export async function openSigner(context: Context, options: KeyOptions): Promise<Outcome<Signer>> {
  const { ports } = context
  const folder = folderOf(context, options)
  const listed = await ports.identities.list(folder)
  if (!listed.ok) return listed
  const name = options.identity ?? (listed.value.length === 1 ? listed.value[0]?.name : undefined)
  const isToken = listed.value.some((info) => info.name === name && info.kind === 'token')
  if (name === undefined)
    return fail(
      'identity.missing',
      listed.value.length === 0
        ? `no identity in ${folder}`
        : `several identities in ${folder}; select one with --identity`,
    )
  // Checked before the passphrase prompt. An identity that exists and cannot be read is reported as unreadable.
  const known = listed.value.some((info) => info.name === name) ? ok(null) : await ports.identities.trust(folder, name)
  if (!known.ok)
    return known.error.code === 'identity.missing'
      ? fail('identity.missing', `no identity ${plain(name)} in ${folder}${namesOf(listed.value)}`)
      : known
  const secret = await passphrase(options, `${isToken ? 'PIN of the token of' : 'Passphrase of'} identity ${name}`)
  return secret.ok ? await ports.identities.open(folder, name, secret.value) : secret
}

const namesOf = (listed: readonly IdentityInfo[]): string =>
  listed.length === 0 ? '' : `; it contains ${listed.map(({ name }) => name).join(', ')}`

/** Whether no identity exists, and none was named. */
export async function hasNoIdentity(context: Context, options: KeyOptions): Promise<boolean> {
  if (options.identity !== undefined) return false
  const listed = await context.ports.identities.list(folderOf(context, options))
  return listed.ok && listed.value.length === 0
}

/** Checked inputs of sealing. */
interface ReadyToSeal {
  readonly signer: Signer
  readonly stamping: Stamping | null
  readonly also: readonly Also[]
}

/**
 * Checks every input of sealing before evidence exists: additional outputs, the authority's address, the identity and its passphrase.
 * `ofFleet` is the fleet file's time-stamp authority. Fails with input.refused, identity.missing and the failures of opening an identity.
 */
export async function readyToSeal(
  context: Context,
  options: SigningOptions,
  ofFleet: string | undefined,
): Promise<Outcome<ReadyToSeal>> {
  const stamping = await stampingOf(context, options, ofFleet)
  if (!stamping.ok) return stamping
  const also = alsoList(options.formats)
  if (!also.ok) return also
  const paper = paperNamed(options.paper)
  if (!paper.ok) return paper
  const signer = await openSigner(context, options)
  return signer.ok ? ok({ signer: signer.value, stamping: stamping.value, also: also.value }) : signer
}

/** The paper that an option names; null without one. Fails with input.refused. */
function paperNamed(text: string | undefined): Outcome<Paper | null> {
  if (text === undefined) return ok(null)
  const found = PAPERS.find((one) => one === text)
  return found === undefined
    ? fail('input.refused', `--paper: “${text}” is not one of ${PAPERS.join(', ')}`)
    : ok(found)
}

interface ToExport {
  readonly run: string
  readonly scope: Scope
  readonly recordings: readonly RecordingSource[]
  readonly folder: string
  readonly chainFolder: string | null
  /** The folder whose history the report includes; absent: the report covers this run only. */
  readonly history?: string
  /** The fleet file's time-stamp authority. */
  readonly timestampAuthority: string | undefined
  readonly inventory: Uint8Array | null
  readonly sites: Uint8Array | null
  /** The scheduled run that this is; null or absent for a run started by a person. */
  readonly planned?: Planned | null
  /** The run continues after an interruption. */
  readonly resumes?: boolean
}

/** Evaluates as of now, writes report, pack and tables, and prints their paths. Fails as reading the register, sealing and writing do. */
export async function exportAndPrint(
  context: Context,
  options: SigningOptions,
  input: ToExport,
  before: ReadyToSeal | null = null,
): Promise<Outcome<Exported>> {
  const { ports } = context
  const ready = before === null ? await readyToSeal(context, options, input.timestampAuthority) : ok(before)
  if (!ready.ok) return ready
  const stored = await readRegister(ports, options.register)
  if (!stored.ok) return stored
  const paper = paperNamed(options.paper)
  if (!paper.ok) return paper
  const { signer } = ready.value
  const exported = await exportRun(ports, catalog, {
    ...input,
    // A choice is sealed with the scope, so that verification renders the same pages.
    scope: paper.value === null ? input.scope : { ...input.scope, paper: paper.value },
    ...stored.value,
    ...ready.value,
    asOf: ports.clock.now(),
  })
  if (!exported.ok) return exported
  printLine('')
  printLine('Wrote')
  for (const { path, size } of exported.value.files) printLine(`  ${path}  (${size} bytes)`)
  const { level, stamped, shortfalls, continued } = exported.value
  if (continued)
    printLine('The pack was already sealed and is unchanged. Missing files next to it were created from the pack.')
  printLine(
    `Sealed by ${plain(signer.subject)}. Report: PAdES level ${level}. Pack: ${stamped ? 'with' : 'without'} a time-stamp.`,
  )
  for (const failure of shortfalls) printFailure(failure)
  return exported
}

/** The time-stamp authority of the command line, of the window, or of the fleet file; null for none. Fails with input.refused. */
export async function stampingOf(
  { ports }: Context,
  options: SigningOptions,
  ofFleet: string | undefined,
): Promise<Outcome<Stamping | null>> {
  const authority = await readAuthority(ports, options)
  if (!authority.ok) return authority
  const ofWindow = options.timestamp === undefined ? await authorityOfWindow(ports, options) : null
  const url = options.timestamp ?? ofWindow?.url ?? ofFleet
  if (url === undefined) return ok(null)
  const given =
    options.timestamp !== undefined
      ? '--timestamp'
      : ofWindow === null
        ? 'timestampAuthority of the fleet file'
        : 'the time-stamp authority of the settings'
  const address = askableAddress(given, url)
  if (!address.ok) return address
  const certificates = [...authority.value.certificates, ...(ofWindow?.certificates ?? [])]
  return ok({ ...authority.value, url, certificates })
}

/** The authority of the window's settings, for a run that uses the window's declarations. */
const authorityOfWindow = async (
  ports: Context['ports'],
  { declarations: folder }: SigningOptions,
): Promise<Stamping | null> => (folder === undefined ? null : await windowStamping({ ports, folder }))

/** Whether an authority's address may be used. The refusal does not repeat the address, because it may contain a password. */
export const askableAddress = (given: string, url: string): Outcome<null> =>
  askable(url) === null
    ? fail('input.refused', `${given} must be an http or https address without user name and password`)
    : ok(null)

/** The revocation lists in the given files, DER. */
export const readLists = async (
  ports: Pick<Ports, 'files'>,
  paths: readonly string[],
): Promise<Outcome<readonly Uint8Array[]>> => {
  if (paths.length === 0) return ok([])
  // Loaded when first needed: most commands use no list.
  const { readRevocationList } = await import('../../adapters/seal/x509.ts')
  return await readHolding(ports, paths, {
    held: (file) => revocationListsIn(file).filter((list) => readRevocationList(list) !== null),
    what: 'readable revocation list',
  })
}

export interface AuthorityOptions {
  readonly certificate?: readonly string[]
  readonly crl?: readonly string[]
}

/** Options that complete certificate chains. */
export const authorityOptions = (command: Command): Command =>
  command
    .option(
      '--certificate <certificate...>',
      'PEM certificates that complete the chains of signer and time-stamp authority',
    )
    .option(
      '--crl <list...>',
      'Revocation lists, PEM or DER; others are fetched from the addresses in the certificates',
    )

/** The certificates and revocation lists of the options, DER. Fails with the first file that cannot be read or contains none. */
export async function readAuthority(
  ports: Pick<Ports, 'files'>,
  { certificate, crl }: AuthorityOptions,
): Promise<Outcome<{ readonly certificates: readonly Uint8Array[]; readonly crls: readonly Uint8Array[] }>> {
  const certificates = await readCertificates(ports, certificate ?? [])
  if (!certificates.ok) return certificates
  const crls = await readLists(ports, crl ?? [])
  return crls.ok ? ok({ certificates: certificates.value, crls: crls.value }) : crls
}
