import type { ControlRole } from '../../../schemas/conclusion-words.ts'
import type { MappedControl, Mapping, MappingFile, MappingRow } from '../../../schemas/types.ts'
import { err, ok, type Result } from '../base/failure.ts'
import { imitated } from '../base/look-alike.ts'
import { plain } from '../base/plain-text.ts'
import type { Catalog } from './catalog.ts'

/** One control of an OSCAL catalog, with the members that a mapping needs. */
export interface OscalRow {
  readonly id: string
  readonly title: string
  /** Title of its group. */
  readonly group: string
}

/**
 * A problem in a mapping file and its position. `text` continues a sentence that begins with the name of the field.
 */
interface MappingProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** More rows than any framework has. Without a limit, a pack could contain more than can be laid out again. */
const MOST_MAPPED = 100_000
const MOST_ROWS_IN_ALL = 20_000

/** The reason why several mappings together are too large, worded to follow their name; null where they are not. */
export function tooLarge(mappings: readonly Pick<Mapping, 'controls'>[]): string | null {
  const rows = mappings.reduce((sum, { controls }) => sum + controls.length, 0)
  const checks = mappings.reduce(
    (sum, { controls }) => controls.reduce((own, { mappings: supports }) => own + supports.length, sum),
    0,
  )
  return rows > MOST_ROWS_IN_ALL || checks > MOST_MAPPED
    ? `have ${rows} controls with ${checks} mapped checks; the limits are ${MOST_ROWS_IN_ALL} and ${MOST_MAPPED}`
    : null
}

type Known = Pick<Catalog, 'checks' | 'frameworks' | 'offNodeChecks'>

const MOST_ROWS = 5000
const DEEPEST = 30
const NAMED = 5

/**
 * Builds a framework from a customer’s mapping and the rows of the OSCAL catalog that it names (null: none). Unknown
 * names, rows missing in the catalog, and rows of the catalog that the mapping omits are problems.
 */
export function mappingOf(
  file: MappingFile,
  catalog: readonly OscalRow[] | null,
  known: Known,
): Result<Mapping, readonly MappingProblem[]> {
  const claims = claimsOf(known)
  const rows = new Map((catalog ?? []).map((row) => [row.id, row]))
  const unnamed = [...rows.keys()].filter((id) => !file.controls.some((control) => control.id === id))
  const like = imitated(file, known.frameworks)
  const large = tooLarge([{ controls: file.controls.map((row) => controlOf(file.id, row, rows.get(row.id), claims)) }])
  const problems = [
    ...(like === null
      ? []
      : [
          {
            path: [like],
            text: known.frameworks.some(({ id }) => like === 'id' && id === file.id)
              ? `is “${file.id}”, which is a built-in framework; choose another`
              : `is “${plain(file[like])}”, which imitates a built-in framework; choose another`,
          },
        ]),
    ...(large === null ? [] : [{ path: ['controls'], text: large }]),
    ...file.controls.flatMap((row, at) => rowProblems(file, row, at, catalog === null ? null : rows, claims)),
    ...(unnamed.length > 0 && file.rest === undefined
      ? [
          {
            path: ['catalog'],
            text: `has ${unnamed.length} controls that are not mapped (${shortList(unnamed)}): map them, or set “rest: listed” or “rest: excluded”`,
          },
        ]
      : []),
  ]
  if (problems.length > 0) return err(problems)
  const listed = file.rest === 'listed' ? unnamed : []
  const excluded = file.rest === 'excluded' ? unnamed.length : 0
  return ok({
    id: file.id,
    title: file.title,
    version: file.version,
    status: 'in-use',
    proposed: false,
    source: [...(file.source ?? [])],
    notes: [
      ...(file.notes ?? []),
      ...(excluded === 0 ? [] : [`${excluded} controls of the catalog are excluded by the mapping.`]),
    ],
    controls: [
      ...file.controls.map((row) => controlOf(file.id, row, rows.get(row.id), claims)),
      ...listed.map((id) => controlOf(file.id, { id }, rows.get(id), claims)),
    ],
  })
}

/**
 * The expected conditions, by id, of all checks that can be mapped: implemented ones, and those that no node can
 * answer.
 */
const claimsOf = ({ checks, offNodeChecks }: Known): ReadonlyMap<string, string> =>
  new Map([
    ...offNodeChecks.map(({ id, why }) => [id, why] as const),
    ...checks.map(({ id, expected }) => [id, expected] as const),
  ])

function rowProblems(
  { controls }: MappingFile,
  row: MappingRow,
  at: number,
  rows: ReadonlyMap<string, OscalRow> | null,
  claims: ReadonlyMap<string, string>,
): readonly MappingProblem[] {
  const place = (...rest: readonly (string | number)[]) => ['controls', at, ...rest]
  const checks = row.checks ?? []
  const names = checks.map(checkName)
  return [
    ...(controls.findIndex(({ id }) => id === row.id) < at
      ? [{ path: place('id'), text: `is “${plain(row.id, 60)}”, which another control has` }]
      : []),
    ...(rows !== null && !rows.has(row.id)
      ? [{ path: place('id'), text: `is “${plain(row.id, 60)}”, which is not in the OSCAL catalog` }]
      : []),
    ...(rows === null && row.title === undefined ? [{ path: place(), text: 'lacks “title”' }] : []),
    ...names.flatMap((name, index) =>
      claims.has(name)
        ? names.indexOf(name) < index
          ? [{ path: place('checks', index), text: `names “${name}” twice` }]
          : []
        : [{ path: place('checks', index), text: `is “${plain(name, 100)}”, which is not in this catalog` }],
    ),
    ...(checks.length > 0 && row.notCovered === undefined
      ? [{ path: place(), text: 'lacks “notCovered”: what the checks do not cover of this control' }]
      : []),
    ...(classOf(row) === 'mixed' && (row.documentsRequired ?? []).length === 0
      ? [
          {
            path: place(),
            text: 'lacks “documentsRequired”: required documents; if none, set “evidenceType: technical”',
          },
        ]
      : []),
  ]
}

/**
 * A check without a role decides, unless the row states that its evidence is background or that no check decides it.
 */
const roleIn = (row: MappingRow): ControlRole =>
  row.evidence === 'context' || row.evidence === 'none' || classOf(row) === 'documentary' ? 'context' : 'required'

const checkName = (check: NonNullable<MappingRow['checks']>[number]): string =>
  typeof check === 'string' ? check : check.check

const classOf = ({ evidenceType: chosen, checks = [] }: MappingRow): MappedControl['evidenceType'] =>
  chosen ?? (checks.length > 0 ? 'mixed' : 'documentary')

function controlOf(
  framework: string,
  row: MappingRow,
  oscal: OscalRow | undefined,
  claims: ReadonlyMap<string, string>,
): MappedControl {
  const checks = row.checks ?? []
  return {
    key: `${framework}:${row.id}`,
    id: row.id,
    title: row.title ?? oscal?.title ?? row.id,
    summary: row.summary ?? '',
    kind: 'row',
    level: row.level ?? 'mapped',
    group: row.group ?? oscal?.group ?? '–',
    parent: null,
    evidenceType: classOf(row),
    nodeEvidence: row.evidence ?? (checks.length > 0 ? 'supporting' : 'none'),
    mappings: checks.map((check) => ({
      check: checkName(check),
      shows: typeof check === 'string' ? (claims.get(check) ?? '') : check.shows,
      role: (typeof check === 'string' ? undefined : check.role) ?? roleIn(row),
    })),
    notCovered: row.notCovered ?? 'No check is mapped to this row. It rests on records.',
    documentsRequired: [...(row.documentsRequired ?? [])],
    responsibility: [...(row.responsibility ?? ['customer'])],
    refs: {},
  }
}

/** A mapping in file form; reading it again gives the same framework, without the OSCAL catalog. */
export const mappingFileOf = ({ id, title, version, source, notes, controls }: Mapping): MappingFile => ({
  id,
  title,
  version,
  source,
  notes,
  controls: controls.map(
    ({ key: _, kind: __, parent: ___, refs: ____, mappings, nodeEvidence: evidence, ...row }): MappingRow => ({
      ...row,
      evidence,
      checks: mappings,
    }),
  ),
})

const shortList = (ids: readonly string[]): string =>
  `${ids
    .slice(0, NAMED)
    .map((id) => plain(id, 60))
    .join(', ')}${ids.length > NAMED ? ' …' : ''}`

/**
 * The controls of an OSCAL catalog (JSON: catalog → groups → controls, both nested; OSCAL 1.x) in its order, or the
 * reason why it cannot be used. Withdrawn controls (property `status` with value `withdrawn`) are omitted.
 */
export function oscalRows(value: unknown): Result<readonly OscalRow[], string> {
  const { catalog } = (value ?? {}) as { catalog?: unknown }
  if (typeof catalog !== 'object' || catalog === null) return err('it is not an OSCAL catalog in JSON')
  const rows: OscalRow[] = []
  const complaint = collect(catalog, '–', 0, rows)
  if (complaint !== null) return err(complaint)
  if (rows.length === 0) return err('it contains no controls')
  const twice = rows.find(({ id }, at) => rows.findIndex((other) => other.id === id) < at)
  return twice === undefined ? ok(rows) : err(`control “${plain(twice.id, 60)}” occurs twice`)
}

function collect(part: object, group: string, depth: number, rows: OscalRow[]): string | null {
  if (depth > DEEPEST) return 'its groups are nested too deeply'
  const { groups, controls } = part as { groups?: unknown; controls?: unknown }
  for (const one of listOf(controls)) {
    const { id, title } = one as { id?: unknown; title?: unknown }
    if (typeof id !== 'string' || typeof title !== 'string' || id === '' || id.length > 60)
      return 'a control has no valid ID and title'
    if (!isWithdrawn(one)) rows.push({ id, title: plain(title, 290), group: plain(group, 190) })
    if (rows.length > MOST_ROWS) return `it has more than ${MOST_ROWS} controls`
    const inner = collect(one, group, depth + 1, rows)
    if (inner !== null) return inner
  }
  for (const one of listOf(groups)) {
    const { title } = one as { title?: unknown }
    const inner = collect(one, typeof title === 'string' && title !== '' ? title : group, depth + 1, rows)
    if (inner !== null) return inner
  }
  return null
}

const listOf = (value: unknown): readonly object[] =>
  Array.isArray(value) ? value.filter((one): one is object => typeof one === 'object' && one !== null) : []

const isWithdrawn = (control: object): boolean =>
  listOf((control as { props?: unknown }).props).some((prop) => {
    const { name, value } = prop as { name?: unknown; value?: unknown }
    return name === 'status' && String(value).toLowerCase() === 'withdrawn'
  })
