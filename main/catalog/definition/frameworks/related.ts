import type { Framework } from '../../../core/rules/framework.ts'
import type { CheckData } from '../../base/subject.ts'
import { CHECK_DATA } from '../subjects.ts'
import { loadFramework } from './frameworks.ts'
import data from './related.json' with { type: 'json' }

/** A row of a framework that is mapped by id only, and which HIPAA and SOC 2 rows relate to it. Checks name it by its key. */
interface RelatedRow {
  readonly id: string
  readonly title: string
  /** Keys of rows of our other frameworks. */
  readonly related: readonly string[]
  /** Its checks are shown and decide nothing. */
  readonly background?: boolean
}

type RelatedFramework = Omit<(typeof data.frameworks)[number], 'rows'> & { readonly rows: readonly RelatedRow[] }

/**
 * NIST SP 800-53 r5, CSF 2.0, ISO/IEC 27001:2022 Annex A and PCI DSS 4.0.1: the rows that the crosswalk reaches, with ids and our own
 * titles. Each row also needs documents, so that facts of nodes alone never support one.
 */
export const RELATED: readonly Framework[] = (data.frameworks as readonly RelatedFramework[]).map(
  ({ rows, kind, records, ...framework }) => {
    const keyOf = ({ id }: RelatedRow): string => `${framework.id}:${id}`
    const background = new Set(rows.filter((row) => row.background === true).map(keyOf))
    const named = new Set(CHECK_DATA.flatMap(({ related }) => related))
    return loadFramework(
      {
        ...framework,
        proposed: false,
        controls: rows.map((row) => controlOf(keyOf(row), row, { kind, records, isOnNodes: named.has(keyOf(row)) })),
      },
      CHECK_DATA.map((check) => mappedBy(check, background)),
    )
  },
)

/** Related, never equivalent: what a check finds is listed at the control and does not conclude it. */
function mappedBy(check: CheckData, background: ReadonlySet<string>): CheckData {
  const mappings = check.related.map((control) =>
    background.has(control)
      ? { control, role: 'context', why: 'Background to a control that depends on documents.' }
      : {
          control,
          role: 'supporting',
          why: 'Relates to the subject of the control; no requirement of it names this test.',
        },
  )
  return { ...check, mappings }
}

function controlOf(
  key: string,
  { id, title, related, background = false }: RelatedRow,
  { kind, records, isOnNodes }: { readonly kind: string; readonly records: string; readonly isOnNodes: boolean },
): Parameters<typeof loadFramework>[0]['controls'][number] {
  return {
    key,
    id,
    title,
    summary: isOnNodes
      ? `Facts on nodes that relate to “${title}”; the text is the publisher’s.`
      : `No fact of a node relates to “${title}”; it is listed because rows of HIPAA or SOC 2 lead to it.`,
    kind,
    level: 'related',
    group: groupOf(id),
    parent: null,
    evidenceType: isOnNodes ? 'mixed' : 'documentary',
    nodeEvidence: isOnNodes ? (background ? 'context' : 'supporting') : 'none',
    notCovered: isOnNodes
      ? `Single facts at single moments, and no assessment of the ${kind}: approval, procedure and effectiveness require documents.`
      : 'Not testable from servers. Evidence required: documents.',
    documentsRequired: [records],
    responsibility: ['customer', 'provider'],
    refs: { related },
  }
}

/** AC-3(14): AC. PR.DS-01: PR. A.8.24: A.8. 10.2.1.2: 10. */
function groupOf(id: string): string {
  return /^(A\.\d+|A1|[A-Z]{2}|\d+)/.exec(id)?.[0] ?? id
}
