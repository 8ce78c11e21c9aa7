import type { Ports } from '../../core/all-ports.ts'
import { tellCommand } from './command.ts'
import { tellSyslog } from './syslog.ts'
import { type Posting, tellWebhook } from './webhook.ts'

/** Notifies a program, a webhook or the system log: see Ports.notify. */
export const createNotify =
  (posting: Posting): Ports['notify'] =>
  async (to, notice) => {
    if (to.kind === 'command') return await tellCommand(to, notice)
    if (to.kind === 'webhook') return await tellWebhook(to, notice, posting)
    return await tellSyslog(notice)
  }
