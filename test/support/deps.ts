import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSchemaValidator } from '../../main/adapters/schema-validator.ts'
import type { ConnectTarget } from '../../main/core/ports/ports.ts'
import { known, type Probe, type RunCommand } from '../../main/core/recording/probe.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import { BARE_CATALOG } from './bare-catalog.ts'

export const realClock = { now: () => new Date().toISOString(), ticks: () => process.hrtime.bigint() }
export const realEntropy = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
export const realPause = (milliseconds: number): Promise<void> => sleep(milliseconds)
export const validator = createSchemaValidator()

export const probeOf = (id: string, commands: Record<string, RunCommand>): Probe<unknown> => ({
  id,
  title: id,
  why: 'test',
  commands,
  parse: () => known(null),
})

export const catalogOf = (probes: readonly Probe<unknown>[]): Catalog => ({ ...BARE_CATALOG, probes })

export const targetOf = (name: string, changes: Partial<ConnectTarget['node']> = {}): ConnectTarget => ({
  node: { name, address: '127.0.0.1', port: 22, user: 'bwaudit', sudo: false, ...changes },
  trust: { knownHostsFiles: [] },
  credentials: { agent: false },
  transport: 'auto',
  jumps: [],
})
