import {
  CONTROL_ROLES,
  DOCUMENT_STATES,
  documentStateWords,
  EVIDENCE_LEVELS,
  levelWords,
  ROW_STATES,
  roleWords,
  rowStateWords,
  SERVER_STATES,
  serverStateWords,
} from '../../../schemas/conclusion-words.ts'
import { VERDICTS, verdictWords, type Word } from '../../../schemas/words.ts'
import { type Block, type Cell, heading, type MarkName, plainCell, type Section } from './model.ts'
import { titles } from './titles.ts'
import { verdictMark } from './wording.ts'

const TERMS: readonly (readonly [term: string, means: string])[] = [
  ['Node', 'One server, with one operating system that answers.'],
  ['Fleet', 'The nodes that one file names and one run collects from.'],
  [
    'Population',
    'The nodes that are meant to be covered. Every count has it, or a part of it that is named, below the line.',
  ],
  ['Engagement', 'What people declare before an audit: for whom, about what, within which boundary.'],
  ['Probe, question', 'A fixed read-only command or measurement, and how its answer is read.'],
  ['Capture, answer', 'The bytes that a node gave to one command, stored under their SHA-256.'],
  ['Recording', 'All answers of one node in one run, with the key it showed and the rights that were used.'],
  ['Check', 'One claim about a node, decided from answers by a fixed rule.'],
  ['Finding', 'What a check says of one node: a verdict with its reasons.'],
  ['Signal', 'One reading that speaks for hardware or for a guest; many together make the isolation argument.'],
  ['Dossier', 'The isolation argument of one node with everything that it rests on.'],
  [
    'Grade',
    'How strong the evidence about isolation is: B, live tests agree; C, passive; D, insufficient. Nothing that is collected here gives the A of evidence rooted in a hardware key.',
  ],
  ['Promise', 'What a provider said of its servers in a contract or on a page.'],
  ['Profile, threshold', 'The set of numbers that checks compare with, and one of these numbers.'],
  ['Item, control', 'One row of a framework, in our words, to which checks and records are mapped.'],
  ['Server part', 'What the server tests of a control come to. It stands apart from the document part.'],
  ['Document part', 'What the documents that a control needs come to.'],
  ['Evidence request', 'A document that an auditor asks for. One document answers it in every control that needs it.'],
  ['Alternative evidence', 'An inspected document that answers the result of a check. The result stays as observed.'],
  [
    'Observation',
    'A supporting check that is not satisfied. It is listed at the control and does not change its conclusion.',
  ],
  ['Exception', 'A risk acceptance: a deviation that a named person accepts until a date. It stays a deviation.'],
  ['Decision', 'What a named person decided about a row of a framework, and why.'],
  ['Deviation', 'A claim that was contradicted on at least one node of the population.'],
  ['Carve-out', 'Another organization’s controls are left out, and listed as needed besides.'],
  ['User-entity control', 'What a provider’s report leaves to its customers.'],
  ['ePHI', 'Electronic protected health information (45 CFR 160.103).'],
  ['Pack', 'The archive that holds recordings, results, catalog, records and this report under one seal.'],
  ['Seal', 'The signature over every byte of the pack, with a time-stamp where an authority gave one.'],
  ['As of', 'The moment at which ages, ends and states were judged.'],
]

/** Words of this report, in ours. */
export function glossarySection(): Section {
  return {
    id: 'glossary',
    title: titles.glossary,
    blocks: [
      table(TERMS.map(([term, means]) => [[{ text: term, style: 'strong' }], plainCell(means)])),
      heading(3, 'Verdicts of a check on a node'),
      table(
        VERDICTS.map((verdict) => [
          [{ text: verdictWords[verdict].label, mark: verdictMark(verdict) }],
          plainCell(verdictWords[verdict].meaning),
        ]),
      ),
      heading(3, 'Server part of a control'),
      table(SERVER_STATES.map((state) => marked(serverStateWords[state]))),
      heading(3, 'Document part of a control'),
      table(DOCUMENT_STATES.map((state) => marked(documentStateWords[state]))),
      heading(3, 'Both parts, for counts and filters'),
      table(ROW_STATES.map((state) => marked(rowStateWords[state]))),
      heading(3, 'Roles of checks, and levels of documents'),
      table([
        ...CONTROL_ROLES.map((role) => named(roleWords[role])),
        ...EVIDENCE_LEVELS.map((level) => named(levelWords[level])),
      ]),
    ],
  }
}

const table = (rows: readonly (readonly Cell[])[]): Block => ({
  kind: 'table',
  rowHeaders: true,
  columns: [
    { title: 'Word', width: 30 },
    { title: 'Meaning', width: 70 },
  ],
  rows,
})

const marked = ({ label, meaning, mark }: Word & { readonly mark: string }): readonly Cell[] => [
  [{ text: label, mark: mark as MarkName }],
  plainCell(meaning),
]

const named = ({ label, meaning }: Word): readonly Cell[] => [[{ text: label, style: 'strong' }], plainCell(meaning)]
