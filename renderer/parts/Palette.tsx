import { useEffect, useState } from 'react'
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField, Text } from 'react-aria-components'
import { missingNodes } from '../models/run-progress.ts'
import { visible } from '../models/text.ts'
import { collect, whyNoCollect } from '../state/actions.ts'
import { call, useAnswer } from '../state/bridge.ts'
import { type PaletteAction, type PaletteEntry, paletteEntries } from '../state/palette.ts'
import { change, getState, go, isReviewWindow, useStore } from '../state/store.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { startTour } from './Tour.tsx'

/** Search for screens, nodes, actions, filters, and everything that has a reference. */
export function Palette() {
  const { fleet, progress } = useStore()
  const [typed, setTyped] = useState('')
  const packNodes = usePackNodes()
  const found = useAnswer('search.index', { of: isReviewWindow() ? 'pack' : 'run' })
  const canCollect = !isReviewWindow() && whyNoCollect() === null
  const entries = paletteEntries(typed, {
    review: isReviewWindow(),
    nodes: packNodes ?? fleet?.nodes.map(({ name }) => name) ?? [],
    places: [...new Set(fleet?.nodes.flatMap(({ place }) => place ?? []))],
    canCollect,
    canCollectMissing: canCollect && progress !== null && missingNodes(progress).length > 0,
    found: found.state === 'here' ? found.value : [],
  })
  return (
    <Dialog title="Search" onClose={() => change({ over: null })}>
      {/** Escape closes the dialog at once; the field would otherwise clear its text first. */}
      <div
        className="palette"
        onKeyDownCapture={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          change({ over: null })
        }}
      >
        <Autocomplete inputValue={typed} onInputChange={setTyped}>
          <SearchField
            aria-label="Search for screens, nodes, findings, checks, controls, documents and settings"
            autoFocus
            className="field palette-field"
          >
            <Input className="input" placeholder="Screen, node, F-…, check, control, ER-…, or “isolation unresolved”" />
          </SearchField>
          <ListBox
            className="list-box palette-list"
            aria-label="Results"
            items={entries}
            selectionMode="none"
            onAction={(key) => perform(entries.find(({ id }) => id === key))}
            renderEmptyState={() => (
              <p className="empty">
                No results. Screens, nodes, findings, checks, controls and documents are found by name.
              </p>
            )}
          >
            {({ id, title, group, note }) => (
              <ListBoxItem id={id} className="list-item palette-item" textValue={title}>
                <Text slot="label">{visible(title)}</Text>
                <Text slot="description" className="list-note">
                  {visible(note ?? group)}
                </Text>
              </ListBoxItem>
            )}
          </ListBox>
        </Autocomplete>
      </div>
    </Dialog>
  )
}

const ACTS: Readonly<Record<PaletteAction, () => void>> = {
  collect: () => void collect('all'),
  'collect-missing': () => void collect('missing', missingNow()),
  shortcuts: () => change({ over: 'shortcuts' }),
  tour: () => void startTour(),
  print: () => window.print(),
  'open-pack': () =>
    void call('pack.choose-and-verify', null).then((reply) => {
      if (!reply.ok) change({ problem: reply.error })
    }),
}

function missingNow(): readonly string[] {
  const { progress } = getState()
  return progress === null ? [] : missingNodes(progress)
}

function perform(entry: PaletteEntry | undefined): void {
  if (entry === undefined) return
  change({ over: null })
  if ('go' in entry.does) go(entry.does.go)
  else ACTS[entry.does.act]()
}

/** The nodes of the pack under review; null outside the review window. */
function usePackNodes(): readonly string[] | null {
  const [nodes, setNodes] = useState<readonly string[] | null>(null)
  useEffect(() => {
    if (!isReviewWindow()) return
    void call('assessment.get', { of: 'pack' }).then((reply) => {
      if (reply.ok && reply.value !== null) setNodes(reply.value.rows.map(({ node }) => node))
    })
  }, [])
  return nodes
}
