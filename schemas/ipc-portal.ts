import { day, exactly, handle, list, nothing, orNull, text } from './ipc-input-parts.ts'
import type { ExportedFileView, PackReview } from './ipc-packs.ts'
import type { SavedFile } from './ipc-views.ts'

/** The auditor portal: methods that a team server answers by itself. The engine of the window refuses them. */

/** Who did something on a team server, and when by its clock. */
export interface PortalMoment {
  readonly at: string
  /** As the identity provider states it. */
  readonly by: string
}

/** An export that auditors may read. */
export interface SharedPack {
  readonly id: string
  readonly run: string
  readonly shared: PortalMoment
  /** What the officer wrote to the auditors; empty where nothing. */
  readonly note: string
  /** The file that is verified and read: a redacted copy where there is one, otherwise the pack. */
  readonly pack: string
  readonly isCopy: boolean
  readonly files: readonly ExportedFileView[]
  /** The invitations that it is shared with; null: every auditor of the engagement. Auditors do not see others. */
  readonly to: readonly string[] | null
  /** Null while it is shared. Auditors see no other. */
  readonly ended: (PortalMoment & { readonly reason: string }) | null
}

/** `open`: the link can be used; `link-expired`: it was not used in time; `active`: access; `expired`: the last day is past. */
const INVITATION_STATUSES = ['open', 'link-expired', 'active', 'expired', 'withdrawn'] as const
export type InvitationStatus = (typeof INVITATION_STATUSES)[number]

/** Access to one engagement that an officer gave to an auditor. */
export interface InvitationView {
  readonly id: string
  /** Whom the officer invited, in their own words. */
  readonly label: string
  readonly invited: PortalMoment
  readonly until: string
  readonly linkUntil: string
  readonly status: InvitationStatus
  /** Who used the link. */
  readonly accepted: PortalMoment | null
  readonly ended: (PortalMoment & { readonly reason: string }) | null
}

export const REQUEST_STATUSES = ['open', 'in-progress', 'answered', 'accepted', 'returned', 'withdrawn'] as const
export type RequestStatus = (typeof REQUEST_STATUSES)[number]

/** What a request concerns, in the auditor’s words; empty where it concerns none. */
export interface RequestAbout {
  readonly control: string
  readonly node: string
  readonly check: string
  readonly period: string
}

/** What one side stated. */
export interface RequestEntry extends PortalMoment {
  readonly role: 'officer' | 'auditor'
  /** The status that it set; null for a comment. */
  readonly to: RequestStatus | null
  readonly comment: string
  /** What an answer names, as it was named at that time. */
  readonly packs: readonly { readonly id: string; readonly label: string }[]
  readonly documents: readonly { readonly id: string; readonly label: string }[]
  readonly findings: readonly { readonly id: string; readonly label: string }[]
}

/** Evidence that an auditor asked for on the server. It changes no verdict, no document and no entry of the register. */
export interface PortalRequest {
  readonly id: string
  readonly reference: string
  readonly asked: PortalMoment
  readonly title: string
  readonly text: string
  readonly about: RequestAbout
  readonly due: string
  readonly status: RequestStatus
  /** Past its due day and not closed. */
  readonly isLate: boolean
  /** For an action of the side that reads this. */
  readonly waits: boolean
  /** It does not wait for the side that reads this, but the other side commented, and this side stated nothing since. */
  readonly hasNewComment: boolean
  /** The statuses that the side that reads this may set now. */
  readonly may: readonly RequestStatus[]
  readonly isClosed: boolean
  readonly entries: readonly RequestEntry[]
}

/** The instructions for verifying a shared pack without the server, as a file of every shared pack. */
export const OFFLINE_FILE = 'verify-offline.txt'

/** Requests of auditors on a team server that await one side. No request is in two of these, except that those that are late wait, too. */
export interface RequestCounts {
  /** For an action: an answer of the officer, a review of the auditor. */
  readonly waiting: number
  /** Of those that wait, the ones past their due day. */
  readonly late: number
  /** For nothing, but the other side commented, and this side stated nothing since. */
  readonly commented: number
}

export interface PortalMethods {
  /** Officers: every pack that was ever shared. Auditors: those that are shared with them. Newest first. */
  'portal.packs': { in: null; out: readonly SharedPack[] }
  /** Shares a sealed draft; of one with a redacted copy, the copy alone. */
  'portal.share': {
    in: { readonly handle: string; readonly note: string; readonly to: readonly string[] | null }
    out: readonly SharedPack[]
  }
  'portal.unshare': { in: { readonly id: string; readonly reason: string }; out: readonly SharedPack[] }
  /** Verifies a shared pack on the server; from then on it is the open pack of this auditor. */
  'portal.open': { in: { readonly id: string }; out: PackReview }
  /** Downloads one file of a shared pack, or OFFLINE_FILE. */
  'portal.save': { in: { readonly id: string; readonly file: string }; out: SavedFile | null }
  'portal.invitations': { in: null; out: readonly InvitationView[] }
  /** Gives a link that can be used once; it is not shown again. `until` is the last day of the access, UTC. */
  'portal.invite': {
    in: { readonly label: string; readonly until: string }
    out: { readonly link: string; readonly invitations: readonly InvitationView[] }
  }
  /** Ends an access, or a link that was not used, at once. */
  'portal.end-access': { in: { readonly id: string; readonly reason: string }; out: readonly InvitationView[] }
  /** Officers: those of all auditors. Auditors: their own. Newest first. */
  'portal.requests': { in: null; out: readonly PortalRequest[] }
  /** `due`: the last day, UTC. */
  'portal.ask': {
    in: { readonly title: string; readonly text: string; readonly about: RequestAbout; readonly due: string }
    out: readonly PortalRequest[]
  }
  /** Sets a status, or comments where `to` is null. Only an answer names evidence: shared packs, documents of the register, findings of the run that is shown. */
  'portal.act': {
    in: {
      readonly id: string
      readonly to: RequestStatus | null
      readonly comment: string
      readonly packs: readonly string[]
      readonly documents: readonly string[]
      readonly findings: readonly string[]
    }
    out: readonly PortalRequest[]
  }
}

export type PortalMethod = keyof PortalMethods

/** Inputs of these methods, see INPUT_SCHEMAS. */
export const PORTAL_INPUTS: Readonly<Record<PortalMethod, object>> = {
  'portal.packs': nothing,
  'portal.share': exactly({ handle, note: text(2000, 0), to: orNull({ ...list(handle, 200), minItems: 1 }) }),
  'portal.unshare': exactly({ id: handle, reason: text(2000, 3) }),
  'portal.open': exactly({ id: handle }),
  'portal.save': exactly({ id: handle, file: text(255) }),
  'portal.invitations': nothing,
  'portal.invite': exactly({ label: text(200), until: day }),
  'portal.end-access': exactly({ id: handle, reason: text(2000, 3) }),
  'portal.requests': nothing,
  'portal.ask': exactly({
    title: text(200, 3),
    text: text(4000, 0),
    about: exactly({ control: text(200, 0), node: text(253, 0), check: text(200, 0), period: text(200, 0) }),
    due: day,
  }),
  'portal.act': exactly({
    id: handle,
    to: orNull({ enum: REQUEST_STATUSES }),
    comment: text(4000, 0),
    packs: list(handle, 50),
    documents: list(handle, 50),
    findings: list({ type: 'string', pattern: '^F-[0-9A-F]{6}$' }, 50),
  }),
}

export const isPortalMethod = (method: string): method is PortalMethod => Object.hasOwn(PORTAL_INPUTS, method)
