import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { drivesNvmeControllers, type NvmeControllers } from '../probes/drives-nvme-controllers.ts'
import { drivesOpal, type OpalDrives } from '../probes/drives-opal.ts'
import { type Disk, inventoryDisks } from '../probes/inventory-disks.ts'
import { supports, unclear } from '../steps.ts'

type State = 'locks' | 'open' | 'cannot' | 'unknown'
interface Found {
  readonly state: State
  readonly step: DraftObservation
}

/**
 * A drive that encrypts its media and locks nothing protects nothing: it opens for the party that plugs it in. That is recorded and not
 * counted as a deviation, since no rule requires such drives, and encryption above the drive is evaluated by its own checks.
 */
export const encryptionAtRestSedState = defineCheck({
  id: 'encryption.at-rest.sed-state',
  property: 'encryption-at-rest',
  expected: 'Locking is enabled on every self-encrypting drive.',
  ends: 'supported-or-recorded',
  limitations:
    'Relies on the drive’s firmware. Which ranges are locked and who holds the authority is not read. Use of a validated module is shown only by the drive’s own certificate. A drive locks when it loses power: on the running node it is unlocked. Drives behind a RAID controller are read with that controller’s tools, which are not used.',
  requires: { disks: inventoryDisks },
  optional: { opal: drivesOpal, controllers: drivesNvmeControllers },
  evaluate({ disks: { disks } }, { opal, controllers }) {
    const found = disks.map((disk) => {
      const shown = `${quote(disk.name)}${disk.model === '' ? '' : ` (${quote(disk.model)})`}`
      return stateOf(disk, shown, opal.ok ? opal.fact : null, controllers.ok ? controllers.fact : null)
    })
    const has = (state: State): boolean => found.some((one) => one.state === state)
    const observations = [
      ...found.map(({ step }) => step),
      ...(opal.ok ? [] : [unclear(`${drivesOpal.title}: ${opal.reason}.`, drivesOpal)]),
    ]
    if (found.length === 0)
      return {
        verdict: 'inconclusive',
        observations: [unclear('The kernel lists no drive that could be queried.', inventoryDisks), ...observations],
      }
    if (has('open')) return { verdict: 'informational', observations }
    if (has('unknown')) return { verdict: 'inconclusive', observations }
    return { verdict: has('locks') ? 'satisfied' : 'not-applicable', observations }
  },
})

function stateOf(disk: Disk, shown: string, opal: OpalDrives | null, nvme: NvmeControllers | null): Found {
  const unknown = (why: string): Found => ({
    state: 'unknown',
    step: unclear(`${shown}: ${why}.`, inventoryDisks),
  })
  if (/^(tcp|rdma|fc|loop)$/.test(disk.transport)) return unknown('it is reached over a network and was not queried')
  // Where drives have several paths, the kernel counts devices and controllers apart; the serial number shows whether they are the same.
  const name = /^nvme\d+/.exec(disk.name)?.[0] ?? disk.name
  const controller = nvme?.controllers.get(name)
  const isOther = controller !== undefined && controller.serial !== '' && controller.serial !== disk.serial
  const locking = isOther ? undefined : opal?.drives.get(name)
  if (locking !== undefined) {
    const said = (state: State, says: typeof supports, text: string): Found => ({
      state,
      step: says(`${shown}: ${text}.`, drivesOpal, name),
    })
    if (!locking.lockingEnabled)
      return locking.mediaEncrypt
        ? said('open', unclear, 'it encrypts its media and nothing locks it, which protects nothing')
        : said('cannot', unclear, 'it does not encrypt its media')
    if (!locking.mediaEncrypt) return said('open', unclear, 'its locking is on, but its media are not encrypted')
    const now = locking.locked ? 'It is locked now' : 'It is unlocked now and locks when it loses power'
    const shadow = locking.showsShadow ? ', and shows its own start-up system' : ''
    return said('locks', supports, `it encrypts its media and its locking is on. ${now}${shadow}`)
  }
  if (controller !== undefined && !isOther && !controller.takesSecurityCommands)
    return {
      state: 'cannot',
      step: unclear(
        `${shown}: it reports that it supports no security commands, so it cannot be locked.`,
        drivesNvmeControllers,
        name,
      ),
    }
  return unknown('it did not report whether it encrypts and locks itself')
}
