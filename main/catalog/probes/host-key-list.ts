import { sha256 } from '../../core/digest.ts'
import { defineProbe, known } from '../../core/probe.ts'

/** A list of host keys as a person pasted it. */
export interface HostKeyList {
  readonly sha256: string
  readonly text: string
}

/** The list that the host key was compared with before the login; kept only where it was compared with one. */
export const hostKeyList = defineProbe({
  id: 'ssh.host-key-list',
  title: 'Reference list for the host key',
  why: 'Keeps the list of public host keys with which a person compared the key of this node. Stored by the collector; no command runs on the node.',
  ignoredInDrift: {
    why: 'The list covers many nodes, and an entry for another node can change. The key itself is read with the session.',
    normalize: () => null,
  },
  commands: { list: { kind: 'measure', measure: 'host-key-list' } },
  parse: ({ list }) => known<HostKeyList>({ sha256: sha256(list.bytes), text: list.text }),
})
