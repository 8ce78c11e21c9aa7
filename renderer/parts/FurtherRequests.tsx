import { useState } from 'react'
import { levelWords } from '../../schemas/conclusion-words.ts'
import type { AssessmentView, EvidenceRequestView } from '../../schemas/ipc-results.ts'
import { type DocumentForm, furtherRequests } from '../attach-model.ts'
import { visible } from '../text.ts'
import { Checkbox } from '../ui/Choice.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { SearchField } from '../ui/SearchField.tsx'

export interface FurtherRequestsProps {
  readonly view: Pick<AssessmentView, 'requests'>
  readonly request: EvidenceRequestView
  readonly form: Pick<DocumentForm, 'alsoFor'>
  readonly put: (part: Partial<DocumentForm>) => void
}

/** One document for many requests: each of them counts it at its own level. */
export function FurtherRequests({ view, request, form: { alsoFor }, put }: FurtherRequestsProps) {
  const [text, setText] = useState('')
  const shown = furtherRequests(view, request, { chosen: alsoFor, text })
  return (
    <Disclosure title="Answers further evidence requests" aside={alsoFor.length} level={3}>
      <p className="quiet">The same summary, level, inspection and expiry apply to each request.</p>
      <SearchField label="Find an evidence request" value={text} onChange={setText} />
      <fieldset className="ticks answers-nodes">
        <legend>Evidence requests</legend>
        {shown.map(({ id, title, minimum }) => (
          <Checkbox
            key={id}
            isSelected={alsoFor.includes(id)}
            onChange={(on) => put({ alsoFor: on ? [...alsoFor, id] : alsoFor.filter((one) => one !== id) })}
            note={`Counts from “${levelWords[minimum].label}” on.`}
          >
            {id} {visible(title)}
          </Checkbox>
        ))}
      </fieldset>
    </Disclosure>
  )
}
