import { useState } from 'react'
import type { CatalogView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { NodeAssessment } from '../../schemas/types.ts'
import { gradeLine, layerLine, TENANCY } from '../model.ts'
import { plural, visible } from '../text.ts'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Dossier } from './Dossier.tsx'
import { NodeFigures } from './NodeFigures.tsx'

export interface IsolationAnswersProps {
  readonly of: Source
  readonly assessment: NodeAssessment
  readonly catalog: CatalogView
}

/** Four separate answers, never one number, and the picture of what they rest on. */
export function IsolationAnswers({ of, assessment }: Omit<IsolationAnswersProps, 'catalog'>) {
  const { isolation, node } = assessment
  const devices = isolation?.locality ?? []
  return (
    <>
      <dl className="four-answers" aria-label="Four answers about isolation">
        <div>
          <dt>Execution layer</dt>
          <dd>{layerLine(isolation)}</dd>
          {isolation?.layer === 'unknown' && <dd className="quiet">{visible(isolation.rule.text)}</dd>}
        </div>
        <div>
          <dt>Tenancy on the system</dt>
          <dd>{TENANCY[isolation?.tenancy ?? 'unknown']}</dd>
        </div>
        <div>
          <dt>Devices</dt>
          <dd>
            {devices.length === 0
              ? 'Not decided'
              : `${devices.filter(({ is }) => is === 'native').length} of ${plural(devices.length, 'device')} native`}
          </dd>
        </div>
        <div>
          <dt>Grade of the evidence</dt>
          <dd>{gradeLine(assessment)}</dd>
        </div>
      </dl>
      <NodeFigures of={of} node={node} kinds={['isolation-families']} />
    </>
  )
}

/** Everything behind the four answers, folded: it is long, and made only when it is opened. */
export function IsolationDossier({ of, assessment, catalog }: IsolationAnswersProps) {
  const { isolation, node } = assessment
  const [wasOpened, setOpened] = useState(false)
  if (isolation === null) return null
  const devices = isolation.locality
  return (
    <Disclosure
      level={2}
      title="The dossier"
      aside={`${isolation.rule.id} decided · ${plural(isolation.signals.length, 'signal')} · ${plural(isolation.contradictions.length, 'contradiction')}`}
      onToggle={(open) => setOpened(wasOpened || open)}
    >
      {wasOpened && devices.length > 0 && (
        <ul className="device-list">
          {devices.map((device) => (
            <li key={`${device.kind} ${device.device}`}>
              {device.kind.toUpperCase()} <span className="mono">{visible(device.device)}</span>:{' '}
              {device.is.replaceAll('-', ' ')}. {visible(device.text)}
            </li>
          ))}
        </ul>
      )}
      {wasOpened && (
        <Dossier isolation={isolation} signals={catalog.signals} probes={catalog.probes} of={of} node={node} />
      )}
    </Disclosure>
  )
}
