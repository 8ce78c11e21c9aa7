import type { Engagement, ProviderProfile } from '../../schemas/types.ts'

/** A made-up provider: a promise of every kind of answer, over checks of the made-up catalog. */
export const fakeProvider: ProviderProfile = {
  schema: 'barewitness.provider/1',
  id: 'example-metal',
  name: 'Example Metal (made up)',
  asOf: '2026-11-01',
  notes: ['Made up for tests. No provider says this.'],
  sources: [
    { id: 'page', kind: 'page', title: 'Product page', where: 'https://provider.example/metal', on: '2026-11-01' },
    { id: 'contract', kind: 'contract', title: 'Master agreement, schedule 2', where: 'page 14', on: '2026-03-01' },
  ],
  claims: [
    {
      id: 'no-hypervisor',
      text: 'Servers run without a hypervisor.',
      source: 'page',
      tests: [{ check: 'tenancy.no-hypervisor' }, { check: 'tenancy.firmware-identity' }],
      otherwise: null,
      why: null,
      documentRequired: null,
    },
    {
      id: 'one-tenant',
      text: 'One customer to a server.',
      source: 'contract',
      tests: [{ check: 'tenancy.container-census' }],
      otherwise: null,
      why: null,
      documentRequired: null,
    },
    {
      id: 'wiped-drives',
      text: 'Drives are wiped before another customer gets them.',
      source: 'contract',
      tests: [],
      otherwise: 'document-required',
      why: 'It happens when the server is no longer in the fleet.',
      documentRequired: 'The certificate of destruction, or the log of the wipe.',
    },
    {
      id: 'guarded-site',
      text: 'The data center is guarded around the clock.',
      source: 'page',
      tests: [],
      otherwise: 'not-observable',
      why: 'No server sees who stands at the door.',
      documentRequired: null,
    },
  ],
}

/** A made-up engagement, complete. */
export const fakeEngagement: Engagement = {
  schema: 'barewitness.engagement/1',
  entity: 'Example Clinic (made up)',
  audience: 'The clinic’s auditor',
  purpose: 'Evidence for the yearly audit',
  reportingBasis: { kind: 'date', date: '2026-11-20' },
  status: 'draft',
  distribution: null,
  boundary: {
    system: 'Training of imaging models on dedicated servers',
    services: ['Training'],
    sites: ['Ashburn'],
    outside: [{ what: 'Laptops', why: 'They hold no ePHI.' }],
    owner: 'M. Ortiz',
    on: '2026-11-02',
  },
  responsibilities: [
    { area: 'Firmware', provider: 'Keeps it current', customer: '-', owner: 'M. Ortiz', on: '2026-11-02' },
  ],
  subserviceOrganizations: [],
  complementaryUserEntityControls: [],
  ephi: { stores: [], flows: [], owner: 'M. Ortiz', on: '2026-11-02' },
  population: { source: 'Asset register', nodes: ['db-3', 'db-4', 'db-7'], owner: 'J. Chen', on: '2026-11-02' },
  inventory: null,
  signOff: [],
  owner: 'M. Ortiz',
  on: '2026-11-02',
}
