import { mkdir } from 'node:fs/promises'
import type { Engine } from '../../../../schemas/ipc.ts'
import { RESYNC } from '../../../../schemas/ipc-team.ts'
import type { EngineEvent } from '../../../../schemas/ipc-views.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { folderIn } from '../../../core/base/layout.ts'
import { type EventBuffer, eventBuffer } from '../../event-buffer.ts'

/** An engine with its events, which the pages of one or several people read from. */
export interface Desk {
  readonly engine: Engine
  readonly events: EventBuffer
  /** Called with each event as it is sent to pages. */
  readonly streams: Set<(text: string) => void>
}

/** Sends an event to the pages of a desk. */
export function notifyDesk({ events, streams }: Pick<Desk, 'events' | 'streams'>, event: EngineEvent): void {
  const text = events.add(event)
  for (const send of streams) send(text)
}

/** The desk of one auditor: an engine with a separate folder, which contains no fleet, evidence or register. */
export interface AuditorDesk extends Desk {
  /** The shared pack that is open, or null. */
  share: string | null
  /** Shared packs that are being verified. */
  readonly opening: Set<string>
}

export interface AuditorDesks {
  /** Opens the desk of a subject, or returns the open one. Fails with access.refused where too many are in use, and with store.failed. */
  readonly enter: (subject: string) => Promise<Outcome<AuditorDesk>>
  /** Closes packs that their auditor may no longer read, with the engines that have their content in memory. */
  readonly closePacks: () => Promise<void>
  /** Sends an event to the pages of the auditors that it concerns. */
  readonly notify: (event: EngineEvent, concerns: (subject: string) => boolean) => void
  readonly close: () => Promise<void>
}

interface AuditorParts {
  /** Folder of the engagement. */
  readonly folder: string
  /** Opens an engine over a folder. */
  readonly open: (folder: string) => Promise<Engine>
  /** Whether an auditor may read a shared pack now. */
  readonly mayRead: (subject: string, share: string) => boolean
  /** Distinguishes the events of this start of the server from those of earlier ones. */
  readonly started: string
}

/** Maximum number of open engines: each may have a whole pack in memory. */
const MOST_OPEN = 16

/** The folder of an auditor. Its name is a digest, because a subject may be any text. */
const folderOf = (folder: string, subject: string): string =>
  `${folderIn(folder, 'auditors')}/${sha256(`auditor ${subject}`).slice(0, 32)}`

export function auditorDesks({ folder, open, mayRead, started }: AuditorParts): AuditorDesks {
  /** In the order of last entry, the least recent first. */
  const desks = new Map<string, Promise<AuditorDesk>>()
  const opened = async (subject: string): Promise<AuditorDesk> => {
    const own = folderOf(folder, subject)
    await mkdir(own, { recursive: true, mode: 0o700 })
    const engine = await open(own)
    const desk: AuditorDesk = {
      engine,
      events: eventBuffer(started),
      streams: new Set(),
      share: null,
      opening: new Set(),
    }
    engine.onEvent((event) => notifyDesk(desk, event))
    return desk
  }
  const drop = async (subject: string, desk: AuditorDesk): Promise<void> => {
    desks.delete(subject)
    await desk.engine.close()
  }
  const isOver = (subject: string, { share, opening }: AuditorDesk): boolean =>
    [...opening, ...(share === null ? [] : [share])].some((one) => !mayRead(subject, one))
  /** Makes the pages of this auditor load everything again, without an open pack. */
  const closePack = async (subject: string, desk: AuditorDesk): Promise<void> => {
    for (const send of desk.streams) send(`event: ${RESYNC}\ndata: null\n\n`)
    await drop(subject, desk)
  }
  const makeRoom = async (): Promise<boolean> => {
    for (const [subject, promised] of desks) {
      if (desks.size < MOST_OPEN) break
      const desk = await promised
      if (desk.streams.size === 0) await drop(subject, desk)
    }
    return desks.size < MOST_OPEN
  }
  return {
    enter: async (subject) => {
      const before = await desks.get(subject)?.catch(() => undefined)
      // Also without a change of the portal: an access ends at its last moment.
      if (before !== undefined && isOver(subject, before)) await closePack(subject, before)
      const there = desks.get(subject)
      if (there === undefined && !(await makeRoom()))
        return fail('access.refused', 'too many auditors are connected; try again later')
      const desk = desks.get(subject) ?? opened(subject)
      desks.delete(subject)
      desks.set(subject, desk)
      try {
        return ok(await desk)
      } catch {
        desks.delete(subject)
        return fail('store.failed', 'the folder of this auditor cannot be opened')
      }
    },
    closePacks: async () => {
      for (const [subject, promised] of desks) {
        const desk = await promised.catch(() => null)
        if (desk !== null && isOver(subject, desk)) await closePack(subject, desk)
      }
    },
    notify: (event, concerns) => {
      for (const [subject, promised] of desks)
        if (concerns(subject)) void promised.then((desk) => notifyDesk(desk, event)).catch(() => undefined)
    },
    close: async () => {
      for (const promised of desks.values()) await promised.then(({ engine }) => engine.close()).catch(() => undefined)
    },
  }
}
