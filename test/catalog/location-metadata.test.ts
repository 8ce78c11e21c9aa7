import { describe, expect, test } from 'vitest'
import { runPreview } from '../../main/app/evaluate/views.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { dmiIdentity, dmiTags } from '../../main/catalog/hardware/machine/dmi.ts'
import { type MetadataReadings, metadataSignals } from '../../main/catalog/location/metadata.ts'
import {
  identityDocument,
  metadataAws,
  metadataAzure,
  metadataGcp,
  metadataHetzner,
  metadataOci,
  metadataVultr,
} from '../../main/catalog/location/probes.ts'
import { missedOfProvider, PROVIDER_WANTS, providerSignals } from '../../main/catalog/location/signals.ts'
import { planOf } from '../../main/core/collector/plan.ts'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import {
  argvOf,
  known,
  METADATA_NOT_ASKED,
  METADATA_UNANSWERED,
  type Parsed,
  type Probe,
  readProbe,
  unknown,
} from '../../main/core/recording/probe.ts'
import { answer } from '../support/answers.ts'
import { byKey } from '../support/evaluated.ts'
import { fixtureRecording } from '../support/fixtures.ts'

const METADATA_PROBES = [metadataAws, metadataGcp, metadataAzure, metadataOci, metadataVultr, metadataHetzner] as const
const captures = byKey(fixtureRecording('fx-loc-cloud', [dmiIdentity, dmiTags, ...METADATA_PROBES]).captures)
const read = <F>(probe: Probe<F>): Parsed<F> => readProbe(probe, captures)
const NONE = unknown('not asked')

describe('the metadata service', () => {
  const nobody: MetadataReadings = { aws: NONE, gcp: NONE, azure: NONE, oci: NONE, vultr: NONE, hetzner: NONE }
  const firmware = read(dmiIdentity)

  test('is asked only where a person chose it, and not being asked is no gap', () => {
    // What cloud-init kept of its answers is among them: some systems accept the signed document as a login.
    const probes = [...METADATA_PROBES, identityDocument]
    const keys = (metadata: boolean) => planOf(probes, { sudo: false, echo: false, metadata }).commands.length
    expect([keys(false), keys(true)]).toEqual([0, 12])
    for (const probe of [metadataGcp, identityDocument]) {
      const reason = (asked: object) => {
        const reading = readProbe<unknown>(probe, new Map(), asked)
        return reading.ok ? null : reading.reason
      }
      expect([reason({}), reason({ liveTests: true }), reason({ metadata: true })]).toEqual([
        METADATA_NOT_ASKED,
        METADATA_NOT_ASKED,
        METADATA_UNANSWERED,
      ])
    }
  })

  test('what will run is listed without it unless it was chosen, and with it where it was', () => {
    const listed = (asked: object) => runPreview(catalog, ['node-1'], asked).questions.map(({ probe }) => probe)
    const chosen = [...METADATA_PROBES, identityDocument].map(({ id }) => id)
    expect(listed({}).filter((probe) => chosen.includes(probe))).toEqual([])
    expect(listed({ metadata: true })).toEqual(expect.arrayContaining(chosen))
    expect(listed({ metadata: true })).toHaveLength(listed({}).length + chosen.length)
  })

  test('where it was not asked, nothing is missed and nothing is reported; where it was and did not answer, that is a gap', () => {
    const readings = (asked: object) => {
      const reading = <F>(probe: Probe<F>) => readProbe(probe, probe.optIn === undefined ? captures : new Map(), asked)
      const { document, aws, gcp, azure, oci, vultr, hetzner, ...rest } = PROVIDER_WANTS
      return {
        document: reading(document),
        aws: reading(aws),
        gcp: reading(gcp),
        azure: reading(azure),
        oci: reading(oci),
        vultr: reading(vultr),
        hetzner: reading(hetzner),
        tags: reading(rest.tags),
        identity: reading(rest.identity),
      }
    }
    expect(providerSignals(readings({}))).toEqual([])
    expect(missedOfProvider(readings({}))).toEqual([])
    expect(missedOfProvider(readings({ metadata: true })).map(({ probe }) => probe)).toEqual(
      [identityDocument, ...METADATA_PROBES].map(({ id }) => id),
    )
  })

  test('no question of the catalog names a path of it, or a file of cloud-init, that can hold a token or a secret', () => {
    const lines = catalog.probes.flatMap(({ id, commands }) =>
      Object.values(commands).map((command) => [id, argvOf(command).join(' ')] as const),
    )
    for (const [id, line] of lines) {
      expect(line, id).not.toMatch(
        /user[-_]?data|vendor[-_]?data|security-credentials|\biam\b|service-accounts|identity\?audience|oauth2|attested|api\/token|managed-identity|instance-data-sensitive|\/var\/lib\/cloud|recursive=true|v1\.json|config-drive|openstack\/latest/i,
      )
      // Whatever speaks to that address, or prints that document, is asked only where someone chose it.
      if (/169\.254\.169\.254|fd00:ec2|metadata\.google|rsa2048/.test(line))
        expect(catalog.probes.find((probe) => probe.id === id)?.optIn, id).toBe('metadata')
    }
  })

  test('no other path, host or way of asking is on the list', () => {
    const argv = argvOf(metadataAws.commands.region)
    expect(deniedCommand(argv)).toBeNull()
    const to = (url: string) => [...argv.slice(0, -1), url]
    for (const url of [
      'latest/user-data',
      'latest/meta-data/iam/security-credentials/',
      'latest/meta-data/',
      'v1.json',
      'v1/',
      'conf?format=json',
      'computeMetadata/v1/?recursive=true',
      'latest/api/token',
    ])
      expect(deniedCommand(to(`http://169.254.169.254/${url}`)), url).not.toBeNull()
    for (const other of [
      to('http://example.org/latest/meta-data/placement/region'),
      ['curl', ...argv.slice(2)],
      [...argv, '-o', '/tmp/x'],
      ['curl', '-X', 'PUT', ...argv.slice(1)],
      [...argv, '-d', 'x'],
    ])
      expect(deniedCommand(other), other.join(' ')).not.toBeNull()
  })

  test('counts only where the firmware names the same provider', () => {
    const aws = read(metadataAws)
    const found = metadataSignals({ ...nobody, aws }, firmware, read(dmiTags))
    expect(found.map(({ id, class: kind, country, hint }) => [id, kind, country, hint])).toEqual([
      ['metadata.aws', 'E5', 'US', false],
      ['metadata.aws-signed', 'E2', 'US', false],
    ])
    const gcp = known({ region: null, zone: 'europe-west3-a' })
    expect(metadataSignals({ ...nobody, gcp }, firmware, NONE)).toMatchObject([
      { id: 'metadata.gcp', hint: true, country: null },
    ])
    expect(metadataSignals({ ...nobody, aws }, NONE, NONE)).toMatchObject([{ hint: true, country: null }])
    expect(metadataSignals(nobody, firmware, NONE)).toEqual([])
  })

  test('an answer is one name: a page of a portal is none', () => {
    const zone = (text: string, exitCode = 0) => metadataGcp.parse({ zone: answer(text, { exitCode }) })
    expect(zone('projects/123/zones/europe-west10-a')).toEqual(known({ region: null, zone: 'europe-west10-a' }))
    for (const [text, exit] of [
      ['<html>login</html>', 0],
      ['', 0],
      ['a\nb', 0],
      ['us-east1-b', 22],
    ] as const)
      expect(zone(text, exit)).toEqual(known({ region: null, zone: null }))
  })
})
