import { useState } from 'react'
import type { CatalogView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { NodeAssessment } from '../../schemas/types.ts'
import { tenancyWords } from '../../schemas/words.ts'
import { environmentLine, gradeLine } from '../model.ts'
import { plural, visible } from '../text.ts'
import { Disclosure } from '../ui/Disclosure.tsx'
import { IsolationAnalysis } from './IsolationAnalysis.tsx'
import { NodeFigures } from './NodeFigures.tsx'

export interface IsolationAnswersProps {
  readonly of: Source
  readonly assessment: NodeAssessment
  readonly catalog: CatalogView
}

/** Four separate isolation results, never one number, and the figure of their evidence. */
export function IsolationAnswers({ of, assessment }: Omit<IsolationAnswersProps, 'catalog'>) {
  const { isolation, node } = assessment
  const devices = isolation?.attachments ?? []
  return (
    <>
      <dl className="four-answers" aria-label="Isolation results">
        <div>
          <dt>Execution environment</dt>
          <dd>{environmentLine(isolation)}</dd>
          {isolation?.environment === 'undetermined' && <dd className="quiet">{visible(isolation.rule.text)}</dd>}
        </div>
        <div>
          <dt>Tenancy</dt>
          <dd>{tenancyWords[isolation?.tenancy ?? 'undetermined']}</dd>
        </div>
        <div>
          <dt>Device attachment</dt>
          <dd>
            {devices.length === 0
              ? 'Undetermined'
              : `${devices.filter(({ attachment }) => attachment === 'physical').length} of ${plural(devices.length, 'device')} physical`}
          </dd>
        </div>
        <div>
          <dt>Evidence grade</dt>
          <dd>{gradeLine(assessment)}</dd>
        </div>
      </dl>
      <NodeFigures of={of} node={node} kinds={['isolation-families']} />
    </>
  )
}

/** The isolation analysis, folded: it is long, and rendered only when opened. */
export function NodeIsolation({ of, assessment, catalog }: IsolationAnswersProps) {
  const { isolation, node } = assessment
  const [wasOpened, setOpened] = useState(false)
  if (isolation === null) return null
  const devices = isolation.attachments
  return (
    <Disclosure
      level={2}
      title="Isolation analysis"
      aside={`Rule ${isolation.rule.id} · ${plural(isolation.signals.length, 'signal')} · ${isolation.anomalies.length} ${isolation.anomalies.length === 1 ? 'anomaly' : 'anomalies'}`}
      onToggle={(open) => setOpened(wasOpened || open)}
    >
      {wasOpened && devices.length > 0 && (
        <ul className="device-list">
          {devices.map((device) => (
            <li key={`${device.kind} ${device.device}`}>
              {device.kind.toUpperCase()} <span className="mono">{visible(device.device)}</span>:{' '}
              {device.attachment.replaceAll('-', ' ')}. {visible(device.text)}
            </li>
          ))}
        </ul>
      )}
      {wasOpened && (
        <IsolationAnalysis
          isolation={isolation}
          signals={catalog.signals}
          probes={catalog.probes}
          of={of}
          node={node}
        />
      )}
    </Disclosure>
  )
}
