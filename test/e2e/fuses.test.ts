import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FuseV1Options, flipFuses, getCurrentFuseWire } from '@electron/fuses'
import { expect, test } from 'vitest'
import { FUSES } from '../support/fuses.ts'
import { findElectron } from '../support/launch-electron.mjs'
import { describeUnless } from '../support/needing.ts'
import { whyNoWindow } from '../support/open-window.ts'

const missing = process.platform === 'linux' ? whyNoWindow() : 'made for Linux'
const electron = findElectron(fileURLToPath(new URL('../..', import.meta.url)))

const [ON, OFF] = ['1'.charCodeAt(0), '0'.charCodeAt(0)]

/** There is no package yet; a copy of the runtime replaces its binary. */
describeUnless(missing, '18: fuses', () => {
  test('are flipped, read back, and hold', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'barewitness-fuses-'))
    try {
      const from = dirname(electron?.path ?? '')
      for (const name of readdirSync(from)) if (name !== 'electron') symlinkSync(join(from, name), join(folder, name))
      const program = join(folder, 'electron')
      copyFileSync(electron?.path ?? '', program)
      const asNode = (): string =>
        spawnSync(program, ['-e', 'console.log(6 * 7)'], {
          env: { ELECTRON_RUN_AS_NODE: '1', PATH: process.env.PATH },
          encoding: 'utf8',
          timeout: 8000,
          killSignal: 'SIGKILL',
        }).stdout
      expect(asNode()).toBe('42\n')
      await flipFuses(program, FUSES)
      const wire = await getCurrentFuseWire(program)
      const state = (fuse: FuseV1Options): number | undefined => wire[fuse]
      expect({
        runAsNode: state(FuseV1Options.RunAsNode),
        cookies: state(FuseV1Options.EnableCookieEncryption),
        nodeOptions: state(FuseV1Options.EnableNodeOptionsEnvironmentVariable),
        inspect: state(FuseV1Options.EnableNodeCliInspectArguments),
        integrity: state(FuseV1Options.EnableEmbeddedAsarIntegrityValidation),
        asarOnly: state(FuseV1Options.OnlyLoadAppFromAsar),
        snapshot: state(FuseV1Options.LoadBrowserProcessSpecificV8Snapshot),
        files: state(FuseV1Options.GrantFileProtocolExtraPrivileges),
      }).toEqual({
        runAsNode: OFF,
        cookies: ON,
        nodeOptions: OFF,
        inspect: OFF,
        integrity: ON,
        asarOnly: ON,
        snapshot: OFF,
        files: OFF,
      })
      expect(asNode()).not.toContain('42')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
