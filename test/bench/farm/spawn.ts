import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundled } from '../../support/bundled.ts'
import type { Farm, FarmOptions } from './farm.ts'

export interface FarmFigures {
  readonly cpuMs: number
  readonly peakMiB: number
  readonly sessions: number
}

export interface FarmProcess extends Pick<Farm, 'port' | 'fingerprint'> {
  readonly folder: string
  readonly identityFile: string
  readonly fleetFile: string
  /** Processor time and sessions since it began. */
  readonly figures: () => Promise<FarmFigures>
  readonly close: () => void
}

/** Starts a farm in a process of its own, with its fleet file and login key in a folder. */
export async function spawnFarm(options: FarmOptions): Promise<FarmProcess> {
  const built = await bundled('../bench/farm/process.ts')
  const child = spawn(process.execPath, [built.program, JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [said] = (await once(child, 'message')) as [Omit<Farm, 'fleet'> & { readonly fleet: unknown }]
  const folder = mkdtempSync(join(tmpdir(), 'bwbench-farm-'))
  const [identityFile, fleetFile] = [join(folder, 'login'), join(folder, 'fleet.json')]
  writeFileSync(identityFile, said.login, { mode: 0o600 })
  writeFileSync(fleetFile, JSON.stringify(said.fleet).replaceAll('"LOGIN"', JSON.stringify(identityFile)))
  return {
    port: said.port,
    fingerprint: said.fingerprint,
    folder,
    identityFile,
    fleetFile,
    figures: async () => {
      child.send('figures')
      const [figures] = (await once(child, 'message')) as [FarmFigures]
      return figures
    },
    close: () => {
      child.kill()
      for (const place of [folder, built.folder]) rmSync(place, { recursive: true, force: true })
    },
  }
}
