import type { Command } from 'commander'
import type { Outcome } from '../core/failure.ts'
import type { IdentityInfo } from '../core/identities.ts'
import { plain } from '../core/plain-text.ts'
import { type Context, endWith } from './context.ts'
import { say } from './terminal.ts'

export interface FolderOption {
  readonly identityFolder?: string
}

/** Where identities are kept, for every command about them. */
export const folderOf = (context: Context, { identityFolder }: FolderOption): string =>
  identityFolder ?? context.world.identities.defaultFolder

export const withFolder = (command: Command): Command =>
  command.option('--identity-folder <folder>', 'where identities are kept')
export const withPassphrase = (command: Command): Command =>
  withFolder(command)
    .option('--passphrase-fd <number>', 'read the passphrase, or a token’s PIN, from this file descriptor')
    .option('--passphrase-file <file>', 'read the passphrase, or a token’s PIN, from a file that only you can read')

/** Says what an identity now is, or why nothing became of it. */
export function told(context: Context, outcome: Outcome<IdentityInfo>, what: string, ...more: string[]): void {
  if (!outcome.ok) {
    endWith(context, outcome.error)
    return
  }
  say(`${what} ${outcome.value.name}: ${plain(outcome.value.subject)}`)
  say(`  certificate (SHA-256) ${outcome.value.fingerprint}, until ${outcome.value.notAfter}`)
  for (const line of more) say(`  ${line}`)
}
