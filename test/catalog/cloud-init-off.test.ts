import { describe, expect, test } from 'vitest'
import { cloudInit, remoteAgents } from '../../main/catalog/access/provider-access/probes.ts'
import { answer } from '../support/answers.ts'
import { changed, over, overDeclared, stepText } from '../support/concluded.ts'

const PATH = '/run/cloud-init/instance-data.json'
/** Nothing ran that could write it: the folder is in memory and empty at each start. */
const NONE = cloudInit.parse({
  claims: answer('', { exitCode: 2, errorText: `grep: ${PATH}: No such file or directory\n` }),
})
const UBUNTU = cloudInit.parse({ claims: answer('  "cloud_name": "none",\n') })
const MAAS = cloudInit.parse({ claims: answer('  "cloud_name": "maas",\n') })
const REFUSED = cloudInit.parse({
  claims: answer('', { exitCode: 2, errorText: `grep: ${PATH}: Permission denied\n` }),
})

const units = (...states: readonly (readonly [string, boolean])[]) =>
  changed(remoteAgents, (agents) => ({
    units: new Map([...agents.units, ...states.map(([name, active]) => [name, { active, atBoot: true }] as const)]),
  }))

/**
 * The installer of Ubuntu 24.04 writes /etc/cloud/cloud-init.disabled (subiquity, CLOUDINIT_DISABLE_AFTER_INSTALL); the generator of RHEL 8
 * starts nothing where it finds no source of instructions. The units stay enabled for cloud-init.target, which does not start then.
 */
describe('cloud-init that is enabled and does not start', () => {
  test.each([
    ['of Ubuntu 24.04 and RHEL 8', units(['cloud-init', false]), NONE, 'inconclusive', 'did not start at this boot'],
    [
      'of Ubuntu 25.04',
      units(['cloud-init', false], ['cloud-init-main', false]),
      NONE,
      'inconclusive',
      'did not start',
    ],
    ['that ran with no source', units(['cloud-init', true]), UBUNTU, 'inconclusive', 'no provider’s instructions'],
    ['that ran and left no file', units(['cloud-init', true]), NONE, 'not-satisfied', 'is not declared'],
    ['of which a part ran', units(['cloud-init', false], ['cloud-init-main', true]), NONE, 'not-satisfied', 'declared'],
    ['that ran for MAAS', units(['cloud-init', true]), MAAS, 'not-satisfied', 'is not declared'],
    ['whose file was not readable', units(['cloud-init', false]), REFUSED, 'not-satisfied', 'is not declared'],
  ] as const)('%s', (_, agents, read, verdict, part) => {
    const found = over('access.provider-access', agents, [cloudInit, read])
    expect([found.verdict, stepText(found)]).toEqual([verdict, expect.stringContaining(part)])
  })

  test('where it is declared', () => {
    const accounts = [{ account: 'cloud-init', kind: 'provider' as const }]
    const found = overDeclared({ accounts }, 'access.provider-access', units(['cloud-init', false]), [cloudInit, NONE])
    expect(stepText(found)).toContain('supports: Declared, and running or started at boot: “cloud-init (provider)”.')
  })
})
