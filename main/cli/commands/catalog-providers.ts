import type { Command } from 'commander'
import type { ClaimTestReference, ProviderClaim, ProviderProfile } from '../../../schemas/types.ts'
import { catalog } from '../../catalog/index.ts'
import { conflictWords, sourceCitation, takesWords } from '../../core/provider.ts'
import { type Context, endWith } from '../context.ts'
import { JSON_OUTPUT } from '../options.ts'
import { emit, emitText } from '../terminal.ts'

/** `catalog providers [id]` and `catalog claim-tests`: provider claims, and the facts that claims can be compared with. */
export function catalogProvidersCommands(context: Context, parent: Command): void {
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
  parent
    .command('claim-tests')
    .description('List tests available for provider claims')
    .option(...JSON_OUTPUT)
    .action(({ json }: { json?: true }) => (json === true ? emit(testRows()) : emitText(testsText())))
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

const testRows = (): readonly unknown[] =>
  catalog.claimTests.map(({ id, title, takes, limitations }) => ({ id, title, takes, limits: limitations }))

function testsText(): string {
  const lines = catalog.claimTests.map(
    (test) => `${test.id}  ${test.title}\n    values: ${takesWords(test)}\n    limitations: ${test.limitations}`,
  )
  return `${lines.join('\n')}\n`
}
