import { standingLimitation } from '../../schemas/words.ts'
import { plain } from '../core/plain-text.ts'
import { reached } from '../core/tally.ts'
import { DEMO_NOTICE, type FormatInput } from './formats/input.ts'

/** The recipient's note, and the copy of the pack's instructions for verification, next to the pack. */
export const README = 'README.txt'
export const VERIFY = 'VERIFY.txt'

/** Characters in a line of the note. */
const WIDTH = 100

/** Kind of file, its reader, and its content: in the order of the note. Files that a person selects are marked. */
const FILES: readonly (readonly [kind: string, reader: string, content: string, selected?: 'selected'])[] = [
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
  ['oscal-*.json', 'GRC software', 'The assessment in OSCAL 1.2.', 'selected'],
  ['poam.xlsx', 'owners of findings', 'Plan of action and milestones, with FedRAMP columns.', 'selected'],
  ['views.xlsx', 'risk owners', 'AI workloads and voluntary frameworks; nothing is concluded.', 'selected'],
  ['tickets-*.csv', 'owners of findings', 'Findings for import into Jira and ServiceNow.', 'selected'],
  ['hdf/*.json', 'Heimdall', 'One file for each node.', 'selected'],
]

/** What each file is, as the note lists it: `*` stands for any part of a name. */
export const describedKinds = (): readonly string[] => [README, VERIFY, ...FILES.map(([kind]) => kind)]

/**
 * A note of one page for the person who receives the files of an export: what each is, how to verify the pack without
 * this program, and what it does not show. It follows from the content of the pack alone: the same pack gives the same
 * bytes, whichever further files were selected and whatever their names begin with.
 */
export function recipientNote(input: FormatInput): string {
  const { assessment, demo, packName, evidenceDigest, signer } = input
  const { scope, asOf, nodes } = assessment
  const entity = scope.engagement?.entity
  const pack = plain(packName, 200)
  return `${[
    `EVIDENCE OF ${plain(entity ?? scope.fleet, 80).toUpperCase()}, AS OF ${asOf.slice(0, 10)}`,
    '',
    ...(demo ? [...wrapped(DEMO_NOTICE), ''] : []),
    ...wrapped(
      `Evidence about the servers of ${plain(scope.fleet, 80)}: ${nodes.filter(reached).length} of ${nodes.length} declared nodes were collected. ${pack} is the evidence: it contains every capture, the rules, the results and the report under one seal. The other files restate it.`,
    ),
    '',
    'FILES (names begin with the organization and the evaluation date; * was written only if selected)',
    '',
    ...FILES.map(
      ([kind, reader, content, selected]) =>
        `${selected === undefined ? ' ' : '*'} ${kind.padEnd(16)} ${reader.padEnd(19)} ${content}`,
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
      `The report prints the same evidence digest. With Barewitness, every verdict is derived again from the captures: barewitness verify '${pack}' --trust root.pem. Files other than the pack and the signed PDF files are not signed: where they differ from the pack, the pack is the record.`,
    ),
    '',
    'WHAT IT DOES NOT SHOW',
    '',
    ...LIMITS.flatMap((line) => wrapped(line, '- ')),
    ...wrapped(standingLimitation('pack records'), '- '),
  ].join('\n')}\n`
}

const LIMITS = [
  'Facts come from the operating system of each node. An administrator with root in its image can falsify them.',
  'The results are of the time of collection. Nothing is stated about the time between two runs.',
  'Servers that no list names are not covered.',
  'A self-issued signature does not show who holds the key: compare the fingerprint with the signer.',
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
