import type { Command } from 'commander'
import {
  CONTROL_ROLES,
  checkSourceWords,
  levelWords,
  riskAreaWords,
  roleWords,
  severityWords,
} from '../../../schemas/conclusion-words.ts'
import type { ClaimTestReference, ProviderClaim, ProviderProfile } from '../../../schemas/types.ts'
import { familyWords, profileWords, spoofWords } from '../../../schemas/words.ts'
import { type SudoProgram, sudoProgram } from '../../catalog/access/sudo/probes.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { type CheckListing, checkListing, requestListing, thresholdListing } from '../../catalog/definition/listing.ts'
import { REMEDIATIONS } from '../../catalog/definition/remediation.ts'
import { fail, type Outcome } from '../../core/base/failure.ts'
import { absentPrograms, rootCommands, type SudoersOptions, sudoersFor } from '../../core/collector/sudoers.ts'
import { captureKey, type Parsed, type RunCommand, readProbe } from '../../core/recording/probe.ts'
import type { LoadedRecording } from '../../core/recording/recording.ts'
import { catalogSnapshot } from '../../core/rules/catalog.ts'
import { PROFILE_NAMES } from '../../core/rules/profile.ts'
import { conflictWords, sourceCitation, takesWords } from '../../core/rules/provider.ts'
import { WHO } from '../../present/formats/work-order-document.ts'
import { type Context, emit, emitText, endWith, JSON_OUTPUT } from '../parts/options.ts'

/** A list of the catalog: its name, its description, its JSON, and its lines for people. */
type Listing = readonly [name: string, description: string, json: () => unknown, lines: () => readonly string[]]

const LISTINGS: readonly Listing[] = [
  ['probes', 'List commands run on nodes, with privilege and reason', () => catalog.probes.map(probeRow), probeLines],
  [
    'checks',
    'List checks with expected condition, limitations and mapped controls',
    () => checkListing(catalog),
    checkLines,
  ],
  [
    'requests',
    'List evidence requests with minimum level, owner and controls',
    () => requestListing(catalog),
    requestLines,
  ],
  ['profiles', 'List thresholds by profile, with sources', () => thresholdListing(catalog), profileLines],
  ['signals', 'List isolation signals, reliability and spoofing effort', () => catalog.signals, signalLines],
  ['frameworks', 'List controls, evidence type and mapped checks', () => catalog.frameworks, frameworkLines],
  ['fixes', 'List steps per check: who can change it, systems on which a test ran them', () => REMEDIATIONS, fixLines],
]

/** `catalog [probes|checks|requests|profiles|signals|frameworks|fixes|providers|claim-tests|sudoers]`: the catalog; contacts no node. */
export function catalogCommand(context: Context): void {
  const command = context.program.command('catalog').description('Print the catalog')
  for (const listing of LISTINGS) listingCommand(command, listing)
  providersCommand(context, command)
  listingCommand(command, [
    'claim-tests',
    'List tests available for provider claims',
    () => catalog.claimTests.map(({ id, title, takes, limitations }) => ({ id, title, takes, limits: limitations })),
    claimTestLines,
  ])
  catalogSudoersCommand(context, command)
  command.action(() => emit(catalogSnapshot(catalog)))
}

function listingCommand(parent: Command, [name, description, json, lines]: Listing): void {
  parent
    .command(name)
    .description(description)
    .option(...JSON_OUTPUT)
    .action((options: { json?: true }) => (options.json === true ? emit(json()) : emitText(`${lines().join('\n')}\n`)))
}

const probeRow = ({ id, title, why, leaves, live, optIn, commands }: (typeof catalog.probes)[number]): unknown => ({
  id,
  title,
  why,
  leaves: leaves ?? [],
  live: live === true,
  optIn: optIn ?? null,
  commands,
})

function probeLines(): readonly string[] {
  return catalog.probes.flatMap(({ id, title, why, leaves = [], live, optIn, commands }) => [
    `${id}  ${title}`,
    `    reason: ${why}`,
    ...leaves.map((text) => `    log entry on the node: ${text}`),
    ...(live === true ? ['    live test: runs only with --live-tests; uses one processor for some seconds'] : []),
    ...(optIn === 'metadata' ? ['    runs only if the fleet file contains askMetadata: true'] : []),
    ...Object.values(commands).map((one) =>
      one.kind === 'measure'
        ? `    measured from this computer: ${one.measure}`
        : `    ${one.as === 'root' ? 'root' : 'user'}: ${one.argv.map((part) => (typeof part === 'string' ? shown(part) : part.glob)).join(' ')}`,
    ),
  ])
}

const shown = (word: string): string => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word}'`)

function checkLines(): readonly string[] {
  return checkListing(catalog).flatMap((one) => [
    ...(one.built
      ? [`${one.id}  ${one.expected}`, `    limitations: ${one.limitations}`]
      : [
          `${one.id}  Not tested on servers. ${checkSourceWords[one.from]}.`,
          `    reason: ${one.why}`,
          ...(one.requests.length === 0 ? [] : [`    evidence request: ${one.requests.join(', ')}`]),
        ]),
    ...(one.severity === null
      ? []
      : [
          `    procedure: ${one.severity.procedure}`,
          `    severity: ${severityWords[one.severity.severity].toLowerCase()}; risk area: ${riskAreaWords[one.severity.riskArea]}`,
        ]),
    ...rolesText(one),
  ])
}

/** The controls to which a check is mapped, by role: “required for hipaa:164.312(a)(1), soc2:CC6.1”. */
const rolesText = ({ roles }: Pick<CheckListing, 'roles'>): readonly string[] =>
  CONTROL_ROLES.flatMap((role) => {
    const rows = roles.filter((one) => one.role === role).map(({ control }) => control)
    return rows.length === 0 ? [] : [`    ${roleWords[role].label.toLowerCase()} for ${rows.join(', ')}`]
  })

function requestLines(): readonly string[] {
  return requestListing(catalog).flatMap((one) => {
    const mandatory = one.controls.filter((row) => row.mandatory).map(({ control }) => control)
    const optional = one.controls.filter((row) => !row.mandatory).map(({ control }) => control)
    return [
      `${one.id}  ${one.title}`,
      `    inspect: ${one.inspects}`,
      `    minimum level: ${levelWords[one.minimum].label.toLowerCase()}; owner: ${one.owner}; renewal: ${one.renewal}`,
      ...(one.heldBy === 'document' ? [] : [`    ${HELD_BY[one.heldBy]}`]),
      ...(mandatory.length === 0 ? [] : [`    required for ${mandatory.join(', ')}`]),
      ...(optional.length === 0 ? [] : [`    optional for ${optional.join(', ')}`]),
      ...(one.serves.length === 0 ? [] : [`    replaces a server test for: ${one.serves.join(', ')}`]),
      ...(one.mayAnswer.length === 0
        ? []
        : [
            `    alternative evidence for: ${one.mayAnswer.map(({ check, answers }) => `${check} (${ANSWERED[answers]})`).join(', ')}`,
          ]),
    ]
  })
}

/** Evidence other than an attached document that satisfies a request. */
const HELD_BY = {
  decision: 'also satisfied by a control decision (decision add)',
  population: 'also satisfied by a population reconciliation without differences',
  declaration: 'also satisfied by the engagement file',
  pack: 'provided by the sealed pack, which its reader verifies',
  chain: 'satisfied by the run chain, in period engagements',
} as const

const ANSWERED = { any: 'any result', undecided: 'inconclusive or not tested results only' } as const

function profileLines(): readonly string[] {
  const profiles = PROFILE_NAMES.map((name) => `${name}  ${profileWords[name].meaning}`)
  const lines = thresholdListing(catalog).flatMap(({ id, title, unit, values, checks }) => [
    `${id}  ${title}`,
    ...PROFILE_NAMES.map((name) => {
      const { value, words, source, ofBaseline } = values[name]
      return `    ${name}: ${words ?? `${value} ${unit}`}  (${ofBaseline ? 'same as baseline' : source})`
    }),
    ...(checks.length === 0 ? [] : [`    used by: ${checks.join(', ')}`]),
  ])
  return [...profiles, '', ...lines]
}

function signalLines(): readonly string[] {
  return catalog.signals.flatMap(
    ({ id, family, title, onMetal, onGuest, spoofingEffort, pitfalls, source, counts }) => [
      `${id}  ${title}  [${familyWords[family]}]`,
      `    hardware: ${onMetal}`,
      `    guest: ${onGuest}`,
      `    spoofing effort: ${spoofWords[spoofingEffort]}`,
      ...pitfalls.map((trap) => `    can mislead: ${trap}`),
      ...(counts === null
        ? []
        : [
            `    measured as a guest: ${counts.vm.join(' of ')} guests, ${counts.dressed.join(' of ')} disguised guests, ${counts.metal.join(' of ')} bare-metal machines`,
          ]),
      `    source: ${source}`,
    ],
  )
}

function frameworkLines(): readonly string[] {
  return catalog.frameworks.flatMap((framework) => [
    `${framework.title} (${framework.status})`,
    ...framework.controls.map(
      ({ id, title, evidenceType, mappings }) =>
        `  ${id}  ${title}  [${evidenceType}; ${mappings.length} mapped checks]`,
    ),
  ])
}

/** For each check, who can change it, on which systems a test proved the steps, and what the steps are. */
function fixLines(): readonly string[] {
  const proven = REMEDIATIONS.filter((one) => one.proven !== undefined).length
  const lines = REMEDIATIONS.map(({ check, whoCanChange, steps, proven: proofs = [] }) => {
    const where = proofs.map(({ distribution, note }) => `${distribution}${note === undefined ? '' : `; ${note}`}`)
    return [
      check,
      WHO[whoCanChange],
      where.length === 0 ? 'not run by a test' : `tested on ${where.join(', ')}`,
      [...new Set(steps.map(({ title }) => title))].join('; '),
    ].join('  ')
  })
  return [...lines, '', `Tested on real systems: ${proven} of ${REMEDIATIONS.length} checks.`]
}

/** `catalog providers [id]`: provider claims. */
function providersCommand(context: Context, parent: Command): void {
  parent
    .command('providers')
    .description('List provider claims shipped with the catalog')
    .argument('[id]', 'Provider, for its claims with their tests')
    .option(...JSON_OUTPUT)
    .action((id: string | undefined, { json }: { json?: true }) => {
      const own = catalog.providers.find((profile) => profile.id === id)
      if (id !== undefined && own === undefined) {
        const ids = catalog.providers.map((profile) => profile.id).join(', ')
        return endWith(context, { code: 'input.refused', detail: `${id} is not a provider of the catalog: ${ids}` })
      }
      if (json === true) return emit(own ?? catalog.providers)
      emitText(own === undefined ? catalog.providers.map(profileLine).join('') : profileText(own))
    })
}

const profileLine = ({ id, name, asOf, claims }: ProviderProfile): string =>
  `${id}  ${name}, as of ${asOf}: ${claims.length} claims\n`

function profileText(profile: ProviderProfile): string {
  const { notes, sources, claims, conflicts = [] } = profile
  const lines = [
    ...notes.map((note) => `    ${note}`),
    ...sources.map(
      (source) =>
        `    ${source.id} (${source.kind}) ${sourceCitation(source, source.on)}${source.title === undefined ? '' : `; ${source.where}`}`,
    ),
    ...conflicts.map((conflict) => `    ${conflictWords(conflict)}`),
    ...claims.flatMap(claimLines),
  ]
  return `${profileLine(profile)}${lines.join('\n')}\n`
}

const bearingLine = (bearing: ClaimTestReference): string =>
  'check' in bearing
    ? `check: ${bearing.check}${bearing.supportsOnly === true ? ' (supports only)' : ''}`
    : `fact: ${bearing.test}${bearing.value === null ? '' : ` ${bearing.value}`}`

const claimLines = ({
  id,
  text,
  tests,
  condition,
  otherwise,
  whenUndecided,
  why,
  documentRequired,
}: ProviderClaim): readonly string[] => [
  `${id}  ${text}`,
  ...(condition === undefined ? [] : [`    applies only: ${condition.text}`]),
  ...(condition?.tests ?? []).map((bearing) => `    condition, ${bearingLine(bearing)}`),
  ...tests.map((bearing) => `    ${bearingLine(bearing)}`),
  ...(whenUndecided === undefined ? [] : ['    if inconclusive: document required']),
  ...(otherwise === null
    ? []
    : [`    ${otherwise === 'document-required' ? 'document required' : 'not observable from the node'}`]),
  ...(why === null ? [] : [`    reason: ${why}`]),
  ...(documentRequired === null ? [] : [`    document: ${documentRequired}`]),
]

function claimTestLines(): readonly string[] {
  return catalog.claimTests.map(
    (test) => `${test.id}  ${test.title}\n    values: ${takesWords(test)}\n    limitations: ${test.limitations}`,
  )
}

interface Options {
  readonly user: string
  readonly liveTests?: true
  readonly for?: string
  readonly sudoRs?: true
}

/** `catalog sudoers`: the sudoers file for any node, or with `--for RECORDING` for the programs and the sudo version of one node. */
function catalogSudoersCommand(context: Context, parent: Command): void {
  parent
    .command('sudoers')
    .description('Print a sudoers file that allows only the privileged commands')
    .option('--user <name>', 'Audit login', 'bwaudit')
    .option('--for <folder>', 'Recording of a node: only its installed programs, in the syntax of its sudo version')
    .option('--sudo-rs', 'Use the syntax of sudo-rs (Ubuntu 25.10 and later)')
    .option('--live-tests', 'Also allow the commands of live tests')
    .action(async ({ user, liveTests, for: folder, sudoRs }: Options) => {
      const commands = rootCommands(catalog.probes, { liveTests: liveTests === true })
      const form: SudoersOptions = { user, ...(sudoRs === true ? { dialect: 'sudo-rs' as const } : {}) }
      if (folder === undefined) return emitText(sudoersFor(commands, form))
      const recording = await oneRecording(context, folder)
      if (!recording.ok) return endWith(context, recording.error)
      emitText(sudoersOfNode(commands, recording.value, form))
    })
}

async function oneRecording({ ports }: Context, folder: string): Promise<Outcome<LoadedRecording>> {
  const read = await ports.readRecordings([folder])
  if (!read.ok) return read
  const [source, ...others] = read.value
  if (source === undefined || others.length > 0)
    return fail('input.refused', `--for ${folder} must be the folder of exactly one recording`)
  return await source.load()
}

/** The rules for a recorded node: missing programs are left out, and comments state what the recording shows. */
export function sudoersOfNode(
  commands: readonly RunCommand[],
  recording: LoadedRecording,
  options: SudoersOptions,
): string {
  const absent = absentPrograms(recording)
  const left = [...new Set(commands.map(({ argv }) => String(argv[0])))].filter((program) => absent.has(program))
  const sudo = readProbe(
    sudoProgram,
    new Map(recording.captures.map((one) => [captureKey(one.meta.probe, one.meta.command), one])),
  )
  return sudoersFor(
    commands.filter(({ argv }) => !absent.has(String(argv[0]))),
    {
      ...(sudo.ok ? { dialect: sudo.fact.name, hasMergedFolders: sudo.fact.hasMergedFolders } : {}),
      ...options,
      notes: [
        `For the node that was recorded on ${recording.recording.endedAt.slice(0, 10)}.`,
        ...formNotes(sudo),
        left.length === 0
          ? 'It has every program that the privileged probes need.'
          : `Left out, because these programs are not installed: ${left.sort().join(', ')}.`,
      ],
    },
  )
}

function formNotes(sudo: Parsed<SudoProgram>): readonly string[] {
  if (!sudo.ok) return ['Its sudo version was not recorded: these lines work with every version.']
  const { name, version } = sudo.fact
  if (name === 'sudo-rs') return [`It runs sudo-rs ${version}: plain words only, in lists of at most 100.`]
  return [
    `It runs sudo ${version}, which ${knowsExpressions(version) ? 'supports regular expressions (1.9.10 and later)' : 'does not support regular expressions (before 1.9.10)'}; these lines use none.`,
  ]
}

const knowsExpressions = (version: string): boolean => {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.p]/).map(Number)
  return major > 1 || (major === 1 && (minor > 9 || (minor === 9 && patch >= 10)))
}
