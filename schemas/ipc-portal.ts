import { day, exactly, handle, list, nothing, orNull, text } from './ipc-input-parts.ts'
import type { ExportedFileView, PackReview } from './ipc-packs.ts'
import type { SavedFile } from './ipc-views.ts'

/** The auditor portal: methods that the team server itself answers. The engine of the window refuses them. */

/** Person and time of an action on a team server, by its clock. */
export interface PortalMoment {
  readonly at: string
  /** Name at the identity provider. */
  readonly by: string
}

/** An export that auditors may read. */
export interface SharedPack {
  readonly id: string
  readonly run: string
  readonly shared: PortalMoment
  /** Note of the officer to the auditors; may be empty. */
  readonly note: string
  /** The file that auditors verify and read: the redacted copy where there is one, otherwise the pack. */
  readonly pack: string
  readonly isCopy: boolean
  readonly files: readonly ExportedFileView[]
  /** The invitations that it is shared with; null: every auditor of the engagement. Always null for auditors, who see no other recipients. */
  readonly to: readonly string[] | null
  /** Null while it is shared. Auditors see only shared packs. */
  readonly ended: (PortalMoment & { readonly reason: string }) | null
}

/** `open`: the link can be used; `link-expired`: it was not used in time; `active`: access; `expired`: the last day is past. */
const INVITATION_STATUSES = ['open', 'link-expired', 'active', 'expired', 'withdrawn'] as const
export type InvitationStatus = (typeof INVITATION_STATUSES)[number]

/** Access to one engagement that an officer granted to an auditor. */
export interface InvitationView {
  readonly id: string
  /** The invited person, in the officer’s words. */
  readonly label: string
  readonly invited: PortalMoment
  /** The last moment of the access. */
  readonly until: string
  /** The last moment at which the link can be used. */
  readonly linkUntil: string
  readonly status: InvitationStatus
  /** The person who used the link. */
  readonly accepted: PortalMoment | null
  readonly ended: (PortalMoment & { readonly reason: string }) | null
}

export const REQUEST_STATUSES = ['open', 'in-progress', 'answered', 'accepted', 'returned', 'withdrawn'] as const
export type RequestStatus = (typeof REQUEST_STATUSES)[number]

/** Subjects of a request, in the auditor’s words; each may be empty. */
export interface RequestAbout {
  readonly control: string
  readonly node: string
  readonly check: string
  readonly period: string
}

export interface NamedEvidence {
  readonly id: string
  readonly label: string
}

/** An entry of one side. */
export interface RequestEntry extends PortalMoment {
  readonly role: 'officer' | 'auditor'
  /** The status that it set; null for a comment. */
  readonly to: RequestStatus | null
  readonly comment: string
  /** Evidence that an answer names, with the labels at that time. */
  readonly packs: readonly NamedEvidence[]
  readonly documents: readonly NamedEvidence[]
  readonly findings: readonly NamedEvidence[]
}

/** A request of an auditor for evidence on the server. It changes no verdict, no document and no entry of the register. */
export interface PortalRequest {
  readonly id: string
  /** AR- and its number among the requests of its auditor. */
  readonly reference: string
  readonly asked: PortalMoment
  readonly title: string
  readonly text: string
  readonly about: RequestAbout
  /** The last day, UTC: 2027-03-01. */
  readonly due: string
  readonly status: RequestStatus
  /** Whether it is past its due day and not closed. */
  readonly isLate: boolean
  /** Whether it waits for the side that reads this. */
  readonly waits: boolean
  /** Whether it waits for the other side, which commented after the last entry of the side that reads this. */
  readonly hasNewComment: boolean
  /** The statuses that the side that reads this may set now. */
  readonly may: readonly RequestStatus[]
  readonly isClosed: boolean
  /** Oldest first. */
  readonly entries: readonly RequestEntry[]
}

/** The instructions for verifying a shared pack without the server, as a file of every shared pack. */
export const OFFLINE_FILE = 'verify-offline.txt'

/** Counts of requests on a team server for one side. Only late requests are in two counts, since they also wait. */
export interface RequestCounts {
  /** Requests that wait for an answer of the officer, or for a review of the auditor. */
  readonly waiting: number
  /** Waiting requests past their due day. */
  readonly late: number
  /** Requests that wait for the other side, which commented after the last entry of this side. */
  readonly commented: number
}

export interface PortalMethods {
  /** For officers, all packs that were ever shared; for auditors, those shared with them. Newest first. */
  'portal.packs': { in: null; out: readonly SharedPack[] }
  /** Shares a sealed draft; if it has a redacted copy, only the copy. */
  'portal.share': {
    in: { readonly handle: string; readonly note: string; readonly to: readonly string[] | null }
    out: readonly SharedPack[]
  }
  'portal.unshare': { in: { readonly id: string; readonly reason: string }; out: readonly SharedPack[] }
  /** Verifies a shared pack on the server, which becomes the open pack of this auditor. */
  'portal.open': { in: { readonly id: string }; out: PackReview }
  /** Downloads one file of a shared pack, or OFFLINE_FILE. */
  'portal.save': { in: { readonly id: string; readonly file: string }; out: SavedFile | null }
  'portal.invitations': { in: null; out: readonly InvitationView[] }
  /** Creates a link that can be used once and is not shown again. `until` is the last day of the access (UTC). */
  'portal.invite': {
    in: { readonly label: string; readonly until: string }
    out: { readonly link: string; readonly invitations: readonly InvitationView[] }
  }
  /** Ends an access or an unused link immediately. */
  'portal.end-access': { in: { readonly id: string; readonly reason: string }; out: readonly InvitationView[] }
  /** For officers, the requests of all auditors; for auditors, their own. Newest first. */
  'portal.requests': { in: null; out: readonly PortalRequest[] }
  /** `due`: the last day, UTC. */
  'portal.ask': {
    in: { readonly title: string; readonly text: string; readonly about: RequestAbout; readonly due: string }
    out: readonly PortalRequest[]
  }
  /**
   * Sets a status, or comments where `to` is null. Only an answer names evidence: shared packs, documents of the register, findings of the run
   * that is shown.
   */
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
