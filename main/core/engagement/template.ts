import type { Engagement } from '../../../schemas/types.ts'

/** Missing declarations, one sentence each. None prevents the use of an engagement, but readers ask for them. */
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

type Fields = Readonly<Record<string, unknown>>

/**
 * A typed engagement with optional parts filled in: omitted or blank lists and records, `kind` of the
 * reporting basis from its content, the owner and date of an empty ePHI map, and node names in lower
 * case as in fleet files. Values of another form are unchanged, so that the schema reports them.
 */
export function withDefaults(file: Fields): Fields {
  const given = known(file)
  const { owner, on } = given
  return {
    schema: 'barewitness.engagement/1',
    status: 'draft',
    distribution: null,
    ephi: { stores: [], flows: [], owner, on },
    inventory: null,
    ...given,
    ...changed(given, 'reportingBasis', basis),
    ...changed(given, 'boundary', (part) => filled(part, { services: [], sites: [], outside: [] })),
    ...changed(given, 'ephi', (part) => {
      const map = filled(part, { stores: [], flows: [] })
      return { ...map, stores: each(map.stores, withNodes) }
    }),
    ...changed(given, 'population', withNodes),
    responsibilities: each(given.responsibilities ?? [], known),
    subserviceOrganizations: each(given.subserviceOrganizations ?? [], subservice),
    complementaryUserEntityControls: each(given.complementaryUserEntityControls ?? [], (part) =>
      filled(part, { controls: [], checks: [] }),
    ),
    signOff: each(given.signOff ?? [], (part) => filled(part, { on: null })),
  }
}

/** A blank field counts as omitted. */
const known = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

const filled = (fields: Fields, defaults: Fields): Fields => ({ ...defaults, ...known(fields) })

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Changes one field that is an object. */
const changed = (fields: Fields, name: string, change: (part: Fields) => Fields): Fields => {
  const part = fields[name]
  return isFields(part) ? { [name]: change(part) } : {}
}

const each = (list: unknown, change: (part: Fields) => Fields): unknown =>
  Array.isArray(list) ? list.map((part: unknown) => (isFields(part) ? change(part) : part)) : list

const basis = (part: Fields): Fields => filled(part, { kind: 'date' in part ? 'date' : 'period' })

const withNodes = (part: Fields): Fields =>
  Array.isArray(part.nodes)
    ? {
        ...known(part),
        nodes: part.nodes.map((name: unknown) => (typeof name === 'string' ? name.trim().toLowerCase() : name)),
      }
    : known(part)

const subservice = (part: Fields): Fields => {
  const one = filled(part, { report: null, controls: [] })
  return {
    ...one,
    ...changed(one, 'report', (report) => filled(report, { bridgedUntil: null })),
    controls: each(one.controls, (control) => filled(control, { controls: [] })),
  }
}

/**
 * A template for an engagement file: required values are present and empty, all else is an example after `#`. Removing the `#`
 * enables the example; explanations have a blank after it. `today` is a UTC date.
 */
export const engagementTemplate = (
  today: string,
): string => `# What this audit is about, in your words. Fill in the empty quotation marks, then run
# "barewitness engagement check" on this file: it lists, line by line, what is still missing.
# Name this file in your fleet file, as "engagement: engagement.yaml".
# Days are written year, month, day, such as ${today}. Every part names who is responsible for it (owner) and since when it applies (on).

# Whose servers these are, who will read the report, and what for.
entity: ""
audience: ""
purpose: ""

# Either one day, or a period: { from: 2026-01-01, to: 2026-12-31 }. One collection shows one day, whatever the period.
reportingBasis: { date: ${today} }

owner: ""
on: ${today}

# The first day of the auditor's fieldwork: the window counts the days until then.
#fieldwork: ${today}

# draft or final; and who may get the report, where that is limited.
#status: draft
#distribution: Our company and its auditor only

# What the system is. Services and sites are named as you name them elsewhere; what is left out needs a reason.
boundary:
  system: ""
#  services: [Model training]
#  sites: [Ashburn]
#  outside:
#    - { what: Office laptops, why: They hold no health data. }
  owner: ""
  on: ${today}

# The servers that are meant to be covered, by the names that the fleet file has, and where that list comes from.
# A server that is listed here and was not collected counts as missing.
population:
  source: ""
  nodes: []
  owner: ""
  on: ${today}

# Your provider's own list of what you rent: an export of its portal, an invoice or an order, saved as CSV in the folder of this file. Every line of it
# has to be one of your servers, or be left out with a reason. Until then no control is shown as supported.
# Columns are found by their usual headings; name them where they have others. A line without an id is called by its place, such as "line 7".
#inventory:
#  source: Invoice 2026-11 of the provider
#  kind: invoice
#  file: invoice.csv
#  columns: { id: Service ID, name: Hostname, address: IP Address, serial: Service Tag }
#  excluded:
#    - { id: S-1003, why: Backup space; no server. }
#  owner: M. Ortiz
#  on: ${today}

# Where health data (ePHI) lies, and which ways it takes. Name each path in the fleet file as well (ephiPaths), and each port that receives ePHI (ephiFlows): only these are asked about.
#ephi:
#  stores:
#    - { name: Training set, path: /data/ephi, nodes: [gpu-01], what: Imaging studies }
#  flows:
#    - { name: Upload, from: Hospital, to: gpu-01, protection: SSH }
#  owner: M. Ortiz
#  on: ${today}

# Who does what: your provider and you. A dash means no party.
#responsibilities:
#  - { area: Building and power, provider: Runs both., customer: "-", owner: M. Ortiz, on: ${today} }

# Organizations whose controls you rely on. carve-out: their own report covers them; inclusive: this audit covers them.
# bridgedUntil: the day that a letter extends their report to.
#subserviceOrganizations:
#  - name: Your provider
#    services: Dedicated servers
#    method: carve-out
#    report: { title: SOC 2 Type 2, from: 2025-10-01, to: 2026-09-30, bridgedUntil: 2026-12-31 }
#    controls:
#      - { text: Guards who enters the building., controls: [{ framework: hipaa, control: 164.310(a)(1) }] }
#    owner: M. Ortiz
#    on: ${today}

# What your provider's report asks of you, and which rows and checks are relevant to it ("barewitness catalog checks" lists them).
#complementaryUserEntityControls:
#  - id: CUEC-1
#    of: Your provider
#    text: Customers manage who may log in.
#    controls: [{ framework: soc2, control: CC6.1 }]
#    checks: [access.sshd.root-login]
#    owner: M. Ortiz
#    on: ${today}

# Who collected, reviewed and approved: collector, reviewer, approver or qualified-person. Leave "on" out until it is done.
#signOff:
#  - { role: collector, name: M. Ortiz, title: Compliance officer }
`
