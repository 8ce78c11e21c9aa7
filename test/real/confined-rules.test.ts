import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { demoExport, whyNoDemoExport } from '../support/demo-export.ts'
import { folderOfTests } from '../support/folders.ts'
import { describeUnless } from '../support/needing.ts'

const missing = whyNoDemoExport() ?? (existsSync('out/rules/rules.mjs') ? null : 'the rules are not built')

describeUnless(missing, 'the rules of the built program', () => {
  const folder = folderOfTests('confined-rules')
  const WORKER = join(folder, 'out', 'rules', 'worker.mjs')
  let pack: string
  beforeAll(() => {
    const of = demoExport()
    pack = join(of, readdirSync(of).find((name) => name.endsWith('.zip')) ?? '')
    cpSync('out', join(folder, 'out'), { recursive: true })
    cpSync('package.json', join(folder, 'package.json'))
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  })
  const verify = () =>
    spawnSync(process.execPath, [join(folder, 'out/main/cli.js'), 'verify', pack], { encoding: 'utf8' })

  test('verify a pack', () => {
    expect(verify().status).toBe(0)
  })

  test('are asked in the confined thread: without it nothing is concluded', () => {
    writeFileSync(WORKER, "throw new Error('no thread here')\n")
    const { status, stderr } = verify()
    expect(status).toBe(1)
    expect(stderr).toContain('no thread here')
  })
})
