import type { InvitationStatus, RequestStatus } from './ipc-portal.ts'

/** Words of the auditor portal. */

export const invitationStatusWords: Readonly<Record<InvitationStatus, string>> = {
  open: 'Invited, link not used',
  'link-expired': 'Link expired',
  active: 'Has access',
  expired: 'Access ended',
  withdrawn: 'Withdrawn',
}

export const requestStatusWords: Readonly<Record<RequestStatus, string>> = {
  open: 'Open',
  'in-progress': 'In progress',
  answered: 'Answered',
  accepted: 'Accepted',
  returned: 'Returned',
  withdrawn: 'Withdrawn',
}

/** What sets each status, as a verb. */
export const requestVerbs: Readonly<Record<Exclude<RequestStatus, 'open'>, string>> = {
  'in-progress': 'Set in progress',
  answered: 'Answer',
  accepted: 'Accept answer',
  returned: 'Return answer',
  withdrawn: 'Withdraw request',
}
