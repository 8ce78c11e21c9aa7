import { useState } from 'react'
import type { AssessmentView, ControlRow } from '../../schemas/ipc-results.ts'
import type { FrameworkName, Source } from '../../schemas/ipc-views.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { documentPartOf } from '../control-tree.ts'
import { otherDocuments, targetOf } from '../document-model.ts'
import { outdated, useStore } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { Ask } from './Ask.tsx'
import { DocumentDialog } from './AttachDialog.tsx'
import { DocumentList, DocumentRows } from './DocumentRows.tsx'
import { MarkedLine } from './Mark.tsx'

export interface DocumentPartProps {
  readonly of: Source
  readonly view: AssessmentView
  readonly framework: FrameworkName
  readonly control: ControlRow
}

/** The document part of a control: each evidence request with minimum level, owner and documents. */
export function DocumentPart({ of, view, framework, control }: DocumentPartProps) {
  const { runs } = useStore()
  const register = useKept(useAnswer('register.get', { of }, runs), of)
  const [attaches, setAttaches] = useState(false)
  const part = documentPartOf(control)
  return (
    <Ask answer={register}>
      {(said) => {
        const others = otherDocuments(framework, control, said)
        return (
          <>
            <p>
              <MarkedLine {...part} />
            </p>
            <p className="quiet">{part.meaning}</p>
            <DocumentRows
              of={of}
              view={view}
              register={said}
              entries={control.documents.map((document) => ({
                key: document.request?.id ?? document.title,
                document,
                target: targetOf(framework, control.key, document),
              }))}
            />
            {others.length > 0 && (
              <>
                <h3>Attached to the control itself</h3>
                <p className="note">Not linked to an evidence request; not counted.</p>
                <DocumentList of={of} documents={others} />
              </>
            )}
            {of === 'run' && (
              <p>
                <Button small kind="quiet" onPress={() => setAttaches(true)}>
                  Add another document
                </Button>
              </p>
            )}
            {attaches && (
              <DocumentDialog
                view={view}
                request={null}
                controls={[{ framework, control: control.key }]}
                need={null}
                about={`${control.id} ${control.title}`}
                onClose={() => setAttaches(false)}
                onDone={() => {
                  setAttaches(false)
                  outdated()
                }}
              />
            )}
          </>
        )
      }}
    </Ask>
  )
}
