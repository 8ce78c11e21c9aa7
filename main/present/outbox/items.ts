import type { Assessment, Register } from '../../../schemas/types.ts'
import type { Verdict } from '../../../schemas/words.ts'
import { plain } from '../../core/base/plain-text.ts'
import { type Finding, findingReference } from '../../core/finding/finding.ts'
import {
  type EvidenceDates,
  type FindingItem,
  type ItemSource,
  outboxKey,
  type PackItem,
} from '../../core/outbox/item.ts'
import { compare } from '../../core/recording/recording.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { controlNames, dueDay } from '../formats/grids/results.ts'
import type { Presentation } from '../presentation.ts'
import { statusText } from '../report/findings.ts'
import { refusedNodes } from '../report/parts/refused.ts'
import { documentCounts } from '../report/scope/outstanding.ts'

/** A verified pack, the input of items. */
export interface ItemMatter {
  readonly source: ItemSource
  readonly assessment: Assessment
  /** With the frameworks of the scope. */
  readonly catalog: Catalog
  readonly register: Register
  readonly shown: Presentation
}

/** Names listed in one item; the pack has all. */
const MOST_NAMES = 100
const MOST_LEADING = 7
const MOST_TITLES = 50
const LONGEST_TITLE = 200

/** One item for each finding, the most severe first. Informational results are left out. */
export const findingItems = (matter: ItemMatter): readonly FindingItem[] =>
  matter.shown.findings.map((finding) => findingItem(matter, finding))

function findingItem({ source, catalog }: ItemMatter, finding: Finding): FindingItem {
  const { reference, check, title, severity, what, deviations, tested, criterion } = finding
  const due = dueDay(finding)
  const refused = refusedNodes(finding).length
  return {
    ...source,
    kind: 'finding',
    outcome: 'deviations',
    key: outboxKey(source.sender, source.fleet, 'finding', check),
    evidence: datesOf(deviations.map(({ observedAt }) => observedAt)),
    reference,
    check,
    title: plain(title, LONGEST_TITLE),
    severity: severity.level,
    status: statusText(finding),
    expected: plain(criterion.expected, 1000),
    controls: controlNames(catalog, finding).map((name) => plain(name, LONGEST_TITLE)),
    // Rows of an inventory are not names of nodes, and are counted only.
    nodes: what === 'nodes' ? listed(deviations.map(({ subject }) => subject)) : [],
    what,
    deviations: deviations.length,
    tested,
    ...(refused === 0 ? {} : { refused }),
    inconclusive: listed(finding.inconclusive),
    notTested: listed(finding.untested),
    due: due === '' ? null : due,
  }
}

/**
 * One item for each check without a finding, with the state that the pack shows: for receivers that were sent its finding from an earlier
 * pack. The reconciliation with a provider inventory is never shown as decided here.
 */
export function absentItems({ source, assessment, catalog, shown }: ItemMatter): readonly FindingItem[] {
  const found = new Set([...shown.findings, ...shown.informational].map(({ check }) => check))
  const expected = new Map(catalog.checks.map((one) => [one.id, one.expected]))
  return catalog.severities
    .filter(({ check }) => !found.has(check))
    .map(({ check, finding, severity }) => {
      const verdicts = assessment.nodes.map(({ node, observedAt, results }) => ({
        node,
        observedAt,
        verdict: results.find((one) => one.check === check)?.verdict ?? 'not-tested',
      }))
      const on = (...wanted: readonly Verdict[]) => verdicts.filter(({ verdict }) => wanted.includes(verdict))
      const decided = on('satisfied', 'not-applicable')
      const isDecided = verdicts.length > 0 && decided.length === verdicts.length && expected.has(check)
      return {
        ...source,
        kind: 'finding',
        outcome: isDecided ? 'none' : 'undetermined',
        key: outboxKey(source.sender, source.fleet, 'finding', check),
        evidence: datesOf(decided.map(({ observedAt }) => observedAt)),
        reference: findingReference(assessment.scope.fleet, check),
        check,
        title: plain(finding, LONGEST_TITLE),
        severity,
        status: isDecided ? 'No deviation in this pack' : 'Undetermined in this pack',
        expected: plain(expected.get(check) ?? check, 1000),
        controls: [],
        nodes: [],
        what: 'nodes',
        deviations: 0,
        tested: verdicts.length - on('not-tested').length,
        inconclusive: listed(on('inconclusive', 'informational').map(({ node }) => node)),
        notTested: listed(on('not-tested').map(({ node }) => node)),
        due: null,
      }
    })
}

const listed = (names: readonly string[]): readonly string[] =>
  names.slice(0, MOST_NAMES).map((name) => plain(name, 120))

/** A pack in counts. */
export function packItem(matter: ItemMatter): PackItem {
  const { source, assessment, shown } = matter
  const { figures } = shown
  const { needed, outstanding, overdue } = documentCounts(matter)
  const verdicts = assessment.nodes.flatMap(({ results }) => results.map(({ verdict }) => verdict))
  const count = (...wanted: readonly Verdict[]): number => verdicts.filter((one) => wanted.includes(one)).length
  return {
    ...source,
    kind: 'pack',
    key: outboxKey(source.sender, source.fleet, 'pack', source.pack.sha256),
    evidence: datesOf(assessment.nodes.map(({ observedAt }) => observedAt)),
    nodes: { declared: figures.declared, tested: figures.tested },
    findings: figures.findings,
    leading: shown.leading.slice(0, MOST_LEADING).map(({ reference, title, severity }) => ({
      reference,
      title: plain(title, LONGEST_TITLE),
      severity: severity.level,
    })),
    results: {
      satisfied: count('satisfied'),
      notSatisfied: count('not-satisfied'),
      inconclusive: count('inconclusive'),
      notTested: count('not-tested'),
      other: count('not-applicable', 'informational'),
    },
    documents: {
      needed,
      outstanding: outstanding.length,
      overdue,
      titles: outstanding.slice(0, MOST_TITLES).map(({ status }) => plain(status.document.title, LONGEST_TITLE)),
    },
  }
}

/** The earliest and the latest known moment; null where none is known. */
export function datesOf(moments: readonly (string | null)[]): EvidenceDates | null {
  const known = moments.filter((one) => one !== null).sort(compare)
  const [from] = known
  const to = known.at(-1)
  return from === undefined || to === undefined ? null : { from, to }
}
