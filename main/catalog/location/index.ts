import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import {
  locationLocaleHints,
  locationProviderClaim,
  locationResidency,
  locationRttBound,
  locationTpmGeotag,
} from './checks.ts'
import { locationEgressPath, locationIpRegistry, locationStorageEndpoints } from './network-checks.ts'
import {
  dnsSearch,
  identityDocument,
  metadataAws,
  metadataAzure,
  metadataGcp,
  metadataHetzner,
  metadataOci,
  metadataVultr,
  timezone,
  tpmTag,
} from './probes.ts'
import { locationSiteRecord } from './site-record.ts'

export const locationSubject = defineSubject({
  id: 'location',
  title: 'Location',
  probes: [
    identityDocument,
    dnsSearch,
    timezone,
    tpmTag,
    metadataAws,
    metadataGcp,
    metadataAzure,
    metadataOci,
    metadataVultr,
    metadataHetzner,
  ],
  checks: [
    locationRttBound,
    locationResidency,
    locationProviderClaim,
    locationSiteRecord,
    locationIpRegistry,
    locationEgressPath,
    locationStorageEndpoints,
    locationTpmGeotag,
    locationLocaleHints,
  ],
  data,
})
