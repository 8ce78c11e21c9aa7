import { type ComparedRecord, compareRecordWith } from '../../app/history/compare-record.ts'
import { plain, plural } from '../../core/base/plain-text.ts'
import type { EntryState, SignaturePlace, SignatureState } from '../../core/team/sealing-record.ts'
import { type Context, type ExitCode, emit, endWith, printLine, worstOf } from './options.ts'

const PLACES: Readonly<Record<SignaturePlace, string>> = {
  seal: 'seal',
  report: 'report',
  'executive-summary': 'executive summary',
  pdf: 'PDF',
  'register-entry': 'entry of the register',
  'chain-entry': 'entry of the run chain, line',
}

const SIGNATURES: Readonly<Record<SignatureState, string>> = {
  recorded: 'in the record',
  'not-recorded': 'NOT IN THE RECORD',
  'other-key': 'by a key that this record does not have',
  invalid: 'DOES NOT VERIFY',
}

const ENTRIES: Readonly<Record<EntryState, string>> = {
  found: 'found in these files',
  named: 'seals of other packs that a run chain names',
  'not-given': 'of exports whose seal is known, of documents in none of these files',
  unaccounted: 'in none of these files',
  'other-key': 'by keys that signed nothing in these files',
}

/** Prints which signatures of the files are in the record of a sealer, and which entries of the record have no signature in the files. */
export async function printRecordComparison(
  context: Context,
  record: string,
  paths: readonly string[],
  isJson: boolean,
): Promise<void> {
  const compared = await compareRecordWith(context.ports, { record, paths })
  if (!compared.ok) return endWith(context, compared.error)
  if (isJson) emit(compared.value)
  else printAll(compared.value)
  context.exit(exitOf(compared.value))
}

/** 5 for a signature that is missing in the record or does not verify, 3 for an unexplained entry, 4 where something could not be compared. */
export function exitOf({ signatures, entries, unread }: ComparedRecord): ExitCode {
  const has = (state: SignatureState): boolean => signatures.some((one) => one.state === state)
  return worstOf({
    notVerified: has('not-recorded') || has('invalid'),
    gaps: entries.some(({ state }) => state === 'unaccounted'),
    incomplete: unread.length > 0 || !has('recorded') || entries.some(({ state }) => state === 'not-given'),
  })
}

function printAll({ signatures, entries, heads, unread }: ComparedRecord): void {
  for (const { file, place, name, state, line, made } of signatures) {
    const at = line === null ? '' : `, line ${line}`
    printLine(`${plain(file)}: ${PLACES[place]} ${plain(name)}: ${SIGNATURES[state]}${at}`)
    if (made !== null && state !== 'recorded') printLine(`  SHA-256 ${made.digest}, key ${made.signer}`)
  }
  printLine('')
  printLine(`Entries of the record: ${entries.length}, and ${plural(heads, 'statement')} about audit logs.`)
  for (const state of Object.keys(ENTRIES) as EntryState[]) {
    const some = entries.filter((one) => one.state === state)
    if (some.length > 0) printLine(`  ${some.length} ${ENTRIES[state]}`)
    if (state === 'unaccounted' || state === 'not-given')
      for (const { line, at, digest, engagement, purpose } of some)
        printLine(
          `    line ${line}: ${plain(at, 40)}, ${plain(engagement, 60)}, ${plain(purpose, 500)}, SHA-256 ${digest}`,
        )
  }
  if (unread.length > 0)
    printLine(
      `Lines of the record that cannot be read: ${unread.slice(0, 100).join(', ')}${unread.length > 100 ? ' …' : ''}`,
    )
  if (!signatures.some(({ state }) => state === 'recorded')) printLine('No signature of these files is in the record.')
  printLine('The files were compared with the record and not verified; run “barewitness verify” for that.')
}
