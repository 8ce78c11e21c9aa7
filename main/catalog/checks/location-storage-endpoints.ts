import type { AddressDatabase } from '../../../schemas/types.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { policiesFor, policyQuestion } from '../location/answers.ts'
import { countriesOf, databasesSay } from '../location/databases.ts'
import { serversOf } from '../location/peers.ts'
import { backupSettings } from '../probes/backup-settings.ts'
import { backupUnits } from '../probes/backup-units.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { type RemoteStorage, storageRemote } from '../probes/storage-remote.ts'
import { decide, named, unclear } from '../steps.ts'
import { isNetworkMount } from '../storage/kinds.ts'

export const locationStorageEndpoints = defineCheck({
  id: 'location.storage-endpoints',
  property: 'location',
  expected:
    'Databases of at least two provenances place every endpoint of remote storage of this server in an allowed country.',
  limitations:
    'The server’s own view at one moment, and third-party statements about addresses. Behind an address, data may be stored, copied and backed up elsewhere. Object stores used by programs, and targets of backup tools, are not covered. Allowed are the countries of the data-residency policies, or the declared country where there is none.',
  requires: { mounts: storageMounts },
  optional: { remote: storageRemote, settings: backupSettings, units: backupUnits },
  evaluate({ mounts }, { remote, settings, units }, context) {
    const isAllowed = allowedBy(context)
    const databases = context.location?.databases ?? []
    const judged = (probe: DraftObservation['probe'], name: string, addresses: readonly string[]): DraftObservation =>
      endpoint({ probe, name, addresses, databases, asOf: context.asOf, isAllowed })
    const remotely = mounts.mounts
      .filter(isNetworkMount)
      .map((mount) => judged(storageMounts.id, mount.point, serversOf(mount)))
    const drives = remote.ok
      ? remote.fact.iscsi.map(({ portal, session }) => judged(storageRemote.id, session, [portal]))
      : unclearAbout(storageRemote, remote)
    const because = [
      ...remotely,
      ...drives,
      ...(remote.ok ? withoutAddress(remote.fact) : []),
      ...(settings.ok ? backups(settings.fact.files, backupSettings) : unclearAbout(backupSettings, settings)),
      ...(units.ok
        ? backups(
            units.fact.units.map(({ unit }) => unit),
            backupUnits,
          )
        : unclearAbout(backupUnits, units)),
    ]
    if (because.length > 0) return decide(because)
    const text = `${mounts.mounts.length} mounts were read; none is a network file system, no drive of another machine is attached, and no backup tool is configured.`
    return { verdict: 'not-applicable', observations: [unclear(text, storageMounts)] }
  },
})

type Allowed = ((country: string) => boolean) | null

/** Every policy must allow a country. A policy that draws an area names none, so that nothing is decided by it. */
function allowedBy({ node, location }: Context): Allowed {
  const policies = policiesFor(node.name, location?.residency ?? []).map(policyQuestion)
  const regions = policies.map(({ asked }) => (asked.ok ? asked.value.region : null))
  const declared = node.location?.country
  if (regions.length === 0) return declared === undefined ? null : (country) => country === declared
  const codes = regions.map((region) => (region?.kind === 'countries' ? new Set(region.codes) : null))
  return codes.includes(null) ? null : (country) => codes.every((allowed) => allowed?.has(country) === true)
}

interface Endpoint {
  readonly probe: DraftObservation['probe']
  readonly name: string
  /** As the kernel names them: names and addresses that are not public are placed by no one. */
  readonly addresses: readonly string[]
  readonly databases: readonly AddressDatabase[]
  readonly asOf: string
  readonly isAllowed: Allowed
}

function endpoint({ probe, name, addresses, databases, asOf, isAllowed }: Endpoint): DraftObservation {
  const says = addresses.map((address) => {
    const said = countriesOf(address, databases, asOf)
    return { texts: said.map(({ text }) => text), is: isAllowed === null ? 'undecided' : databasesSay(said, isAllowed) }
  })
  const texts = says.flatMap((one) => one.texts)
  const told = `${quote(name)} is remote storage. ${texts.length === 0 ? 'No database with data from the last year names a country for its address.' : texts.join(' ')}`
  if (says.some(({ is }) => is === 'outside'))
    return { direction: 'contradicts', text: `${told} That is not allowed.`, probe }
  if (says.length > 0 && says.every(({ is }) => is === 'inside')) return { direction: 'supports', text: told, probe }
  const why = isAllowed === null ? ' No allowed country was declared.' : ''
  return { direction: 'unclear', text: `${told}${why}`, probe }
}

/** Ways to other machines whose other end the kernel does not show as an address. */
function withoutAddress({ fibreChannel, srp, rbd, nbd, drbd, nvme }: RemoteStorage): readonly DraftObservation[] {
  const names = [
    ...fibreChannel.filter(({ state }) => state === 'Online').map(({ host }) => host),
    ...srp,
    ...rbd.map(({ pool, image }) => `${pool}/${image}`),
    ...nbd,
    ...drbd,
    ...nvme.filter(({ transport }) => transport !== 'loop').map(({ name }) => name),
  ]
  return names.length === 0
    ? []
    : [unclear(`Drives of other machines without an address to look up: ${named(names)}.`, storageRemote)]
}

const backups = (
  names: readonly string[],
  probe: typeof backupSettings | typeof backupUnits,
): readonly DraftObservation[] =>
  names.length === 0
    ? []
    : [unclear(`A backup tool is configured (${named(names, 4)}); where it writes was not read.`, probe)]
