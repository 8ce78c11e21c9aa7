import { plain } from '../../../core/base/plain-text.ts'
import { defineProbe, known, type Parsed, type Probe, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import { asList, asRecord, asText, inOrder, readJson } from '../../base/read-text.ts'
import { named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { inventoryDisks } from '../drives/inventory.ts'
import { infiniband } from '../fabric/index.ts'
import { gpuNvidia } from '../gpu/nvidia.ts'
import { dmiIdentity } from '../machine/dmi.ts'
import { bmc } from '../management-controller/probes.ts'
import { cpuFeatures } from '../processors/features.ts'
import data from './checks.json' with { type: 'json' }

interface FirmwareDevices {
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

const integrityFirmwareInventory = defineCheck({
  id: 'integrity.firmware-inventory',
  property: 'integrity',
  expected: 'The firmware versions that the server’s parts report are listed.',
  ends: 'recorded',
  limitations:
    'Each part reports on itself, and what it reports can be changed with it. Whether a version is the newest, or known to be weak, is not evaluated. No expected value is set.',
  requires: { dmi: dmiIdentity },
  optional: {
    controller: bmc,
    cpu: cpuFeatures,
    disks: inventoryDisks,
    fabric: infiniband,
    gpus: gpuNvidia,
    fwupd: firmwareFwupd,
  },
  evaluate({ dmi }, { controller, cpu, disks, fabric, gpus, fwupd }) {
    if (!dmi.present || dmi.biosVersion === '')
      return {
        verdict: 'inconclusive',
        observations: [unclear('The firmware of the server does not state its version.', dmiIdentity)],
      }
    return {
      verdict: 'informational',
      observations: [
        supports(
          `Server firmware (BIOS): ${named([`${dmi.biosVendor} ${dmi.biosVersion} of ${dmi.biosDate || 'unknown date'}`])}.`,
          dmiIdentity,
        ),
        ...reported(controller, bmc, ({ firmware, maker }) =>
          firmware === null ? [] : [`Management controller: ${named([`${maker ?? ''} ${firmware}`.trim()])}.`],
        ),
        ...reported(cpu, cpuFeatures, ({ microcode }) =>
          microcode === null ? [] : [`Microcode of the processors: ${plain(microcode, 20)}.`],
        ),
        ...reported(disks, inventoryDisks, (fact) =>
          byVersion(
            'Drives',
            fact.disks.map(({ model, firmware }) => [model, firmware]),
          ),
        ),
        ...reported(fabric, infiniband, ({ adapters }) =>
          byVersion(
            'Fabric adapters',
            adapters.map(({ boardId, name, firmware }) => [boardId || name, firmware]),
          ),
        ),
        ...reported(gpus, gpuNvidia, (fact) => [
          ...byVersion(
            'GPUs (VBIOS)',
            fact.gpus.map(({ name, vbios }) => [name, vbios ?? '']),
          ),
        ]),
        ...reported(fwupd, firmwareFwupd, ({ devices }) =>
          byVersion(
            'Known to fwupd',
            devices.map(({ vendor, name, version }) => [`${vendor} ${name}`.trim(), version]),
          ),
        ),
      ],
    }
  },
})

function reported<F>(
  reading: Parsed<F>,
  probe: Probe<F>,
  textsOf: (fact: F) => readonly string[],
): readonly DraftObservation[] {
  return reading.ok ? textsOf(reading.fact).map((text) => supports(text, probe)) : []
}

/** One sentence: each kind of part with its version, and how many of them there are. */
function byVersion(what: string, parts: readonly (readonly [kind: string, version: string])[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const [kind, version] of parts)
    if (version !== '') {
      const key = `${kind} ${version}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  return counts.size === 0
    ? []
    : [
        `${what}: ${named(
          [...counts].map(([key, number]) => `${number} × ${key}`),
          12,
        )}.`,
      ]
}

export const firmwareSubject = defineSubject({
  id: 'firmware',
  title: 'Firmware versions',
  probes: [firmwareFwupd],
  checks: [integrityFirmwareInventory],
  data,
})
