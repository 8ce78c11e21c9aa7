import type { Command } from 'commander'
import {
  CONTROL_ROLES,
  checkSourceWords,
  levelWords,
  riskAreaWords,
  roleWords,
  severityWords,
} from '../../../schemas/conclusion-words.ts'
import { familyWords, profileWords, spoofWords } from '../../../schemas/words.ts'
import { catalog } from '../../catalog/index.ts'
import { type CheckListing, checkListing, requestListing, thresholdListing } from '../../catalog/listing.ts'
import { REMEDIATIONS } from '../../catalog/remediation.ts'
import { catalogSnapshot } from '../../core/catalog.ts'
import { PROFILE_NAMES } from '../../core/profile.ts'
import { WHO } from '../../present/formats/work-order-parts.ts'
import type { Context } from '../context.ts'
import { JSON_OUTPUT } from '../options.ts'
import { emit, emitText } from '../terminal.ts'
import { catalogProvidersCommands } from './catalog-providers.ts'
import { catalogSudoersCommand } from './catalog-sudoers.ts'

/** `catalog [probes|checks|requests|profiles|signals|frameworks|fixes|providers|claim-tests|sudoers]`: the catalog; contacts no node. */
export function catalogCommand(context: Context): void {
  const { program } = context
  const command = program.command('catalog').description('Print the catalog')
  command
    .command('probes')
    .description('List commands run on nodes, with privilege and reason')
    .option(...JSON_OUTPUT)
    .action(({ json }: { json?: true }) =>
      json === true ? emit(catalog.probes.map(probeRow)) : emitText(probesText()),
    )
  command
    .command('checks')
    .description('List checks with expected condition, limitations and mapped controls')
    .option(...JSON_OUTPUT)
    .action(({ json }: { json?: true }) => (json === true ? emit(checkListing(catalog)) : emitText(checksText())))
  command
    .command('requests')
    .description('List evidence requests with minimum level, owner and controls')
    .option(...JSON_OUTPUT)
    .action(({ json }: { json?: true }) => (json === true ? emit(requestListing(catalog)) : emitText(requestsText())))
  command
    .command('profiles')
    .description('List thresholds by profile, with sources')
    .option(...JSON_OUTPUT)
    .action(({ json }: { json?: true }) => (json === true ? emit(thresholdListing(catalog)) : emitText(profilesText())))
  command
    .command('signals')
    .description('List isolation signals, reliability and spoofing effort')
    .option(...JSON_OUTPUT)
    .action(({ json }: { json?: true }) => (json === true ? emit(catalog.signals) : emitText(signalsText())))
  command
    .command('frameworks')
    .description('List controls, evidence type and mapped checks')
    .option(...JSON_OUTPUT)
    .action(({ json }: { json?: true }) => (json === true ? emit(catalog.frameworks) : emitText(frameworksText())))
  catalogFixesCommand(command)
  catalogProvidersCommands(context, command)
  catalogSudoersCommand(context, command)
  command.action(() => emit(catalogSnapshot(catalog)))
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

function probesText(): string {
  const lines = catalog.probes.flatMap(({ id, title, why, leaves = [], live, optIn, commands }) => [
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
  return `${lines.join('\n')}\n`
}

const shown = (word: string): string => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word}'`)

function checksText(): string {
  const lines = checkListing(catalog).flatMap((one) => [
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
  return `${lines.join('\n')}\n`
}

/** The controls that a check is mapped to, by role: “required for hipaa:164.312(a)(1), soc2:CC6.1”. */
const rolesText = ({ roles }: Pick<CheckListing, 'roles'>): readonly string[] =>
  CONTROL_ROLES.flatMap((role) => {
    const rows = roles.filter((one) => one.role === role).map(({ control }) => control)
    return rows.length === 0 ? [] : [`    ${roleWords[role].label.toLowerCase()} for ${rows.join(', ')}`]
  })

function requestsText(): string {
  const lines = requestListing(catalog).flatMap((one) => {
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
  return `${lines.join('\n')}\n`
}

/** Evidence other than an attached document that satisfies a request. */
const HELD_BY = {
  decision: 'also satisfied by a control decision (decision add)',
  population: 'also satisfied by a population reconciliation without differences',
  declaration: 'also satisfied by the engagement file',
  pack: 'satisfied by the sealed pack itself',
  chain: 'satisfied by the run chain, in period engagements',
} as const

const ANSWERED = { any: 'any result', undecided: 'inconclusive or not tested results only' } as const

function profilesText(): string {
  const profiles = PROFILE_NAMES.map((name) => `${name}  ${profileWords[name].meaning}`)
  const lines = thresholdListing(catalog).flatMap(({ id, title, unit, values, checks }) => [
    `${id}  ${title}`,
    ...PROFILE_NAMES.map((name) => {
      const { value, words, source, ofBaseline } = values[name]
      return `    ${name}: ${words ?? `${value} ${unit}`}  (${ofBaseline ? 'same as baseline' : source})`
    }),
    ...(checks.length === 0 ? [] : [`    used by: ${checks.join(', ')}`]),
  ])
  return `${[...profiles, '', ...lines].join('\n')}\n`
}

function signalsText(): string {
  const lines = catalog.signals.flatMap(
    ({ id, family, title, onMetal, onGuest, spoofingEffort, pitfalls, source, counts }) => [
      `${id}  ${title}  [${familyWords[family]}]`,
      `    hardware: ${onMetal}`,
      `    guest: ${onGuest}`,
      `    spoofing effort: ${spoofWords[spoofingEffort]}`,
      ...pitfalls.map((trap) => `    can mislead: ${trap}`),
      ...(counts === null
        ? []
        : [
            `    measured as on a guest: ${counts.vm.join(' of ')} guests, ${counts.dressed.join(' of ')} disguised guests, ${counts.metal.join(' of ')} bare-metal machines`,
          ]),
      `    source: ${source}`,
    ],
  )
  return `${lines.join('\n')}\n`
}

function frameworksText(): string {
  const lines = catalog.frameworks.flatMap((framework) => [
    `${framework.title} (${framework.status})`,
    ...framework.controls.map(
      ({ id, title, evidenceType, mappings }) =>
        `  ${id}  ${title}  [${evidenceType}; ${mappings.length} mapped checks]`,
    ),
  ])
  return `${lines.join('\n')}\n`
}

/** `catalog fixes`: for each check, who can change it, on which systems a test proved the steps, and what the steps are. */
function catalogFixesCommand(parent: Command): void {
  parent
    .command('fixes')
    .description('List steps per check: who can change it, systems on which a test ran them')
    .option(...JSON_OUTPUT)
    .action(({ json }: { json?: true }) => (json === true ? emit(REMEDIATIONS) : emitText(fixesText())))
}

function fixesText(): string {
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
  return `${[...lines, '', `Tested on real systems: ${proven} of ${REMEDIATIONS.length} checks.`].join('\n')}\n`
}
