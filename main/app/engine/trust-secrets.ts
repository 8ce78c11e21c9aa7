import { fail, type Outcome } from '../../core/failure.ts'
import type { IdentityInfo } from '../../core/identities.ts'
import { ok } from '../../core/result.ts'
import type { EngineContext } from './context.ts'

/** Where the passphrase of an identity comes from. */
export type Keeping =
  | { readonly kept: 'vault' | 'file'; readonly secret: string }
  | { readonly kept: 'person' | 'token'; readonly secret: null }

type Where = Pick<EngineContext, 'world' | 'folder' | 'desktop'>

const SHORTEST = 8
const TRIES = 3

export const identitiesFolder = (folder: string): string => `${folder}/identities`

/** Who or what has the passphrase of an identity. What is kept counts only when it opens the key. */
export async function keepingOf(context: Where, info: IdentityInfo): Promise<Keeping> {
  if (info.kind === 'token') return { kept: 'token', secret: null }
  const { world, folder } = context
  for (const keeping of await keptSecrets(context, info.name)) {
    const opened = await world.identities.open(identitiesFolder(folder), info.name, keeping.secret)
    if (opened.ok || opened.error.code !== 'identity.passphrase-wrong') return keeping
  }
  return { kept: 'person', secret: null }
}

/** How the secret of an identity is kept, in words that do not hide what that is worth. */
export const keptHow = ({ kept }: Keeping, { desktop }: Where): string =>
  ({
    vault: `by ${desktop.vault?.described ?? 'the system'}`,
    file: FILE_WORDS,
    person: 'by a passphrase you are asked for',
    token: 'on a token',
  })[kept]

export const FILE_WORDS = 'in a file that only your account can read: whoever reads your files can sign as you'

export interface Used<T> {
  readonly value: T
  readonly kept: Keeping['kept']
}

/**
 * Does work that takes the passphrase of an identity: the one that is kept, else one that a person is asked for, told when it was wrong, up to
 * three times. The PIN of a token is asked for once: wrong ones lock it.
 */
export async function withSecret<T>(
  context: Where,
  info: IdentityInfo,
  work: (secret: string) => Promise<Outcome<T>>,
): Promise<Outcome<Used<T>>> {
  const { name } = info
  if (info.kind === 'token') {
    const pin = await context.desktop.ask(`PIN of the token of your signing key (${name})`)
    return pin === null ? notGiven() : used(await work(pin), 'token')
  }
  for (const { kept, secret } of await keptSecrets(context, name)) {
    const done = await work(secret)
    if (done.ok || done.error.code !== 'identity.passphrase-wrong') return used(done, kept)
  }
  let told = ''
  for (let tries = 1; ; tries += 1) {
    const given = await context.desktop.ask(`${told}Passphrase of your signing key (${name})`)
    if (given === null) return notGiven()
    const done = await work(given)
    if (done.ok || done.error.code !== 'identity.passphrase-wrong' || tries === TRIES) return used(done, 'person')
    told = `That passphrase does not open it; attempt ${tries + 1} of ${TRIES}. `
  }
}

/**
 * A passphrase for a key that is about to be made: drawn at random and given to the system's vault where there is one, else chosen by a person.
 * There must be no identity of this name yet.
 */
export async function newSecret(context: Where, name: string): Promise<Outcome<Used<string>>> {
  const { world, desktop } = context
  const { vault } = desktop
  if (vault === null)
    return used(await newPassphrase(context, 'Choose a passphrase for your new signing key'), 'person')
  const before = await vault.read(vaultName(name))
  if (before !== null) return ok({ value: before, kept: 'vault' })
  const secret = Buffer.from(world.entropy.bytes(32)).toString('hex')
  const written = await vault.write(vaultName(name), secret)
  if (!written.ok) return written
  // A key whose passphrase the vault does not give back would be lost.
  return (await vault.read(vaultName(name))) === secret
    ? ok({ value: secret, kept: 'vault' })
    : fail('store.failed', `${vault.described} did not give back what was stored; no key was made`)
}

/** Asks for a passphrase twice, until both are the same and long enough, up to three times. */
export async function newPassphrase({ desktop }: Pick<Where, 'desktop'>, question: string): Promise<Outcome<string>> {
  let told = ''
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const first = await desktop.ask(`${told}${question} (${SHORTEST} characters or more)`)
    if (first === null) return notGiven()
    if ([...first].length < SHORTEST) {
      told = `That one has fewer than ${SHORTEST} characters. `
      continue
    }
    const second = await desktop.ask('The same passphrase again')
    if (second === null) return notGiven()
    if (second === first) return ok(first)
    told = 'The two were not the same. '
  }
  return fail('input.refused', `${told.trim()} Nothing was made after ${TRIES} attempts`)
}

const vaultName = (name: string): string => `identity:${name}`

const notGiven = () => fail('input.refused', 'no passphrase was given')

const used = <T>(done: Outcome<T>, kept: Keeping['kept']): Outcome<Used<T>> =>
  done.ok ? ok({ value: done.value, kept }) : done

/** What is kept for an identity, in the order it is tried. The file is of earlier versions, and only read. */
async function keptSecrets(
  { world, folder, desktop }: Where,
  name: string,
): Promise<readonly { readonly kept: 'vault' | 'file'; readonly secret: string }[]> {
  const vaulted = (await desktop.vault?.read(vaultName(name))) ?? null
  const file = await world.files.read(`${folder}/identity-passphrase`)
  return [
    ...(vaulted === null ? [] : [{ kept: 'vault' as const, secret: vaulted }]),
    ...(file.ok ? [{ kept: 'file' as const, secret: new TextDecoder().decode(file.value).trim() }] : []),
  ]
}
