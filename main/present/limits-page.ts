import type { LimitGroup } from '../../schemas/ipc-packs.ts'
import type { Assessment } from '../../schemas/types.ts'
import { type VerificationReport, verificationCheckWords } from '../../schemas/verification.ts'
import { generalLimitation } from '../../schemas/words.ts'
import { plain } from '../core/base/plain-text.ts'
import { reached, type Tally } from '../core/conclusion/tally.ts'
import type { Catalog } from '../core/rules/catalog.ts'
import { relaxedThresholds } from '../core/rules/profile.ts'
import { type Presentation, whyOf } from './presentation.ts'
import { checksReliedOn, GENERAL_LIMITS } from './report/scope/limits.ts'

interface LimitMatter {
  readonly report: VerificationReport
  /** Null where the results cannot be read. */
  readonly shown: {
    readonly assessment: Assessment
    readonly catalog: Catalog
    readonly tally: Tally
    readonly presentation: Presentation
  } | null
}

type Line = LimitGroup['lines'][number]

/** Everything that a pack does not show, from the same texts as its report. Groups without a limit are left out. */
export function limitsPage({ report, shown }: LimitMatter): readonly LimitGroup[] {
  const groups: readonly LimitGroup[] = [
    { id: 'verification', title: 'Verification checks that did not pass', lines: unverified(report) },
    ...(shown === null ? [] : ofResults(shown)),
    {
      id: 'general',
      title: 'Limits of every pack',
      lines: [generalLimitation('pack records'), ...GENERAL_LIMITS].map((text) => ({ about: null, text })),
    },
  ]
  return groups.filter(({ lines }) => lines.length > 0)
}

const unverified = ({ checks }: VerificationReport): readonly Line[] =>
  checks.flatMap(({ check, outcome, summary }) =>
    outcome === 'passed' ? [] : [{ about: verificationCheckWords[check].label, text: summary }],
  )

/** Counts of one node; zero is left out. */
const countsOf = (inconclusive: number, untested: number): string =>
  [
    ...(inconclusive === 0 ? [] : [`${inconclusive} inconclusive`]),
    ...(untested === 0 ? [] : [`${untested} not tested`]),
  ].join(', ')

function ofResults({ assessment, catalog, tally, presentation }: NonNullable<LimitMatter['shown']>): LimitGroup[] {
  const silent = assessment.nodes.filter((node) => !reached(node))
  const open = assessment.nodes.filter(reached).flatMap(({ node, privilege }): readonly Line[] => {
    const { inconclusive, 'not-tested': untested } = tally.onNode(node).counts
    if (inconclusive + untested === 0) return []
    const rights = privilege === 'none' ? ' Privileged probes did not run.' : ''
    return [{ about: plain(node, 60), text: `${countsOf(inconclusive, untested)}.${rights}` }]
  })
  const [, , limits] = presentation.conclusion
  return [
    {
      id: 'not-tested',
      title: 'Nodes not tested',
      lines: silent.map((node) => ({ about: plain(node.node, 60), text: `${whyOf(node)}.` })),
    },
    { id: 'inconclusive', title: 'Nodes with inconclusive or missing results', lines: open },
    {
      id: 'conclusion',
      title: 'Limits of the conclusions',
      lines: [limits, ...presentation.notSeen.flatMap(({ is, text }) => (is === 'limit' ? [`${text}.`] : []))].map(
        (text) => ({ about: null, text }),
      ),
    },
    {
      id: 'thresholds',
      title: 'Relaxed thresholds',
      lines: relaxedThresholds(catalog.thresholds, assessment.scope.profile).map(
        ({ threshold, shown, shownBefore, source }) => ({
          about: threshold.title,
          text: `${shown} instead of ${shownBefore}. ${plain(source, 1000)}`,
        }),
      ),
    },
    {
      id: 'checks',
      title: 'Limitations of checks for controls without deviations',
      lines: checksReliedOn({ assessment, catalog, tally }).map(({ expected, limitations }) => ({
        // The line adds its own colon.
        about: expected.replace(/\.$/, ''),
        text: limitations,
      })),
    },
  ]
}
