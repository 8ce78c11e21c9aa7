import { type DraftObservation, defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { known } from '../../core/probe.ts'
import { isRepresentor, nicAnswers, partOf } from '../isolation/locality/nic.ts'
import { PROVIDER_DRIVERS } from '../isolation/net-tables.ts'
import { readFrom } from '../isolation/observe.ts'
import { decideEnvironment } from '../isolation/rules.ts'
import { SIGNAL_PROBES } from '../isolation/signals.ts'
import { type NetInterface, netInterfaces } from '../probes/net-interfaces.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'

const LIMITS =
  'The adapter on the node’s side. Whether the switch, the cable and the way behind it are shared is with the provider.'

export const networkOwnPort: ClaimTest = {
  id: 'network.own-port',
  title: 'Network ports that are up are whole adapters of the machine, and no parts that a host hands out.',
  takes: { kind: 'nothing' },
  limitations: LIMITS,
  of(value) {
    if (value !== null) return null
    return defineCheck({
      id: 'network.own-port',
      property: 'isolation',
      expected: 'Every network port that is up belongs to a whole adapter of the machine that the system runs on.',
      limitations: LIMITS,
      requires: { nics: netInterfaces },
      optional: SIGNAL_PROBES,
      evaluate({ nics }, wanted) {
        const read = readFrom(new Map([...Object.entries(wanted), [netInterfaces.id, known(nics)]]))
        const places = new Map(
          nicAnswers(read, decideEnvironment(read).environment).map(({ device, attachment }) => [device, attachment]),
        )
        const up = nics.interfaces.filter((nic) => nic.isUp && nic.driver !== null && !isRepresentor(nic))
        const isOthers = (nic: NetInterface): boolean =>
          nic.physicalFunction === null &&
          !PROVIDER_DRIVERS.has(nic.driver ?? '') &&
          partOf(nic, nic.driver ?? '') !== null
        const isWhole = ({ name }: NetInterface): boolean => places.get(name) === 'physical'
        const others = up.filter(isOthers)
        const whole = up.filter((nic) => !isOthers(nic) && isWhole(nic))
        const open = up.filter((nic) => !isOthers(nic) && !isWhole(nic))
        const say = (
          nics: readonly NetInterface[],
          step: typeof supports,
          text: string,
        ): readonly DraftObservation[] =>
          nics.length === 0 ? [] : [step(`${text}: ${named(nics.map(({ name }) => name))}.`, netInterfaces)]
        return decide([
          ...say(others, contradicts, 'Parts of an adapter that is not in this system, so that others can share it'),
          ...say(whole, supports, 'Whole adapters of this machine'),
          ...say(open, unclear, 'Adapters not shown to be whole and this machine’s own'),
          ...(up.length === 0 ? [unclear('No network port of hardware is known to be up.', netInterfaces)] : []),
        ])
      },
    })
  },
}
