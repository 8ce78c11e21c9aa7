import type { Engine, Reply } from '../../../../schemas/ipc.ts'
import type { PortalMethod, PortalMethods, SharedPack } from '../../../../schemas/ipc-portal.ts'
import type { TeamRole } from '../../../../schemas/ipc-team.ts'
import type { Outcome } from '../../../core/base/failure.ts'
import type { PortalEvent, PortalStep, Who } from '../../portal/events.ts'
import { mayRead, type PortalState } from '../../portal/state.ts'
import type { AuditorDesk } from './auditors.ts'
import type { openChainedFile } from './chained-file.ts'
import type { FolderDisk, SharedFolders } from './shared-folders.ts'

/** The caller of a portal method. */
export interface PortalCaller {
  readonly who: Who
  readonly role: Extract<TeamRole, 'officer' | 'auditor'>
  /** The engine of the engagement for an officer, the separate engine for an auditor. */
  readonly engine: Engine
  /** Null for an officer. */
  readonly desk: AuditorDesk | null
  /** Origin of this server, for links. */
  readonly origin: string
}

/** A file that the page downloads: a copy of a stored file, or a text. */
type PortalDownload = { readonly name: string } & ({ readonly path: string } | { readonly text: string })

/** An answer, with a file or null. */
export interface PortalAnswer<T> {
  readonly reply: Reply<T>
  readonly file: PortalDownload | null
}

export interface PortalParts {
  readonly engagement: string
  readonly folder: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** 32 random hexadecimal digits, which cannot be guessed. */
  readonly newId: () => string
  /** Called after each change: closes packs that auditors may no longer read, and notifies pages. `concerns`: whether an auditor sees the change. */
  readonly changed: (concerns: (subject: string) => boolean) => Promise<void>
  readonly disk?: FolderDisk
  readonly openLog?: typeof openChainedFile<PortalEvent>
}

export type Answers = {
  readonly [M in PortalMethod]: (
    caller: PortalCaller,
    input: PortalMethods[M]['in'],
  ) => Promise<PortalAnswer<PortalMethods[M]['out']>>
}

export interface PortalContext extends PortalParts {
  readonly folders: SharedFolders
  readonly state: () => PortalState
  readonly record: (who: Who, step: PortalStep) => Promise<Outcome<null>>
}

export const answered = <T>(reply: Reply<T>): PortalAnswer<T> => ({ reply, file: null })

/** The pack of this id if the subject may read it now, otherwise null. */
export const readable = (
  { state, now }: Pick<PortalContext, 'state' | 'now'>,
  subject: string,
  id: string,
): SharedPack | null => state().packs.find((one) => one.id === id && mayRead(state(), one, subject, now())) ?? null
