import { IconFolderOpen, IconPackageExport } from '@tabler/icons-react'
import { useState } from 'react'
import type { CallFailure } from '../../schemas/ipc.ts'
import type { PackReview, RecentPack } from '../../schemas/ipc-packs.ts'
import { useAction } from '../actions.ts'
import { call, useAnswer } from '../bridge.ts'
import { discardDraft, useExport } from '../export-store.ts'
import { Ask } from '../parts/Ask.tsx'
import { FailureNote } from '../parts/Failure.tsx'
import { Page } from '../parts/Page.tsx'
import { headlineOf } from '../seal-model.ts'
import { go, say } from '../store.ts'
import { visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Notice } from '../ui/Notice.tsx'

/** Where packs leave and arrive: export one, open one that was sent, or one that was open before. */
export function Packs() {
  const open = useAction('pack.choose-and-verify')
  const [opened, setOpened] = useState(0)
  const recent = useAnswer('pack.recent', null, opened)
  const told = (review: PackReview | null): void => {
    if (review === null) return
    setOpened((count) => count + 1)
    say(`${visible(review.file)} is open in the review window. ${headlineOf(review.report).word}.`)
  }
  return (
    <Page title="Packs" under="A pack is what an auditor gets: the report, the raw evidence and a seal over both.">
      <Unsaved />
      <div className="ways">
        <section aria-labelledby="export-a-pack">
          <h2 id="export-a-pack">Export a pack</h2>
          <p>Choose what goes in, seal it, look at it as an auditor will, then save it.</p>
          <Button kind="primary" icon={IconPackageExport} onPress={() => go({ screen: 'export' })}>
            Export a pack
          </Button>
        </section>
        <section aria-labelledby="open-a-pack">
          <h2 id="open-a-pack">Open a pack</h2>
          <p>A pack (.zip) or a report (.pdf) that you were sent. It opens in a window of its own, to be read only.</p>
          <Button icon={IconFolderOpen} busy={open.busy} onPress={() => void open.run(null).then(told)}>
            Open a pack
          </Button>
        </section>
      </div>
      {open.error !== null && <FailureNote error={open.error} />}
      <section aria-labelledby="recent-packs">
        <h2 id="recent-packs">Opened before</h2>
        <Ask answer={recent}>
          {(packs) =>
            packs.length === 0 ? (
              <EmptyState title="No pack was opened here yet">
                Packs that you open are listed here, newest first. The list holds names and places of files only.
              </EmptyState>
            ) : (
              <Recent packs={packs} onOpened={told} />
            )
          }
        </Ask>
      </section>
    </Page>
  )
}

/** A sealed draft waits until somebody decides about it. */
function Unsaved() {
  const { draft } = useExport()
  if (draft === null) return null
  return (
    <Notice
      kind="warning"
      title="A sealed pack is not saved yet"
      means="It can be saved until you close Barewitness."
      actions={
        <>
          <Button small onPress={() => go({ screen: 'export' })}>
            Go on with the export
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
  const [busy, setBusy] = useState<string | null>(null)
  const [error, setError] = useState<CallFailure | null>(null)
  const open = async (handle: string): Promise<void> => {
    setBusy(handle)
    setError(null)
    const reply = await call('pack.open-recent', { handle })
    setBusy(null)
    if (reply.ok) onOpened(reply.value)
    else setError(reply.error)
  }
  return (
    <>
      {error !== null && <FailureNote error={error} />}
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col">Opened</th>
              <th scope="col">Action</th>
            </tr>
          </thead>
          <tbody>
            {packs.map(({ handle, file, openedAt, here }) => (
              <tr key={handle}>
                <th scope="row" className="source">
                  {visible(file)}
                </th>
                <td className="number">{when(openedAt)}</td>
                <td>
                  {here ? (
                    <Button
                      small
                      busy={busy === handle}
                      label={`Open ${visible(file)}`}
                      onPress={() => void open(handle)}
                    >
                      Open
                    </Button>
                  ) : (
                    <span className="quiet">No longer where it was. Open it from its new place.</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
