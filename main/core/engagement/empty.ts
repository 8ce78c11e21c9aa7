import type { Engagement } from '../../../schemas/types.ts'

/** What nobody has declared yet, one sentence each. None of it keeps an engagement from being used; a reader will ask for it. */
export const stillEmpty = (engagement: Engagement): readonly string[] => {
  const { boundary, ephi, population, inventory, signOff } = engagement
  const lacking: readonly (readonly [boolean, string])[] = [
    [engagement.status === 'draft', 'It is a draft.'],
    [engagement.distribution === null, 'Nobody has said who may get the report.'],
    [boundary.services.length === 0, 'The boundary names no service.'],
    [boundary.sites.length === 0, 'The boundary names no site.'],
    [boundary.outside.length === 0, 'The boundary leaves nothing out.'],
    [population.nodes.length === 0, 'The declared population holds no node.'],
    [inventory === null, 'There is no list from the provider to compare with (inventory).'],
    [ephi.stores.length === 0, 'The map of ePHI has no store.'],
    [ephi.flows.length === 0, 'The map of ePHI has no flow.'],
    [engagement.responsibilities.length === 0, 'Nobody has said who does what (responsibilities).'],
    [engagement.subserviceOrganizations.length === 0, 'No subservice organization is named.'],
    [engagement.userEntityControls.length === 0, 'No user-entity control is named.'],
    [signOff.length === 0, 'Nobody is named to sign off.'],
    [signOff.some(({ on }) => on === null), 'Somebody who is named to sign off has not done so.'],
  ]
  return lacking.flatMap(([is, sentence]) => (is ? [sentence] : []))
}
