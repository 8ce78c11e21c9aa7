import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

// Counts a pack over again from its files, with nothing of ours but the names of fields: what a report prints is held against this.

interface Finding {
  readonly check: string
  readonly verdict: string
}
interface Node {
  readonly node: string
  readonly status: string
  readonly recording: object | null
  readonly findings: readonly Finding[]
  readonly claims?: readonly { readonly claim: string; readonly answer: string }[]
  readonly machine?: { readonly address: string | null; readonly serials: readonly string[] }
}
interface Row {
  readonly id: string
  readonly key: string
  readonly title: string
  readonly evidenceClass: string
  readonly nodeEvidence: string
  readonly needsAlso: readonly string[]
  readonly supports: readonly { readonly check: string; readonly shows: string }[]
}
interface Catalog {
  readonly checks: readonly {
    readonly id: string
    readonly property: string
    readonly claim: string
    readonly limits: string
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
  readonly exceptions: readonly (Ending & { readonly check: string; readonly nodes: readonly string[] })[]
  readonly attachments: readonly {
    readonly attachedAt: string
    readonly controls: readonly { readonly framework: string; readonly control: string }[]
    readonly method: string
    readonly need: string | null
    readonly validUntil: string | null
    readonly withdrawn: object | null
  }[]
  readonly requests: readonly {
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
  readonly enrolled?: readonly string[]
  readonly engagement: {
    readonly population: { readonly nodes: readonly string[] }
    readonly inventory: { readonly leftOut: readonly { readonly id: string }[] }
  }
  readonly provider: { readonly claims: readonly { readonly id: string; readonly says: string }[] }
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Everything of an unpacked pack that a report counts, counted anew. */
export function recount(pack: string) {
  const path = (...parts: string[]): string => join(pack, ...parts)
  const read = (...parts: string[]): string => readFileSync(path(...parts), 'utf8')
  const json = <T>(...parts: string[]): T => JSON.parse(read(...parts)) as T
  const catalog = json<Catalog>('data', 'catalog.json')
  const scope = json<Scope>('data', 'scope.json')
  const register = json<Register>('data', 'exceptions.json')
  const names = readdirSync(path('data', 'nodes')).sort()
  const nodes = names.map((name) => json<Node>('data', 'nodes', name, 'assessment.json'))
  const answered = nodes.filter(({ recording, status }) => recording !== null && /^(complete|partial)$/.test(status))
  const verdict = (node: Node, check: string): string =>
    node.findings.find((one) => one.check === check)?.verdict ?? 'not-tested'
  const verdicts = nodes.flatMap((node) =>
    catalog.checks.map(({ id, property }) => ({ node: node.node, check: id, property, verdict: verdict(node, id) })),
  )
  const ended = (end: string | null): boolean => end !== null && Date.parse(end) < Date.parse(scope.asOf)
  const rows = catalog.frameworks
    .filter(({ id }) => scope.frameworks.includes(id))
    .flatMap(({ id, controls }) => controls.map((row) => ({ framework: id, row })))
  const YEAR = 366 * 86_400_000
  // A decision on an addressable specification is the record of itself.
  const isDecided = (framework: string, control: string, need: string): boolean =>
    need.startsWith('Addressable decision') &&
    register.decisions.some(
      (one) =>
        one.framework === framework && one.control === control && one.withdrawn === null && !ended(one.expiresAt),
    )
  const isHeld = (framework: string, control: string, need: string): boolean =>
    isDecided(framework, control, need) ||
    register.attachments.some(
      (one) =>
        one.need === need &&
        one.withdrawn === null &&
        one.method !== 'received' &&
        !ended(one.validUntil) &&
        (one.validUntil !== null || Date.parse(scope.asOf) - Date.parse(one.attachedAt) <= YEAR) &&
        one.controls.some((at) => at.framework === framework && at.control === control),
    )
  const needs = rows.flatMap(({ framework, row }) =>
    row.needsAlso.map((need) => ({ framework, control: row.key, need })),
  )
  const held = needs.filter(({ framework, control, need }) => isHeld(framework, control, need))
  const population = populationOf(scope, nodes, read('data', 'inventory.csv'))
  const exceptions = {
    inForce: register.exceptions.filter(({ expiresAt, withdrawn }) => withdrawn === null && !ended(expiresAt)),
    ended: register.exceptions.filter(({ expiresAt, withdrawn }) => withdrawn === null && ended(expiresAt)),
  }
  const built = new Set(catalog.checks.map(({ id }) => id))
  /** A row's state: failing beats missing beats records beats accepted beats supported, and silence never supports. */
  const stateOf = (framework: string, row: Row): string => {
    if (row.evidenceClass === 'out-of-scope') return 'out-of-scope'
    const on = row.supports.flatMap(({ check }) =>
      nodes.map((node) => ({
        node: node.node,
        check,
        verdict: built.has(check) ? verdict(node, check) : 'not-tested',
      })),
    )
    const isAccepted = (one: { node: string; check: string }): boolean =>
      exceptions.inForce.some(({ check, nodes: of }) => check === one.check && of.includes(one.node))
    const anyMet = on.some((one) => one.verdict === 'met')
    const failing = on.filter((one) => one.verdict === 'not-met' && !(anyMet && isAccepted(one)))
    const bears = ['primary', 'supporting'].includes(row.nodeEvidence) && row.evidenceClass !== 'manual'
    if (bears && failing.length > 0) return 'not-supported'
    if (
      register.decisions.some(
        (one) =>
          one.framework === framework &&
          one.control === row.key &&
          one.decision === 'not-applicable' &&
          one.withdrawn === null &&
          !ended(one.expiresAt),
      )
    )
      return 'not-applicable'
    const undecided = on.some((one) => ['inconclusive', 'not-tested'].includes(one.verdict))
    if (bears && (population.unaccounted > 0 || undecided || !anyMet)) return 'insufficient-evidence'
    if (row.needsAlso.length === 0 ? !bears : row.needsAlso.some((need) => !isHeld(framework, row.key, need)))
      return 'manual-evidence-required'
    return bears && on.some((one) => one.verdict === 'not-met') ? 'supported-with-exceptions' : 'supported'
  }
  return {
    catalog,
    scope,
    nodes,
    answered,
    verdicts,
    states: rows.map(({ framework, row }) => ({ framework, state: stateOf(framework, row) })),
    rows,
    population,
    records: {
      needed: needs.length,
      held: held.length,
      overdue: register.requests.filter(
        ({ framework, control, need, due }) => ended(due) && !isHeld(framework, control, need),
      ).length,
    },
    exceptions,
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
function populationOf({ engagement, enrolled, population }: Scope, nodes: readonly Node[], csv: string) {
  const rows = csv
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split(','))
  const declared = engagement.population.nodes
  const known = new Set([...declared, ...(enrolled ?? population)])
  const marks = new Set([
    ...known,
    ...nodes.flatMap(({ machine }) => [...(machine?.serials ?? []), machine?.address ?? '']),
  ])
  const leftOut = new Set(engagement.inventory.leftOut.map(({ id }) => id))
  return {
    declared: declared.length,
    enrolled: (enrolled ?? population).length,
    inventory: rows.length,
    unaccounted: rows.filter((row) => !leftOut.has(row[0] ?? '') && !row.some((cell) => cell !== '' && marks.has(cell)))
      .length,
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
