import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readTeamConfig } from '../main/adapters/team-config.ts'
import { problemsOf } from '../main/server/settings.ts'
import { must } from './support/kept-runs.ts'

interface Service {
  readonly volumes: readonly string[]
  readonly healthcheck: { readonly test: readonly string[] }
  readonly ports?: readonly string[]
  readonly secrets?: readonly string[]
}

const compose = parse(readFileSync('docs/compose/compose.yaml', 'utf8')) as {
  readonly services: Readonly<Record<'server' | 'database', Service>>
  readonly volumes: Readonly<Record<string, null>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}
const { server, database } = compose.services

test('the configuration of the Compose file is valid, and every path of it is in a volume', async () => {
  const { value: config } = must(await readTeamConfig('docs/compose/config/team.yaml'))
  expect(problemsOf(config)).toEqual([])
  for (const written of [config.auditLog, ...config.engagements.map(({ folder }) => folder)])
    expect(written).toMatch(/^\/var\/lib\/barewitness\//)
  expect(server.volumes).toContain('evidence:/var/lib/barewitness')
  expect(server.ports).toEqual([`${config.listen.port}:${config.listen.port}`])
  expect(server.healthcheck.test.join(' ')).toContain(`:${config.monitoring?.port}/readyz`)
  const socket = decodeURIComponent(/@([^/]+)\//.exec(config.database?.url ?? '')?.[1] ?? '')
  expect(server.volumes).toContain(`socket:${socket}`)
})

test('named volumes and secrets are declared', () => {
  const named = [...server.volumes, ...database.volumes].map((one) => one.split(':')[0] ?? '')
  for (const name of named.filter((one) => !one.startsWith('.'))) expect(Object.keys(compose.volumes)).toContain(name)
  expect(Object.keys(compose.secrets).sort()).toEqual([...(database.secrets ?? [])].sort())
})

test('roles and database are those of the guide', () => {
  const plain = (text: string): readonly string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('CREATE '))
      .map((line) => line.replace(/PASSWORD .*;/, 'PASSWORD;'))
  const [, guide = ''] = /```sql\n([\s\S]*?)```/.exec(readFileSync('docs/team-server.md', 'utf8')) ?? []
  expect(plain(readFileSync('docs/compose/database/roles.sh', 'utf8'))).toEqual(plain(guide))
})
