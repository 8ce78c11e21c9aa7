import { useEffect, useState } from 'react'
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField, Text } from 'react-aria-components'
import { collect, whyNoCollect } from '../actions.ts'
import { call, useAnswer } from '../bridge.ts'
import { type PaletteAction, type PaletteEntry, paletteEntries } from '../palette.ts'
import { missingNodes } from '../run-progress.ts'
import { change, getState, go, isReviewWindow, useStore } from '../store.ts'
import { Dialog } from '../ui/Dialog.tsx'

/** Search for screens, nodes, findings, actions and filters by name. */
export function Palette() {
  const { fleet, progress } = useStore()
  const [typed, setTyped] = useState('')
  const packNodes = usePackNodes()
  const findings = useFindings()
  const canCollect = !isReviewWindow() && whyNoCollect() === null
  const entries = paletteEntries(typed, {
    review: isReviewWindow(),
    nodes: packNodes ?? fleet?.nodes.map(({ name }) => name) ?? [],
    findings,
    places: [...new Set(fleet?.nodes.flatMap(({ place }) => place ?? []))],
    canCollect,
    canCollectMissing: canCollect && progress !== null && missingNodes(progress).length > 0,
  })
  return (
    <Dialog title="Search" size="medium" onClose={() => change({ over: null })}>
      <Autocomplete inputValue={typed} onInputChange={setTyped}>
        <SearchField aria-label="Screen, node, finding, action or filter" autoFocus className="field palette-field">
          <Input className="input" placeholder="Screen, node, finding, action, or “isolation unresolved”" />
        </SearchField>
        <ListBox
          className="list-box palette-list"
          aria-label="Results"
          items={entries}
          selectionMode="none"
          onAction={(key) => perform(entries.find(({ id }) => id === key))}
          renderEmptyState={() => <p className="empty">No results</p>}
        >
          {({ id, title, group }) => (
            <ListBoxItem id={id} className="list-item palette-item" textValue={title}>
              <Text slot="label">{title}</Text>
              <Text slot="description" className="list-note">
                {group}
              </Text>
            </ListBoxItem>
          )}
        </ListBox>
      </Autocomplete>
    </Dialog>
  )
}

const ACTS: Readonly<Record<PaletteAction, () => void>> = {
  collect: () => void collect('all'),
  'collect-missing': () => void collect('missing', missingNow()),
  shortcuts: () => change({ over: 'shortcuts' }),
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

/** Findings of the run or the pack, informational ones included; none before the first run. */
function useFindings(): readonly { readonly reference: string; readonly condition: string }[] {
  const answer = useAnswer('findings.get', { of: isReviewWindow() ? 'pack' : 'run', node: null })
  return answer.state === 'here' && answer.value !== null ? [...answer.value.rows, ...answer.value.informational] : []
}
