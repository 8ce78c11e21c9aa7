import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { fileIn, folderIn } from '../../../core/base/layout.ts'
import type { IdentityInfo } from '../../../core/ports/identities.ts'
import type { EngineContext } from '../context/context.ts'

/** Source of an identity's passphrase. */
export type Keeping =
  | { readonly kept: 'vault' | 'file'; readonly secret: string }
  | { readonly kept: 'person' | 'token' | 'sealer'; readonly secret: null }

type Where = Pick<EngineContext, 'ports' | 'folder' | 'desktop'>

const SHORTEST = 8
const TRIES = 3

export const identitiesFolder = (folder: string): string => folderIn(folder, 'identities')

/** How the passphrase of an identity is stored. A stored passphrase counts only when it opens the key. */
export async function keepingOf(context: Where, info: IdentityInfo): Promise<Keeping> {
  if (info.kind === 'token' || info.kind === 'sealer') return { kept: info.kind, secret: null }
  const { ports, folder } = context
  for (const keeping of await keptSecrets(context, info.name)) {
    const opened = await ports.identities.open(identitiesFolder(folder), info.name, keeping.secret)
    if (opened.ok || opened.error.code !== 'identity.passphrase-wrong') return keeping
  }
  return { kept: 'person', secret: null }
}

/** How the secret of an identity is stored, in words that state its protection. */
export const keptHow = ({ kept }: Keeping, { desktop }: Where): string =>
  ({
    vault: `by ${desktop.vault?.described ?? 'the system'}`,
    file: FILE_WORDS,
    person: 'protected by a passphrase that you enter',
    token: 'on a token',
    sealer: 'at the computer of the signer, who confirms each export and entry there',
  })[kept]

export const FILE_WORDS = 'in a file that only your account can read: anyone who reads your files can sign as you'

export interface Used<T> {
  readonly value: T
  readonly kept: Keeping['kept']
}

/**
 * Does work that needs the passphrase of an identity: the stored one, otherwise one that a person enters, with an error
 * message when it was wrong, up to three times. The PIN of a token is requested once: wrong PINs lock it.
 */
export async function withSecret<T>(
  context: Where,
  info: IdentityInfo,
  work: (secret: string) => Promise<Outcome<T>>,
): Promise<Outcome<Used<T>>> {
  const { name } = info
  if (info.kind === 'sealer') return used(await work(''), 'sealer')
  if (info.kind === 'token') {
    const pin = await context.desktop.ask(`PIN of the token of your signing key (${name})`)
    return pin === null ? notGiven() : used(await work(pin), 'token')
  }
  for (const { kept, secret } of await keptSecrets(context, name)) {
    const done = await work(secret)
    if (done.ok || done.error.code !== 'identity.passphrase-wrong') return used(done, kept)
  }
  let problem = ''
  for (let tries = 1; ; tries += 1) {
    const given = await context.desktop.ask(`${problem}Passphrase of your signing key (${name})`)
    if (given === null) return notGiven()
    const done = await work(given)
    if (done.ok || done.error.code !== 'identity.passphrase-wrong' || tries === TRIES) return used(done, 'person')
    problem = `Wrong passphrase; attempt ${tries + 1} of ${TRIES}. `
  }
}

/**
 * A passphrase for a new key: generated at random and stored in the system's vault where there is one, otherwise chosen
 * by a person. No identity of this name may exist yet.
 */
export async function newSecret(context: Where, name: string): Promise<Outcome<Used<string>>> {
  const { ports, desktop } = context
  const { vault } = desktop
  if (vault === null)
    return used(await newPassphrase(context, 'Choose a passphrase for your new signing key'), 'person')
  const before = await vault.read(vaultName(name))
  if (before !== null) return ok({ value: before, kept: 'vault' })
  const secret = Buffer.from(ports.entropy.bytes(32)).toString('hex')
  const written = await vault.write(vaultName(name), secret)
  if (!written.ok) return written
  // A key whose passphrase the vault does not return would be lost.
  return (await vault.read(vaultName(name))) === secret
    ? ok({ value: secret, kept: 'vault' })
    : fail('store.failed', `${vault.described} did not return the stored passphrase; no key was created`)
}

/** Requests a passphrase twice, until both entries match and are long enough, up to three times. */
export async function newPassphrase({ desktop }: Pick<Where, 'desktop'>, question: string): Promise<Outcome<string>> {
  let problem = ''
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const first = await desktop.ask(`${problem}${question} (at least ${SHORTEST} characters)`)
    if (first === null) return notGiven()
    if ([...first].length < SHORTEST) {
      problem = `The passphrase has fewer than ${SHORTEST} characters. `
      continue
    }
    const second = await desktop.ask('Repeat the passphrase')
    if (second === null) return notGiven()
    if (second === first) return ok(first)
    problem = 'The passphrases do not match. '
  }
  return fail('input.refused', `${problem.trim()} No key was created after ${TRIES} attempts`)
}

const vaultName = (name: string): string => `identity:${name}`

const notGiven = () => fail('input.refused', 'no passphrase was entered')

const used = <T>(done: Outcome<T>, kept: Keeping['kept']): Outcome<Used<T>> =>
  done.ok ? ok({ value: done.value, kept }) : done

/**
 * The secrets stored for an identity, in the order they are tried. The file is from earlier versions, and only read.
 */
async function keptSecrets(
  { ports, folder, desktop }: Where,
  name: string,
): Promise<readonly { readonly kept: 'vault' | 'file'; readonly secret: string }[]> {
  const vaulted = (await desktop.vault?.read(vaultName(name))) ?? null
  const file = await ports.files.read(fileIn(folder, 'identityPassphrase'))
  return [
    ...(vaulted === null ? [] : [{ kept: 'vault' as const, secret: vaulted }]),
    ...(file.ok ? [{ kept: 'file' as const, secret: new TextDecoder().decode(file.value).trim() }] : []),
  ]
}
