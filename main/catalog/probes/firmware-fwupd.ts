import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { asList, asRecord, asText, readJson } from '../read-text.ts'

export interface FirmwareDevices {
  readonly devices: readonly { readonly name: string; readonly vendor: string; readonly version: string }[]
}

/**
 * fwupdmgr(1), get-devices: from what the service already knows; nothing is refreshed. Warnings can stand before the JSON, and errors
 * come as JSON of their own with a member “Error”. Serial numbers and links, which the answer can hold, are not kept.
 */
export const firmwareFwupd = defineProbe({
  id: 'firmware.fwupd',
  title: 'Firmware versions known to fwupd',
  why: 'Lists the firmware of drives, adapters and boards with versions. Nothing is downloaded or updated.',
  commands: { devices: run(['fwupdmgr', 'get-devices', '--json'], { timeoutSeconds: 30 }) },
  parse({ devices }) {
    const start = devices.text.indexOf('{')
    if (start < 0) return unknown('fwupd did not answer')
    const json = readJson(devices.text.slice(start), 'fwupd')
    if (!json.ok) return json
    const document = asRecord(json.fact)
    const error = asText(asRecord(document.Error).Message)
    if (error !== null) return unknown('fwupd answered with an error')
    if (document.Devices === undefined) return unknown('the answer of fwupd has another form')
    return known<FirmwareDevices>({
      devices: asList(document.Devices).flatMap((entry) => {
        const { Name, Vendor, Version } = asRecord(entry)
        const [name, version] = [asText(Name), asText(Version)]
        return name === null || version === null ? [] : [{ name, vendor: asText(Vendor) ?? '', version }]
      }),
    })
  },
})
