import type { FindingView } from '../../schemas/ipc-findings.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { go, useStore } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Ask } from './Ask.tsx'
import { Copy } from './Copy.tsx'
import { Argument, ConcernedControls, NodeName } from './FindingParts.tsx'
import { OneResponse } from './ResponseFields.tsx'

/** Nodes of a finding that are listed in the row. */
const MOST_NODES = 8

/** What a row of the list opens: expected, effect, nodes, recommendation and controls beside the response. */
export function FindingInside({ of, reference }: { readonly of: Source; readonly reference: string }) {
  const { runs } = useStore()
  const answer = useKept(useAnswer('finding.get', { of, reference }, runs), reference)
  return (
    <Ask answer={answer}>
      {(finding) =>
        finding === null ? (
          <p className="empty">This finding no longer exists in the run that is shown.</p>
        ) : (
          <div className="finding-columns">
            <div>
              <Argument finding={finding}>
                <div>
                  <dt>{finding.what === 'inventory' ? 'Rows' : 'Nodes'}</dt>
                  <dd>
                    <Nodes finding={finding} />
                  </dd>
                </div>
              </Argument>
              <dl className="argument">
                <div>
                  <dt>Controls affected</dt>
                  <dd>
                    <ConcernedControls finding={finding} />
                  </dd>
                </div>
              </dl>
            </div>
            <section aria-label={`Management response to ${reference}`}>
              <h2>Management response</h2>
              {of === 'run' ? (
                <OneResponse
                  key={finding.responses[0]?.id ?? 'none'}
                  check={finding.check}
                  current={finding.responses.find(({ withdrawnAt }) => withdrawnAt === null) ?? null}
                />
              ) : (
                <p>{visible(finding.statusText)}</p>
              )}
              <p className="finding-links">
                <Button kind="link" onPress={() => go({ screen: 'finding', of, reference })}>
                  Open finding {reference}
                </Button>
                <Copy text={reference} what={`reference ${reference}`}>
                  Copy reference
                </Copy>
              </p>
            </section>
          </div>
        )
      }
    </Ask>
  )
}

function Nodes({ finding }: { readonly finding: FindingView }) {
  const { evidence, deviations, satisfiedNodes, inconclusiveNodes, untestedNodes } = finding
  const shown = evidence.slice(0, MOST_NODES)
  return (
    <ul className="finding-nodes">
      {shown.map(({ subject, observations }) => (
        <li key={subject}>
          <NodeName finding={finding} node={subject} />
          <span>{visible(observations.find(({ direction }) => direction === 'contradicts')?.text ?? '')}</span>
        </li>
      ))}
      {deviations > shown.length && (
        <li>
          <span className="quiet">and {plural(deviations - shown.length, 'more node')}</span>
          <Button
            kind="link"
            small
            onPress={() => go({ screen: 'finding', of: finding.of, reference: finding.reference })}
          >
            Show all
          </Button>
        </li>
      )}
      {(
        [
          [satisfiedNodes, 'Satisfied', ''],
          [inconclusiveNodes.length, 'Inconclusive', namesOf(inconclusiveNodes)],
          [untestedNodes.length, 'Not tested', namesOf(untestedNodes)],
        ] as const
      ).map(([count, words, names]) =>
        count === 0 ? null : (
          <li key={words} className="quiet">
            <span>{plural(count, 'node')}</span>
            <span>
              {words}
              {names === '' ? '' : `: ${names}`}
            </span>
          </li>
        ),
      )}
    </ul>
  )
}

/** The first names of a list, and how many more there are. */
const namesOf = (all: readonly string[]): string =>
  `${visible(all.slice(0, MOST_NODES).join(', '))}${all.length > MOST_NODES ? ` and ${all.length - MOST_NODES} more` : ''}`
