import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { type SysfsBlock, storageBlockDevices } from '../block-devices/probes.ts'
import { count, named, unclear } from '../steps.ts'
import {
  type KeySource,
  keySource,
  storageCrypttab,
  storageKeyFiles,
  storageUnlockHelpers,
  type UnlockHelpers,
} from './key-custody.ts'
import { UNLOCK_LIMITS } from './roots.ts'
import { ENCRYPTING } from './walk.ts'

/** A recorded fact, not an assertion: no rule sets the mode, but a reader must see it next to every verdict about encrypted volumes. */
export const encryptionAtRestUnlockMode = defineCheck({
  id: 'encryption.at-rest.unlock-mode',
  property: 'encryption-at-rest',
  expected: 'The way encrypted volumes are opened at start is recorded.',
  ends: 'recorded',
  limitations: `${UNLOCK_LIMITS} Shows the mechanisms that crypttab and the start-up settings name, not who could trigger them; tokens in the headers of volumes are not read. A volume that opens without a person may also open for a person who removes the whole node.`,
  requires: { crypttab: storageCrypttab },
  optional: { keyFiles: storageKeyFiles, helpers: storageUnlockHelpers, devices: storageBlockDevices },
  evaluate({ crypttab }, { keyFiles, helpers, devices }) {
    const found = keyFiles.ok ? keyFiles.fact.paths : []
    const entries = crypttab.entries.map((entry) => {
      const source = keySource(entry, found)
      return unclear(`${quote(entry.name)}: ${modeOf(source)}: ${source.description}.`, storageCrypttab)
    })
    const empty = crypttab.present ? 'crypttab lists no volumes.' : 'The node has no crypttab.'
    return {
      verdict: 'informational',
      observations: [
        ...(entries.length > 0 ? entries : [unclear(empty, storageCrypttab)]),
        ...(helpers.ok ? helped(helpers.fact) : unclearAbout(storageUnlockHelpers, helpers)),
        ...unclearAbout(storageKeyFiles, keyFiles),
        ...openNow(devices),
      ],
    }
  },
})

function modeOf({ attended }: KeySource): string {
  if (attended === null) return 'not determined whether a person is needed'
  return attended ? 'needs a person' : 'opens without a person'
}

const SAYS: Readonly<Record<string, string>> = {
  tang: 'a server on the network (Tang)',
  tpm2: 'the node’s TPM',
  sss: 'a rule over several sources',
  pkcs11: 'a PKCS #11 token',
}

function helped({
  clevis,
  clevisPins,
  remoteShell,
  imageKeys,
  kernelWords,
}: UnlockHelpers): readonly DraftObservation[] {
  const from = clevisPins.map((pin) => SAYS[pin] ?? pin).join(', ')
  const what = from === '' ? '' : ` It can take keys from: ${from}.`
  const said = (text: string): DraftObservation => unclear(text, storageUnlockHelpers)
  return [
    ...(clevis === 'set-up'
      ? [
          said(
            `Clevis is configured to supply the passphrase at start, so that bound volumes open without a person.${what}`,
          ),
        ]
      : clevis === 'installed'
        ? [said(`Clevis is installed and not configured to supply a passphrase at start.${what}`)]
        : []),
    ...(remoteShell
      ? [said('The start-up image holds an SSH server, through which a person can type a passphrase.')]
      : []),
    ...(imageKeys.length > 0 ? [said(`Key files are added to the start-up image: ${named(imageKeys)}.`)] : []),
    ...(kernelWords.length > 0 ? [said(`The kernel was started with ${named(kernelWords)}.`)] : []),
  ]
}

/** What a running node shows, apart from what is encrypted at rest. */
function openNow(devices: Parsed<SysfsBlock>): readonly DraftObservation[] {
  if (!devices.ok) return unclearAbout(storageBlockDevices, devices)
  const open = [...devices.fact.devices.values()].flatMap(({ dmName, dmUuid }) =>
    dmName !== null && ENCRYPTING.test(dmUuid ?? '') ? [dmName] : [],
  )
  return open.length === 0
    ? []
    : [
        unclear(
          `${count(open.length, 'encrypted volume')} ${open.length === 1 ? 'is' : 'are'} open now and can be read in clear text with administrator rights: ${named(open.sort())}.`,
          storageBlockDevices,
        ),
      ]
}
