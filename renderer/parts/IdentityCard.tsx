import { IconDeviceFloppy } from '@tabler/icons-react'
import type { IdentityView } from '../../schemas/ipc-packs.ts'
import { useAction } from '../actions.ts'
import { announce } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { FailureNote } from './Ask.tsx'
import { Copy } from './Copy.tsx'

/** The card that auditors receive to confirm the signer, and the backup of the identity. */
export function IdentityCard({
  identity: { name, card },
  startsOpen = false,
  level,
}: {
  readonly identity: Pick<IdentityView, 'name' | 'card'>
  readonly startsOpen?: boolean
  readonly level: 3 | 4
}) {
  const save = useAction('identities.save-card')
  const backup = useAction('identities.backup')
  const run = async (action: typeof save | typeof backup, what: string): Promise<void> => {
    const saved = await action.run({ name })
    if (saved !== null) announce(`${what} saved as ${visible(saved.file)}.`)
  }
  return (
    <Disclosure title="Fingerprint card and backup" startsOpen={startsOpen} level={level}>
      <p>
        Give the card to your auditors over another channel than the packs. The backup contains the private key; keep it
        offline. A lost identity cannot be recovered.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: lines wider than the window are scrolled with the arrow keys */}
      <section className="unit-text" tabIndex={0} aria-label={`Fingerprint card of ${visible(name)}`}>
        <pre className="mono">{visible(card)}</pre>
      </section>
      <div className="actions">
        <Copy text={card} what={`the fingerprint card of ${visible(name)}`} />
        <Button small icon={IconDeviceFloppy} busy={save.busy} onPress={() => void run(save, 'Card')}>
          Save card
        </Button>
        <Button small icon={IconDeviceFloppy} busy={backup.busy} onPress={() => void run(backup, 'Backup')}>
          Back up identity
        </Button>
      </div>
      {save.error !== null && <FailureNote error={save.error} />}
      {backup.error !== null && <FailureNote error={backup.error} />}
    </Disclosure>
  )
}
