import type { Command } from 'commander'
import type { ProviderClaim, ProviderProfile } from '../../../schemas/types.ts'
import { catalog } from '../../catalog/index.ts'
import { takesWords } from '../../core/provider.ts'
import { type Context, endWith } from '../context.ts'
import { emit, emitText } from '../terminal.ts'

/** `catalog providers [id]` and `catalog claim-tests`: what providers promise in public, and what promises can be compared with. */
export function catalogProvidersCommands(context: Context, parent: Command): void {
  parent
    .command('providers')
    .description('providers’ public promises that ship with us; with an id, each promise and what answers it')
    .argument('[id]', 'one profile')
    .option('--json', 'machine-readable')
    .action((id: string | undefined, { json }: { json?: true }) => {
      const own = catalog.providers.find((profile) => profile.id === id)
      if (id !== undefined && own === undefined) {
        const ids = catalog.providers.map((profile) => profile.id).join(', ')
        return endWith(context, { code: 'input.refused', detail: `${id} is no profile that ships: ${ids}` })
      }
      if (json === true) return emit(own ?? catalog.providers)
      emitText(own === undefined ? catalog.providers.map(profileLine).join('') : profileText(own))
    })
  parent
    .command('claim-tests')
    .description('readings that a promise can be compared with, what each takes and does not show')
    .option('--json', 'machine-readable')
    .action(({ json }: { json?: true }) => (json === true ? emit(testRows()) : emitText(testsText())))
}

const profileLine = ({ id, name, asOf, claims }: ProviderProfile): string =>
  `${id}  ${name}, as of ${asOf}: ${claims.length} promises\n`

function profileText(profile: ProviderProfile): string {
  const { notes, sources, claims } = profile
  const lines = [
    ...notes.map((note) => `    ${note}`),
    ...sources.map(({ id, kind, title, where, on }) => `    source ${id} (${kind}): ${title}; ${where}, read on ${on}`),
    ...claims.flatMap(claimLines),
  ]
  return `${profileLine(profile)}${lines.join('\n')}\n`
}

const claimLines = ({ id, says, bears, otherwise, why, bring }: ProviderClaim): readonly string[] => [
  `${id}  ${says}`,
  ...bears.map((bearing) =>
    'check' in bearing
      ? `    check: ${bearing.check}`
      : `    reading: ${bearing.test}${bearing.value === null ? '' : ` ${bearing.value}`}`,
  ),
  ...(otherwise === null
    ? []
    : [`    ${otherwise === 'needs-record' ? 'needs a record' : 'not observable from inside'}`]),
  ...(why === null ? [] : [`    why: ${why}`]),
  ...(bring === null ? [] : [`    bring: ${bring}`]),
]

const testRows = (): readonly unknown[] =>
  catalog.claimTests.map(({ id, title, takes, limits }) => ({ id, title, takes, limits }))

function testsText(): string {
  const lines = catalog.claimTests.map(
    (test) => `${test.id}  ${test.title}\n    takes: ${takesWords(test)}\n    does not show: ${test.limits}`,
  )
  return `${lines.join('\n')}\n`
}
