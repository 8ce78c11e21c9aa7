import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RECORDING } from '../../main/core/base/layout.ts'
import { checkAudit } from '../../main/server/audit.ts'
import type { RunStatus } from '../../schemas/ipc-views.ts'
import type { Capture } from '../../schemas/types.ts'
import { documentDraftOf } from '../support/register.ts'
import { answerValue, codeOf, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

let kit: TeamKit
let officer: Visitor
beforeAll(async () => {
  kit = await teamKit()
  officer = await kit.as('officer')
  await officer.call('alpha', 'demo.open', null)
  while (answerValue<RunStatus>(await officer.call('alpha', 'run.status', null)).going) await sleep(50)
})
afterAll(async () => await kit.close())

interface Stored {
  readonly node: string
  readonly capture: Capture
  readonly text: string
}

/** What nodes answered, as it is stored. */
function evidence(): readonly Stored[] {
  const paths = readdirSync(kit.folder, { recursive: true, encoding: 'utf8' })
  return paths
    .filter((path) => path.endsWith(`/${RECORDING.captures}`))
    .flatMap((path) => {
      const folder = join(kit.folder, path, '..')
      const header = JSON.parse(readFileSync(join(folder, RECORDING.header), 'utf8')) as { node: { name: string } }
      const captures = readFileSync(join(folder, RECORDING.captures), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
      return captures.map((line) => {
        const capture = JSON.parse(line) as Capture
        const text = readFileSync(join(folder, RECORDING.blobs, capture.stdout.sha256), 'utf8')
        return { node: header.node.name, capture, text }
      })
    })
}

/** Shorter lines can be a word that a log has for another reason. */
const SHORTEST = 12

test('neither log holds evidence, statements, cookies or tokens', async () => {
  const stored = evidence()
  const lines = new Set(stored.flatMap(({ text }) => text.split('\n')).filter((line) => line.length >= SHORTEST))
  expect(lines.size).toBeGreaterThan(20)
  for (const { node, capture, text } of stored.slice(0, 40)) {
    const id = `${capture.probe}/${capture.command}`
    const asked = { of: 'run', node, capture: id, stream: 'stdout', offset: 0 }
    const answered = await officer.call('alpha', 'evidence.get', asked)
    expect(codeOf(answered), id).toBe('answered')
    const [first = ''] = text.split('\n')
    if (/^[\w .:/-]{12,}$/.test(first)) expect(answered.text).toContain(first)
    expect(kit.auditText()).toContain(`"capture":"${id}"`)
  }
  const statement = 'STATEMENT of management'
  const noted = { ...documentDraftOf({ summary: statement }), name: 'note.txt', text: statement }
  const answered = await officer.call('alpha', 'documents.note', noted)
  const { csrf } = await officer.session('alpha')
  const logs = `${kit.auditText()}${JSON.stringify(kit.logged)}`
  for (const line of lines) expect(logs).not.toContain(line)
  for (const secret of [statement, csrf, officer.cookies.get('barewitness') ?? '']) expect(logs).not.toContain(secret)
  expect(checkAudit(kit.auditText()).intact).toBe(true)
  expect(codeOf(answered)).toBe('answered')
})
