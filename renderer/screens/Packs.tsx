import { IconFolderOpen, IconPackageExport } from '@tabler/icons-react'
import { useState } from 'react'
import type { PackReview, RecentPack } from '../../schemas/ipc-packs.ts'
import { visible, when } from '../models/text.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { Page } from '../parts/Page.tsx'
import { SortedTable, textColumn } from '../parts/WholeTable.tsx'
import { useAction } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import { discardDraft, exportRoute, useExport } from '../state/export-store.ts'
import { announce, go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'

/** Export evidence pack, open a received pack, or reopen a recent one. */
export function Packs() {
  const open = useAction('pack.choose-and-verify')
  const [opened, setOpened] = useState(0)
  const recent = useAnswer('pack.recent', null, opened)
  const { draft } = useExport()
  const afterOpening = (review: PackReview | null): void => {
    if (review === null) return
    setOpened((count) => count + 1)
    announce(`${visible(review.file)} opened in the review window. ${review.headline.word}.`)
  }
  return (
    <Page title="Evidence packs" under="An evidence pack contains the report, the raw evidence and a seal over both.">
      <Unsaved />
      <div className="ways">
        <section aria-labelledby="export-a-pack">
          <h2 id="export-a-pack">Export evidence pack</h2>
          <p>Choose the scope, seal the pack, review it as an auditor, then save it.</p>
          <Button
            kind={draft === null ? 'primary' : 'secondary'}
            icon={IconPackageExport}
            onPress={() => go({ screen: 'export' })}
          >
            Export evidence pack
          </Button>
        </section>
        <section aria-labelledby="open-a-pack">
          <h2 id="open-a-pack">Open evidence pack</h2>
          <p>Open a pack (.zip) or a report (.pdf) that you received. It opens read-only in a separate window.</p>
          <Button icon={IconFolderOpen} busy={open.busy} onPress={() => void open.run(null).then(afterOpening)}>
            Open evidence pack
          </Button>
        </section>
      </div>
      {open.error !== null && <FailureNote error={open.error} />}
      <section aria-labelledby="recent-packs">
        <h2 id="recent-packs">Recent packs</h2>
        <Ask answer={recent}>
          {(packs) =>
            packs.length === 0 ? (
              <EmptyState title="No recent packs">
                Packs that you open are listed here, newest first. The list contains file names and paths only.
              </EmptyState>
            ) : (
              <Recent packs={packs} onOpened={afterOpening} />
            )
          }
        </Ask>
      </section>
    </Page>
  )
}

/** A sealed draft that is neither saved nor discarded. */
function Unsaved() {
  const state = useExport()
  if (state.draft === null) return null
  return (
    <Notice
      kind="warning"
      title="Sealed pack not saved"
      means="You can save it until you close Barewitness."
      actions={
        <>
          <Button small kind="primary" onPress={() => go(exportRoute(state))}>
            Continue export
          </Button>
          <Button small kind="quiet" onPress={() => void discardDraft()}>
            Discard draft
          </Button>
        </>
      }
    />
  )
}

function Recent({
  packs,
  onOpened,
}: {
  readonly packs: readonly RecentPack[]
  readonly onOpened: (review: PackReview) => void
}) {
  const [chosen, setChosen] = useState('')
  const { busy, error, run } = useAction('pack.open-recent')
  const open = async (handle: string): Promise<void> => {
    setChosen(handle)
    const review = await run({ handle })
    if (review !== null) onOpened(review)
  }
  return (
    <>
      {error !== null && <FailureNote error={error} />}
      <SortedTable<RecentPack>
        columns={[
          textColumn('file', 'File', ({ file }) => file, { isRowHeader: true, cellClass: 'source' }),
          textColumn('opened', 'Opened', ({ openedAt }) => when(openedAt), { cellClass: 'number' }),
          {
            id: 'action',
            title: 'Action',
            cell: ({ handle, file, here }) =>
              here ? (
                <Button
                  small
                  busy={busy && chosen === handle}
                  label={`Open ${visible(file)}`}
                  onPress={() => void open(handle)}
                >
                  Open
                </Button>
              ) : (
                <span className="quiet">File moved or deleted. Open it from its new location.</span>
              ),
          },
        ]}
        rows={packs}
        keyOf={({ handle }) => handle}
      />
    </>
  )
}
