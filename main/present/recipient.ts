import type { Period } from '../../schemas/types.ts'
import { generalLimitation } from '../../schemas/words.ts'
import { plain, plural } from '../core/base/plain-text.ts'
import { reached } from '../core/conclusion/tally.ts'
import { DEMO_NOTICE, type FormatInput } from './formats/input.ts'

/** The recipient's note, and the copy of the pack's instructions for verification, next to the pack. */
export const README = 'README.txt'
export const VERIFY = 'VERIFY.txt'

/** Characters in a line of the note. */
const WIDTH = 100

/** Kind of file, its reader, and its content: in the order of the note. Files that a person selects are marked. */
type Described = readonly [kind: string, reader: string, content: string, selected?: 'selected']

const FILES: readonly Described[] = [
  ['report.pdf', 'everyone', 'The signed report. Page 1: conclusion and most severe findings.'],
  ['report.html', 'everyone', 'The same as one file for a browser, with the captures.'],
  ['executive.pdf', 'management', 'Page 1 alone, signed.', 'selected'],
  ['summary.txt', 'everyone', 'Nodes, findings and controls in plain text.'],
  ['findings.csv', 'owners of findings', 'One row for each finding, with management response.'],
  ['results.csv', 'auditor', 'One row for each node and check.'],
  ['controls.csv', 'auditor', 'Controls in scope, with results and documents.'],
  ['population.csv', 'auditor', 'Declared nodes: collected, not collected, not reconciled.'],
  ['location.csv', 'auditor', 'What was observed about the location of each node.'],
  ['evidence.csv', 'auditor', 'Every capture with its command, time and SHA-256.'],
  ['claims.csv', 'auditor', 'Provider claims and observations; where a provider is declared.'],
  ['assessment.json', 'software', 'All results, as canonical JSON.'],
  ['annexes.pdf', 'auditor', 'Evidence by finding, all nodes and all controls.', 'selected'],
  ['binder.pdf', 'auditor', 'Evidence and documents by control.', 'selected'],
  ['register.xlsx', 'auditor', 'All tables, tests of controls and requested documents.', 'selected'],
  ['test-table.html', 'auditor', 'Tests of controls, to copy into a document.', 'selected'],
  ['oscal-*.json', 'GRC software', 'The assessment in OSCAL 1.2.', 'selected'],
  ['poam.xlsx', 'owners of findings', 'Plan of action and milestones, with FedRAMP columns.', 'selected'],
  ['views.xlsx', 'risk owners', 'AI workloads and voluntary frameworks; nothing is concluded.', 'selected'],
  ['tickets-*.csv', 'owners of findings', 'Findings for import into Jira and ServiceNow.', 'selected'],
  ['hdf/*.json', 'Heimdall', 'One file for each node.', 'selected'],
]

/** The names of the files that the note lists: `*` matches any part of a name. */
export const describedKinds = (): readonly string[] => [README, VERIFY, ...FILES.map(([kind]) => kind)]

const PERIOD_FILES: readonly Described[] = [
  ['period-report.pdf', 'everyone', 'The signed report over all runs of the period.'],
  ['controls.csv', 'auditor', 'Controls with their results over the period.'],
  ['calendar.csv', 'auditor', 'Each day: runs completed, late and missed.'],
  ['deviations.csv', 'owners of findings', 'Each deviation with its first and last day.'],
  ['complementary-controls.csv', 'auditor', 'Of customer and provider; where declared.'],
  ['recognized-security-practices.csv', 'compliance officer', 'By month; where HIPAA is in scope.'],
  ['populations/*.csv', 'auditor', 'Complete lists from which items are sampled.'],
]

/** The names of the files that the note of a period lists. */
export const describedPeriodKinds = (): readonly string[] => [README, VERIFY, ...PERIOD_FILES.map(([kind]) => kind)]

/** The facts of a pack that every note states. */
type Packed = Pick<FormatInput, 'demo' | 'packName' | 'evidenceDigest' | 'signer'>

/**
 * A one-page note for the recipient of an export: what each file is, how to verify the pack without this program, and what the pack does
 * not show. It is derived from the content of the pack alone: the same pack gives the same bytes, whichever further files were selected and
 * whatever their names begin with.
 */
export function recipientNote(input: FormatInput): string {
  const { scope, asOf, nodes } = input.assessment
  const entity = scope.engagement?.entity
  return noteOf(input, {
    title: `EVIDENCE OF ${plain(entity ?? scope.fleet, 80).toUpperCase()}, AS OF ${asOf.slice(0, 10)}`,
    about: `Evidence about the servers of ${plain(scope.fleet, 80)}: ${nodes.filter(reached).length} of ${nodes.length} declared nodes were collected.`,
    holds: 'every capture, the catalog of checks, the results and the report',
    names: 'the organization and the evaluation date; * was written only if selected',
    files: FILES,
    derivation: 'every verdict is derived again from the captures',
    limits: LIMITS,
  })
}

/** The note for the files of a period, derived from the content of the period’s pack alone. */
export function periodRecipientNote(period: Period, packed: Packed): string {
  const { fleet, from, to, runs, engagement } = period
  return noteOf(packed, {
    title: `EVIDENCE OF ${plain(engagement?.entity ?? fleet, 80).toUpperCase()}, ${from} TO ${to}`,
    about: `Evidence about the servers of ${plain(fleet, 80)} over a period: ${plural(runs.length, 'run')} in the run chain.`,
    holds: 'the run chain, the evidence of each run that was available, the results and the report',
    names: 'the organization, the first and the last day',
    files: PERIOD_FILES,
    derivation: 'the results of the period are derived again from the runs',
    limits: PERIOD_LIMITS,
  })
}

interface NoteParts {
  readonly title: string
  readonly about: string
  /** Content of the pack. */
  readonly holds: string
  /** The beginning of file names. */
  readonly names: string
  readonly files: readonly Described[]
  /** How the program verifies the pack. */
  readonly derivation: string
  readonly limits: readonly string[]
}

function noteOf({ demo, packName, evidenceDigest, signer }: Packed, note: NoteParts): string {
  const pack = plain(packName, 200)
  const kindWidth = Math.max(...note.files.map(([kind]) => kind.length))
  const readerWidth = Math.max(...note.files.map(([, reader]) => reader.length))
  return `${[
    note.title,
    '',
    ...(demo ? [...wrapped(DEMO_NOTICE), ''] : []),
    ...wrapped(
      `${note.about} ${pack} is the evidence: it contains ${note.holds} under one seal. The other files restate it.`,
    ),
    '',
    `FILES (names begin with ${note.names})`,
    '',
    ...note.files.map(
      ([kind, reader, content, selected]) =>
        `${selected === undefined ? ' ' : '*'} ${kind.padEnd(kindWidth)} ${reader.padEnd(readerWidth)} ${content}`,
    ),
    '',
    'VERIFY WITHOUT BAREWITNESS',
    '',
    ...wrapped(
      `${VERIFY} lists the commands; they need openssl 3, unzip and a shell, no account and no network. First obtain from the signer, by another way than these files: the root certificate, and the fingerprint of the signing certificate. This pack states`,
    ),
    '',
    ...(signer === null
      ? []
      : [`  signer           ${plain(signer.subject, 80)}`, `  fingerprint      ${signer.fingerprint}`]),
    `  evidence digest  ${evidenceDigest}`,
    '',
    ...wrapped(
      `The report prints the same evidence digest. With Barewitness, ${note.derivation}: barewitness verify '${pack}' --trust root.pem. Files other than the pack and the signed PDF files are not signed: where they differ from the pack, the pack is the record.`,
    ),
    '',
    'WHAT IT DOES NOT SHOW',
    '',
    ...note.limits.flatMap((line) => wrapped(line, '- ')),
    ...wrapped(generalLimitation('pack records'), '- '),
  ].join('\n')}\n`
}

const COMMON_LIMITS = [
  'Servers that no list names are not covered.',
  'A self-issued signature does not show who holds the key: compare the fingerprint with the signer.',
]
const FROM_NODES =
  'Facts come from the operating system of each node. An administrator with root in its image can falsify them.'
const LIMITS = [
  FROM_NODES,
  'The results are of the time of collection. Nothing is stated about the time between two runs.',
  ...COMMON_LIMITS,
]
const PERIOD_LIMITS = [
  FROM_NODES,
  'The results are of the times of collection. Nothing is stated about the time between two runs.',
  'A run whose evidence was not available supports no result. Compare the run chain with the checkpoint that you kept.',
  ...COMMON_LIMITS,
]

/** Text in lines of at most WIDTH characters; the first begins with the mark, the others with as many spaces. */
function wrapped(text: string, mark = ''): readonly string[] {
  const lines: string[] = []
  let line = mark
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH && line.trim() !== '') {
      lines.push(line)
      line = ' '.repeat(mark.length)
    }
    line += `${line.length > mark.length ? ' ' : ''}${word}`
  }
  return [...lines, line]
}
