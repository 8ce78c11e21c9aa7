import type { Method } from './ipc.ts'

/** What the team server and a page in a browser exchange besides the methods of the window. */

export const TEAM_ROLES = ['officer', 'auditor', 'operator', 'administrator'] as const
export type TeamRole = (typeof TEAM_ROLES)[number]

/** Who is signed in to the page of one engagement, and what that role may call. */
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
  /** The address of the file that a reply leaves to be downloaded, relative to the page. */
  download: 'x-barewitness-download',
  /** The upload that takes the place of a file chosen in a dialog. */
  upload: 'x-barewitness-upload',
} as const

/** Sent instead of events that a page has missed and that are kept no longer: it loads everything again. */
export const RESYNC = 'resync'
