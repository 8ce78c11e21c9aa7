import type { IntegrationsConfig } from '../../../schemas/types.ts'
import { isLoopbackUrl } from '../loopback.ts'

/** A problem and the part of the configuration that has it; `text` follows the name of the part. */
interface ConfigProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** What the schema of a configuration of integrations cannot express; none: it can be used. */
export function integrationsProblems(config: IntegrationsConfig): readonly ConfigProblem[] {
  const targets = placedTargets(config)
  return targets.flatMap(({ path, name, url }, at) => [
    ...(targets.slice(0, at).some((other) => other.name === name)
      ? [{ path: [...path, 'name'], text: 'is the name of another target' }]
      : []),
    ...(url?.startsWith('http:') === true && !isLoopbackUrl(url)
      ? [{ path: [...path, 'url'], text: 'must begin with https, unless its host is a loopback address' }]
      : []),
  ])
}

/** Every address and name in a configuration with its position in it. */
function placedTargets(
  config: IntegrationsConfig,
): readonly { readonly path: readonly (string | number)[]; readonly name: string; readonly url: string | null }[] {
  const { webhook, slack, teams, jira, serviceNow, cisoAssistant, vanta, drata, openTelemetry, files } = config
  const lists = { webhook, slack, teams, jira, serviceNow, cisoAssistant, vanta, drata, openTelemetry, files }
  return Object.entries(lists).flatMap(([kind, list]) =>
    (list ?? []).map((target, at) => ({
      path: [kind, at],
      name: target.name,
      url: 'url' in target && target.url !== undefined ? target.url : null,
    })),
  )
}
