import type { Stamping } from '../stamping.ts'
import type { EngineContext } from './context.ts'
import { readSettings } from './settings.ts'
import { trustOf } from './trust-anchors.ts'

/**
 * The time-stamp authority of the settings in a folder of the window, with the certificates that complete its chain; null where none is
 * set. Scheduled runs of the window read it when they seal.
 */
export async function windowStamping(context: Pick<EngineContext, 'ports' | 'folder'>): Promise<Stamping | null> {
  const { authority } = await readSettings(context.ports, context.folder)
  return authority === null ? null : { url: authority, certificates: (await trustOf(context)).authorities, crls: [] }
}
