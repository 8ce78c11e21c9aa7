import { useAction } from '../actions.ts'
import { change, say } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { FailureNote } from './Failure.tsx'

const MOST_NAMED = 12

/** Confirms the removal of nodes, which changes the population. */
export function RemoveNodes({
  nodes,
  onClose,
  onDone,
}: {
  readonly nodes: readonly string[]
  readonly onClose: () => void
  readonly onDone: () => void
}) {
  const remove = useAction('fleet.remove-nodes')
  const send = async (): Promise<void> => {
    const fleet = await remove.run({ nodes })
    if (fleet === null) return
    change({ fleet })
    say(`${plural(nodes.length, 'node')} removed; ${plural(fleet.nodes.length, 'node')} in scope.`)
    onDone()
  }
  const more = nodes.length - MOST_NAMED
  return (
    <Dialog
      alert
      size="small"
      title={`Remove ${nodes.length === 1 ? visible(nodes[0] ?? '') : plural(nodes.length, 'node')}?`}
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" busy={remove.busy} onPress={() => void send()}>
            Remove {plural(nodes.length, 'node')}
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <p>Later runs and exports will not include them. Evidence already collected remains on this computer.</p>
      {nodes.length > 1 && (
        <p className="quiet">
          {visible(nodes.slice(0, MOST_NAMED).join(', '))}
          {more > 0 && ` and ${more} more`}
        </p>
      )}
      {remove.error !== null && <FailureNote error={remove.error} />}
    </Dialog>
  )
}
