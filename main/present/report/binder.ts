import { rowStateWords } from '../../../schemas/conclusion-words.ts'
import type { RiskAcceptance } from '../../../schemas/types.ts'
import type { Check } from '../../core/check.ts'
import type { Framework } from '../../core/framework.ts'
import { PATHS } from '../../core/pack-files.ts'
import { names, of, plural } from '../../core/phrases.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import { type Block, heading, monoCell, plainCell, quiet, type Section, text } from '../../core/report-document.ts'
import { reached } from '../../core/tally.ts'
import { matterOf, type ReportDocument, type ReportInput } from '../report.ts'
import { checkPages, checkRow, type OpenGroup, openGroups } from './binder-checks.ts'
import { documentBlocks, exceptionBlocks, exceptionsByCheck } from './binder-people.ts'
import { decisionLines, type Row, unbuilt } from './control-detail.ts'
import { factBlock } from './declared.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks, shortName } from './items.ts'
import { documentMarked, serverMarked, stateLine, when } from './wording.ts'

/** Lookups shared by the pages of all controls. */
interface Shelf {
  readonly matter: Matter
  readonly checks: ReadonlyMap<string, Check>
  readonly groups: (check: string) => readonly OpenGroup[]
  readonly exceptions: ReadonlyMap<string, readonly RiskAcceptance[]>
}

/**
 * The report by control, for filing with the documents: requirement, both parts, checks with roles and counts,
 * documents on file and outstanding, decisions and risk acceptances. Then controls not in scope as a list, and each check once with
 * its limitations and the nodes to review, with their observations and captures.
 */
export function buildBinder(input: ReportInput): ReportDocument {
  const matter = matterOf(input)
  const { assessment, evidenceDigest } = input
  const shelf: Shelf = {
    matter,
    checks: new Map(matter.catalog.checks.map((check) => [check.id, check])),
    groups: openGroups(matter),
    exceptions: exceptionsByCheck(matter),
  }
  const { current, overlays } = chosenFrameworks(matter)
  const rows = [...current, ...overlays].map((framework) => ({ framework, rows: rowsOf(matter, framework) }))
  const fleet = plain(assessment.scope.fleet, 60)
  return {
    title: `Evidence by control: ${fleet}`,
    language: 'en',
    subject: `Evidence digest ${evidenceDigest}`,
    producer: input.producer,
    demo: input.demo,
    runningHead: `${fleet}, pack ${plain(input.packName, 60)}`,
    runningFoot: `Evidence ${evidenceDigest.slice(0, 16)}, as of ${when(assessment.asOf)}`,
    sections: [
      front(matter),
      ...rows.flatMap(({ framework, rows: own }) =>
        own.filter(({ result }) => result.state !== 'out-of-scope').map((row) => controlPages(shelf, framework, row)),
      ),
      outOfScope(rows),
      ...checkPages(
        matter,
        shelf.groups,
        rows.flatMap(({ rows: own }) => own.map(({ result }) => result)),
      ),
    ],
  }
}

function rowsOf({ assessment }: Matter, { id, controls }: Framework): readonly Row[] {
  const results = new Map(
    assessment.controls.filter(({ framework }) => framework === id).map((one) => [one.control, one]),
  )
  return controls.flatMap((control): readonly Row[] => {
    const result = results.get(control.key)
    return result === undefined ? [] : [{ control, result }]
  })
}

function front(matter: Matter): Section {
  const { assessment, signer, packName, evidenceDigest, demo } = matter
  const { engagement, fleet } = assessment.scope
  return {
    id: 'cover',
    title: 'Report information',
    blocks: [
      {
        kind: 'title',
        over: 'Evidence by control',
        text: oneLine(engagement?.entity ?? fleet, 80),
        under: `Evidence for each control, as of ${when(assessment.asOf)}`,
      },
      ...(demo ? [DEMO] : []),
      text(
        `A conclusion states what the evidence supports. Management and its auditor decide whether a control is satisfied. Titles and summaries are worded by this tool. For limitations, method, population and results by node, see the report (${PATHS.report} in the evidence pack); evidence.csv next to the pack lists every capture. A check mapped to several controls is listed at each control with its counts, and once at the end, by property, with its limitations, the nodes to review, their observations and captures.`,
      ),
      factBlock([
        { label: 'Fleet', value: plainCell(plain(fleet, 200)) },
        { label: 'Evidence pack', value: plainCell(plain(packName)) },
        { label: 'Evidence digest', value: monoCell(evidenceDigest) },
        {
          label: 'Signer',
          value:
            signer === null
              ? plainCell('None. This copy is not signed.')
              : [
                  { text: `${plain(signer.subject)}, certificate SHA-256` },
                  { text: signer.fingerprint, style: 'mono' },
                ],
        },
      ]),
      ...silentNodes(matter),
      heading(3, 'Contents'),
      { kind: 'contents' },
    ],
  }
}

/** Printed once for all controls: nodes not collected count as not tested in every check. */
function silentNodes({ assessment }: Matter): readonly Block[] {
  const silent = assessment.nodes.filter((node) => !reached(node)).map(({ node }) => node)
  return silent.length === 0
    ? []
    : [
        text(
          `${plural(silent.length, 'declared node')} ${silent.length === 1 ? 'was' : 'were'} not collected and ${silent.length === 1 ? 'counts' : 'count'} as not tested in every check: ${names(silent)}. For the reasons, see the report.`,
        ),
      ]
}

const DEMO: Block = {
  kind: 'banner',
  title: 'Demo data',
  text: 'Produced from the built-in demo fleet. It does not describe any real server and must not be used as evidence.',
}

function controlPages(shelf: Shelf, framework: Framework, row: Row): Section {
  const { matter, checks } = shelf
  const { control, result } = row
  const counted = result.checks.filter(({ source }) => source !== 'document')
  return {
    id: `${framework.id} ${control.key}`,
    title: `${shortName(framework.id)} ${plain(`${control.id} ${control.title}`, 300)}`,
    part: plain(framework.title, 200),
    blocks: [
      ...(framework.proposed ? [OVERLAY] : []),
      text(plain(control.summary, 2000)),
      standing(row),
      ...(counted.length === 0
        ? []
        : [
            {
              kind: 'table',
              columns: [
                { title: 'Check', width: 42 },
                { title: 'Coverage', width: 28 },
                { title: 'Result', width: 30 },
              ],
              rows: counted.map((count) => checkRow(matter, framework, control, count, checks.get(count.check))),
            } as const,
          ]),
      ...unbuilt(result).map(quiet),
      ...exceptionBlocks(matter, shelf.exceptions, result),
      heading(3, 'Documents'),
      ...documentBlocks(matter, control, result),
      ...decisionLines(matter, control, result).map(text),
      heading(3, 'Not covered'),
      text(plain(control.notCovered, 2000)),
    ],
  }
}

const OVERLAY: Block = {
  kind: 'banner',
  title: 'Proposed rule, not in effect',
  text: 'These pages evaluate the same evidence against a proposed rule. They state no obligation.',
}

function standing({ control, result }: Row): Block {
  const { state, server, documents } = result
  const { level, kind } = control
  return factBlock([
    {
      label: 'Level',
      value: plainCell(plain(`${level === kind ? kind : `${level} ${kind}`}, ${control.evidenceType}`)),
    },
    { label: 'Servers', value: [serverMarked(server)] },
    { label: 'Documents', value: [documentMarked(documents)] },
    { label: 'State', value: [stateLine(state), { text: rowStateWords[state].meaning, style: 'quiet' }] },
    { label: 'Responsible', value: plainCell(plain(control.responsibility.join(', '), 300)) },
  ])
}

type Shown = readonly { readonly framework: Framework; readonly rows: readonly Row[] }[]

/** Controls not in scope: categories not elected, and controls that this tool does not examine. */
function outOfScope(all: Shown): Section {
  const out = all.flatMap(({ framework, rows }) =>
    rows.filter(({ result }) => result.state === 'out-of-scope').map(({ control }) => ({ framework, control })),
  )
  const whole = all.reduce((sum, { rows }) => sum + rows.length, 0)
  return {
    id: 'out-of-scope',
    title: rowStateWords['out-of-scope'].label,
    blocks: [
      text(`${of(out.length, whole)} controls. ${rowStateWords['out-of-scope'].meaning}`),
      ...(out.length === 0
        ? []
        : [
            {
              kind: 'list',
              items: out.map(({ framework, control }) => ({
                text: `${shortName(framework.id)} ${plain(`${control.id} ${control.title}`, 300)}`,
              })),
            } as const,
          ]),
    ],
  }
}
