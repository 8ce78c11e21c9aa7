import { type DraftObservation, unclearAbout } from '../../../core/check.ts'
import { INITIAL_NAMESPACES, namespaces as namespacesProbe } from '../../probes/namespaces.ts'
import { tenancyProcesses } from '../../probes/tenancy-processes.ts'
import { unclear } from '../../steps.ts'
import type { TenancyReadings } from './readings.ts'

/** Whether we see everything that runs: from the initial process namespace, and with nothing hidden. */
export function viewSteps({
  namespaces,
  processes,
}: Pick<TenancyReadings, 'namespaces' | 'processes'>): readonly DraftObservation[] {
  const own = namespaces.ok ? namespaces.fact.own.pid : INITIAL_NAMESPACES.pid
  return [
    ...unclearAbout(namespacesProbe, namespaces),
    ...unclearAbout(tenancyProcesses, processes),
    ...(own === INITIAL_NAMESPACES.pid
      ? []
      : [
          unclear(
            own === null
              ? 'The kernel does not report whether the session is inside a container.'
              : 'We look from inside a container: processes outside it are not visible.',
            namespacesProbe,
            'own',
          ),
        ]),
    ...(processes.ok && !processes.fact.isComplete
      ? [
          unclear(
            'The process list lacks the first processes of the system: others may be hidden too.',
            tenancyProcesses,
          ),
        ]
      : []),
  ]
}
