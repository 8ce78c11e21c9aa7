import { SEVERITIES, type Severity } from '../../../schemas/conclusion-words.ts'
import type { IntegrationsConfig } from '../../../schemas/types.ts'
import { VERSION } from '../../../schemas/version.ts'
import type { TargetForm, TargetPlan } from '../../core/outbox/delivery.ts'
import type { Exchange } from '../../core/outbox/exchange.ts'
import type { FindingItem, OutboxItem, PackItem } from '../../core/outbox/item.ts'
import { cisoAssistantExchange, drataExchange, vantaExchange } from '../../present/outbox/evidence.ts'
import { jiraExchange, serviceNowExchange } from '../../present/outbox/issues.ts'
import { slackExchange, teamsExchange, webhookExchange } from '../../present/outbox/messages.ts'
import { otelExchange } from '../../present/outbox/otel.ts'

const VANTA = 'https://api.vanta.com'
const DRATA = 'https://public-api.drata.com'

/** The targets of a configuration to which items are sent. File targets are separate, see fileFor(). */
export function targetPlans(config: IntegrationsConfig): readonly TargetPlan[] {
  const { webhook, slack, teams, jira, serviceNow, cisoAssistant, vanta, drata, openTelemetry } = config
  return [
    ...(webhook ?? []).map(
      ({ name, url, keyFile, minimumSeverity }): TargetPlan => ({
        ...everything(name, minimumSeverity, webhookExchange),
        address: { is: 'open', url },
        authorization: keyFile === undefined ? NONE : { is: 'signature', file: keyFile },
      }),
    ),
    ...(slack ?? []).map(({ name, urlFile }) => message(name, urlFile, slackExchange)),
    ...(teams ?? []).map(({ name, urlFile }) => message(name, urlFile, teamsExchange)),
    ...(jira ?? []).map(
      ({ name, url, user, tokenFile, project, issueType = 'Task', minimumSeverity }): TargetPlan => ({
        ...findings(name, minimumSeverity, (item, known) => jiraExchange(item, { project, issueType }, known)),
        address: { is: 'open', url },
        authorization: { is: 'basic', user, file: tokenFile },
      }),
    ),
    ...(serviceNow ?? []).map(
      ({ name, url, user, tokenFile, table = 'incident', minimumSeverity }): TargetPlan => ({
        ...findings(name, minimumSeverity, (item, known) => serviceNowExchange(item, table, known)),
        address: { is: 'open', url },
        authorization: user === undefined ? { is: 'bearer', file: tokenFile } : { is: 'basic', user, file: tokenFile },
      }),
    ),
    ...(cisoAssistant ?? []).map(
      ({ name, url, tokenFile, domain, appliedControls = [] }): TargetPlan => ({
        ...packs(name, (item) => cisoAssistantExchange(item, { domain, appliedControls })),
        address: { is: 'open', url },
        authorization: { is: 'token', file: tokenFile },
      }),
    ),
    ...(vanta ?? []).map(
      ({ name, url = VANTA, tokenFile, document }): TargetPlan => ({
        ...packs(name, (item) => vantaExchange(item, document)),
        address: { is: 'open', url },
        authorization: { is: 'bearer', file: tokenFile },
      }),
    ),
    ...(drata ?? []).map(
      ({ name, url = DRATA, tokenFile, workspace, controls = [] }): TargetPlan => ({
        ...packs(name, (item) => drataExchange(item, { workspace, controls })),
        address: { is: 'open', url },
        authorization: { is: 'bearer', file: tokenFile },
      }),
    ),
    ...(openTelemetry ?? []).map(
      ({ name, url, tokenFile, minimumSeverity }): TargetPlan => ({
        ...everything(name, minimumSeverity, (item) => otelExchange(item, VERSION)),
        address: { is: 'open', url },
        authorization: tokenFile === undefined ? NONE : { is: 'bearer', file: tokenFile },
      }),
    ),
  ]
}

const NONE = { is: 'none' } as const

const message = (name: string, file: string, exchange: (item: OutboxItem) => Exchange): TargetPlan => ({
  ...packs(name, exchange),
  address: { is: 'secret', file },
  authorization: NONE,
})

const isSevere = ({ severity }: FindingItem, minimum: Severity): boolean =>
  SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(minimum)

const everything = (name: string, minimum: Severity = 'low', exchange: (item: OutboxItem) => Exchange): TargetForm => ({
  name,
  takes: (item) => item.kind === 'pack' || isSevere(item, minimum),
  exchange,
})

const findings = (
  name: string,
  minimum: Severity = 'low',
  exchange: (item: FindingItem, known: string | null) => Exchange,
): TargetForm => ({
  name,
  takes: (item) => item.kind === 'finding' && isSevere(item, minimum),
  exchange: (item, known) => exchange(item as FindingItem, known),
})

const packs = (name: string, exchange: (item: PackItem) => Exchange): TargetForm => ({
  name,
  takes: (item) => item.kind === 'pack',
  exchange: (item) => exchange(item as PackItem),
})
