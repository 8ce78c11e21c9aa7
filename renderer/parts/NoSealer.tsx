import type { Method } from '../../schemas/ipc.ts'
import { may, signedIn } from '../models/team.ts'
import { shellLine } from '../models/text.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Copy } from './Copy.tsx'

const COMMAND = shellLine(['barewitness', 'sealer', '--config', 'sealer.yaml'])

/** The command that a signer of a team server starts on their own computer. */
export const SealerCommand = () => (
  <div className="sealer-command">
    <code className="mono command">{COMMAND}</code>
    <Copy text={COMMAND} what="the command" />
  </div>
)

interface Checking {
  /** Requests again which sealers are connected. */
  readonly onCheck: () => void
}

/** Replaces the choice of a signing identity on a team server, where the key is on the computer of its signer. */
export const NoSealer = ({ onCheck }: Checking) => (
  <>
    <Notice
      title="No signer is connected"
      means="The server holds no signing key. The signer starts the sealer on their computer; then check again."
    />
    <SealerCommand />
    <div className="actions">
      <Button onPress={onCheck}>Check again</Button>
    </div>
  </>
)

/**
 * The same for an entry. If `isOptional`, it can be recorded without a signature. `method` is offered only where a
 * sealer is configured.
 */
export function EntryWithoutSealer({
  isOptional,
  method = 'register.sign',
  onCheck,
}: Checking & { readonly isOptional: boolean; readonly method?: Method }) {
  const unsigned = isOptional ? 'Not digitally signed: names are typed, not authenticated. ' : ''
  if (!may(method))
    return (
      <p className="quiet">
        {unsigned}
        {signedIn()?.role === 'officer' &&
          'No sealer is configured for this engagement; the administrator of the server enters one.'}
      </p>
    )
  return (
    <>
      <p className="quiet">
        {unsigned}No sealer is connected. To sign, start yours on your computer, then check again.{' '}
        <Button kind="link" small onPress={onCheck}>
          Check again
        </Button>
      </p>
      <SealerCommand />
    </>
  )
}
