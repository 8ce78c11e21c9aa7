import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'

export interface CloudInit {
  readonly present: boolean
  readonly cloudName: string | null
  readonly region: string | null
  readonly availabilityZone: string | null
}

/**
 * The file that cloud-init leaves for every user (cloud-init docs, "Instance metadata", v1 keys). Only three lines are requested: older
 * releases left secrets in this file. Keys of the v1 object stand two spaces deep.
 */
export const cloudInit = defineProbe({
  id: 'cloud-init',
  title: 'Provider metadata from first boot (cloud-init)',
  why: 'Providers state region and zone when they set up a server. Three lines are read; no network request is made.',
  commands: {
    claims: run(['grep', '-E', '^  "(cloud_name|region|availability_zone)": ', '/run/cloud-init/instance-data.json']),
  },
  parse({ claims }) {
    if (isAbsent(claims))
      return known<CloudInit>({ present: false, cloudName: null, region: null, availabilityZone: null })
    if (claims.exitCode > 1) return unknown('the provider’s statement could not be read')
    const values = new Map(
      lines(claims.text).flatMap((line) => {
        const [, key, value] = /^ {2}"(cloud_name|region|availability_zone)": "([^"\\]{1,200})",?$/.exec(line) ?? []
        return key === undefined || value === undefined ? [] : [[key, value] as const]
      }),
    )
    return known<CloudInit>({
      present: true,
      cloudName: values.get('cloud_name') ?? null,
      region: values.get('region') ?? null,
      availabilityZone: values.get('availability_zone') ?? null,
    })
  },
})
