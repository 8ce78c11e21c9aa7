import type { EngagementState } from '../../../schemas/engagement-words.ts'
import type { Engagement } from '../../../schemas/types.ts'

/** How far an engagement is declared. `isBegun`: a form of it is stored that is not complete. */
export const engagementState = (engagement: Pick<Engagement, 'status'> | null, isBegun: boolean): EngagementState =>
  engagement?.status ?? (isBegun ? 'incomplete' : 'none')

/** Whether results and reports use an engagement in this state. */
export const isDeclared = (state: EngagementState): boolean => state === 'draft' || state === 'final'
