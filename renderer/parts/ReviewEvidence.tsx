import { useState } from 'react'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import { useAnswer } from '../bridge.ts'
import { wasReached } from '../model.ts'
import { go } from '../store.ts'
import { plural, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Ask } from './Ask.tsx'
import { Page } from './Page.tsx'

/** The nodes of the pack with links to their captures. */
export function ReviewEvidence() {
  const view = useAnswer('assessment.get', { of: 'pack' })
  return (
    <Page title="Raw evidence" under="Captures of each node, unchanged, with digests.">
      <Ask answer={view}>
        {(value) =>
          value === null ? <p className="empty">This file contains no raw evidence.</p> : <Nodes view={value} />
        }
      </Ask>
    </Page>
  )
}

const STATUS_WORDS = {
  complete: 'Collected',
  partial: 'Partial: some probes have no capture',
  failed: 'Not collected',
  missing: 'Missing: no evidence of this node in the pack',
} as const

const MOST = 200

function Nodes({ view }: { readonly view: AssessmentView }) {
  const [part, setPart] = useState('')
  const found = view.rows.filter(({ node }) => node.toLowerCase().includes(part.trim().toLowerCase()))
  const shown = found.slice(0, MOST)
  return (
    <>
      <SearchField label="Find a node" value={part} onChange={setPart} isFilter />
      <p className="quiet" role="status">
        {found.length} of {plural(view.rows.length, 'node')}
        {found.length > MOST && `; the first ${MOST} are shown`}.
      </p>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Evidence</th>
              <th scope="col">Collected</th>
              <th scope="col">Action</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ node, status, privilege, failure, observedAt }) => (
              <tr key={node}>
                <th scope="row" className="source">
                  {visible(node)}
                </th>
                <td>
                  {STATUS_WORDS[status]}
                  {failure !== null && <span className="note">{visible(failure.detail)}</span>}
                  {privilege === 'none' && <span className="note">without privileged checks</span>}
                </td>
                <td className="number">{wasReached({ status }) ? when(observedAt) : 'Not collected'}</td>
                <td>
                  <Button
                    small
                    label={`Open raw evidence of ${visible(node)}`}
                    onPress={() => go({ screen: 'evidence', of: 'pack', node, capture: null })}
                  >
                    Open{' '}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
