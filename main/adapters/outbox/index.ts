import { fail, type Outcome, ok } from '../../core/failure.ts'
import { integrationsProblems } from '../../core/outbox/config-problems.ts'
import type { Integrations, Target, TargetPlan } from '../../core/outbox/delivery.ts'
import type { Clock } from '../../core/ports.ts'
import { webhookAddress } from '../notify/index.ts'
import { readIntegrationsConfig } from '../program-config.ts'
import { ownersFile } from '../secret-file.ts'
import { openOutbox, readOutbox } from './journal.ts'
import { type Authorization, createReceiver } from './receiver.ts'

/** What a header and an address can hold: visible ASCII, within one line. */
const SECRET = /^[\x21-\x7e]{1,4096}$/

/** Reads the secrets of a target. Fails with input.not-found or input.refused, and names the file, never what it holds. */
export function openTarget(plan: TargetPlan, clock: Clock): Outcome<Target> {
  const { address, authorization, ...form } = plan
  const url = address.is === 'open' ? ok(address.url) : secretIn(address.file, 'address')
  if (!url.ok) return url
  const checked = webhookAddress(url.value)
  if (!checked.ok) return checked
  const shown = authorizationOf(authorization)
  if (!shown.ok) return shown
  return ok({ ...form, receiver: createReceiver({ url: url.value, authorization: shown.value, clock }) })
}

function authorizationOf(authorization: TargetPlan['authorization']): Outcome<Authorization> {
  if (authorization.is === 'none') return ok({ is: 'none' })
  const secret = secretIn(authorization.file, authorization.is === 'signature' ? 'key' : 'token')
  if (!secret.ok) return secret
  switch (authorization.is) {
    case 'bearer':
      return ok({ is: 'header', value: `Bearer ${secret.value}` })
    case 'token':
      return ok({ is: 'header', value: `Token ${secret.value}` })
    case 'basic':
      return ok({
        is: 'header',
        value: `Basic ${Buffer.from(`${authorization.user}:${secret.value}`).toString('base64')}`,
      })
    case 'signature':
      return ok({ is: 'signature', key: secret.value })
  }
}

function secretIn(file: string, holds: string): Outcome<string> {
  const read = ownersFile(file, holds)
  if (!read.ok) return read
  return SECRET.test(read.value)
    ? read
    : fail('input.refused', `the first line of ${file} is not one word of visible ASCII characters`)
}

/** Configuration, receivers and journals on this computer. */
export const createIntegrations = (clock: Clock): Integrations => ({
  read: async (file) => {
    const read = await readIntegrationsConfig(file)
    if (!read.ok) return read
    const { value, refuse } = read.value
    const problems = integrationsProblems(value)
    return problems.length > 0 ? refuse(problems) : ok(value)
  },
  openTarget: async (plan) => openTarget(plan, clock),
  openOutbox,
  readOutbox,
})
