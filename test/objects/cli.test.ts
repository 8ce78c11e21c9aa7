import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { readObjectSecrets } from '../../main/adapters/team-config.ts'
import { objectsCommand } from '../../main/cli/commands/objects.ts'
import { EXIT } from '../../main/cli/parts/options.ts'
import { teamConfigIn } from '../../main/cli/parts/serving.ts'
import { commandLine } from '../support/command-line.ts'
import { folderOfTests } from '../support/folders.ts'
import { keepingKit } from '../support/keeping-kit.ts'
import { must } from '../support/outcomes.ts'
import { digestsBelow } from '../support/same-folders.ts'

const folder = folderOfTests('objects-cli')
const kit = keepingKit()
const cli = commandLine(() => kit.ports, objectsCommand)

const FOLDER = 'objects:\n  folder: kept\n'
/** What the documentation has an administrator write. */
const [S3 = ''] = /objects:\n {2}years[\s\S]*?(?=```)/.exec(readFileSync('docs/team-server.md', 'utf8')) ?? []
const configWith = (objects: string): string => {
  const path = join(folder, 'team.yaml')
  writeFileSync(
    path,
    `schema: barewitness.team/1
listen: { address: 127.0.0.1, port: 0 }
oidc: { issuer: "https://id.example.com", clientId: c, rolesClaim: roles }
roles: { a: officer }
engagements:
  - { name: clinic, folder: ${kit.root()}, enter: { people: [x] } }
auditLog: audit.jsonl
${objects}`,
  )
  return path
}
const objects = async (verb: string, ...more: string[]): Promise<number> =>
  await cli.run('objects', verb, '--config', configWith(FOLDER), '--engagement', 'clinic', ...more)

describe('objects', () => {
  beforeEach(() => rmSync(join(folder, 'kept'), { recursive: true, force: true }))

  test('copy, verify and restore: a folder goes to its store and back', async () => {
    await kit.run('run-1', '2026-11-18T10:00:00.000Z')
    expect(await objects('copy')).toBe(EXIT.done)
    expect(cli.told).toContain('a folder without a lock')
    expect(cli.told).not.toContain('locked until')
    expect(await objects('copy')).toBe(EXIT.done)
    expect(cli.told).toContain('Nothing was new')
    expect(await objects('verify', '--contents')).toBe(EXIT.done)
    expect(cli.told).toContain('Folder and store agree')
    const to = join(folder, 'restored')
    expect(await objects('restore', '--to', to)).toBe(EXIT.done)
    expect(digestsBelow(to)).toEqual(digestsBelow(kit.root(), (path) => !path.startsWith('object-lists/')))
    expect(await objects('restore', '--to', to)).toBe(EXIT.usage)
  })
  test('verify names what the folder lost', async () => {
    await kit.run('run-1', '2026-11-18T10:00:00.000Z')
    await objects('copy')
    rmSync(join(kit.root(), 'run-1'), { recursive: true })
    expect(await objects('verify')).toBe(EXIT.notVerified)
    expect(cli.told).toContain('Missing in the folder; the store has it, until 2032-11-18')
  })
  test('an engagement or a store that the configuration does not name is refused', async () => {
    expect(await cli.run('objects', 'copy', '--config', configWith(FOLDER), '--engagement', 'other')).toBe(EXIT.usage)
    expect(await cli.run('objects', 'copy', '--config', configWith(''), '--engagement', 'clinic')).toBe(EXIT.usage)
  })
})

describe('the configuration of a store', () => {
  const codeOf = async (text: string): Promise<string> => {
    const config = await teamConfigIn(configWith(text))
    return config.ok ? 'ok' : config.error.code
  }
  test('is a bucket or a folder, and no folder of evidence', async () => {
    expect(await codeOf(S3)).toBe('ok')
    expect(await codeOf(FOLDER)).toBe('ok')
    expect(await codeOf('objects: {}')).toBe('input.refused')
    expect(await codeOf(`${S3}  folder: kept\n`)).toBe('input.refused')
    expect(await codeOf(`objects:\n  folder: ${kit.root()}/kept\n`)).toBe('input.refused')
    expect(await codeOf(S3.replace('years: 6', 'years: 0'))).toBe('input.refused')
  })
  test('is over TLS beyond loopback', async () => {
    const at = (endpoint: string): string => S3.replace('https://s3.example.com', endpoint)
    expect(await codeOf(at('http://s3.example.com'))).toBe('input.refused')
    expect(await codeOf(at('http://127.0.0.1:7480'))).toBe('ok')
    expect(await codeOf(at('https://user:secret@s3.example.com'))).toBe('input.refused')
  })
  test('has credentials that their owner alone can read', async () => {
    const config = must(await teamConfigIn(configWith(S3)))
    const path = join(folder, 'objects-credentials')
    mkdirSync(join(folder, 'tls'))
    writeFileSync(join(folder, 'tls', 'objects-ca.pem'), 'certificates')
    const read = (text: string, mode: number) => {
      rmSync(path, { force: true })
      writeFileSync(path, text, { mode })
      return readObjectSecrets(config.objects)
    }
    expect(read('ACCESS:SECRET/+=:x\n', 0o600)).toEqual({
      ok: true,
      value: { accessKey: 'ACCESS', secretKey: 'SECRET/+=:x', ca: 'certificates' },
    })
    expect(read('ACCESS:SECRET\n', 0o644)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    const none = read('ACCESS SECRET\n', 0o600)
    expect(none).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(JSON.stringify(none)).not.toContain('SECRET\\n')
    rmSync(path)
    mkdirSync(path)
    expect(readObjectSecrets(config.objects)).toMatchObject({ ok: false })
  })
})
