import { IconFileImport } from '@tabler/icons-react'
import { type FocusEvent, useEffect, useRef, useState } from 'react'
import { engagementSectionWords } from '../../schemas/engagement-words.ts'
import {
  ENGAGEMENT_SECTIONS,
  type EngagementForm,
  type EngagementSection,
  type EngagementView,
} from '../../schemas/ipc-engagement.ts'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import {
  blankForm,
  forgetForm,
  joinedForm,
  keepForm,
  keptForm,
  sectionState,
  unsavedSections,
  withSectionOf,
} from '../models/engagement-model.ts'
import { plural, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { call } from '../state/bridge.ts'
import { announce, recorded, replace, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Notice } from '../ui/Notice.tsx'
import { AlsoChanged, FailureNote } from './Ask.tsx'
import { ResponsibilitySection, SubserviceSection, UserEntitySection } from './EngagementParties.tsx'
import {
  BoundarySection,
  EphiSection,
  PopulationSection,
  type SectionProps,
  SignOffSection,
  WhoSection,
} from './EngagementWho.tsx'
import { FormDialog } from './FormDialog.tsx'
import { MarkedLine } from './Mark.tsx'

const SECTIONS: Readonly<Record<EngagementSection, (props: SectionProps) => React.ReactNode>> = {
  who: WhoSection,
  boundary: BoundarySection,
  responsibilities: ResponsibilitySection,
  subservice: SubserviceSection,
  'user-entity': UserEntitySection,
  ephi: EphiSection,
  population: PopulationSection,
  'sign-off': SignOffSection,
}

const today = (): string => new Date().toISOString().slice(0, 10)

interface EngagementEditorProps {
  readonly first: EngagementView
  /** Starts with an empty form where there is none yet. */
  readonly begin: boolean
}

/**
 * The engagement as a form in sections. A section is saved when it is left; unsaved input is kept even when the
 * screen is left.
 */
export function EngagementEditor({ first, begin }: EngagementEditorProps) {
  const { fleet } = useStore()
  const [blank] = useState(() => blankForm(today(), fleet?.nodes.map(({ name }) => name) ?? []))
  const about = `${fleet?.name ?? ''} ${fleet?.demo === true}`
  const [view, setView] = useState(first)
  const [begun] = useState(() => {
    const before = keptForm(about)
    return before === null ? null : joinedForm(before.form, before.known ?? blank, first.form)
  })
  const [form, setForm] = useState(begun?.form ?? first.form ?? (begin ? blank : null))
  const [both, setBoth] = useState(begun?.both ?? [])
  const set = useAction('engagement.set')
  const now = useRef({ form, view })
  now.current = { form, view }
  const put = (next: EngagementForm, known = view.form): void => {
    keepForm(about, { form: next, known })
    setForm(next)
  }
  /** Shows what is stored now, with the input that is not. */
  const join = (typed: EngagementForm, stored: EngagementView): void => {
    const joined = joinedForm(typed, now.current.view.form ?? blank, stored.form)
    setView(stored)
    if (keptForm(about) === null) setForm(joined.form)
    else put(joined.form, stored.form)
    if (joined.both.length > 0) setBoth(joined.both)
  }
  const saving = useRef(false)
  const joining = useRef(join)
  joining.current = join
  useEffect(() => {
    const { form: typed } = now.current
    if (typed === null) setView(first)
    else if (!saving.current) joining.current(typed, first)
  }, [first])
  /** The view after saving; null where that failed, and where a person must decide first what becomes of the input of another one. */
  const save = async (replaces = false): Promise<EngagementView | null> => {
    const { form: typed, view: known } = now.current
    // A form without any input is not a draft.
    if (typed === null || typed === blank || unsavedSections(typed, known.form).size === 0) return known
    if (both.length > 0 && !replaces) return null
    const stored = await call('engagement.get', { of: 'run' })
    const joined = joinedForm(typed, known.form ?? blank, stored.ok ? stored.value.form : null)
    if (joined.both.length > 0 && stored.ok) {
      join(typed, stored.value)
      return null
    }
    const sent = joined.form
    saving.current = true
    const reply = await set.run(sent)
    saving.current = false
    if (reply === null) return null
    forgetForm(typed)
    setBoth([])
    setView(reply)
    // Input made while saving is kept.
    if (now.current.form === typed) setForm(reply.form)
    recorded(reply.counts && !reply.waits ? 'Saved and in use.' : 'Saved.')
    return reply
  }
  /** Continues to the population if nothing is missing, otherwise to the first missing field. */
  const goOn = async (): Promise<void> => {
    const saved = await save()
    if (saved === null) return
    if (saved.counts && !saved.waits) return replace({ screen: 'engagement', of: 'run', part: 'population' })
    announce(`${plural(saved.lacks.length, 'answer')} missing.`)
    document.querySelector('.engagement-section .lacks')?.scrollIntoView({ block: 'center' })
  }
  const leaving = useRef(save)
  leaving.current = save
  useEffect(() => () => void leaving.current(), [])
  const imported = (reply: EngagementView): void => {
    forgetForm(null)
    setView(reply)
    setForm(reply.form)
    recorded('Engagement imported.')
  }
  if (form === null) return <Begin onFill={() => put(blank)} onImported={imported} />
  return (
    <div className="engagement">
      <Standing view={view} />
      <div className="actions">
        <ImportButton replaces={view.form !== null} onImported={imported} />
      </div>
      {ENGAGEMENT_SECTIONS.map((section) => (
        <Section
          key={section}
          section={section}
          form={form}
          view={view}
          busy={set.busy}
          error={set.error}
          isAlsoChanged={both.includes(section)}
          onPut={(part) => put({ ...form, ...part })}
          onReplace={() => void save(true)}
          onTake={() => {
            setBoth([])
            if (view.form !== null) put(withSectionOf(form, view.form, section))
          }}
          onSave={() => void save()}
        />
      ))}
      <div className="actions">
        <Button kind={view.counts && !view.waits ? 'secondary' : 'primary'} onPress={() => void goOn()}>
          Save and continue
        </Button>
      </div>
    </div>
  )
}

/** Whether the engagement is in use, and what is missing. */
function Standing({ view: { form, counts, waits, lacks } }: { readonly view: EngagementView }) {
  if (!waits && counts)
    return (
      <p className="quiet">
        {form?.status === 'draft'
          ? 'In use in all reports, as a draft. Once it is agreed, set its status to Final in “Entity and purpose”.'
          : 'In use in all reports.'}
      </p>
    )
  const missing = lacks.length === 0 ? 'nothing saved yet' : `${plural(lacks.length, 'answer')} missing`
  return counts ? (
    <Notice
      kind="warning"
      title={`Change not in use yet: ${missing}.`}
      means="The previous engagement remains in use until the change is complete."
    />
  ) : (
    <Notice
      title={`Draft, not in use: ${missing}.`}
      means="Until it is complete, assessments and exports state that no engagement was defined."
    />
  )
}

const STATES = {
  unsaved: { label: 'Not saved yet', mark: 'dot', tone: 'inconclusive' },
  missing: { label: 'Incomplete', mark: 'dotted-ring', tone: 'not-tested' },
  complete: { label: 'Complete', mark: 'ring-tick', tone: 'satisfied' },
  empty: { label: 'Empty', mark: 'bar', tone: 'not-applicable' },
} as const

/** Sections without which no engagement is complete. */
const REQUIRED: readonly EngagementSection[] = ['who', 'boundary', 'ephi', 'population']

interface OneSection {
  readonly section: EngagementSection
  readonly form: EngagementForm
  readonly view: EngagementView
  readonly busy: boolean
  readonly error: CallFailure | null
  readonly onPut: (part: Partial<EngagementForm>) => void
  /** Another person stored other input in this section meanwhile. */
  readonly isAlsoChanged: boolean
  readonly onReplace: () => void
  readonly onTake: () => void
  readonly onSave: () => void
}

function Section({ section, form, view, busy, error, isAlsoChanged, onPut, onReplace, onTake, onSave }: OneSection) {
  const { label, meaning } = engagementSectionWords[section]
  const { is, lacks } = sectionState(form, view, section)
  const Fields = SECTIONS[section]
  // In a new engagement, every required section is open.
  const startsOpen = lacks.length > 0 || (view.form === null && REQUIRED.includes(section))
  // Lists can be long, so closed sections are not drawn.
  const [wasOpened, setOpened] = useState(startsOpen)
  const left = (event: FocusEvent<HTMLElement>): void => {
    if (is === 'unsaved' && !event.currentTarget.contains(event.relatedTarget)) onSave()
  }
  return (
    <Disclosure
      level={2}
      title={label}
      className="engagement-section"
      startsOpen={startsOpen}
      onToggle={(open) => setOpened(wasOpened || open)}
      aside={
        <MarkedLine
          {...STATES[is]}
          label={is === 'missing' ? `${plural(lacks.length, 'answer')} missing` : STATES[is].label}
        />
      }
    >
      <section className="form engagement-form" aria-label={label} onBlur={left}>
        <p className="quiet">{meaning}</p>
        {lacks.length > 0 && (
          <ul className="lacks" aria-label={`Missing in ${label}`}>
            {lacks.map((text) => (
              <li key={text}>{visible(text)}</li>
            ))}
          </ul>
        )}
        {wasOpened && <Fields form={form} put={onPut} />}
        {isAlsoChanged && <AlsoChanged onReplace={onReplace} onTake={onTake} />}
        {error !== null && is === 'unsaved' && <FailureNote error={error} />}
        <div className="actions">
          <Button busy={busy} isDisabled={is !== 'unsaved'} label={`Save ${label}`} onPress={onSave}>
            Save section
          </Button>
        </div>
      </section>
    </Disclosure>
  )
}

function Begin({
  onFill,
  onImported,
}: {
  readonly onFill: () => void
  readonly onImported: (view: EngagementView) => void
}) {
  return (
    <div className="ways">
      <section aria-labelledby="fill-in">
        <h2 id="fill-in">Define engagement</h2>
        <p>
          Complete the sections in any order. Each is saved when you leave it; the engagement is in use once complete.
        </p>
        <Button kind="primary" onPress={onFill}>
          Define engagement
        </Button>
      </section>
      <section aria-labelledby="from-file">
        <h2 id="from-file">Import a file</h2>
        <p>An engagement file in YAML or JSON, with the provider inventory (CSV) that it names.</p>
        <ImportButton onImported={onImported} />
      </section>
    </div>
  )
}

function ImportButton({
  replaces = false,
  onImported,
}: {
  readonly replaces?: boolean
  readonly onImported: (view: EngagementView) => void
}) {
  const [asks, setAsks] = useState(false)
  const choose = useAction('engagement.import-choose')
  const run = async (): Promise<void> => {
    setAsks(false)
    const reply = await choose.run(null)
    if (reply !== null) onImported(reply)
  }
  return (
    <>
      <Button icon={IconFileImport} busy={choose.busy} onPress={() => (replaces ? setAsks(true) : void run())}>
        Import engagement file…
      </Button>
      {choose.error !== null && <FailureNote error={choose.error} />}
      {asks && (
        <FormDialog
          title="Replace the engagement?"
          size="small"
          alert
          verb="Choose file"
          action={{ busy: choose.busy, error: null }}
          onSubmit={run}
          onClose={() => setAsks(false)}
        >
          <p>The file replaces every section. A copy of the current engagement is kept on this computer.</p>
        </FormDialog>
      )}
    </>
  )
}
