import type { Method } from './ipc.ts'

/** Data and headers that the team server and a page in a browser exchange in addition to the methods of the window. */

export const TEAM_ROLES = ['officer', 'auditor', 'operator', 'administrator'] as const
export type TeamRole = (typeof TEAM_ROLES)[number]

/** The person who is signed in to the page of one engagement, and the methods that the role may call. */
export interface TeamSession {
  readonly name: string
  readonly role: TeamRole
  readonly engagement: string
  /** Sent back in TEAM_HEADERS.csrf with every call. */
  readonly csrf: string
  readonly may: readonly Method[]
}

export const TEAM_HEADERS = {
  csrf: 'x-barewitness-csrf',
  /** The name of an uploaded file, percent-encoded. */
  fileName: 'x-barewitness-file-name',
  /** The address of a file that can be downloaded after a reply, relative to the page. */
  download: 'x-barewitness-download',
  /** The upload that replaces a file chosen in a dialog. */
  upload: 'x-barewitness-upload',
  /** Present where a page asks by itself, as after an event: such a request is no use of the session. */
  unattended: 'x-barewitness-unattended',
} as const

/** Sent where a page has missed events that are no longer kept; it then loads everything again. */
export const RESYNC = 'resync'
