import type { Isolation } from '../../../../schemas/types.ts'
import type { Read } from '../../../core/recording/readings.ts'
import { type Context, type DraftObservation, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, supports, unclear } from '../../base/steps.ts'
import { containerAnswer } from '../isolation/container.ts'
import { containerSteps } from './containers.ts'
import { gpuTenancySteps } from './gpu-processes.ts'
import { guestOwnerSteps } from './guests.ts'
import { sessionLimits } from './limits.ts'
import { type TenancyReadings, tenancyReadings, viewSteps } from './readings.ts'
import { INITIAL_NAMESPACES } from './sessions.ts'
import { managerSteps, schedulerSteps, userSteps } from './users.ts'

export interface TenancyAnswer {
  readonly tenancy: Isolation['tenancy']
  /** The result in a sentence, with the moment it holds for. */
  readonly statement: string
  /** The statement first, then everything it depends on. */
  readonly because: readonly DraftObservation[]
}

/** Limits of every tenancy result. Printed with it; they make no result undetermined. */
export const TENANCY_LIMITS: readonly string[] = [
  'Which other servers are in the same partition of an InfiniBand, Ethernet or NVLink fabric was not tested: to list them, packets would have to be sent.',
  'The system does not show which people use an account, a service or a cluster on the roster.',
  'An administrator of the system, or of Kubernetes, Slurm or Ray on it, can start other work at any time.',
]

/**
 * Who uses this system at present, by rule only. Any user, container, guest, job or GPU process that the declared
 * roster does not explain makes it shared. Their absence is stated only when every list was read from the system
 * itself and with administrator rights. Divisions of the system for the tenant’s own use are reported and are no
 * deviation.
 */
export function decideTenancy(read: Read, context: Context): TenancyAnswer {
  const readings = tenancyReadings(read)
  const rests = [...outsideSteps(read, readings), ...tenancySteps(readings, context)]
  const has = (what: DraftObservation['direction']): boolean => rests.some((step) => step.direction === what)
  const at = context.observedAt
  if (has('contradicts')) {
    const statement = `At ${at} parties not on the declared roster used this system, or work that no roster entry explains ran here.`
    return { tenancy: 'shared', statement, because: [contradicts(statement, null), ...rests] }
  }
  if (has('unclear') || rests.length === 0) {
    const statement = `The users of this system at ${at} could not be determined: missing evidence is listed below.`
    return { tenancy: 'undetermined', statement, because: [unclear(statement, null), ...rests] }
  }
  const statement = `At ${at} all use of this system is explained by the declared roster. This applies to that moment only.`
  return { tenancy: 'single-observed', statement, because: [supports(statement, null), ...rests] }
}

/** Inside a container, by whatever shows it, others outside are not visible; the process namespace supports itself below. */
function outsideSteps(read: Read, { namespaces, limits }: TenancyReadings): readonly DraftObservation[] {
  const isInitial = !namespaces.ok || namespaces.fact.own.pid === INITIAL_NAMESPACES.pid
  return [
    ...unclearAbout(sessionLimits, limits),
    ...(isInitial && containerAnswer(read).isContainer
      ? [unclear('We look from inside a container: what runs outside it is not visible.', sessionLimits)]
      : []),
  ]
}

const tenancySteps = (readings: TenancyReadings, context: Context): readonly DraftObservation[] => [
  ...viewSteps(readings),
  ...userSteps(readings, context),
  ...containerSteps(readings, context),
  ...schedulerSteps(readings, context),
  ...guestOwnerSteps(readings, context),
  ...gpuTenancySteps(readings, context),
  ...managerSteps(readings),
]
