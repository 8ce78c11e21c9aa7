import type { InvitationStatus } from './ipc-portal.ts'

/** Words of the auditor portal. */

export const invitationStatusWords: Readonly<Record<InvitationStatus, string>> = {
  open: 'Invited, link not used',
  'link-expired': 'Link expired',
  active: 'Has access',
  expired: 'Access ended',
  withdrawn: 'Withdrawn',
}
