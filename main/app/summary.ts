import type { Assessment } from '../../schemas/types.ts'
import {
  CONTROL_STATES,
  controlStateWords,
  gradeWords,
  layerWords,
  PROPERTIES,
  profileWords,
  propertyWords,
} from '../../schemas/words.ts'
import type { Catalog } from '../core/catalog.ts'
import { plain } from '../core/plain-text.ts'
import { type Limit, limitsOf } from '../core/profile.ts'

/** An assessment on one screen of plain text: nodes, gaps, controls. Counts with denominators, never a score. */
export function summaryText(assessment: Assessment, catalog: Catalog): string {
  return [
    ...head(assessment, [...limitsOf(catalog.thresholds, assessment.scope.profile).values()]),
    ...assessment.nodes.flatMap((node) => nodeLines(node)),
    '',
    ...gapLines(assessment, catalog),
    ...controlLines(assessment, catalog),
  ].join('\n')
}

function head({ scope, nodes, asOf, catalog, demo }: Assessment, limits: readonly Limit[]): string[] {
  const reached = nodes.filter(({ findings }) => findings.some(({ verdict }) => verdict !== 'not-tested')).length
  return [
    `${plain(scope.fleet)}${demo ? '   [Demo data]' : ''}`,
    `${reached} of ${nodes.length} declared nodes answered; as of ${asOf}; catalog ${catalog.version} (${catalog.digest.slice(0, 12)})`,
    `compared against: ${profileWords[scope.profile?.name ?? 'baseline'].label}`,
    ...limits
      .filter(({ moved }) => moved === 'looser')
      .map(({ threshold, shown, shownBefore, source }) =>
        plain(`  loosened: ${threshold.title}: ${shown} instead of ${shownBefore} (${source})`, 700),
      ),
    '',
  ]
}

function nodeLines(node: Assessment['nodes'][number]): string[] {
  if (node.isolation === null)
    return [
      `${node.node}`,
      `    not collected: ${node.failure === null ? 'no recording' : `${node.failure.code}, ${plain(node.failure.detail, 300)}`}`,
    ]
  const { layer, platform, concealed, tenancy, grade } = node.isolation
  const counts = PROPERTIES.map((property) => {
    const found = node.findings.filter((finding) => finding.property === property)
    const of = (verdict: string): number => found.filter((finding) => finding.verdict === verdict).length
    return found.length === 0
      ? ''
      : `${propertyWords[property].label}: ${of('met')} of ${found.length} supported, ${of('not-met')} contradicted`
  }).filter((line) => line !== '')
  return [
    `${node.node}   read ${node.privilege === 'none' ? 'without administrator rights' : `with ${node.privilege}`} at ${node.observedAt}${node.stale ? ' (too old)' : ''}${node.synthetic === null ? '' : '   [synthetic]'}`,
    `    ${layerWords[layer]}${platform === null ? '' : ` (${plain(platform)})`}${concealed ? ', and it hides this' : ''}; tenancy ${tenancy}; evidence grade ${grade} (${gradeWords[grade]})`,
    ...counts.map((line) => `    ${line}`),
  ]
}

function gapLines({ nodes }: Assessment, catalog: Catalog): string[] {
  const gaps = nodes.flatMap((node) =>
    node.findings.filter(({ verdict }) => verdict === 'not-met').map((finding) => ({ node: node.node, ...finding })),
  )
  if (gaps.length === 0) return ['No check was contradicted.', '']
  const lines = gaps.map(({ node, check, reasons }) => {
    const against = reasons.find(({ says }) => says === 'against')?.text ?? ''
    const claim = catalog.checks.find(({ id }) => id === check)?.claim ?? check
    return `  ${node}: ${claim}\n      ${plain(against, 300)}`
  })
  return [`Gaps (${gaps.length}):`, ...lines, '']
}

function controlLines({ controls }: Assessment, catalog: Catalog): string[] {
  return catalog.frameworks
    .map((framework) => ({ framework, own: controls.filter((control) => control.framework === framework.id) }))
    .filter(({ own }) => own.length > 0)
    .map(({ framework, own }) => {
      const counts = CONTROL_STATES.map((state) => ({
        state,
        count: own.filter((control) => control.state === state).length,
      }))
      const words = counts
        .filter(({ count }) => count > 0)
        .map(({ state, count }) => `${controlStateWords[state].label} ${count}`)
      return `${framework.title}: ${own.length} items. ${words.join(', ')}.`
    })
}
