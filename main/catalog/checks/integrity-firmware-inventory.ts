import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import type { Parsed, Probe } from '../../core/probe.ts'
import { bmc } from '../probes/bmc.ts'
import { cpuFeatures } from '../probes/cpu-features.ts'
import { dmiIdentity } from '../probes/dmi-identity.ts'
import { firmwareFwupd } from '../probes/firmware-fwupd.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { infiniband } from '../probes/infiniband.ts'
import { inventoryDisks } from '../probes/inventory-disks.ts'
import { named, supports, unclear } from '../steps.ts'

export const integrityFirmwareInventory = defineCheck({
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
        ...told(controller, bmc, ({ firmware, maker }) =>
          firmware === null ? [] : [`Management controller: ${named([`${maker ?? ''} ${firmware}`.trim()])}.`],
        ),
        ...told(cpu, cpuFeatures, ({ microcode }) =>
          microcode === null ? [] : [`Microcode of the processors: ${plain(microcode, 20)}.`],
        ),
        ...told(disks, inventoryDisks, (fact) =>
          byVersion(
            'Drives',
            fact.disks.map(({ model, firmware }) => [model, firmware]),
          ),
        ),
        ...told(fabric, infiniband, ({ adapters }) =>
          byVersion(
            'Fabric adapters',
            adapters.map(({ boardId, name, firmware }) => [boardId || name, firmware]),
          ),
        ),
        ...told(gpus, gpuNvidia, (fact) => [
          ...byVersion(
            'GPUs (VBIOS)',
            fact.gpus.map(({ name, vbios }) => [name, vbios ?? '']),
          ),
        ]),
        ...told(fwupd, firmwareFwupd, ({ devices }) =>
          byVersion(
            'Known to fwupd',
            devices.map(({ vendor, name, version }) => [`${vendor} ${name}`.trim(), version]),
          ),
        ),
      ],
    }
  },
})

function told<F>(
  reading: Parsed<F>,
  probe: Probe<F>,
  say: (fact: F) => readonly string[],
): readonly DraftObservation[] {
  return reading.ok ? say(reading.fact).map((text) => supports(text, probe)) : []
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
