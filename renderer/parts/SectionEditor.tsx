import { useEffect, useRef, useState } from 'react'
import type { DeclarationsView, FieldProblem, SectionName, SectionValue } from '../../schemas/ipc-declarations.ts'
import { formOf, memberLabel } from '../models/declaration-forms.ts'
import {
  contentOf,
  draftKey,
  isUnsaved,
  keepDraft,
  keptDraft,
  sectionToSend,
  storedValue,
} from '../models/declaration-model.ts'
import { plural, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { call } from '../state/bridge.ts'
import { focusProblem } from '../state/first-problem.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Notice } from '../ui/Notice.tsx'
import { AlsoChanged, FailureNote } from './Ask.tsx'
import { FieldForm } from './FieldForm.tsx'
import { MarkedLine } from './Mark.tsx'

interface SectionEditorProps {
  readonly view: DeclarationsView
  readonly section: SectionName
  /** The nodes that the section is for; empty for a section of the fleet. */
  readonly nodes: readonly string[]
  readonly startsOpen?: boolean
  readonly onSaved: (view: DeclarationsView) => void
  /** Called when a draft was made, changed or dropped. */
  readonly onDraft: () => void
}

const STATES = {
  unsaved: { label: 'Not saved yet', mark: 'dot', tone: 'inconclusive' },
  declared: { label: 'Declared', mark: 'ring-tick', tone: 'satisfied' },
  empty: { label: 'Not declared', mark: 'bar', tone: 'not-applicable' },
} as const

/**
 * One section of the declarations. It is stored as a whole; if there are problems, they are shown at their fields and
 * nothing is stored.
 */
export function SectionEditor({ view, section, nodes, startsOpen = false, onSaved, onDraft }: SectionEditorProps) {
  const { title, meaning, fields } = formOf(section)
  const { value: stored, differs } = storedValue(view, section, nodes)
  const key = draftKey(view.fleet.name, section, nodes)
  const [draft, setDraft] = useState<SectionValue>(() => keptDraft(key) ?? stored)
  const [problems, setProblems] = useState<readonly FieldProblem[]>([])
  const [wasOpened, setOpened] = useState(startsOpen)
  const [isAlsoChanged, setAlsoChanged] = useState(false)
  const set = useAction('declarations.set')
  const body = useRef<HTMLElement>(null)
  const storedText = JSON.stringify(stored)
  // Changes by another section or an opened file are shown, unless there is unsaved input.
  useEffect(() => {
    if (keptDraft(key) === null) setDraft(JSON.parse(storedText) as SectionValue)
  }, [key, storedText])
  const unsaved = isUnsaved(draft, stored)
  const put = (next: SectionValue): void => {
    keepDraft(key, isUnsaved(next, stored) ? next : null)
    setDraft(next)
    onDraft()
  }
  const save = async (replaces = false): Promise<void> => {
    if (isAlsoChanged && !replaces) return
    const value = sectionToSend(draft)
    put(value)
    const current = await call('declarations.get', null)
    if (current.ok && current.value !== null) {
      const changed = isUnsaved(storedValue(current.value, section, nodes).value, stored)
      setAlsoChanged(changed)
      if (changed) return onSaved(current.value)
    }
    const reply = await set.run({ section, nodes, value })
    if (reply === null) return
    setProblems(reply.saved ? [] : reply.problems)
    if (!reply.saved) {
      announce(`${plural(reply.problems.length, 'problem')}. Nothing was saved.`)
      return
    }
    keepDraft(key, null)
    announce(`${title} saved.`)
    // The save button is now disabled, which would lose the focus.
    body.current?.closest('.disclosure')?.querySelector<HTMLElement>('.disclosure-button')?.focus()
    onSaved(reply.view)
    onDraft()
  }
  // The first field with a problem takes the focus, for keyboard and screen reader.
  useEffect(() => {
    if (problems.length > 0) focusProblem(body.current, '.notice')
  }, [problems])
  const content = unsaved ? '' : visible(contentOf(stored, memberLabel))
  const whole = problems.filter(({ path }) => path.length === 0)
  const state = unsaved ? 'unsaved' : Object.keys(stored).length > 0 ? 'declared' : 'empty'
  return (
    <Disclosure
      level={2}
      title={title}
      className="engagement-section"
      startsOpen={startsOpen}
      onToggle={(open) => setOpened(wasOpened || open)}
      aside={
        <span className="section-state">
          {content !== '' && <span className="quiet section-content">{content}</span>}
          <MarkedLine {...STATES[state]} />
        </span>
      }
    >
      <section ref={body} className="form engagement-form" aria-label={title}>
        <p className="quiet">{meaning}</p>
        {differs.length > 0 && (
          <Notice
            kind="warning"
            title={`The selected nodes differ in: ${differs.map(memberLabel).join(', ')}.`}
            means="Saving this section replaces these values for all of them."
          />
        )}
        {wasOpened && (
          <FieldForm
            fields={fields}
            value={draft}
            onChange={put}
            view={view}
            problems={problems}
            isDisabled={view.demo}
          />
        )}
        {whole.length > 0 && (
          <Notice
            kind="failure"
            interrupts
            title="Not saved."
            means={whole.map(({ text }) => visible(text)).join('; ')}
          />
        )}
        {isAlsoChanged && (
          <AlsoChanged
            onReplace={() => void save(true)}
            onTake={() => {
              setAlsoChanged(false)
              put(stored)
            }}
          />
        )}
        {set.error !== null && <FailureNote error={set.error} />}
        <div className="actions">
          <Button
            busy={set.busy}
            isDisabled={view.demo || (!unsaved && differs.length === 0)}
            label={`Save ${title}`}
            onPress={() => void save()}
          >
            Save section
          </Button>
          {unsaved && (
            <Button
              kind="quiet"
              label={`Discard changes of ${title}`}
              onPress={() => {
                setAlsoChanged(false)
                put(stored)
                setProblems([])
              }}
            >
              Discard changes
            </Button>
          )}
        </div>
      </section>
    </Disclosure>
  )
}
