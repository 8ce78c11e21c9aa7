import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { writePack } from '../../main/adapters/pack/index.ts'
import { pem } from '../../main/core/base/pem.ts'
import { PATHS } from '../../main/core/pack/pack.ts'
import { COMMAND_INDENT } from '../../main/core/pack/verify-text.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { folderOfTests } from '../support/folders.ts'
import { isInstalled } from '../support/needing.ts'
import { opensslTsa } from '../support/openssl-tsa.ts'
import { samplePack, sampleRecording, sampleSigner, sealing } from '../support/sample-pack.ts'

/** Packs under tools that are not ours: openssl, sha256sum, unzip, and the commands of VERIFY.txt as a stranger would paste them. */
const TOOLS = ['openssl', 'sha256sum', 'unzip']
const ready = TOOLS.every(isInstalled)
const SHELLS = ['sh', 'dash', 'bash'].filter(isInstalled)
const NAME = 'sample.barewitness.zip'

const top = folderOfTests('tools')
let signer: Signer
let stranger: Signer
let files: Map<string, Uint8Array>

beforeAll(async () => {
  signer = await sampleSigner(join(top, 'ids'), 'signer')
  stranger = await sampleSigner(join(top, 'ids'), 'stranger')
  files = await samplePack({ signer, packName: NAME })
})

let count = 0
/** A folder as an auditor has it: the pack, and the root certificate received another way. */
function desk(root: Uint8Array | undefined): string {
  count += 1
  const folder = join(top, `desk-${count}`)
  mkdirSync(folder)
  if (root !== undefined) writeFileSync(join(folder, 'root.pem'), pem('CERTIFICATE', root))
  return folder
}

/** The commands as they stand in VERIFY.txt. */
const commandsOf = (pack: ReadonlyMap<string, Uint8Array>): string =>
  new TextDecoder()
    .decode(pack.get(PATHS.help))
    .split('\n')
    .filter((line) => line.startsWith(COMMAND_INDENT))
    .map((line) => `${line.slice(COMMAND_INDENT.length)}\n`)
    .join('')

/** Pasted into a shell, one line after the other. */
function paste(commands: string, folder: string, shell = 'sh'): { readonly passed: boolean; readonly said: string } {
  const { stdout, stderr } = spawnSync(shell, [], { cwd: folder, input: commands, encoding: 'utf8', timeout: 60_000 })
  const last = stdout.trimEnd().split('\n').at(-1)
  return { passed: last === 'ALL CHECKS PASSED', said: stdout + stderr }
}

describe.skipIf(!ready)(`with ${TOOLS.join(', ')} (skipped where one is absent)`, () => {
  test.each(SHELLS)('a good pack passes VERIFY.txt in %s', async (shell) => {
    const folder = desk(signer.chain[0])
    await writePack(join(folder, NAME), files)
    const { passed, said } = paste(commandsOf(files), folder, shell)
    expect(said).toMatch(/CAdES Verification successful/)
    expect(passed, said).toBe(true)
  })

  test('the commands leave the reader’s shell as it was when a check fails', async () => {
    const folder = desk(stranger.chain[0])
    await writePack(join(folder, NAME), files)
    const { said } = paste(`${commandsOf(files)}echo still here; case $- in *e*) echo changed;; esac\n`, folder)
    expect(said).toMatch(/STOPPED.*still here/s)
    expect(said).not.toContain('changed')
  })

  test('a name that a shell would take apart does no harm', async () => {
    const packName = "it's $(touch pwned) here.barewitness.zip"
    const odd = await samplePack({ signer, packName })
    const folder = desk(signer.chain[0])
    await writePack(join(folder, packName), odd)
    expect(paste(commandsOf(odd), folder)).toMatchObject({ passed: true })
    expect(spawnSync('ls', [folder], { encoding: 'utf8' }).stdout.split('\n')).not.toContain('pwned')
  })

  test('a demonstration pack can be tried out, and states that it must not be trusted', async () => {
    const demo = await sealing.demoSigner()
    const recordings = [sampleRecording('node-a', '', true)]
    const pack = await samplePack({ signer: demo, recordings, population: ['node-a'], packName: NAME })
    const folder = desk(undefined)
    await writePack(join(folder, NAME), pack)
    expect(paste(commandsOf(pack), folder)).toMatchObject({ passed: true })
    expect(new TextDecoder().decode(pack.get(PATHS.help))).toMatch(/must not be trusted/)
  })

  test('a demonstration with a time-stamp can be tried out too', async () => {
    const tsa = opensslTsa(join(top, 'tsa'))
    const pack = await samplePack({
      signer: await sealing.demoSigner(),
      recordings: [sampleRecording('node-a', '', true)],
      population: ['node-a'],
      authority: { name: 'Test TSA', chain: tsa.chain, crls: tsa.crls },
      packName: NAME,
    })
    const folder = desk(undefined)
    writeFileSync(join(folder, 'seal'), pack.get(PATHS.seal) ?? '')
    execFileSync('openssl', ['ts', '-query', '-data', 'seal', '-sha256', '-cert', '-out', 'query'], {
      cwd: folder,
      stdio: 'pipe',
    })
    const stamp = tsa.reply(new Uint8Array(readFileSync(join(folder, 'query'))))
    await writePack(join(folder, NAME), new Map([...pack, [PATHS.stamp, stamp]]))
    const { passed, said } = paste(commandsOf(pack), folder)
    expect(said).toMatch(/no later than 20.* UTC, according to subject=CN ?= ?Test TSA/)
    expect(passed, said).toBe(true)
  })

  test('an altered pack stops it', async () => {
    const folder = desk(signer.chain[0])
    await writePack(join(folder, NAME), new Map([...files, [PATHS.register, new TextEncoder().encode('[1]\n')]]))
    expect(paste(commandsOf(files), folder).said).toMatch(/data\/register\.json: FAILED.*STOPPED/s)
  })

  test('openssl accepts the certificates strictly, and the pack as the archive it is', async () => {
    const folder = desk(signer.chain[0])
    await writePack(join(folder, NAME), files)
    writeFileSync(join(folder, 'leaf.pem'), pem('CERTIFICATE', signer.certificate))
    writeFileSync(join(folder, 'crl.pem'), pem('X509 CRL', signer.crls[0] ?? new Uint8Array()))
    const run = (tool: string, ...argv: string[]): string => execFileSync(tool, argv, { cwd: folder, encoding: 'utf8' })
    expect(
      run('openssl', 'verify', '-x509_strict', '-CAfile', 'root.pem', '-CRLfile', 'crl.pem', '-crl_check', 'leaf.pem'),
    ).toMatch(/OK/)
    expect(run('unzip', '-tq', NAME)).toMatch(/No errors detected/)
    expect(run('unzip', '-v', NAME)).not.toMatch(/Defl/)
  })
})
