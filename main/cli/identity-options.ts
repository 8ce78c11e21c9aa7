import type { Command } from 'commander'
import type { Outcome } from '../core/failure.ts'
import type { IdentityInfo } from '../core/identities.ts'
import { plain } from '../core/plain-text.ts'
import { type Context, endWith } from './context.ts'
import { printLine } from './terminal.ts'

export interface FolderOption {
  readonly identityFolder?: string
}

/** The folder of signing identities. */
export const folderOf = (context: Context, { identityFolder }: FolderOption): string =>
  identityFolder ?? context.ports.identities.defaultFolder

export const withFolder = (command: Command): Command =>
  command.option('--identity-folder <folder>', 'Folder of signing identities')
export const withPassphrase = (command: Command): Command =>
  withFolder(command)
    .option('--passphrase-fd <number>', 'Read the passphrase or token PIN from this file descriptor')
    .option('--passphrase-file <file>', 'Read the passphrase or token PIN from a file that only you can read')

/** Prints an identity after a change, or the failure of that change. */
export function printIdentity(context: Context, outcome: Outcome<IdentityInfo>, what: string, ...more: string[]): void {
  if (!outcome.ok) {
    endWith(context, outcome.error)
    return
  }
  printLine(`${what} ${outcome.value.name}: ${plain(outcome.value.subject)}`)
  printLine(`  certificate (SHA-256) ${outcome.value.fingerprint}, valid until ${outcome.value.notAfter}`)
  for (const line of more) printLine(`  ${line}`)
}
