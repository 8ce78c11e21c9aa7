import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type SysfsBlock, storageBlockDevices } from '../block-devices/probes.ts'
import { type Bmc, bmc, bmcPresence } from '../management-controller/probes.ts'
import { type NetLinks, netLinks } from '../network/links.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import {
  type Bond,
  controllerSteps,
  type DmStatus,
  type MdArray,
  type RedundancyState,
  redundancyState,
  storageDmStatus,
} from './probes.ts'

export const availabilityRedundancy = defineCheck({
  id: 'availability.redundancy',
  property: 'operations',
  expected:
    'The disk arrays, storage pools, multipath drives, bonded links and power supplies of this node are complete.',
  limitations:
    'Whether redundancy is sufficient was not evaluated: a single part without a second one is not tested. RAID inside a controller, which shows the node one drive, and redundancy of switches, feeds and sites are not visible here. Power supplies are evaluated by the management controller’s report.',
  requires: { state: redundancyState, blocks: storageBlockDevices, links: netLinks, presence: bmcPresence },
  optional: { mapped: storageDmStatus, controller: bmc },
  evaluate({ state, blocks, links, presence }, { mapped, controller }) {
    const found = [
      ...state.arrays.filter(({ isContainer }) => !isContainer).map(arrayStep),
      ...state.pools.map(({ name, state: word }) =>
        word === 'ONLINE'
          ? supports(`The pool ${named([name])} is online.`, redundancyState)
          : contradicts(`The pool ${named([name])} is ${named([word.toLowerCase()])}.`, redundancyState),
      ),
      ...btrfsSteps(state),
      ...state.bonds.map(bondStep),
      ...unreadLinkSteps(links, state),
      ...mappedSteps(blocks, mapped),
    ]
    const supplies = controllerSteps(presence, controller, supplySteps)
    const hasNone = found.length === 0
    const nothing = supports(
      'The kernel has no disk array, storage pool, multipath drive or bonded link: its lists are complete and empty.',
      redundancyState,
    )
    const observations = [...found, ...(hasNone ? [nothing] : []), ...supplies]
    const hasSupplies = controller.ok && (controller.fact.supplies ?? []).length > 0
    return hasNone && !hasSupplies && supplies.every(({ direction }) => direction === 'supports')
      ? { verdict: 'not-applicable', observations }
      : decide(observations)
  },
})

function arrayStep({ name, level, isActive, wanted, working, failed, isRebuilding }: MdArray): DraftObservation {
  const what = `The array ${named([name])}${level === '' ? '' : ` (${level})`}`
  if (!isActive) return contradicts(`${what} is not running.`, redundancyState)
  const gone = failed.length === 0 ? '' : ` Failed: ${named(failed)}.`
  if (wanted !== null && working !== null && working < wanted)
    return contradicts(
      `${what} has ${working} of ${wanted} members${isRebuilding ? ' and is being rebuilt' : ''}.${gone}`,
      redundancyState,
    )
  if (failed.length > 0) return contradicts(`${what} has a failed member.${gone}`, redundancyState)
  if (wanted !== null) return supports(`${what} has ${wanted} of ${wanted} members.`, redundancyState)
  // raid0 and linear print no member count: they run with all members or not at all.
  return level === 'raid0' || level === 'linear'
    ? supports(`${what} runs; it keeps no second copy.`, redundancyState)
    : unclear(`${what} runs, and its number of members is not reported.`, redundancyState)
}

function btrfsSteps({ btrfs }: RedundancyState): readonly DraftObservation[] {
  return btrfs
    .filter(({ devices, missing }) => devices > 1 || missing > 0)
    .map(({ id, devices, missing }) =>
      missing > 0
        ? contradicts(`The Btrfs file system ${named([id])} misses ${missing} of ${devices} devices.`, redundancyState)
        : supports(`The Btrfs file system ${named([id])} has all of its ${devices} devices.`, redundancyState),
    )
}

function bondStep({ name, mode, links }: Bond): DraftObservation {
  const what = `The bond ${named([name])} (${named([mode])})`
  const down = links.filter(({ isUp }) => !isUp).map((link) => link.name)
  if (links.length === 0) return contradicts(`${what} has no link.`, redundancyState)
  return down.length > 0
    ? contradicts(
        `${what} has ${links.length - down.length} of ${links.length} links; down: ${named(down)}.`,
        redundancyState,
      )
    : supports(`${what} has ${links.length} of ${count(links.length, 'link')} up.`, redundancyState)
}

/** Joined links that the bonding driver does not list: teams, which have a daemon of their own, and bonds that it hid from us. */
function unreadLinkSteps({ links }: NetLinks, { bonds }: RedundancyState): readonly DraftObservation[] {
  const read = new Set(bonds.map(({ name }) => name))
  const unread = links.filter(({ kind, name }) => kind === 'team' || (kind === 'bond' && !read.has(name)))
  return unread.length === 0
    ? []
    : [unclear(`The state of joined links was not read: ${named(unread.map(({ name }) => name))}.`, netLinks)]
}

/** Device-mapper names its users by the beginning of the UUID; plain LVM volumes and RAID ones cannot be distinguished by it. */
function mappedSteps({ devices }: SysfsBlock, mapped: Parsed<DmStatus>): readonly DraftObservation[] {
  const isAsked = [...devices.values()].some(({ dmUuid }) => /^(LVM-|mpath-|DMRAID-)/.test(dmUuid ?? ''))
  if (!mapped.ok) return isAsked ? unclearAbout(storageDmStatus, mapped) : []
  return [
    ...mapped.fact.raids.map(({ name, level, health }) =>
      /^A+$/.test(health)
        ? supports(`The volume ${named([name])} (${named([level])}) has all of its members in step.`, storageDmStatus)
        : contradicts(
            `Of the members of the volume ${named([name])} (${named([level])}), ${health.replaceAll('A', '').length} of ${health.length} have failed or are not in step.`,
            storageDmStatus,
          ),
    ),
    ...mapped.fact.multipaths.map(({ name, active, failed }) =>
      failed > 0 || active === 0
        ? contradicts(
            `The drive ${named([name])} is reached by ${active} of ${active + failed} paths.`,
            storageDmStatus,
          )
        : supports(`The drive ${named([name])} is reached by ${count(active, 'path')}.`, storageDmStatus),
    ),
  ]
}

// IPMI 2.0, table 42-3, sensor type 08h, as ipmitool words it.
const SUPPLY_TROUBLE = /failure|fail\b|predictive|lost|out-of-range|config(uration)? error|off|inactive/i

function supplySteps({ supplies = [] }: Bmc): readonly DraftObservation[] {
  if (supplies.length === 0) return [supports('The management controller lists no power supply.', bmc, 'sensors')]
  const bad = supplies.filter(({ state }) => SUPPLY_TROUBLE.test(state))
  const silent = supplies.filter(
    ({ state }) => !SUPPLY_TROUBLE.test(state) && !/presence detected|\bpresent\b|^ok$/i.test(state),
  )
  return [
    ...bad.map(({ name, state }) =>
      contradicts(`The power supply ${named([name])} reports ${named([state])}.`, bmc, 'sensors'),
    ),
    ...(silent.length === 0
      ? []
      : [
          unclear(
            `The management controller’s state of ${named(silent.map(({ name }) => name))} is not known to this catalog.`,
            bmc,
            'sensors',
          ),
        ]),
    ...(bad.length + silent.length === 0
      ? [
          supports(
            `${count(supplies.length, 'power supply', 'power supplies')} present and without a fault.`,
            bmc,
            'sensors',
          ),
        ]
      : []),
  ]
}
