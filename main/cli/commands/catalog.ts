import {
  CONTROL_ROLES,
  checkSourceWords,
  levelWords,
  roleWords,
  severityWords,
} from '../../../schemas/conclusion-words.ts'
import { familyWords, profileWords, spoofWords } from '../../../schemas/words.ts'
import { catalog } from '../../catalog/index.ts'
import { type CheckListing, checkListing, requestListing, thresholdListing } from '../../catalog/listing.ts'
import { catalogSnapshot } from '../../core/catalog.ts'
import { PROFILE_NAMES } from '../../core/profile.ts'
import type { Context } from '../context.ts'
import { emit, emitText } from '../terminal.ts'
import { catalogProvidersCommands } from './catalog-providers.ts'
import { catalogSudoersCommand } from './catalog-sudoers.ts'

/** `catalog [probes|checks|requests|profiles|signals|frameworks|providers|claim-tests|sudoers]`: what is asked, concluded and mapped, before anything runs. */
export function catalogCommand(context: Context): void {
  const { program } = context
  const command = program.command('catalog').description('what is asked, concluded and mapped')
  command
    .command('probes')
    .description('every command we would run, with its privilege and reason')
    .option('--json', 'machine-readable')
    .action(({ json }: { json?: true }) =>
      json === true ? emit(catalog.probes.map(probeRow)) : emitText(probesText()),
    )
  command
    .command('checks')
    .description(
      'list every check with its claim, limits, severity and role per row; then mapped checks that documents answer',
    )
    .option('--json', 'machine-readable')
    .action(({ json }: { json?: true }) => (json === true ? emit(checkListing(catalog)) : emitText(checksText())))
  command
    .command('requests')
    .description(
      'list every evidence request: what is inspected, minimum level, owner, rows and checks that it answers',
    )
    .option('--json', 'machine-readable')
    .action(({ json }: { json?: true }) => (json === true ? emit(requestListing(catalog)) : emitText(requestsText())))
  command
    .command('profiles')
    .description('every number that checks compare against, by profile and with its source')
    .option('--json', 'machine-readable')
    .action(({ json }: { json?: true }) => (json === true ? emit(thresholdListing(catalog)) : emitText(profilesText())))
  command
    .command('signals')
    .description(
      'what tells hardware from a guest: how it looks on either, what it costs to fake, where it misleads, what was counted',
    )
    .option('--json', 'machine-readable')
    .action(({ json }: { json?: true }) => (json === true ? emit(catalog.signals) : emitText(signalsText())))
  command
    .command('frameworks')
    .description('every control with its class, what supports it and what it does not show')
    .option('--json', 'machine-readable')
    .action(({ json }: { json?: true }) => (json === true ? emit(catalog.frameworks) : emitText(frameworksText())))
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
    `    why: ${why}`,
    ...leaves.map((text) => `    in the node’s log: ${text}`),
    ...(live === true
      ? ['    live: asked only with --live-tests, because it keeps a processor busy for some seconds']
      : []),
    ...(optIn === 'metadata' ? ['    asked only where the fleet file says askMetadata: true'] : []),
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
      ? [`${one.id}  ${one.claim}`, `    does not show: ${one.limits}`]
      : [
          `${one.id}  no check on servers. ${checkSourceWords[one.from]}.`,
          `    why: ${one.why}`,
          ...(one.requests.length === 0 ? [] : [`    evidence request: ${one.requests.join(', ')}`]),
        ]),
    ...(one.severity === null ? [] : [`    severity: ${severityWords[one.severity.severity].toLowerCase()}`]),
    ...rolesText(one),
  ])
  return `${lines.join('\n')}\n`
}

/** The rows that a check is mapped to, by role: “required for hipaa:164.312(a)(1), soc2:CC6.1”. */
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
      ...(mandatory.length === 0 ? [] : [`    needed for ${mandatory.join(', ')}`]),
      ...(optional.length === 0 ? [] : [`    optional for ${optional.join(', ')}`]),
      ...(one.serves.length === 0 ? [] : [`    answers, in place of a server test: ${one.serves.join(', ')}`]),
      ...(one.mayAnswer.length === 0
        ? []
        : [
            `    may answer results of: ${one.mayAnswer.map(({ check, answers }) => `${check} (${ANSWERED[answers]})`).join(', ')}`,
          ]),
    ]
  })
  return `${lines.join('\n')}\n`
}

/** What answers a request besides an attached document. */
const HELD_BY = {
  decision: 'also answered by a decision about the row (except decide)',
  population: 'also answered by the population comparison, once it closes',
  declaration: 'also answered by the engagement file',
  pack: 'answered by the sealed pack itself',
  chain: 'answered by the chain of runs, in period engagements',
} as const

const ANSWERED = { any: 'any result', undecided: 'only undecided or untested results' } as const

function profilesText(): string {
  const profiles = PROFILE_NAMES.map((name) => `${name}  ${profileWords[name].meaning}`)
  const lines = thresholdListing(catalog).flatMap(({ id, title, unit, values, checks }) => [
    `${id}  ${title}`,
    ...PROFILE_NAMES.map((name) => {
      const { value, words, source, ofBaseline } = values[name]
      return `    ${name}: ${words ?? `${value} ${unit}`}  (${ofBaseline ? 'as the baseline' : source})`
    }),
    ...(checks.length === 0 ? [] : [`    used by: ${checks.join(', ')}`]),
  ])
  return `${[...profiles, '', ...lines].join('\n')}\n`
}

function signalsText(): string {
  const lines = catalog.signals.flatMap(({ id, family, title, onMetal, onGuest, spoof, traps, source, counts }) => [
    `${id}  ${title}  [${familyWords[family]}]`,
    `    hardware: ${onMetal}`,
    `    guest: ${onGuest}`,
    `    to fake: ${spoofWords[spoof]}`,
    ...traps.map((trap) => `    misleads: ${trap}`),
    ...(counts === null
      ? []
      : [
          `    counted as on a guest: ${counts.vm.join(' of ')} guests, ${counts.dressed.join(' of ')} dressed-up guests, ${counts.metal.join(' of ')} machines`,
        ]),
    `    source: ${source}`,
  ])
  return `${lines.join('\n')}\n`
}

function frameworksText(): string {
  const lines = catalog.frameworks.flatMap((framework) => [
    `${framework.title} (${framework.status})`,
    ...framework.controls.map(
      ({ id, title, evidenceClass, supports }) =>
        `  ${id}  ${title}  [${evidenceClass}; ${supports.length} mapped checks]`,
    ),
  ])
  return `${lines.join('\n')}\n`
}
