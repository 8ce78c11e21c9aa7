import { firstLineOf, ownersFile } from '../adapters/secret-file.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { ok } from '../core/result.ts'
import { askSecret } from './terminal.ts'

export interface PassphraseOptions {
  readonly passphraseFd?: string
  readonly passphraseFile?: string
}

/** The source of one secret, and the name of its options. */
interface SecretSource {
  readonly fd: string | undefined
  readonly file: string | undefined
  readonly option: string
  readonly question: string
}

const SHORTEST = 8

/** A passphrase from a file descriptor, a file that only its owner can read, or a prompt. Never from argv or the environment. */
export const passphrase = (options: PassphraseOptions, question: string): Promise<Outcome<string>> =>
  secretFrom({ fd: options.passphraseFd, file: options.passphraseFile, option: '--passphrase', question })

/** As passphrase(), for the passphrase of a PKCS#12 file. */
export const p12Passphrase = (
  options: { readonly p12PassphraseFd?: string; readonly p12PassphraseFile?: string },
  question: string,
): Promise<Outcome<string>> =>
  secretFrom({ fd: options.p12PassphraseFd, file: options.p12PassphraseFile, option: '--p12-passphrase', question })

/** A new passphrase for a key: at least eight characters, and entered twice at a prompt. Fails with input.refused. */
export async function newPassphrase(options: PassphraseOptions, question: string): Promise<Outcome<string>> {
  const chosen = await passphrase(options, question)
  if (!chosen.ok) return chosen
  if (chosen.value.length < SHORTEST)
    return fail('input.refused', `the passphrase must have at least ${SHORTEST} characters; nothing was created`)
  if (options.passphraseFd !== undefined || options.passphraseFile !== undefined) return chosen
  const again = await askSecret('Repeat the passphrase')
  return again === chosen.value ? chosen : fail('input.refused', 'the passphrases differ; nothing was created')
}

async function secretFrom({ fd, file, option, question }: SecretSource): Promise<Outcome<string>> {
  if (fd !== undefined) {
    const number = Number(fd)
    if (!/^\d+$/.test(fd) || !Number.isSafeInteger(number))
      return fail('input.refused', `${option}-fd must be a file descriptor number`)
    return firstLineOf(number, `file descriptor ${fd}`)
  }
  if (file !== undefined) return ownersFile(file, 'passphrase')
  const answer = await askSecret(question)
  if (answer === null)
    return fail('input.refused', `no terminal for the passphrase prompt; use ${option}-file or ${option}-fd`)
  return ok(answer)
}
