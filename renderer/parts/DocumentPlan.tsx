import { IconDeviceFloppy } from '@tabler/icons-react'
import { levelWords } from '../../schemas/conclusion-words.ts'
import type { OwnerDocuments, PlannedDocument } from '../../schemas/ipc-findings.ts'
import { useAction } from '../actions.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { announce, useStore } from '../store.ts'
import { day, plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Ask, FailureNote } from './Ask.tsx'
import { Copy } from './Copy.tsx'

/** What is outstanding by owner, the soonest due day first, with a message to each owner. */
export function DocumentPlan() {
  const { runs } = useStore()
  const answer = useKept(useAnswer('documents.plan', null, runs), 'documents.plan')
  return (
    <Ask answer={answer}>
      {(plan) =>
        plan === null || plan.outstanding === 0 ? (
          <EmptyState title="No document outstanding">
            {plan === null
              ? 'After the first run, this page lists outstanding documents by owner.'
              : `All ${plural(plan.needed, 'required document')} on file.`}
          </EmptyState>
        ) : (
          <>
            <p className="quiet">
              {plan.outstanding} of {plural(plan.needed, 'required document')} outstanding. Owner and due date are set
              under All requests.
            </p>
            {plan.owners.map((one) => (
              <Owner key={one.owner ?? ''} of={one} />
            ))}
          </>
        )
      }
    </Ask>
  )
}

function Owner({ of: { owner, documents, message } }: { readonly of: OwnerDocuments }) {
  const save = useAction('documents.save-message')
  const name = owner === null ? 'No owner set' : visible(owner)
  const overdue = documents.filter(({ isOverdue }) => isOverdue).length
  const run = async (): Promise<void> => {
    const saved = owner === null ? null : await save.run({ owner })
    if (saved !== null) announce(`Message saved as ${visible(saved.file)}.`)
  }
  return (
    <section className="document-owner" aria-label={name}>
      <h2>
        {name}{' '}
        <span className="number quiet">
          {plural(documents.length, 'document')}
          {overdue > 0 && `, ${overdue} overdue`}
        </span>
      </h2>
      <div className="scroll">
        <table aria-label={`Outstanding documents: ${name}`}>
          <thead>
            <tr>
              <th scope="col">Due</th>
              <th scope="col">Document</th>
              <th scope="col">Reached</th>
              <th scope="col">Minimum level</th>
              <th scope="col">Controls</th>
            </tr>
          </thead>
          <tbody>
            {documents.map((one) => (
              <DocumentRow key={`${one.id} ${one.title}`} of={one} />
            ))}
          </tbody>
        </table>
      </div>
      {message !== null && (
        <Disclosure title="Message to the owner" level={3}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: lines wider than the window are scrolled with the arrow keys */}
          <section className="unit-text" tabIndex={0} aria-label={`Message to ${name}`}>
            <pre className="mono">{message}</pre>
          </section>
          <div className="actions">
            <Copy text={message} what={`the message to ${name}`}>
              Copy message
            </Copy>
            <Button small icon={IconDeviceFloppy} busy={save.busy} onPress={() => void run()}>
              Save message
            </Button>
          </div>
          {save.error !== null && <FailureNote error={save.error} />}
        </Disclosure>
      )}
    </section>
  )
}

const DocumentRow = ({
  of: { id, title, minimum, level, due, isOverdue, controls },
}: {
  readonly of: PlannedDocument
}) => (
  <tr>
    <td>
      {due === null ? 'Not set' : day(due)}
      {isOverdue && ' (overdue)'}
    </td>
    <td>
      {id !== null && <span className="mono">{id} </span>}
      {visible(title)}
    </td>
    <td>{level === null ? 'Nothing on file' : levelWords[level].label}</td>
    <td>{levelWords[minimum].label}</td>
    <td className="number">{controls}</td>
  </tr>
)
