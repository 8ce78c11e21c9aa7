import type { EngagementMethods } from './ipc-engagement.ts'
import { exactly, framework, list, nodes, nothing, orNull, source, text } from './ipc-input-parts.ts'

/** SOC 2 categories in addition to Security, as the engagement schema has them. */
const ELECTIVE = ['availability', 'confidentiality', 'processing-integrity', 'privacy'] as const
/** A form is kept while it is filled in: a text or a day may still be empty. What is missing then is reported, not refused. */
const words = (maxLength: number): object => text(maxLength, 0)
const day = { type: 'string', pattern: '^([0-9]{4}-[0-9]{2}-[0-9]{2})?$' } as const
const owned = { owner: words(200), on: day } as const
const several = (items: object, maxItems: number): object => ({ type: 'array', items, maxItems })
const rows = several(exactly({ framework, control: text(100) }), 100)

const questions = {
  entity: words(300),
  audience: words(500),
  purpose: words(1000),
  reportingBasis: {
    oneOf: [
      exactly({ kind: { const: 'date' }, date: day }),
      exactly({ kind: { const: 'period' }, from: day, to: day }),
    ],
  },
  status: { enum: ['draft', 'final'] },
  distribution: orNull(words(500)),
  boundary: exactly({
    system: words(2000),
    services: several(words(300), 100),
    sites: several(words(300), 100),
    outside: several(exactly({ what: words(300), why: words(1000) }), 100),
    ...owned,
  }),
  responsibilities: several(exactly({ area: words(200), provider: words(1000), customer: words(1000), ...owned }), 100),
  subserviceOrganizations: several(
    exactly({
      name: words(200),
      services: words(1000),
      method: { enum: ['carve-out', 'inclusive'] },
      report: orNull(exactly({ title: words(300), from: day, to: day, bridgedUntil: orNull(day) })),
      controls: several(exactly({ text: words(1000), controls: rows }), 200),
      ...owned,
    }),
    50,
  ),
  complementaryUserEntityControls: several(
    exactly({
      id: words(60),
      of: words(200),
      text: words(1000),
      controls: rows,
      checks: several(text(100), 100),
      ...owned,
    }),
    300,
  ),
  ephi: exactly({
    stores: several(exactly({ name: words(200), path: words(4096), nodes, what: words(1000) }), 1000),
    flows: several(exactly({ name: words(200), from: words(300), to: words(300), protection: words(500) }), 1000),
    ...owned,
  }),
  population: exactly({ source: words(500), nodes, ...owned }),
  signOff: several(
    exactly({
      role: { enum: ['collector', 'reviewer', 'approver', 'qualified-person'] },
      name: words(200),
      title: words(200),
      on: orNull(day),
    }),
    20,
  ),
  ...owned,
}

/** A form kept before categories and fieldwork were asked for has none. */
const form = {
  ...exactly(questions),
  properties: { ...questions, categories: list({ enum: ELECTIVE }, ELECTIVE.length), fieldwork: orNull(day) },
}

export const ENGAGEMENT_INPUTS: Readonly<Record<keyof EngagementMethods, object>> = {
  'engagement.get': exactly({ of: source }),
  'engagement.set': form,
  'engagement.import-choose': nothing,
  'inventory.import-choose': exactly({
    source: text(300),
    kind: { enum: ['portal-export', 'invoice', 'order'] },
    owner: text(200),
    on: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
  }),
  'inventory.leave-out': exactly({ id: text(200), why: orNull(text(1000, 3)) }),
  'coverage.get': exactly({ of: source }),
  'provider.list': nothing,
  'provider.choose': exactly({ id: orNull({ type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,39}$' }) }),
  'provider.import-choose': nothing,
  'mappings.list': nothing,
  'mappings.import-choose': nothing,
  'mappings.remove': exactly({ id: framework }),
  'claims.get': exactly({ of: source }),
  'claims.answers': exactly({
    of: source,
    claim: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,59}$' },
  }),
}
