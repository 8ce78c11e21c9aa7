import type { Command } from 'commander'
import type { Bearing, ProviderClaim, ProviderProfile } from '../../../schemas/types.ts'
import { catalog } from '../../catalog/index.ts'
import { conflictWords, sourceCitation, takesWords } from '../../core/provider.ts'
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
  const { notes, sources, claims, conflicts = [] } = profile
  const lines = [
    ...notes.map((note) => `    ${note}`),
    ...sources.map(
      (source) => `    ${source.id} (${source.kind}) ${sourceCitation(source, source.on)}; ${source.where}`,
    ),
    ...conflicts.map((conflict) => `    ${conflictWords(conflict)}`),
    ...claims.flatMap(claimLines),
  ]
  return `${profileLine(profile)}${lines.join('\n')}\n`
}

const bearingLine = (bearing: Bearing): string =>
  'check' in bearing
    ? `check: ${bearing.check}${bearing.supportsOnly === true ? ' (supports only)' : ''}`
    : `reading: ${bearing.test}${bearing.value === null ? '' : ` ${bearing.value}`}`

const claimLines = ({
  id,
  says,
  bears,
  condition,
  otherwise,
  whenUndecided,
  why,
  bring,
}: ProviderClaim): readonly string[] => [
  `${id}  ${says}`,
  ...(condition === undefined ? [] : [`    applies only: ${condition.says}`]),
  ...(condition?.tests ?? []).map((bearing) => `    condition, ${bearingLine(bearing)}`),
  ...bears.map((bearing) => `    ${bearingLine(bearing)}`),
  ...(whenUndecided === undefined ? [] : ['    undecided: needs a record']),
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
