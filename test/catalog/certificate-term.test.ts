import { describe, expect, test } from 'vitest'
import type { TlsListeners } from '../../main/catalog/data-protection/tls/probes.ts'
import { known } from '../../main/core/recording/probe.ts'
import type { CertificateFields } from '../../main/core/tls/certificate-fields.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'
import { FIXTURE_TIME } from '../support/fixtures.ts'

const CHECK = checkOf('encryption.in-transit.cert-validity')
const NODE = 'demo-gpu-01'
const HOUR = 3_600_000

/** What the check concludes where every certificate presented first has such a term, with so many hours of it left. */
function verdictOf(termHours: number, hoursLeft: number): string {
  const end = Date.parse(FIXTURE_TIME) + hoursLeft * HOUR
  const dates = {
    notBefore: new Date(end - termHours * HOUR).toISOString(),
    notAfter: new Date(end).toISOString(),
  }
  const reading = fixtureOf(NODE).readings.get('tls.listeners')
  if (reading?.ok !== true) throw new Error('no reading')
  const fact = reading.fact as TlsListeners
  const renewed = (one: CertificateFields | null, at: number): CertificateFields | null =>
    one === null || at > 0 ? one : { ...one, ...dates }
  const ports = fact.ports.map((port) => ({ ...port, certificates: port.certificates.map(renewed) }))
  return concludeOn(CHECK, NODE, [['tls.listeners', known({ ...fact, ports })]]).verdict
}

const days = (number: number): number => number * 24

/**
 * ACME clients, cert-manager and SPIFFE renew when a third of the term is left, or half of a short one: less than a quarter means that a
 * renewal was missed. The limit of days applies where the term is long enough for it.
 */
describe('how long a certificate still has to be valid', () => {
  test.each([
    ['a year', days(365), days(31), 'satisfied'],
    ['a year', days(365), days(29), 'not-satisfied'],
    ['90 days, renewed at a third', days(90), days(29.9), 'satisfied'],
    ['90 days, not renewed', days(90), days(22), 'not-satisfied'],
    ['45 days', days(45), days(16), 'satisfied'],
    ['45 days, not renewed', days(45), days(11), 'not-satisfied'],
    ['160 hours', 160, 81, 'satisfied'],
    ['160 hours, not renewed', 160, 39, 'not-satisfied'],
    ['a day', 24, 9, 'satisfied'],
    ['a day, not renewed', 24, 5, 'not-satisfied'],
    ['a day, ended', 24, -1, 'not-satisfied'],
  ])('%s', (_, term, left, expected) => expect(verdictOf(term, left)).toBe(expected))
})
