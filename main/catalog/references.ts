import { canonicalJson } from '../core/canonical-json.ts'
import type { ReferenceList } from '../core/catalog.ts'
import { sha256 } from '../core/digest.ts'
import endOfLife from './end-of-life.json' with { type: 'json' }
import hipaa from './frameworks/hipaa.json' with { type: 'json' }
import nprm from './frameworks/nprm.json' with { type: 'json' }
import related from './frameworks/related.json' with { type: 'json' }
import soc2 from './frameworks/soc2.json' with { type: 'json' }
import borders from './location/borders-10m.json' with { type: 'json' }
import { COUNTRY_LIST } from './location/countries.ts'
import { PROVIDER_CERTIFICATE_LIST } from './location/metadata.ts'
import { REGION_LIST } from './location/provider-signals.ts'

const listOf = (id: string, title: string, data: { readonly asOf: string }): ReferenceList => ({
  id,
  title,
  asOf: data.asOf,
  sha256: sha256(canonicalJson(data)),
})

/** Every list of the catalog that was true on a day: what changed since its source did is not in it. */
export const REFERENCES: readonly ReferenceList[] = [
  listOf('provider-regions', 'Countries of provider regions', REGION_LIST),
  listOf('provider-certificates', 'Provider certificates for identity documents', PROVIDER_CERTIFICATE_LIST),
  listOf('end-of-life', 'Vendor end-of-support dates', endOfLife),
  listOf('borders-10m', borders.title, borders),
  listOf('countries', 'Country names and country groups', COUNTRY_LIST),
  ...[hipaa, soc2, nprm, ...related.frameworks].map((data) => listOf(data.id, `Controls of: ${data.title}`, data)),
]
