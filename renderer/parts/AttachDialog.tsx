import { today } from '@internationalized/date'
import { useState } from 'react'
import { EVIDENCE_LEVELS, levelWords } from '../../schemas/conclusion-words.ts'
import type { DocumentDraft, DocumentView } from '../../schemas/ipc-register.ts'
import type { AssessmentView, EvidenceRequestView } from '../../schemas/ipc-results.ts'
import { verdictWords } from '../../schemas/words.ts'
import {
  answerable,
  answerableNodes,
  attachLacks,
  attachmentInput,
  type DocumentForm,
  emptyForm,
  furtherRequests,
  isSamePerson,
  mayAnswer,
  needsInspection,
  SAME_PERSON,
} from '../models/attach-model.ts'
import { isBelow, minimumOf } from '../models/document-model.ts'
import { day, plural, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { recorded } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { bound, TextArea, TextField } from '../ui/Field.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { FormDialog } from './FormDialog.tsx'

interface DocumentDialogProps {
  /** Null for a new version, which keeps the attachments of the earlier one. */
  readonly view: AssessmentView | null
  /** The version that the document replaces; absent for a new document. */
  readonly earlier?: DocumentView
  /** The evidence request that it answers; null for a requirement of a custom mapping, or for a control itself. */
  readonly request: EvidenceRequestView | null
  readonly controls: DocumentDraft['controls']
  /** What is requested, or null for the control itself. */
  readonly need: string | null
  /** What it is attached to, in words. */
  readonly about: string
  readonly onClose: () => void
}

const LEVELS = EVIDENCE_LEVELS.map((id) => ({ id, title: levelWords[id].label, note: levelWords[id].meaning }))

/** The text fields of a form. */
type Texts = 'name' | 'note' | 'summary' | 'providedBy' | 'owner' | 'inspectedBy' | 'lookedAt'

/** Adds a file or note as a document: summary of evidence, provider, level and validity. */
export function DocumentDialog({ view, earlier, request, controls, need, about, onClose }: DocumentDialogProps) {
  const add = useAction('documents.add')
  const note = useAction('documents.note')
  const [form, setForm] = useState(() =>
    emptyForm(today('UTC').toString(), today('UTC').add({ years: 1 }).toString(), earlier),
  )
  const [tried, setTried] = useState(false)
  const put = (part: Partial<DocumentForm>): void => setForm({ ...form, ...part })
  const lacks = tried ? attachLacks(form) : {}
  const text = (field: Texts) => ({
    value: form[field],
    onChange: (value: string) => put({ [field]: value }),
    error: lacks[field],
    isRequired: true,
  })
  const minimum = minimumOf({ request })
  const send = async (): Promise<void> => {
    setTried(true)
    const draft = attachmentInput({ controls, need, supersedes: earlier?.id ?? null }, form)
    if (draft === null) return
    const done =
      form.kind === 'file' ? await add.run(draft) : await note.run({ ...draft, name: form.name, text: form.note })
    if (done === null) return
    recorded(form.kind === 'file' ? 'Document added.' : 'Note added.')
    onClose()
  }
  const error = form.kind === 'file' ? add.error : note.error
  return (
    <FormDialog
      title={earlier === undefined ? 'Add document' : 'Add new version'}
      size="large"
      verb={form.kind === 'file' ? 'Choose file and add' : 'Add note'}
      action={{ busy: add.busy || note.busy, error }}
      onSubmit={send}
      onClose={onClose}
    >
      <p>
        {request !== null && <span className="mono">{request.id} </span>}
        {about}
        {request !== null && <span className="note">Inspect for: {request.inspects}</span>}
        {request !== null && (
          <span className="note">Answers this evidence request in every control that it serves.</span>
        )}
        {earlier !== undefined && (
          <span className="note">
            It takes the place of the version of {day(earlier.attachedAt)} in every control. The earlier version stays
            in the register with its digest.
            {earlier.answers !== undefined && ' It is no alternative evidence for check results.'}
          </span>
        )}
        {earlier === undefined && need === null && (
          <span className="note">Not linked to an evidence request; not counted.</span>
        )}
      </p>
      <RadioGroup
        label="Type"
        inline
        {...bound(form, put, 'kind')}
        options={[
          { id: 'file', title: 'File' },
          { id: 'note', title: 'Note' },
        ]}
      />
      {form.kind === 'note' && (
        <>
          <TextField label="Title" maxLength={255} {...text('name')} />
          <TextArea label="Text" rows={6} maxLength={100_000} {...text('note')} />
        </>
      )}
      <TextArea
        label="Summary of evidence"
        description="In your own words. Printed with the document in reports and packs."
        maxLength={2000}
        {...text('summary')}
      />
      <div className="form-pair">
        <TextField label="Provided by" maxLength={200} {...text('providedBy')} />
        <TextField label="Owner" maxLength={200} {...text('owner')} />
      </div>
      <RadioGroup
        label="Level"
        description={
          need === null ? undefined : `Counts from “${levelWords[minimum].label}” on, if the conclusion is “Supports”.`
        }
        {...bound(form, put, 'level')}
        options={LEVELS}
      />
      {need !== null && isBelow(form.level, minimum) && (
        <p className="quiet" role="status">
          At this level, the request remains outstanding.
        </p>
      )}
      {needsInspection(form.level) && <InspectionFields form={form} lacks={lacks} put={put} text={text} />}
      {view !== null && request !== null && <FurtherRequests view={view} request={request} form={form} put={put} />}
      {view !== null && <AnswersField view={view} request={request} form={form} lacks={lacks} put={put} />}
      <EffectiveFields form={form} lacks={lacks} put={put} />
      <Checkbox
        isSelected={form.ends}
        onChange={(ends) => put({ ends })}
        note="The document does not count after this date. Without a date, it counts for 366 days."
      >
        Set an expiry date
      </Checkbox>
      {form.ends && (
        <DateField
          label="Valid until"
          {...bound(form, put, 'validUntil')}
          min={today('UTC').add({ days: 1 }).toString()}
          error={lacks.validUntil}
          isRequired
        />
      )}
      <p className="quiet">
        The file is stored unchanged, identified by SHA-256, and never executed. Reports and packs list it; packs
        contain a copy.
      </p>
    </FormDialog>
  )
}

/**
 * The period in which the policy, contract or report was in effect. It is compared with the period of the engagement.
 */
function EffectiveFields({ form, lacks, put }: Omit<InspectionFieldsProps, 'text'>) {
  return (
    <>
      <Checkbox
        isSelected={form.isEffective}
        onChange={(isEffective) => put({ isEffective })}
        note="When the policy, contract or report was in effect. Compared with the period of the engagement."
      >
        Declare the effective period
      </Checkbox>
      {form.isEffective && (
        <div className="form-pair">
          <DateField
            label="Effective from"
            {...bound(form, put, 'effectiveFrom')}
            error={lacks.effectiveFrom}
            isRequired
          />
          <DateField
            label="Effective to (empty: no end)"
            {...bound(form, put, 'effectiveTo')}
            error={lacks.effectiveTo}
          />
        </div>
      )}
    </>
  )
}

interface InspectionFieldsProps {
  readonly form: DocumentForm
  readonly lacks: ReturnType<typeof attachLacks>
  readonly put: (part: Partial<DocumentForm>) => void
  readonly text: (field: Texts) => {
    readonly value: string
    readonly onChange: (value: string) => void
    readonly error: string | undefined
    readonly isRequired: boolean
  }
}

/** Reviewer, date, items inspected, and conclusion (AT-C 205). */
function InspectionFields({ form, lacks, put, text }: InspectionFieldsProps) {
  return (
    <>
      <div className="form-pair">
        <TextField
          label={form.level === 'reperformed' ? 'Reperformed by' : 'Inspected by'}
          description={isSamePerson(form.inspectedBy, form.providedBy) ? SAME_PERSON : undefined}
          maxLength={200}
          {...text('inspectedBy')}
        />
        <DateField
          label="Inspected on"
          {...bound(form, put, 'inspectedOn')}
          max={today('UTC').toString()}
          error={lacks.inspectedOn}
          isRequired
        />
      </div>
      <TextArea
        label="Items inspected"
        description="Population, sample, and what the document was compared with."
        maxLength={2000}
        {...text('lookedAt')}
      />
      <RadioGroup
        label="Conclusion"
        inline
        {...bound(form, put, 'conclusion')}
        error={lacks.conclusion}
        options={[
          { id: 'supports', title: 'Supports' },
          {
            id: 'does-not-support',
            title: 'Does not support',
            note: 'This is a deviation in every control that the document serves.',
          },
        ]}
      />
    </>
  )
}

interface FurtherRequestsProps {
  readonly view: Pick<AssessmentView, 'requests'>
  readonly request: EvidenceRequestView
  readonly form: Pick<DocumentForm, 'alsoFor'>
  readonly put: (part: Partial<DocumentForm>) => void
}

/** One document for several requests, each of which counts it at its own level. */
function FurtherRequests({ view, request, form: { alsoFor }, put }: FurtherRequestsProps) {
  const [text, setText] = useState('')
  const shown = furtherRequests(view, request, { chosen: alsoFor, text })
  return (
    <Disclosure title="Answers further evidence requests" aside={alsoFor.length}>
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

interface AnswersFieldProps {
  readonly view: AssessmentView
  readonly request: EvidenceRequestView | null
  readonly form: DocumentForm
  readonly lacks: ReturnType<typeof attachLacks>
  readonly put: (part: Partial<DocumentForm>) => void
}

/** Alternative evidence: the results answered by an inspected document, out of those that its request allows. */
function AnswersField({ view, request, form, lacks, put }: AnswersFieldProps) {
  const some = answerable(view, request)
  if (some.length === 0 || !mayAnswer(form)) return null
  const nodes = answerableNodes(some, form.checks)
  const toggled = (values: readonly string[], value: string, on: boolean): readonly string[] =>
    on ? [...values, value] : values.filter((one) => one !== value)
  const setChecks = (checks: readonly string[]): void => {
    const left = new Set(answerableNodes(some, checks))
    put({ checks, nodes: form.nodes.filter((node) => left.has(node)) })
  }
  return (
    <>
      <Checkbox
        isSelected={form.answers}
        onChange={(answers) => put({ answers })}
        note="The observed results are unchanged. Controls count them as answered by this document."
      >
        Use as alternative evidence for check results
      </Checkbox>
      {form.answers && (
        <div className="form-pair">
          <fieldset>
            <legend>Checks</legend>
            {some.map(({ check, answers, nodes: found }) => (
              <Checkbox
                key={check.id}
                isSelected={form.checks.includes(check.id)}
                onChange={(on) => setChecks(toggled(form.checks, check.id, on))}
                note={`${check.id}: ${plural(found.length, 'node')}${answers === 'undecided' ? ', inconclusive or not tested results only' : ''}`}
              >
                {check.expected}
              </Checkbox>
            ))}
            {lacks.checks !== undefined && <p className="field-error">{lacks.checks}</p>}
          </fieldset>
          <fieldset>
            <legend>
              Nodes: {form.nodes.length} of {nodes.length}
            </legend>
            {nodes.length > 1 && (
              <Button small kind="quiet" onPress={() => put({ nodes })}>
                Select all nodes
              </Button>
            )}
            <div className="answers-nodes">
              {nodes.map((node) => (
                <Checkbox
                  key={node}
                  isSelected={form.nodes.includes(node)}
                  onChange={(on) => put({ nodes: toggled(form.nodes, node, on) })}
                  note={some
                    .filter(({ check }) => form.checks.includes(check.id))
                    .flatMap(({ check, nodes: found }) =>
                      found
                        .filter((one) => one.node === node)
                        .map(({ verdict }) => `${check.id}: ${verdictWords[verdict].label}`),
                    )
                    .join('; ')}
                >
                  {visible(node)}
                </Checkbox>
              ))}
            </div>
            {lacks.nodes !== undefined && <p className="field-error">{lacks.nodes}</p>}
          </fieldset>
        </div>
      )}
    </>
  )
}
