import { defineCheck, unclearAbout } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { NVIDIA, undriven, withoutGpu } from './gpu-bus.ts'

const LIMITS =
  'The driver reports the mode as on or off, so that it can be set. Setting it takes root and a reset of the GPU, and neither was tried.'

export const gpuMig: ClaimTest = {
  id: 'gpu.mig',
  title: 'GPUs can be divided into slices (MIG) on the node.',
  takes: { kind: 'nothing' },
  limitations: LIMITS,
  of(value) {
    if (value !== null) return null
    return defineCheck({
      id: 'gpu.mig',
      property: 'operations',
      expected: 'The driver reports the MIG mode of every GPU as on or off, and of none as not supported.',
      limitations: LIMITS,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia },
      evaluate({ pci }, { driver }) {
        const none = withoutGpu(pci, NVIDIA)
        if (none !== null) return decide([none])
        if (!driver.ok) return decide(unclearAbout(gpuNvidia, driver))
        const { gpus } = driver.fact
        const having = (pattern: RegExp): readonly string[] =>
          gpus.filter(({ migMode }) => pattern.test(migMode)).map(({ name }) => name)
        const [on, off, never] = [having(/^Enabled$/i), having(/^Disabled$/i), having(/^(\[?N\/A\]?|Not Supported)$/i)]
        const silent = gpus.length - on.length - off.length - never.length
        return decide([
          ...(never.length > 0
            ? [contradicts(`MIG is not supported by ${count(never.length, 'GPU')}: ${named(never)}.`, gpuNvidia)]
            : []),
          ...(on.length + off.length > 0
            ? [
                supports(
                  `MIG is on for ${on.length} and off for ${off.length} of ${count(gpus.length, 'GPU')}.`,
                  gpuNvidia,
                ),
              ]
            : []),
          ...(silent > 0 || gpus.length === 0
            ? [unclear(`The driver does not report the mode of ${count(silent, 'GPU')}.`, gpuNvidia)]
            : []),
          ...undriven(pci, gpus),
        ])
      },
    })
  },
}
