import { describe, expect, test } from 'vitest'
import { tenancyProcesses } from '../../main/catalog/base/processes.ts'
import { integrityAgents, integrityMarks } from '../../main/catalog/operations/integrity-monitoring/probes.ts'
import { known, unknown } from '../../main/core/recording/probe.ts'
import { changed, over, stepText, withProcesses } from '../support/concluded.ts'

const ID = 'integrity.fim'

/** No unit of the catalog’s list, and no program or file of a tool that is looked for. */
const NOTHING = [
  changed(integrityAgents, ({ units }) => ({
    units: new Map([...units].map(([unit, state]) => [unit, { ...state, loaded: false, active: false }])),
  })),
  [integrityMarks, known({ changedAt: new Map() })],
] as const

/** Auditbeat and osquery have units that are not asked for; agents of Wazuh and sensors run in containers of Kubernetes. */
describe('tools for file integrity under other units', () => {
  test.each(
    'auditbeat osqueryd wazuh-syscheckd ossec-syscheckd samhain falcon-sensor falcon-sensor-b wdavdaemon ds_agent'.split(
      ' ',
    ),
  )('%s', (command) => {
    const conclusion = over(ID, ...NOTHING, withProcesses(command))
    expect(conclusion.verdict).toBe('inconclusive')
    expect(stepText(conclusion)).toBe(
      `unclear: None of the units asked for runs a tool that checks files; “${command}” runs, and its state was not read.`,
    )
  })

  test('without one there is none; where processes were not listed, that stays open', () => {
    expect(over(ID, ...NOTHING, withProcesses('nginx')).verdict).toBe('not-satisfied')
    expect(over(ID, ...NOTHING, [tenancyProcesses, unknown('not collected')]).verdict).toBe('inconclusive')
    const hidden = changed(tenancyProcesses, (all) => ({ ...all, isComplete: false }))
    expect(over(ID, ...NOTHING, hidden).verdict).toBe('inconclusive')
  })

  test('one tool that is there and not kept remains a deviation next to them', () => {
    const aide = [integrityMarks, known({ changedAt: new Map([['/usr/bin/aide', 1_780_000_000]]) })] as const
    expect(over(ID, NOTHING[0], aide, withProcesses('nginx')).verdict).toBe('not-satisfied')
  })
})
