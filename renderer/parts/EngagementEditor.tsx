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
import { useAction } from '../actions.ts'
import {
  BLANK_FLOW,
  BLANK_STORE,
  blankForm,
  linesOf,
  nodesIn,
  sectionState,
  unsavedSections,
} from '../engagement-model.ts'
import { announce, recorded, replace, useStore } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { bound, TextArea, TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { FailureNote } from './Ask.tsx'
import { ResponsibilitySection, SubserviceSection, UserEntitySection } from './EngagementParties.tsx'
import { BoundarySection, OwnerFields, type SectionProps, SignOffSection, WhoSection } from './EngagementWho.tsx'
import { LinesField } from './FieldForm.tsx'
import { FormDialog } from './FormDialog.tsx'
import { MarkedLine } from './Mark.tsx'
import { Repeated } from './Repeated.tsx'

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
  useEffect(() => setView(first), [first])
  const [form, setForm] = useState(() => keptForm(about) ?? first.form ?? (begin ? blank : null))
  const set = useAction('engagement.set')
  const now = useRef({ form, view })
  now.current = { form, view }
  const put = (next: EngagementForm): void => {
    keepForm(about, next)
    setForm(next)
  }
  /** The view after saving; null where that failed. */
  const save = async (): Promise<EngagementView | null> => {
    const { form: sent, view: known } = now.current
    // A form without any input is not a draft.
    if (sent === null || sent === blank || unsavedSections(sent, known.form).size === 0) return known
    const reply = await set.run(sent)
    if (reply === null) return null
    forgetForm(sent)
    setView(reply)
    // Input made while saving is kept.
    if (now.current.form === sent) setForm(reply.form)
    recorded(reply.counts && !reply.waits ? 'Saved and in use.' : 'Saved.')
    return reply
  }
  /** Continues to the population if nothing is missing, otherwise to the first missing field. */
  const goOn = async (): Promise<void> => {
    const saved = await save()
    if (saved === null) return
    if (saved.counts && !saved.waits) return replace({ screen: 'engagement', of: 'run', part: 'population' })
    announce(`${plural(saved.lacks.length, 'field')} missing.`)
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
          onPut={(part) => put({ ...form, ...part })}
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
function Standing({ view: { counts, waits, lacks } }: { readonly view: EngagementView }) {
  if (!waits && counts) return <p className="quiet">In use in all reports.</p>
  const missing = lacks.length === 0 ? 'nothing saved yet' : `${plural(lacks.length, 'field')} missing`
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
  readonly onSave: () => void
}

function Section({ section, form, view, busy, error, onPut, onSave }: OneSection) {
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

/** Unsaved input, kept until the window closes, so that leaving the screen loses nothing. */
let kept: { readonly fleet: string; readonly form: EngagementForm } | null = null

const keptForm = (fleet: string): EngagementForm | null => (kept?.fleet === fleet ? kept.form : null)
const keepForm = (fleet: string, form: EngagementForm): void => {
  kept = { fleet, form }
}

/** Drops a form once it is saved; a later one is kept. */
const forgetForm = (form: EngagementForm | null): void => {
  if (form === null || kept?.form === form) kept = null
}

/** ePHI locations and flows. */
function EphiSection({ form: { ephi }, put }: SectionProps) {
  const change = (part: Partial<EngagementForm['ephi']>): void => put({ ephi: { ...ephi, ...part } })
  return (
    <>
      <h3>ePHI locations</h3>
      <Repeated
        word="store"
        items={ephi.stores}
        onChange={(stores) => change({ stores })}
        blank={BLANK_STORE}
        most={1000}
        none="None. Leave empty only if no ePHI is stored on these nodes."
        nameOf={({ name }) => name}
      >
        {(one, set) => (
          <>
            <div className="form-pair">
              <TextField label="Name" maxLength={200} {...bound(one, set, 'name')} />
              <TextField
                label="Path on the node"
                description="For example /data/ephi."
                mono
                maxLength={4096}
                {...bound(one, set, 'path')}
              />
            </div>
            <div className="form-pair">
              <TextArea label="Content" rows={2} maxLength={1000} {...bound(one, set, 'what')} />
              <LinesField
                label="Nodes"
                description="Nodes that store it, one per line."
                rows={2}
                mono
                {...bound(one, set, 'nodes')}
                read={nodesIn}
                write={linesOf}
              />
            </div>
          </>
        )}
      </Repeated>
      <h3>ePHI flows</h3>
      <Repeated
        word="flow"
        items={ephi.flows}
        onChange={(flows) => change({ flows })}
        blank={BLANK_FLOW}
        most={1000}
        none="No flows yet."
        nameOf={({ name }) => name}
      >
        {(one, set) => (
          <>
            <div className="form-pair">
              <TextField label="Name" maxLength={200} {...bound(one, set, 'name')} />
              <TextField label="Protection" maxLength={500} {...bound(one, set, 'protection')} />
            </div>
            <div className="form-pair">
              <TextField label="From" maxLength={300} {...bound(one, set, 'from')} />
              <TextField label="To" maxLength={300} {...bound(one, set, 'to')} />
            </div>
          </>
        )}
      </Repeated>
      <OwnerFields value={ephi} onChange={change} />
    </>
  )
}

/** The declared population and its source. */
function PopulationSection({ form: { population }, put }: SectionProps) {
  const { fleet } = useStore()
  const change = (part: Partial<EngagementForm['population']>): void => put({ population: { ...population, ...part } })
  const inFleet = fleet?.nodes.map(({ name }) => name) ?? []
  return (
    <>
      <TextField
        label="Source of the list"
        description="For example an asset register. An independent list is stronger evidence than the list in this window."
        maxLength={500}
        {...bound(population, change, 'source')}
      />
      <LinesField
        label="Nodes"
        description={`One per line. ${plural(population.nodes.length, 'node')} declared.`}
        rows={8}
        mono
        {...bound(population, change, 'nodes')}
        read={nodesIn}
        write={linesOf}
      />
      {inFleet.length > 0 && (
        <div className="actions">
          <Button small onPress={() => change({ nodes: [...new Set([...population.nodes, ...inFleet])] })}>
            Add {plural(inFleet.length, 'node')} from the fleet file
          </Button>
        </div>
      )}
      <OwnerFields value={population} onChange={change} />
    </>
  )
}
