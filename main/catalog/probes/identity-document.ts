import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'

export interface IdentityDocument {
  /** The signed document in base64; null where cloud-init keeps none. */
  readonly rsa2048: string | null
}

/**
 * What cloud-init kept of the provider’s signed statement about this machine, in the file that every user may read. EC2: the message of
 * /latest/dynamic/instance-identity/rsa2048, whose content is the identity document. Only the lines between its name and the bracket that
 * closes it are printed, at the one depth where it stands: older releases left secrets elsewhere in this file. Some systems let the party
 * that holds this document log in (Vault, auth method aws; SPIRE, node attestor aws_iid), so that it is read only where a person chose it.
 */
export const identityDocument = defineProbe({
  id: 'cloud-init.identity',
  title: 'Identity document signed by the provider',
  why: 'Some providers sign a statement of the machine and its region. cloud-init stores it at first boot; no network request is made. Some systems, such as Vault, accept such a document as a login, and it goes into the pack: it is therefore read only on request.',
  ignoredInDrift: {
    why: 'The provider signs the document anew; only its presence is compared.',
    normalize: ({ rsa2048 }: IdentityDocument) => ({ isThere: rsa2048 !== null }),
  },
  optIn: 'metadata',
  commands: {
    kept: run(['sed', '-n', '/^    "rsa2048": \\[$/,/^ \\{0,4\\}[]}]/p', '/run/cloud-init/instance-data.json'], {
      maxBytes: 65536,
    }),
  },
  parse({ kept }) {
    if (isAbsent(kept)) return known<IdentityDocument>({ rsa2048: null })
    if (kept.exitCode !== 0) return unknown('what cloud-init keeps could not be read')
    const [first, ...rest] = lines(kept.text)
    if (first === undefined) return known<IdentityDocument>({ rsa2048: null })
    const pieces = rest.slice(0, -1).map((line) => /^ {5}"([A-Za-z0-9+/=]{1,200})",?$/.exec(line)?.[1])
    return first !== '    "rsa2048": [' || !/^ {4}\],?$/.test(rest.at(-1) ?? '') || pieces.includes(undefined)
      ? unknown('the signed document has an unexpected format')
      : known<IdentityDocument>({ rsa2048: pieces.join('') })
  },
})
