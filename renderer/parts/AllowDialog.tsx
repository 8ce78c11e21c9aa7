import type { ProbeView } from '../../schemas/ipc-results.ts'
import { go } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Copy } from './Copy.tsx'

const SUDOERS = 'barewitness catalog sudoers'

/** What it takes for a question that only an administrator of the node may answer. */
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
      title="How to allow this question"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" onPress={() => go({ screen: 'preview' })}>
            See every command
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
          On the command line, <code>{SUDOERS}</code> writes a sudoers file that allows exactly these commands, and no
          others. <Copy text={SUDOERS} what="the command" />
        </li>
        <li>The owner of the server reads it and installs it on {node}.</li>
        <li>Switch administrator questions on for {node}, then collect what is missing.</li>
      </ol>
      <p className="quiet">Until then the answer counts as missing. It never counts as support.</p>
    </Dialog>
  )
}
