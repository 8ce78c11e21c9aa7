import type { Engagement } from '../../../schemas/types.ts'

/** Missing declarations, one sentence each. None prevents the use of an engagement, but readers will request them. */
export const stillEmpty = (engagement: Engagement): readonly string[] => {
  const { boundary, ephi, population, inventory, signOff } = engagement
  const lacking: readonly (readonly [boolean, string])[] = [
    [engagement.status === 'draft', 'The engagement is a draft.'],
    [engagement.distribution === null, 'No distribution is declared.'],
    [boundary.services.length === 0, 'The boundary lists no services.'],
    [boundary.sites.length === 0, 'The boundary lists no sites.'],
    [boundary.outside.length === 0, 'The boundary lists no exclusions.'],
    [population.nodes.length === 0, 'The declared population has no nodes.'],
    [inventory === null, 'No provider inventory is supplied for reconciliation (inventory).'],
    [ephi.stores.length === 0, 'The ePHI map has no locations.'],
    [ephi.flows.length === 0, 'The ePHI map has no flows.'],
    [engagement.responsibilities.length === 0, 'No responsibilities are declared.'],
    [engagement.subserviceOrganizations.length === 0, 'No subservice organizations are declared.'],
    [engagement.complementaryUserEntityControls.length === 0, 'No complementary user entity controls are declared.'],
    [signOff.length === 0, 'No sign-off is declared.'],
    [signOff.some(({ on }) => on === null), 'A declared sign-off is not dated.'],
  ]
  return lacking.flatMap(([is, sentence]) => (is ? [sentence] : []))
}
