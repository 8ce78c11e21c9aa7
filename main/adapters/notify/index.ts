import type { World } from '../../core/world.ts'
import { tellCommand } from './command.ts'
import { tellSyslog } from './syslog.ts'
import { type Posting, tellWebhook } from './webhook.ts'

/** Notifies a program, a webhook or the system log: see World.notify. */
export const createNotify =
  (posting: Posting): World['notify'] =>
  async (to, notice) => {
    if (to.kind === 'command') return await tellCommand(to, notice)
    if (to.kind === 'webhook') return await tellWebhook(to, notice, posting)
    return await tellSyslog(notice)
  }
