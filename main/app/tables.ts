import type { Assessment } from '../../schemas/types.ts'
import { controlStateWords, verdictWords } from '../../schemas/words.ts'
import type { Catalog } from '../core/catalog.ts'
import { plain } from '../core/plain-text.ts'

/** The assessment as tables for people who live in spreadsheets. Plain rows of text; an adapter turns them into files. */
export type Table = readonly (readonly string[])[]

/** One row per node and check. */
export function findingsTable(assessment: Assessment, catalog: Catalog): Table {
  const claims = new Map(catalog.checks.map(({ id, claim, limits }) => [id, { claim, limits }]))
  const rows = assessment.nodes.flatMap((node) =>
    node.findings.map((finding) => [
      node.node,
      finding.check,
      claims.get(finding.check)?.claim ?? '',
      finding.verdict,
      verdictWords[finding.verdict].label,
      finding.reasons.map(({ says, text }) => `${says}: ${text}`).join(' | '),
      claims.get(finding.check)?.limits ?? '',
      node.observedAt ?? '',
      node.recording?.digest ?? '',
    ]),
  )
  return [
    [
      'node',
      'check',
      'claim',
      'verdict',
      'in words',
      'reasons',
      'what it does not show',
      'observed at (UTC)',
      'recording SHA-256',
    ],
    ...rows,
  ].map(cells)
}

/** One row per control of each framework in scope. */
export function controlsTable(assessment: Assessment, catalog: Catalog): Table {
  const beyond = new Set(catalog.notFromNodes.map(({ id }) => id))
  const rows = assessment.controls.map((state) => {
    const control = catalog.frameworks
      .find(({ id }) => id === state.framework)
      ?.controls.find(({ key }) => key === state.control)
    const counts = state.checks.map(({ check, built, met, population }) =>
      built
        ? `${check}: ${met} of ${population}`
        : `${check}: ${beyond.has(check) ? 'nodes cannot bear it' : 'no check yet'}`,
    )
    return [
      state.framework,
      control?.id ?? state.control,
      control?.title ?? '',
      control?.evidenceClass ?? '',
      state.state,
      controlStateWords[state.state].label,
      state.nodePart ?? 'none',
      counts.join(' | '),
      control?.notShown ?? '',
      state.outstanding.join(' | '),
    ]
  })
  return [
    [
      'framework',
      'control',
      'title',
      'class',
      'state',
      'in words',
      'node part',
      'supported nodes per check',
      'what it does not show',
      'records outstanding',
    ],
    ...rows,
  ].map(cells)
}

const cells = (row: readonly string[]): readonly string[] => row.map((cell) => plain(cell, 30_000))
