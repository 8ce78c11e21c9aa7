import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { rulesState } from '../main/adapters/kept-rules/index.ts'
import { createSchemaValidator, placeName, schemaProblems } from '../main/adapters/schema-validator.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { CATALOG_VERSION } from '../main/catalog/definition/version.ts'
import { VERSION } from '../schemas/version.ts'
import { cliHere } from './support/cli-here.ts'
import { generateTypes } from './support/generate-types.ts'

const root = new URL('../', import.meta.url)

describe('schemas', () => {
  const validator = createSchemaValidator()

  test('the problem of a text that is too short states how long it must be', () => {
    const problemsOf = (shows: string) =>
      validator
        .problems('register', {
          schema: 'barewitness.register/1',
          riskAcceptances: [],
          documents: [{ summary: shows }],
          documentRequests: [],
        })
        .filter((problem) => problem.startsWith('documents[0].summary'))
    expect(problemsOf('xx')).toEqual(['documents[0].summary must be at least 3 characters long'])
    expect(problemsOf('')).toEqual(['documents[0].summary must be at least 3 characters long'])
    expect(problemsOf('a b')).toEqual([])
  })

  test.each(['recording', 'capture', 'assessment', 'fleet', 'statement'] as const)(
    '%s compiles strictly and refuses what is not one',
    (name) => {
      expect(validator.problems(name, { made: 'up' }).length).toBeGreaterThan(0)
      expect(validator.problems(name, null)).toEqual([expect.stringContaining('the document must be a mapping')])
    },
  )

  test.each(readdirSync(new URL('schemas', root)).filter((name) => name.endsWith('.schema.json')))(
    '%s is a schema by the one that it names',
    (name) => {
      const ajv = new Ajv2020()
      expect(ajv.validateSchema(JSON.parse(readFileSync(new URL(`schemas/${name}`, root), 'utf8'))), name).toBe(true)
    },
  )

  test('problems are sentences that name the place', () => {
    const capture = {
      probe: 'a',
      command: 'b',
      argv: [1],
      source: 'node',
      privilege: 'user',
      status: 'done',
      exitCode: 900,
      startedAt: 'x',
      durationMs: 1,
      stdout: { sha256: 'zz', size: 1 },
      stderr: {},
    }
    expect(validator.problems('capture', capture)).toEqual([
      'argv[0] must be text, not 1',
      'exitCode must be at most 255, not 900',
      'startedAt is “x”, which is not in the expected form',
      'stdout.sha256 is “zz”, which is not in the expected form',
      'stderr lacks “sha256”',
      'stderr lacks “size”',
    ])
    expect(placeName(['nodes', 0, 'a\u202e'])).toBe('nodes[0].a\\u{202e}')
  })

  test('a problem repeats no password of an address or a name', () => {
    const target = { tokenFile: 't', project: 'SEC', name: 'jira' }
    const integrations = (url: string, user: string): readonly string[] =>
      schemaProblems('integrations', { outbox: 'o', jira: [{ ...target, url, user }] })
    const https = `https:${'//'}`
    const texts = [
      ...integrations(`${https}svc:hunter2@jira.example/x`, 'me@x.example:hunter2'),
      ...integrations(`${https}hunter2@jira.example`, 'me@x.example'),
      ...validator.problems('fleet', {
        name: 'x',
        nodes: [{ name: 'a', address: 'root:hunter2@10.0.0.1', user: 'root:hunter2' }],
      }),
      ...validator.problems('fleet', { name: 'x', nodes: [{ name: 'a', address: 'root:hunter@2@[2001:db8::1]' }] }),
    ]
    expect(texts.filter((text) => text.includes('hunter'))).toEqual([])
    expect(texts.filter((text) => text.includes('which is not'))).toEqual([
      `jira[0].url is “${https}…@jira.example/x”, which is not in the expected form`,
      'jira[0].user is “me@x.example:…”, which is not in the expected form',
      `jira[0].url is “${https}…@jira.example”, which is not in the expected form`,
      'nodes[0].address is “…@10.0.0.1”, which is not a host name or address',
      'nodes[0].user is “root:…”, which is not a user name',
      'nodes[0].address is “…@[2001:db8::1]”, which is not a host name or address',
    ])
  })

  test('schemas/types.ts is what `npm run types` writes', async () => {
    expect(readFileSync(new URL('schemas/types.ts', root), 'utf8')).toBe(await generateTypes())
  })

  test('the version is that of package.json', () => {
    expect(VERSION).toBe(
      (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }).version,
    )
  })

  test.each(['-V', '--version'])('%s prints it, before the catalog is loaded and after', async (option) => {
    const entry = fileURLToPath(new URL('main/cli/index.ts', root))
    const tsx = fileURLToPath(new URL('node_modules/tsx/dist/cli.mjs', root))
    const start = (...argv: readonly string[]) =>
      spawnSync(process.execPath, [tsx, entry, ...argv], { encoding: 'utf8' })
    const rules = `Rules ${CATALOG_VERSION}: ${rulesState(catalog)}\n`
    expect(start(option)).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: rules })
    expect(await cliHere(option)).toMatchObject({ status: 0, stdout: `${VERSION}\n` })
  })
})
