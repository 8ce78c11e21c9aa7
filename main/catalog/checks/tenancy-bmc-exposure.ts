import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type BmcDevice, bmcDevice } from '../probes/bmc-device.ts'
import { type BmcLan, type BmcUser, bmcLan } from '../probes/bmc-lan.ts'
import { bmcPresence } from '../probes/bmc-presence.ts'
import { type DmiEntries, dmiEntries } from '../probes/dmi-entries.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const tenancyBmcExposure = defineCheck({
  id: 'tenancy.bmc-exposure',
  property: 'access',
  claim:
    'The management controller permits no network login by an unnamed user, offers no session without a password (cipher suite 0), and accepts commands from this server by root only.',
  limits:
    'Seen from the server’s side, by IPMI and on its first channel: users and rights in the controller’s web pages and in Redfish can differ. Who holds its passwords, which network reaches it, and its own log are with the provider.',
  needs: { presence: bmcPresence },
  wants: { lan: bmcLan, device: bmcDevice, entries: dmiEntries },
  evaluate({ presence }, { lan, device, entries }) {
    if (!presence.device && presence.listed.length === 0)
      return weigh([
        leavesUnclear(
          'The kernel knows of no management controller. A server usually has one, and it can be hidden from its tenant.',
          bmcPresence,
        ),
        ...hostInterface(entries),
      ])
    return weigh([
      speaksFor('The kernel knows of a management controller.', bmcPresence),
      ...overNetwork(lan),
      ...fromHere(device),
      ...hostInterface(entries),
    ])
  },
})

function overNetwork(lan: Parsed<BmcLan>): readonly Step[] {
  if (!lan.ok) return unclearAbout(bmcLan, lan)
  const { isNetwork, isOpen, users, suites } = lan.fact
  if (!isNetwork)
    return [
      leavesUnclear(
        'Its first channel leads to no network; others were not queried, so its users are not known.',
        bmcLan,
        'channel',
      ),
    ]
  if (!isOpen) return [speaksFor('Its network channel takes no sessions while the server runs.', bmcLan, 'channel')]
  return [...accounts(users), cipherZero(suites)]
}

const mayLogIn = ({ enabled, privilege }: BmcUser): boolean => enabled && privilege !== 'none'

function accounts(users: readonly BmcUser[]): readonly Step[] {
  const able = users.filter(mayLogIn)
  const nameless = able.filter(({ name }) => name === '')
  const administrators = able.filter(({ privilege }) => privilege === 'administrator' || privilege === 'oem')
  return [
    nameless.length === 0
      ? speaksFor('No user without a name may log in over the network.', bmcLan, 'users')
      : speaksAgainst(
          `A user without a name may log in over the network (${named(nameless.map(({ id, privilege }) => `slot ${id}, ${privilege}`))}).`,
          bmcLan,
          'users',
        ),
    speaksFor(
      administrators.length === 0
        ? 'No user may administer it over the network.'
        : `${count(administrators.length, 'user')} may administer it over the network: ${named(administrators.map(({ id, name }) => (name === '' ? `slot ${id}` : name)))}.`,
      bmcLan,
      'users',
    ),
  ]
}

function cipherZero(suites: readonly number[] | null): Step {
  if (suites === null)
    return leavesUnclear(
      'The controller does not report which cipher suites it offers.',
      bmcLan,
      'suites',
      'privileges',
    )
  return suites.includes(0)
    ? speaksAgainst(
        'Cipher suite 0 is offered: a session without a password and in clear text.',
        bmcLan,
        'suites',
        'privileges',
      )
    : speaksFor(
        `Cipher suite 0 is not offered (offered: ${suites.join(', ') || 'none'}).`,
        bmcLan,
        'suites',
        'privileges',
      )
}

function fromHere(device: Parsed<BmcDevice>): readonly Step[] {
  if (!device.ok) return unclearAbout(bmcDevice, device)
  const { nodes } = device.fact
  if (nodes.length === 0)
    return [speaksFor('The kernel offers programs on this server no device to command it by.', bmcDevice)]
  const shared = nodes.filter(
    ({ owner, group, mode }) => owner !== 'root' || (mode & 0o006) !== 0 || ((mode & 0o060) !== 0 && group !== 'root'),
  )
  return [
    shared.length === 0
      ? speaksFor('Only root may open its device on this server.', bmcDevice)
      : speaksAgainst(
          `Others than root may open its device on this server: ${named(shared.map(({ path, group }) => `${path} (${group})`))}.`,
          bmcDevice,
        ),
  ]
}

/** SMBIOS type 42, Management Controller Host Interface (DSP0270): a network between server and controller. */
const hostInterface = (entries: Parsed<DmiEntries>): readonly Step[] =>
  entries.ok && (entries.fact.counts?.get(42) ?? 0) > 0
    ? [
        speaksFor(
          'The firmware lists a network between the server and the controller (Redfish host interface); it was not used.',
          dmiEntries,
        ),
      ]
    : []
