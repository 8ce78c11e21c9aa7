import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

// Counts a pack over again from its files, with nothing of ours but the names of fields: what a report prints is held against this.

interface Result {
  readonly check: string
  readonly verdict: string
}

interface Node {
  readonly node: string
  readonly status: string
  readonly recording: object | null
  readonly results: readonly Result[]
  readonly claims?: readonly { readonly claim: string; readonly result: string }[]
  readonly machine?: { readonly address: string | null; readonly serials: readonly string[] }
}

interface Row {
  readonly id: string
  readonly key: string
  readonly title: string
  readonly evidenceType: string
  readonly level: string
  readonly category?: string
  readonly scope?: string
  readonly documentsRequired: readonly string[]
  readonly requests?: Readonly<Record<string, readonly string[]>>
  readonly mappings: readonly { readonly check: string; readonly shows: string; readonly role: string }[]
}

interface Catalog {
  readonly requests: readonly {
    readonly id: string
    readonly title: string
    readonly minimum: string
    readonly heldBy: string
    readonly serves: readonly string[]
  }[]
  readonly offNodeChecks: readonly { readonly id: string; readonly source: string }[]
  readonly conclusions: { readonly periodChecks: readonly string[] }
  readonly severities: readonly { readonly check: string; readonly severity: string }[]
  readonly checks: readonly {
    readonly id: string
    readonly property: string
    readonly expected: string
    readonly limitations: string
  }[]
  readonly frameworks: readonly { readonly id: string; readonly title: string; readonly controls: readonly Row[] }[]
}

interface Ending {
  readonly expiresAt: string
  readonly withdrawn: object | null
}

interface Register {
  readonly decisions: readonly (Ending & {
    readonly framework: string
    readonly control: string
    readonly decision: string
  })[]
  readonly riskAcceptances: readonly (Ending & { readonly check: string; readonly nodes: readonly string[] })[]
  readonly documents: readonly {
    readonly attachedAt: string
    readonly controls: readonly { readonly framework: string; readonly control: string }[]
    readonly level?: string
    readonly inspection?: { readonly at: string; readonly conclusion: string }
    readonly answers?: object
    readonly need: string | null
    readonly validUntil: string | null
    readonly withdrawn: object | null
  }[]
  readonly documentRequests: readonly {
    readonly framework: string
    readonly control: string
    readonly need: string
    readonly due: string
  }[]
}

interface Scope {
  readonly asOf: string
  readonly frameworks: readonly string[]
  readonly population: readonly string[]
  readonly inFleet?: readonly string[]
  readonly engagement: {
    readonly categories?: readonly string[]
    readonly reportingBasis: { readonly kind: string }
    readonly population: { readonly nodes: readonly string[] }
    readonly inventory: { readonly excluded: readonly { readonly id: string }[] }
  }
  readonly provider: { readonly claims: readonly { readonly id: string; readonly text: string }[] }
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Everything of an unpacked pack that a report counts, counted anew. */
export function recount(pack: string) {
  const path = (...parts: string[]): string => join(pack, ...parts)
  const read = (...parts: string[]): string => readFileSync(path(...parts), 'utf8')
  const json = <T>(...parts: string[]): T => JSON.parse(read(...parts)) as T
  const catalog = json<Catalog>('data', 'catalog.json')
  const scope = json<Scope>('data', 'scope.json')
  const register = json<Register>('data', 'register.json')
  const names = readdirSync(path('data', 'nodes')).sort()
  const nodes = names.map((name) => json<Node>('data', 'nodes', name, 'assessment.json'))
  const answered = nodes.filter(({ recording, status }) => recording !== null && /^(complete|partial)$/.test(status))
  const verdict = (node: Node, check: string): string =>
    node.results.find((one) => one.check === check)?.verdict ?? 'not-tested'
  const verdicts = nodes.flatMap((node) =>
    catalog.checks.map(({ id, property }) => ({ node: node.node, check: id, property, verdict: verdict(node, id) })),
  )
  const ended = (end: string | null): boolean => end !== null && Date.parse(end) < Date.parse(scope.asOf)
  const rows = catalog.frameworks
    .filter(({ id }) => scope.frameworks.includes(id))
    .flatMap(({ id, controls }) => controls.map((row) => ({ framework: id, row })))
  const YEAR = 366 * 86_400_000
  const LEVELS = ['inquiry', 'received', 'inspected', 'reperformed']
  const decided = (framework: string, control: string): string | undefined =>
    register.decisions.find(
      (one) =>
        one.framework === framework && one.control === control && one.withdrawn === null && !ended(one.expiresAt),
    )?.decision
  /** Whether some current document is inspected at the level that the request needs, and supports. */
  const isInspected = (request: string, minimum: string): boolean =>
    register.documents.some(
      (one) =>
        one.withdrawn === null &&
        !ended(one.validUntil) &&
        (one.validUntil !== null || Date.parse(scope.asOf) - Date.parse(one.attachedAt) <= YEAR) &&
        one.controls.some((at) => at.framework === 'requests' && at.control === request) &&
        one.inspection?.conclusion === 'supports' &&
        LEVELS.indexOf(one.level ?? 'received') >= LEVELS.indexOf(minimum),
    )
  const population = populationOf(scope, nodes, read('data', 'inventory.csv'))
  const riskAcceptances = {
    inForce: register.riskAcceptances.filter(({ expiresAt, withdrawn }) => withdrawn === null && !ended(expiresAt)),
    ended: register.riskAcceptances.filter(({ expiresAt, withdrawn }) => withdrawn === null && ended(expiresAt)),
  }
  const isPeriod = scope.engagement.reportingBasis.kind === 'period'
  const elected = ['security', ...(scope.engagement.categories ?? [])]
  const inScope = ({ evidenceType, category }: Row): boolean =>
    evidenceType !== 'out-of-scope' && (category === undefined || elected.includes(category))
  const sourceOf = (check: string): string =>
    catalog.conclusions.periodChecks.includes(check)
      ? 'runs'
      : (catalog.offNodeChecks.find(({ id }) => id === check)?.source ?? 'server')
  const needed = (row: Row) => {
    const named = row.documentsRequired.flatMap((need) => row.requests?.[need] ?? [])
    const served = row.mappings
      .filter(({ check, role }) => ['required', 'counter'].includes(role) && sourceOf(check) === 'document')
      .flatMap(({ check }) => catalog.requests.filter(({ serves }) => serves.includes(check)).map(({ id }) => id))
    return catalog.requests.filter(
      ({ id, heldBy }) => (named.includes(id) || served.includes(id)) && (heldBy !== 'chain' || isPeriod),
    )
  }
  const isHeld = (framework: string, row: Row, request: Catalog['requests'][number]): boolean =>
    isInspected(request.id, request.minimum) ||
    request.heldBy === 'pack' ||
    (request.heldBy === 'population' && population.unreconciled === 0) ||
    request.heldBy === 'declaration' ||
    (request.heldBy === 'decision' && decided(framework, row.key) !== undefined)
  /** The two parts of a control and its state, by the order of the conclusion model. The demo's documents answer no result of a check. */
  const concluded = (framework: string, row: Row) => {
    const deciding = row.mappings.filter(
      ({ check, role }) =>
        ['required', 'counter'].includes(role) &&
        !['document', 'pack'].includes(sourceOf(check)) &&
        (sourceOf(check) !== 'runs' || isPeriod),
    )
    const onServers = deciding.filter(({ check }) => sourceOf(check) === 'server')
    const results = onServers.flatMap(({ check }) => answered.map((node) => verdict(node, check)))
    const isOpen =
      results.some((one) => ['inconclusive', 'not-tested'].includes(one)) ||
      deciding.some(({ check }) => sourceOf(check) === 'population' && population.unreconciled > 0) ||
      deciding.some(({ check }) => sourceOf(check) === 'runs')
    const required = deciding.filter(({ role }) => role === 'required')
    const isShown = required.some(
      ({ check }) =>
        sourceOf(check) !== 'server' ||
        answered.some((node) => ['satisfied', 'informational'].includes(verdict(node, check))),
    )
    const server =
      deciding.length === 0
        ? 'no-server-test'
        : results.includes('not-satisfied')
          ? 'deviations'
          : onServers.length > 0 && answered.length === 0
            ? 'not-tested'
            : isOpen
              ? 'unable-to-conclude'
              : onServers.length > 0 && answered.length < nodes.length
                ? 'scope-limitation'
                : isShown
                  ? 'no-deviations'
                  : required.length > 0
                    ? 'not-applicable'
                    : 'no-server-test'
    const decision = decided(framework, row.key)
    const isLacking = needed(row).some((one) => !isHeld(framework, row, one))
    const isOtherwise = row.level === 'addressable' && /^(equivalent-alternative|not-implemented)$/.test(decision ?? '')
    const state = !inScope(row)
      ? 'out-of-scope'
      : decision === 'not-applicable' && server !== 'deviations'
        ? 'not-applicable'
        : server === 'deviations'
          ? isOtherwise
            ? 'addressable-decision'
            : 'deviations'
          : ['unable-to-conclude', 'scope-limitation', 'not-tested'].includes(server)
            ? 'unable-to-conclude'
            : isLacking
              ? 'documents-outstanding'
              : 'supported'
    return { server, state, isTested: deciding.length > 0 }
  }
  const documents = new Map(
    rows
      .filter(({ row }) => inScope(row))
      .flatMap(({ framework, row }) =>
        needed(row)
          .filter(({ heldBy }) => heldBy !== 'pack' && heldBy !== 'chain')
          .map((request) => [request.id, isHeld(framework, row, request)] as const),
      )
      // One that some control still lacks is outstanding.
      .sort(([, a], [, b]) => Number(b) - Number(a)),
  )
  return {
    catalog,
    scope,
    nodes,
    answered,
    verdicts,
    states: rows.map(({ framework, row }) => ({ framework, control: row.key, ...concluded(framework, row) })),
    rows,
    population,
    documents: {
      needed: documents.size,
      held: [...documents.values()].filter(Boolean).length,
      overdue: [...documents].filter(
        ([id, held]) =>
          !held &&
          register.documentRequests.some(
            ({ framework, control, due }) => framework === 'requests' && control === id && ended(due),
          ),
      ).length,
    },
    riskAcceptances,
    digests: {
      catalog: sha256(readFileSync(path('data', 'catalog.json'))),
      evidence: sha256(
        read('manifest-sha256.txt')
          .split('\n')
          .filter((line) => line !== '' && !line.includes('  data/report'))
          .map((line) => `${line}\n`)
          .join(''),
      ),
      signer: new X509Certificate(read('signature', 'chain.pem')).fingerprint256.replaceAll(':', '').toLowerCase(),
    },
    evidence: names.map((name) => evidenceOf(path('data', 'nodes', name), name)),
  }
}

/** Who is accounted for, by the bytes of the provider's list: a row fits a node by serial number, address or name. */
function populationOf({ engagement, inFleet, population }: Scope, nodes: readonly Node[], csv: string) {
  const rows = csv
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split(','))
  const declared = engagement.population.nodes
  const known = new Set([...declared, ...(inFleet ?? population)])
  const marks = new Set([
    ...known,
    ...nodes.flatMap(({ machine }) => [...(machine?.serials ?? []), machine?.address ?? '']),
  ])
  const leftOut = new Set(engagement.inventory.excluded.map(({ id }) => id))
  return {
    declared: declared.length,
    inFleet: (inFleet ?? population).length,
    inventory: rows.length,
    unreconciled: rows.filter(
      (row) => !leftOut.has(row[0] ?? '') && !row.some((cell) => cell !== '' && marks.has(cell)),
    ).length,
  }
}

/** Answers of a node by its capture lines, and their bytes by the raw files. */
function evidenceOf(folder: string, node: string) {
  const lines = read(join(folder, 'captures.jsonl'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<'stdout' | 'stderr', { readonly sha256: string }>)
  const size = (digest: string): number => {
    const file = join(folder, 'sha256', digest)
    return existsSync(file) ? statSync(file).size : 0
  }
  return {
    node,
    answers: lines.length,
    bytes: lines.reduce((sum, { stdout, stderr }) => sum + size(stdout.sha256) + size(stderr.sha256), 0),
    recording: sha256(`${read(join(folder, 'recording.json'))}${read(join(folder, 'captures.jsonl'))}`),
  }
}

const read = (file: string): string => readFileSync(file, 'utf8')
