import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOMAIN, type FakeName, type Fakes, TOKENS, USER } from './outbox-fakes.ts'

/**
 * Writes a configuration with a target of every kind that leads to the fakes, and the files of their secrets, into a folder. Gives the path of the
 * configuration; `only` leaves the other kinds out.
 */
export function integrationsFile(
  folder: string,
  fakes: Pick<Fakes, 'url'>,
  {
    only,
    trust = [],
    files = [],
  }: { only?: readonly FakeName[]; trust?: readonly string[]; files?: readonly object[] } = {},
): string {
  mkdirSync(folder, { recursive: true })
  const secret = (name: string, text: string): string => {
    writeFileSync(join(folder, name), `${text}\n`, { mode: 0o600 })
    return name
  }
  const tokenFile = (fake: FakeName): string => secret(`${fake}-token`, TOKENS[fake])
  const url = (fake: FakeName): string => fakes.url(fake)
  const kinds: Readonly<Record<FakeName, object>> = {
    webhook: { name: 'own', url: url('webhook'), keyFile: tokenFile('webhook') },
    slack: { name: 'channel', urlFile: secret('slack-url', `${url('slack')}/services/${TOKENS.slack}`) },
    teams: { name: 'team', urlFile: secret('teams-url', `${url('teams')}/workflows/${TOKENS.teams}`) },
    jira: { name: 'tickets', url: url('jira'), user: USER, tokenFile: tokenFile('jira'), project: 'SEC' },
    serviceNow: { name: 'incidents', url: url('serviceNow'), user: USER, tokenFile: tokenFile('serviceNow') },
    cisoAssistant: { name: 'ciso', url: url('cisoAssistant'), tokenFile: tokenFile('cisoAssistant'), domain: DOMAIN },
    vanta: { name: 'vanta', url: url('vanta'), tokenFile: tokenFile('vanta'), document: 'access-reviews' },
    drata: { name: 'drata', url: url('drata'), tokenFile: tokenFile('drata'), workspace: 3 },
    openTelemetry: { name: 'logs', url: url('openTelemetry'), tokenFile: tokenFile('openTelemetry') },
  }
  const chosen = Object.entries(kinds).filter(([kind]) => only === undefined || only.includes(kind as FakeName))
  const path = join(folder, 'integrations.json')
  const config = {
    schema: 'barewitness.integrations/1',
    sender: 'clinic-2026',
    outbox: 'outbox',
    trust,
    ...Object.fromEntries(chosen.map(([kind, target]) => [kind, [target]])),
    files,
  }
  writeFileSync(path, JSON.stringify(config))
  return path
}
