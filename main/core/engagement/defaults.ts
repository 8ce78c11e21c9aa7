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
