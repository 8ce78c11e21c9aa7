import { defineCheck } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { regionCountry } from '../isolation/regions.ts'
import { cloudInit } from '../probes/cloud-init.ts'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const locationProviderClaim = defineCheck({
  id: 'location.provider-claim',
  property: 'location',
  claim: 'The region that the provider stated to this server at first boot lies in the declared country.',
  limits:
    'A statement by the provider, kept in a file that administrators of the server can change. It names a country at best, never a building, and is to be read beside the contract.',
  needs: { claim: cloudInit },
  evaluate({ claim }, _, { node }) {
    const { present, cloudName, region, availabilityZone } = claim
    if (!present)
      return weigh([
        leavesUnclear(
          'The provider left no statement on this server (no cloud-init data), as is usual for dedicated servers.',
          cloudInit,
        ),
      ])
    const where = region ?? availabilityZone
    if (cloudName === null || where === null)
      return weigh([leavesUnclear('The provider’s data names no region.', cloudInit)])
    const said = `The provider ${quote(cloudName)} stated the region ${quote(where)}`
    const country = regionCountry(cloudName, where)
    const declared = node.location?.country
    if (declared === undefined)
      return weigh([leavesUnclear(`${said}, and no country was declared for this node.`, cloudInit)])
    if (country === null)
      return weigh([leavesUnclear(`${said}, and we do not know in which country that is.`, cloudInit)])
    return weigh([
      country === declared
        ? speaksFor(`${said}, which lies in ${country}, the declared country.`, cloudInit)
        : speaksAgainst(`${said}, which lies in ${country}; ${quote(declared)} is declared.`, cloudInit),
    ])
  },
})
