import { useState } from 'react'
import type { PortalRequest, RequestStatus } from '../../schemas/ipc-portal.ts'
import { packSubject } from '../../schemas/period-words.ts'
import { requestVerbs } from '../../schemas/portal-words.ts'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { announce } from '../store.ts'
import { firstUp, visible } from '../text.ts'
import { ChoiceMenu } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { TextArea, TextField } from '../ui/Field.tsx'
import { FormDialog } from './FormDialog.tsx'

const NO_ABOUT: PortalRequest['about'] = { control: '', node: '', check: '', period: '' }
const LABELS = { control: 'Control', node: 'Node', check: 'Check', period: 'Period' } as const

/** Writes a request of an auditor. */
export function AskDialog({ onClose }: { readonly onClose: () => void }) {
  const ask = useAction('portal.ask')
  const [title, setTitle] = useState('')
  const [text, setText] = useState('')
  const [about, setAbout] = useState(NO_ABOUT)
  const [due, setDue] = useState('')
  const [tried, setTried] = useState(false)
  const submit = async (): Promise<void> => {
    setTried(true)
    if (title.trim().length < 3 || due === '') return
    if ((await ask.run({ title: title.trim(), text: text.trim(), about, due })) === null) return
    announce('Request sent.')
    onClose()
  }
  return (
    <FormDialog title="New request" verb="Send request" action={ask} onSubmit={submit} onClose={onClose}>
      <TextField
        label="What is requested"
        value={title}
        onChange={setTitle}
        maxLength={200}
        error={tried && title.trim().length < 3 ? 'Enter at least 3 characters.' : undefined}
        isRequired
        autoFocus
      />
      <TextArea label="Details" value={text} onChange={setText} maxLength={4000} isRequired={false} />
      <div className="draw-form">
        {(['control', 'node', 'check', 'period'] as const).map((name) => (
          <TextField
            key={name}
            label={LABELS[name]}
            value={about[name]}
            onChange={(value) => setAbout({ ...about, [name]: value })}
            maxLength={200}
            isRequired={false}
          />
        ))}
      </div>
      <DateField
        label="Due day"
        value={due}
        onChange={setDue}
        error={tried && due === '' ? 'Enter the due day.' : undefined}
        isRequired
      />
    </FormDialog>
  )
}

interface ActDialogProps {
  readonly request: PortalRequest
  /** Null: a comment. */
  readonly to: RequestStatus | null
  readonly onClose: () => void
}

/** Sets a status with a comment, or comments. An answer names evidence. */
export function ActDialog({ request, to, onClose }: ActDialogProps) {
  const act = useAction('portal.act')
  const [comment, setComment] = useState('')
  const [names, setNames] = useState<Names>({ packs: [], documents: [], findings: [] })
  const verb = to === null || to === 'open' ? 'Comment' : requestVerbs[to]
  const submit = async (): Promise<void> => {
    const done = await act.run({ id: request.id, to, comment: comment.trim(), ...names })
    if (done === null) return
    announce(`${verb}: done.`)
    onClose()
  }
  return (
    <FormDialog
      title={verb}
      verb={verb}
      kind={to === 'withdrawn' ? 'danger' : 'primary'}
      isDisabled={comment.trim() === '' && needsComment(to, names)}
      action={act}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="source">
        {request.reference}: {visible(request.title)}
      </p>
      <TextArea
        label="Comment"
        description="Both sides read it. It cannot be changed."
        value={comment}
        onChange={setComment}
        maxLength={4000}
        isRequired={needsComment(to, names)}
        autoFocus
      />
      {to === 'answered' && <Evidence names={names} onChange={setNames} />}
    </FormDialog>
  )
}

interface Names {
  readonly packs: readonly string[]
  readonly documents: readonly string[]
  readonly findings: readonly string[]
}

/** As the server requires it: acceptance and progress need no words, and an answer none that names evidence. */
const needsComment = (to: RequestStatus | null, { packs, documents, findings }: Names): boolean =>
  to === null ||
  to === 'returned' ||
  to === 'withdrawn' ||
  (to === 'answered' && packs.length + documents.length + findings.length === 0)

/** What an answer names: shared packs, documents of the register, and findings of the run that is shown. */
function Evidence({ names, onChange }: { readonly names: Names; readonly onChange: (names: Names) => void }) {
  const packs = useAnswer('portal.packs', null)
  const register = useAnswer('register.get', { of: 'run' })
  const findings = useAnswer('findings.get', { of: 'run', node: null })
  const shared = packs.state === 'here' ? packs.value.filter(({ ended }) => ended === null) : []
  const filed = register.state === 'here' ? register.value.documents : []
  const rows = findings.state === 'here' ? (findings.value?.rows ?? []) : []
  const choices = [
    {
      name: 'packs',
      title: 'Shared packs',
      options: shared.map(({ id, run }) => ({ id, title: firstUp(visible(packSubject(run))) })),
    },
    { name: 'documents', title: 'Documents', options: filed.map(({ id, name }) => ({ id, title: visible(name) })) },
    {
      name: 'findings',
      title: 'Findings',
      options: rows.map(({ reference, title }) => ({ id: reference, title: `${reference}: ${visible(title)}` })),
    },
  ] as const
  return (
    <fieldset className="ticks">
      <legend>Evidence</legend>
      <p className="quiet">
        Documents and findings are named with their digest or condition. Share a pack that contains them, so that the
        auditor can read them.
      </p>
      <div className="actions">
        {choices.map(({ name, title, options }) => (
          <ChoiceMenu
            key={name}
            title={`${title}: ${names[name].length} of ${options.length}`}
            options={options}
            chosen={names[name]}
            onChange={(chosen) => onChange({ ...names, [name]: chosen })}
          />
        ))}
      </div>
    </fieldset>
  )
}
