import type { SharedPack } from '../../../schemas/ipc-portal.ts'
import { VERSION } from '../../../schemas/version.ts'

/** How to verify a shared pack on the auditor’s own computer, as a text file: the server of the audited organization is not relied on then. */
export const offlineText = ({ pack, files, run, shared, isCopy }: SharedPack, engagement: string): string =>
  [
    'VERIFY THIS PACK ON YOUR OWN COMPUTER',
    '',
    `Engagement: ${engagement}`,
    `Run: ${run}`,
    `Shared: ${shared.at}, by ${shared.by}`,
    ...(isCopy ? ['This is a redacted copy. The complete pack was not shared.'] : []),
    '',
    'A verification in the browser ran on the server of the audited organization. It shows nothing about that server.',
    'Verify the files on a computer that you control:',
    '',
    `1. Obtain Barewitness ${VERSION} or later from its publisher, not from the audited organization.`,
    '2. Obtain the certificate of the signer from the signer, over another channel than this server.',
    '3. Run:',
    '',
    `   barewitness verify ${pack} --trust SIGNER.pem`,
    '',
    '   If you kept a checkpoint of an earlier pack, add: --last-checkpoint CHECKPOINT',
    '',
    'The digests of the files as the server states them (sha256sum --check reads these lines):',
    '',
    ...files.map(({ name, sha256 }) => `${sha256}  ${name}`),
    '',
  ].join('\n')
