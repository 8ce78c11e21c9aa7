import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { asList, asRecord, asText, readJson } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface FirmwareDevices {
  readonly devices: readonly { readonly name: string; readonly vendor: string; readonly version: string }[]
}

/**
 * Method GetDevices of org.freedesktop.fwupd, by busctl(1), which prints an array of dictionaries of variants as
 * `{"type":"aa{sv}","data":[[{"Name":{"type":"s","data":"…"}}]]}`. Only a service that runs already is queried: fwupdmgr(1) would start it,
 * and its start writes below /var/lib/fwupd and /var/cache/fwupd. Serial numbers, which the response can hold, are not kept.
 */
export const firmwareFwupd = defineProbe({
  id: 'firmware.fwupd',
  title: 'Firmware versions known to fwupd',
  why: 'Lists the firmware of drives, adapters and boards with versions, where that service runs. Nothing is started, downloaded or updated.',
  ignoredInDrift: {
    why: 'Devices are listed in no fixed order.',
    normalize: ({ devices }: FirmwareDevices) => ({ devices: inOrder(devices) }),
  },
  commands: {
    devices: run(
      [
        'busctl',
        '--system',
        '--json=short',
        '--auto-start=no',
        'call',
        'org.freedesktop.fwupd',
        '/',
        'org.freedesktop.fwupd',
        'GetDevices',
      ],
      { timeoutSeconds: 30 },
    ),
  },
  parse({ devices }) {
    if (devices.exitCode !== 0) return unknown('fwupd does not run, and is not started for this')
    const json = readJson(devices.text, 'busctl')
    if (!json.ok) return json
    const { type, data } = asRecord(json.fact)
    const [list] = asList(data)
    if (type !== 'aa{sv}' || !Array.isArray(list)) return unknown('the output of fwupd has an unexpected format')
    return known<FirmwareDevices>({
      devices: asList(list).flatMap((entry) => {
        const { Name, Vendor, Version } = asRecord(entry)
        const [name, vendor, version] = [Name, Vendor, Version].map((value) => asText(asRecord(value).data))
        return name == null || version == null ? [] : [{ name, vendor: vendor ?? '', version }]
      }),
    })
  },
})
