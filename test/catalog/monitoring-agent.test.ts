import { describe, expect, test } from 'vitest'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

const CHECK = checkOf('availability.monitoring-agent')
const NODE = 'demo-metal-04'

/** What the check concludes where no known agent is a service, and these programs run. */
function verdictOf(commands: readonly string[], isComplete = true): string {
  const processes = commands.map((command, at) => ({ pid: at + 1, user: 'root', command, cgroup: '0::/' }))
  const reading: Parsed<unknown> = known({ processes, isComplete })
  return concludeOn(CHECK, NODE, [['tenancy.processes', reading]]).verdict
}

describe('where no known agent is a service', () => {
  test('a whole list of processes without one is a deviation', () =>
    expect(verdictOf(['systemd', 'kthreadd', 'sshd', 'agentbeat'])).toBe('not-satisfied'))

  // In a pod or container, under a unit with a name of the site, or of a kind that the units do not include; cut to 15 characters.
  test.each([
    'node_exporter',
    'prometheus-node',
    'dcgm-exporter',
    'zabbix_agentd',
    'snmpd',
    'icinga2',
    'pmcd',
    'gmond',
    'oneagentwatchdo',
    'elastic-agent',
  ])('%s leaves it open', (command) => expect(verdictOf(['systemd', 'kthreadd', command])).toBe('inconclusive'))

  test('a list that is not whole, or was not read, leaves it open', () => {
    expect(verdictOf(['systemd'], false)).toBe('inconclusive')
    const unread = { ok: false, reason: 'this was not collected' } as const
    expect(concludeOn(CHECK, NODE, [['tenancy.processes', unread]]).verdict).toBe('inconclusive')
  })
})
