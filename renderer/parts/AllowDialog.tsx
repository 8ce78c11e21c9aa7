import type { ProbeView } from '../../schemas/ipc-results.ts'
import { go } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Copy } from './Copy.tsx'

const SUDOERS = 'barewitness catalog sudoers'

/** How to allow a privileged probe on a node. */
export function AllowDialog({
  node,
  probe,
  onClose,
}: {
  readonly node: string
  readonly probe: ProbeView | null
  readonly onClose: () => void
}) {
  return (
    <Dialog
      title="Allow this privileged probe"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" onPress={() => go({ screen: 'preview' })}>
            Preview commands
          </Button>
          <Button onPress={() => go({ screen: 'nodes', edit: node })}>Edit {node}</Button>
        </>
      }
    >
      {probe !== null && (
        <p>
          <strong>{probe.title}.</strong> {probe.why}
        </p>
      )}
      <ol className="steps">
        <li>
          On the command line, <code>{SUDOERS}</code> prints a sudoers file that allows only these commands.{' '}
          <Copy text={SUDOERS} what="the command" />
        </li>
        <li>The owner of the server reviews the file and installs it on {node}.</li>
        <li>Turn on privileged checks for {node}, then collect the missing evidence.</li>
      </ol>
      <p className="quiet">Until then, the evidence counts as missing.</p>
    </Dialog>
  )
}
