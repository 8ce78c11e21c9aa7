import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { locationEgressPath } from '../checks/location-egress-path.ts'
import { locationIpRegistry } from '../checks/location-ip-registry.ts'
import { locationLocaleHints } from '../checks/location-locale-hints.ts'
import { locationProviderClaim } from '../checks/location-provider-claim.ts'
import { locationResidency } from '../checks/location-residency.ts'
import { locationRttBound } from '../checks/location-rtt-bound.ts'
import { locationSiteRecord } from '../checks/location-site-record.ts'
import { locationStorageEndpoints } from '../checks/location-storage-endpoints.ts'
import { locationTpmGeotag } from '../checks/location-tpm-geotag.ts'
import { cloudInit } from '../probes/cloud-init.ts'
import { dmiTags } from '../probes/dmi-tags.ts'
import { dnsSearch } from '../probes/dns-search.ts'
import { identityDocument } from '../probes/identity-document.ts'
import { METADATA_PROBES } from '../probes/metadata.ts'
import { netLldpNetworkd } from '../probes/net-lldp-networkd.ts'
import { netLldpPlace } from '../probes/net-lldp-place.ts'
import { nonceEcho } from '../probes/nonce-echo.ts'
import { timezone } from '../probes/timezone.ts'
import { tpmTag } from '../probes/tpm-tag.ts'

/** Where the node is. Interfaces, connections, mounts and serial numbers that it is also argued from are listed elsewhere. */
export const probes: readonly Probe<unknown>[] = [
  nonceEcho,
  cloudInit,
  identityDocument,
  dmiTags,
  netLldpPlace,
  netLldpNetworkd,
  dnsSearch,
  timezone,
  tpmTag,
  ...METADATA_PROBES,
]

export const checks: readonly Check[] = [
  locationRttBound,
  locationResidency,
  locationProviderClaim,
  locationSiteRecord,
  locationIpRegistry,
  locationEgressPath,
  locationStorageEndpoints,
  locationTpmGeotag,
  locationLocaleHints,
]
