import { familyWords, spoofWords } from '../../../schemas/words.ts'
import { catalog } from '../../catalog/index.ts'
import { catalogSnapshot } from '../../core/catalog.ts'
import { rootCommands, sudoersFor } from '../../core/sudoers.ts'
import type { Context } from '../context.ts'
import { emit, emitText } from '../terminal.ts'

/** `catalog [probes|checks|signals|frameworks|sudoers]`: what is asked, concluded and mapped, before anything runs. */
export function catalogCommand({ program }: Context): void {
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
    .description('every claim, what it needs, its limits and the rows it feeds')
    .option('--json', 'machine-readable')
    .action(({ json }: { json?: true }) =>
      json === true ? emit(catalog.checks.map(({ id }) => checkRow(id))) : emitText(checksText()),
    )
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
  command
    .command('sudoers')
    .description('a sudoers drop-in that allows exactly the root-only commands')
    .option('--user <name>', 'the login it is for', 'bwaudit')
    .option('--live-tests', 'allow the lines of live tests too')
    .action(({ user, liveTests }: { user: string; liveTests?: true }) =>
      emitText(sudoersFor(rootCommands(catalog.probes, { liveTests: liveTests === true }), { user })),
    )
  command.action(() => emit(catalogSnapshot(catalog)))
}

const probeRow = ({ id, title, why, live, commands }: (typeof catalog.probes)[number]): unknown => ({
  id,
  title,
  why,
  live: live === true,
  commands,
})

function probesText(): string {
  const lines = catalog.probes.flatMap(({ id, title, why, live, commands }) => [
    `${id}  ${title}`,
    `    why: ${why}`,
    ...(live === true
      ? ['    live: asked only with --live-tests, because it keeps a processor busy for some seconds']
      : []),
    ...Object.values(commands).map((one) =>
      one.kind === 'measure'
        ? `    measured from this computer: ${one.measure}`
        : `    ${one.as === 'root' ? 'root' : 'user'}: ${one.argv.map((part) => (typeof part === 'string' ? shown(part) : part.glob)).join(' ')}`,
    ),
  ])
  return `${lines.join('\n')}\n`
}

const shown = (word: string): string => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word}'`)

function checkRow(id: string): Record<string, unknown> {
  const check = catalog.checks.find((one) => one.id === id)
  const feeds = catalog.frameworks.flatMap((framework) =>
    framework.controls.filter(({ supports }) => supports.some((support) => support.check === id)).map(({ key }) => key),
  )
  return {
    id,
    property: check?.property,
    claim: check?.claim,
    limits: check?.limits,
    needs: Object.values(check?.needs ?? {}).map((probe) => probe.id),
    wants: Object.values(check?.wants ?? {}).map((probe) => probe.id),
    feeds,
  }
}

function checksText(): string {
  const lines = catalog.checks.map((check) => `${check.id}  ${check.claim}\n    does not show: ${check.limits}`)
  return `${lines.join('\n')}\n`
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
