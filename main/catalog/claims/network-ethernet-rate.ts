import { defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { isRepresentor, partOf } from '../isolation/locality/nic.ts'
import { HYPERVISOR_DRIVERS, isVirtio } from '../isolation/net-tables.ts'
import { type NetInterface, netInterfaces } from '../probes/net-interfaces.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'
import { MOST_GBPS, numberBetween } from './values.ts'

const LIMITS =
  'The nominal rate of a port, as its driver gives it. Where the port leads, what else shares the way, and how much goes through are not shown; nothing was sent.'

export const networkEthernetRate: ClaimTest = {
  id: 'network.ethernet-rate',
  title: 'A port of the Ethernet network is up at the claimed nominal rate or better.',
  takes: { kind: 'number', unit: 'Gbit/s' },
  limitations: LIMITS,
  of(value) {
    const promised = numberBetween(value, 0.01, MOST_GBPS)
    if (promised === null) return null
    return defineCheck({
      id: 'network.ethernet-rate',
      property: 'operations',
      expected: `An Ethernet port is up at ${promised} Gbit/s or more.`,
      limitations: LIMITS,
      requires: { nics: netInterfaces },
      evaluate({ nics }) {
        const ports = nics.interfaces.filter(isPort)
        const up = ports.filter(({ isUp }) => isUp)
        const fast = up.filter((nic) => isRated(nic) && (nic.speedMbps ?? 0) >= promised * 1000)
        const silent = up.filter((nic) => !isRated(nic))
        if (fast.length > 0)
          return decide([supports(`Up at that rate or better: ${named(fast.map(rated))}.`, netInterfaces)])
        if (up.length === 0) return decide([unclear('No Ethernet port of hardware is known to be up.', netInterfaces)])
        return decide([
          silent.length > 0
            ? unclear(
                `Up, with no rate reported by the driver: ${named(silent.map(({ name }) => name))}.`,
                netInterfaces,
              )
            : contradicts(`Every Ethernet port that is up is slower: ${named(up.map(rated))}.`, netInterfaces),
        ])
      },
    })
  },
}

const rated = ({ name, speedMbps }: NetInterface): string => `${name}, ${(speedMbps ?? 0) / 1000} Gbit/s`

/** What drivers give where they know no rate: minus one, in two bytes or in four (ethtool.h, SPEED_UNKNOWN). */
const NO_RATE: readonly number[] = [65_535, 4_294_967_295]

/** A part of an adapter gives the rate of the whole, regardless of who else shares it. */
const isRated = (nic: NetInterface): boolean =>
  nic.speedMbps !== null && !NO_RATE.includes(nic.speedMbps) && partOf(nic, nic.driver ?? '') === null

// RFC 4391, 5: addresses of IP over InfiniBand are twenty bytes long; Ethernet's are six.
const ETHERNET = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i

/** A port that hardware backs. Rates of paravirtual adapters are numbers of a program; those on USB lead to the management controller. */
const isPort = (nic: NetInterface): boolean =>
  nic.driver !== null &&
  ETHERNET.test(nic.mac) &&
  !nic.path.includes('/usb') &&
  !HYPERVISOR_DRIVERS.has(nic.driver) &&
  !isVirtio(nic.driver, nic.path) &&
  !isRepresentor(nic)
