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
import { type Block, type Cell, heading, type MarkName, plainCell, type Section } from '../../core/report-document.ts'
import { titles } from './titles.ts'
import { verdictMark } from './wording.ts'

const TERMS: readonly (readonly [term: string, means: string])[] = [
  ['Node', 'One server that runs one operating system.'],
  ['Fleet', 'The nodes of one fleet file.'],
  ['Population', 'All nodes meant to be covered. Counts of results use the nodes tested as denominator.'],
  ['Engagement', 'Entity, purpose, boundary, responsibilities and population of one audit, as declared.'],
  ['Probe', 'Fixed read-only commands or measurements, with the parser of their output.'],
  ['Capture', 'The exact output of one command on one node, stored under its SHA-256.'],
  ['Recording', 'All captures of one node in one run, with its host key and the privilege used.'],
  ['Check', 'One expected condition of a node, evaluated from captures by a fixed rule.'],
  ['Result', 'The verdict of one check on one node, with its observations.'],
  ['Finding', 'All deviations of one check, with their evidence.'],
  ['Signal', 'One characteristic that differs between hardware and a guest; the isolation analysis combines many.'],
  ['Isolation analysis', 'The full argument about the execution environment of one node, with its evidence.'],
  [
    'Evidence grade',
    'Strength of the isolation evidence: B, actively tested; C, passively observed; D, insufficient. Grade A, evidence rooted in a hardware key, is not attainable with the evidence collected.',
  ],
  ['Provider claim', 'A public or contractual statement of a provider about its servers.'],
  ['Threshold profile', 'A named set of thresholds, the values with which checks compare.'],
  ['Control', 'One requirement of a framework, summarized by this tool, with mapped checks and documents.'],
  ['Server part', 'The conclusion from the server tests of a control, printed next to the document part.'],
  ['Document part', 'The conclusion from the documents that a control requires.'],
  [
    'Evidence request',
    'One required document, with owner and due date. One document satisfies it for every control that requires it.',
  ],
  [
    'Alternative evidence',
    'An inspected document that addresses the result of a check. The result remains as observed.',
  ],
  [
    'Observation',
    'A statement about evidence that cites its captures. At a control: a supporting check that is not satisfied; it does not change the conclusion.',
  ],
  ['Risk acceptance', 'A decision by a named person to accept a deviation until a date. The verdict does not change.'],
  ['Control decision', 'A documented decision on an addressable specification or on non-applicability.'],
  ['Deviation', 'One node that does not meet the expected condition of one check.'],
  ['Carve-out', 'A method that excludes the controls of a subservice organization and lists them as required.'],
  ['Complementary user entity control', 'A control that a provider’s report expects its customers to operate.'],
  ['ePHI', 'Electronic protected health information (45 CFR 160.103).'],
  ['Evidence pack', 'The signed archive of recordings, results, catalog, documents and this report.'],
  ['Seal', 'The signature over every file of the pack, with its time-stamps, if any.'],
  ['Evaluation date', 'The time at which ages, expiries and states are computed (“as of”).'],
]

/** Terms used in this report. */
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
      heading(3, 'Combined state, for counts and filters'),
      table(ROW_STATES.map((state) => marked(rowStateWords[state]))),
      heading(3, 'Roles of checks and levels of documents'),
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
    { title: 'Term', width: 30 },
    { title: 'Meaning', width: 70 },
  ],
  rows,
})

const marked = ({ label, meaning, mark }: Word & { readonly mark: string }): readonly Cell[] => [
  [{ text: label, mark: mark as MarkName }],
  plainCell(meaning),
]

const named = ({ label, meaning }: Word): readonly Cell[] => [[{ text: label, style: 'strong' }], plainCell(meaning)]
