import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless } from '../support/needing.ts'
import { builtProduct, openWindow, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { addNodes, ask, listen, moment } from '../support/real-fleet.ts'
import { type Sshd, startSshd, whyNoSshd } from '../support/sshd.ts'
import { choose, giveSecret } from '../support/window-steps.ts'

const missing = whyNoProduct() ?? whyNoSshd

/** Secrets that are recognizable anywhere: two that are typed, one in the environment of the app. */
const KEY = 'canary-key-4f1e96a2'
const SIGNING = 'canary-signing-77b0c3d8'
const AMBIENT = 'canary-ambient-0d92e5ff'
const SPELLINGS = [KEY, SIGNING, AMBIENT].flatMap((secret) => [
  secret,
  Buffer.from(secret, 'utf16le').toString('latin1'),
  Buffer.from(secret).toString('hex'),
  // This part of its base64 is independent of the preceding bytes.
  ...[0, 1, 2].map((shift) =>
    Buffer.from('-'.repeat(shift) + secret)
      .toString('base64')
      .slice(4, -4),
  ),
])

/** Every file of a folder, what is inside packs too, and the streams inside PDF files. */
function everything(folder: string): readonly (readonly [name: string, bytes: Buffer])[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .flatMap((path) => {
      const bytes = readFileSync(path)
      const inside = path.endsWith('.zip')
        ? [execFileSync('unzip', ['-p', path], { maxBuffer: 2 ** 30 })]
        : bytes.subarray(0, 5).toString() === '%PDF-'
          ? streamsOf(bytes)
          : []
      return [[path, Buffer.concat([bytes, ...inside])]] as const
    })
}

function streamsOf(pdf: Buffer): readonly Buffer[] {
  const found: Buffer[] = []
  for (let at = pdf.indexOf('stream\n'); at >= 0; at = pdf.indexOf('stream\n', at + 7)) {
    try {
      found.push(inflateSync(pdf.subarray(at + 7), { finishFlush: 2 }))
    } catch {
      // Not a compressed stream: read as it is.
    }
  }
  return found
}

describeUnless(missing, 'secrets', () => {
  let opened: TestWindow
  let sshd: Sshd
  let said = ''
  const out = mkdtempSync(join(tmpdir(), 'barewitness-secrets-'))
  beforeAll(async () => {
    sshd = await startSshd()
    opened = await openWindow({
      folder: builtProduct() ?? '',
      env: { DATABASE_PASSWORD: AMBIENT, SSH_AUTH_SOCK: '', NODE_DEBUG: '' },
    })
    for (const stream of [opened.app.process().stdout, opened.app.process().stderr])
      stream?.on('data', (text: Buffer) => {
        said += text.toString('latin1')
      })
  })
  afterAll(async () => {
    await opened?.close()
    await sshd?.stop()
    rmSync(out, { recursive: true, force: true })
  })

  test('16: that were typed or lay around are in no file, no output, no pack, no report and no list', async () => {
    const { page, profile } = opened
    execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', KEY, '-f', sshd.clientKey])
    await addNodes(page, sshd, ['ward-1'])
    await listen(page)
    await giveSecret(opened, async () => void (await ask(page, 'run.start', { nodes: [], only: 'all' })), KEY)
    await moment(page, 'run-done')
    const shown = await ask(page, 'assessment.get', { of: 'run' })
    // The key was opened: without what was typed there would be nothing to look through.
    expect(shown?.rows.map(({ status }) => status)).toEqual(['complete'])

    // Not waited for before the passphrase is given: the reply comes after it.
    let made: Promise<unknown> | undefined
    const create = async (): Promise<void> => {
      made = ask(page, 'identities.create', { name: 'default', subject: 'Ward Health (M. Ortiz)' })
    }
    await giveSecret(opened, create, SIGNING, 2)
    await made
    let sealed: Promise<{ readonly handle: string }> | undefined
    const seal = async (): Promise<void> => {
      sealed = ask(page, 'export.build', {
        frameworks: ['hipaa'],
        identity: null,
        timestamp: false,
        also: [],
        redact: null,
      })
    }
    await giveSecret(opened, seal, SIGNING)
    const handle = (await sealed)?.handle ?? ''
    await choose(opened, out)
    await ask(page, 'export.save', { handle })
    await choose(opened, join(out, 'questions.csv'))
    await ask(page, 'run.preview-save', { nodes: [] })
    const [identity] = await ask(page, 'identities.list', null)
    await choose(opened, join(out, 'identity.json'))
    await ask(page, 'identities.backup', { name: identity?.name ?? '' })

    const files = [...everything(profile), ...everything(out)]
    expect(files.some(([name]) => name.endsWith('.zip'))).toBe(true)
    expect(files.some(([name]) => name.endsWith('.pdf'))).toBe(true)
    expect(files.some(([name]) => name.endsWith('.csv'))).toBe(true)
    expect(files.some(([name, bytes]) => name.endsWith('.pdf') && bytes.includes('\nBT\n'))).toBe(true)
    // The reader reads: a word of the report and one of the pack are found.
    for (const known of ['ward-1', '/proc/cpuinfo']) expect(files.some(([, bytes]) => bytes.includes(known))).toBe(true)
    const found = files.flatMap(([name, bytes]) =>
      SPELLINGS.filter((text) => bytes.includes(text, 0, 'latin1')).map((text) => `${name}: ${text}`),
    )
    expect(found).toEqual([])
    expect(SPELLINGS.filter((text) => said.includes(text))).toEqual([])
    expect(SPELLINGS.filter((text) => sshd.log().includes(text))).toEqual([])
  })
})
