import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { type DmiEntries, dmiEntries } from '../machine/dmi.ts'
import data from './checks.json' with { type: 'json' }
import { type BmcDevice, type BmcLan, type BmcUser, bmc, bmcDevice, bmcLan, bmcPresence } from './probes.ts'

const tenancyBmcExposure = defineCheck({
  id: 'tenancy.bmc-exposure',
  property: 'access',
  expected:
    'The management controller permits no network login by an unnamed user, offers no session without a password (cipher suite 0), and accepts commands from this server by root only.',
  limitations:
    'Seen from the server’s side, by IPMI and on its first channel: users and rights in the controller’s web pages and in Redfish can differ. Who holds its passwords, which network reaches it, and its own log are with the provider.',
  requires: { presence: bmcPresence },
  optional: { lan: bmcLan, device: bmcDevice, entries: dmiEntries },
  evaluate({ presence }, { lan, device, entries }) {
    if (!presence.device && presence.listed.length === 0)
      return decide([
        unclear(
          'The kernel knows of no management controller. A server usually has one, and it can be hidden from its tenant.',
          bmcPresence,
        ),
        ...hostInterface(entries),
      ])
    return decide([
      supports('The kernel knows of a management controller.', bmcPresence),
      ...overNetwork(lan),
      ...fromHere(device),
      ...hostInterface(entries),
    ])
  },
})

function overNetwork(lan: Parsed<BmcLan>): readonly DraftObservation[] {
  if (!lan.ok) return unclearAbout(bmcLan, lan)
  const { isNetwork, isOpen, users, suites } = lan.fact
  if (!isNetwork)
    return [
      unclear(
        'Its first channel leads to no network; others were not queried, so its users are not known.',
        bmcLan,
        'channel',
      ),
    ]
  if (!isOpen) return [supports('Its network channel takes no sessions while the server runs.', bmcLan, 'channel')]
  return [...accounts(users), cipherZero(suites)]
}

const mayLogIn = ({ enabled, privilege }: BmcUser): boolean => enabled && privilege !== 'none'

function accounts(users: readonly BmcUser[]): readonly DraftObservation[] {
  const able = users.filter(mayLogIn)
  const nameless = able.filter(({ name }) => name === '')
  const administrators = able.filter(({ privilege }) => privilege === 'administrator' || privilege === 'oem')
  return [
    nameless.length === 0
      ? supports('No user without a name may log in over the network.', bmcLan, 'users')
      : contradicts(
          `A user without a name may log in over the network (${named(nameless.map(({ id, privilege }) => `slot ${id}, ${privilege}`))}).`,
          bmcLan,
          'users',
        ),
    supports(
      administrators.length === 0
        ? 'No user may administer it over the network.'
        : `${count(administrators.length, 'user')} may administer it over the network: ${named(administrators.map(({ id, name }) => (name === '' ? `slot ${id}` : name)))}.`,
      bmcLan,
      'users',
    ),
  ]
}

function cipherZero(suites: readonly number[] | null): DraftObservation {
  if (suites === null)
    return unclear('The controller does not report which cipher suites it offers.', bmcLan, 'suites', 'privileges')
  return suites.includes(0)
    ? contradicts(
        'Cipher suite 0 is offered: a session without a password and in clear text.',
        bmcLan,
        'suites',
        'privileges',
      )
    : supports(
        `Cipher suite 0 is not offered (offered: ${suites.join(', ') || 'none'}).`,
        bmcLan,
        'suites',
        'privileges',
      )
}

function fromHere(device: Parsed<BmcDevice>): readonly DraftObservation[] {
  if (!device.ok) return unclearAbout(bmcDevice, device)
  const { nodes } = device.fact
  if (nodes.length === 0)
    return [supports('The kernel offers programs on this server no device to command it by.', bmcDevice)]
  const shared = nodes.filter(
    ({ owner, group, mode }) => owner !== 'root' || (mode & 0o006) !== 0 || ((mode & 0o060) !== 0 && group !== 'root'),
  )
  return [
    shared.length === 0
      ? supports('Only root may open its device on this server.', bmcDevice)
      : contradicts(
          `Others than root may open its device on this server: ${named(shared.map(({ path, group }) => `${path} (${group})`))}.`,
          bmcDevice,
        ),
  ]
}

/** SMBIOS type 42, Management Controller Host Interface (DSP0270): a network between server and controller. */
const hostInterface = (entries: Parsed<DmiEntries>): readonly DraftObservation[] =>
  entries.ok && (entries.fact.counts?.get(42) ?? 0) > 0
    ? [
        supports(
          'The firmware lists a network between the server and the controller (Redfish host interface); it was not used.',
          dmiEntries,
        ),
      ]
    : []

export const managementControllerSubject = defineSubject({
  id: 'management-controller',
  title: 'Management controller (BMC)',
  probes: [bmcPresence, bmc, bmcLan, bmcDevice],
  checks: [tenancyBmcExposure],
  data,
})
