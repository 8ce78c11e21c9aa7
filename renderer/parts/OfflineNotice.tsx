import { shellLine, visible } from '../text.ts'
import { Notice } from '../ui/Notice.tsx'
import { Copy } from './Copy.tsx'

/** States that a verification ran on the server of the audited organization, with the command that repeats it elsewhere. */
export function OfflineNotice({ file }: { readonly file: string }) {
  const command = shellLine(['barewitness', 'verify', file, '--trust', 'SIGNER.pem'])
  return (
    <Notice
      title="This verification runs on the server of the audited organization."
      means="A server that was altered could show other results. Download the pack and verify it on a computer that you control:"
      actions={<Copy text={command} what="the command" />}
      next={<span className="mono command-line">{visible(command)}</span>}
    />
  )
}
