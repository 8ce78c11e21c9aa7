import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import { documentsIn, heldLine } from '../document-model.ts'
import { useKept } from '../kept.ts'
import { useStore } from '../store.ts'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Ask } from './Ask.tsx'
import { DocumentRows } from './DocumentRows.tsx'
import { ServedControls } from './ServedControls.tsx'

export interface UsualDocumentsProps {
  readonly view: AssessmentView
  readonly check: string
  readonly of: Source
}

/** Evidence requests of all controls that the check is mapped to, each once. */
export function UsualDocuments({ view, check, of }: UsualDocumentsProps) {
  const { runs } = useStore()
  const register = useKept(useAnswer('register.get', { of }, runs), of)
  const listed = documentsIn(
    view.frameworks.map((frame) => ({
      ...frame,
      controls: frame.controls.filter(({ mappings }) => mappings.some((one) => one.check === check)),
    })),
  )
  if (listed.length === 0) return <p className="quiet">No mapped control requires a document.</p>
  return (
    <Ask answer={register}>
      {(said) => (
        <Disclosure title="Documents required in addition" aside={heldLine(listed.map(({ document }) => document))}>
          <DocumentRows
            of={of}
            view={view}
            register={said}
            entries={listed.map(({ key, document, target, rows }) => ({
              key,
              document,
              target,
              serves: <ServedControls of={of} rows={rows} />,
            }))}
          />
        </Disclosure>
      )}
    </Ask>
  )
}
