import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { type CoreDumps, coreDumpPattern } from '../probes/core-dump-pattern.ts'
import { type Kdump, kernelDumps } from '../probes/kdump.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { decide } from '../steps.ts'
import { argueRoots } from '../storage/argue.ts'
import { kernelDumpRoots, kernelDumpTarget, programDumpRoots } from '../storage/dumps.ts'
import { AT_REST_LIMITS } from '../storage/limits.ts'
import { isHostsFile, mountRoots, readStorage, STORAGE_WANTS, type Storage } from '../storage/roots.ts'

export const encryptionAtRestCrashDumps = defineCheck({
  id: 'encryption.at-rest.crash-dumps',
  property: 'encryption-at-rest',
  expected: 'Memory dumps of programs and of the kernel are off, or are written to encrypted storage.',
  limitations: `${AT_REST_LIMITS} Earlier dumps are not searched for, and limits that a program sets for itself are not read.`,
  requires: {
    mounts: storageMounts,
    devices: storageBlockDevices,
    swaps: storageSwaps,
    core: coreDumpPattern,
    kdump: kernelDumps,
  },
  optional: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps, core, kdump }, wanted) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const because = [...argueCore(storage, core), ...argueKdump(storage, kdump)]
    return decide(because)
  },
})

function argueCore(storage: Storage, core: CoreDumps): readonly DraftObservation[] {
  const probe = coreDumpPattern.id
  if (core.kind === 'handler') {
    if (/^(\/usr)?\/bin\/(false|true)$/.test(core.program)) {
      return [
        { direction: 'supports', text: `Program dumps are handed to ${quote(core.program)}, which drops them.`, probe },
      ]
    }
    const roots = programDumpRoots(storage, core)
    return roots.length === 0
      ? [
          {
            direction: 'unclear',
            text: `Program dumps are handed to ${quote(core.program)}; where it keeps them is not known.`,
            probe,
          },
        ]
      : argueRoots(roots)
  }
  if (core.pattern === '/dev/null') return [{ direction: 'supports', text: 'Program dumps go to “/dev/null”.', probe }]
  if (core.pattern.startsWith('/')) return argueRoots(programDumpRoots(storage, core))
  // A relative pattern lands in the working directory of the program that crashed, which can be any mount.
  return argueRoots(
    mountRoots(storage, (mount) => !isHostsFile(mount)).map((found) => ({
      ...found,
      name: `program dumps anywhere in ${found.name}`,
    })),
  )
}

function argueKdump(storage: Storage, kdump: Kdump): readonly DraftObservation[] {
  const { loaded, configured } = kdump
  const probe = kernelDumps.id
  if (loaded === null) {
    // That the file is absent means something only when sysfs itself is there.
    return storage.holding('/sys/kernel')?.fsType === 'sysfs'
      ? [{ direction: 'supports', text: 'The kernel has no support for crash dumps.', probe }]
      : [{ direction: 'unclear', text: 'The kernel’s own settings are not visible here.', probe }]
  }
  if (!loaded)
    return [{ direction: 'supports', text: 'No crash kernel is loaded, so no kernel dump is written.', probe }]
  const { kind, at } = kernelDumpTarget(kdump)
  if (kind === 'remote') {
    return [
      { direction: 'unclear', text: `A crash kernel is loaded and sends dumps to another system (${at}).`, probe },
    ]
  }
  if (!configured)
    return [{ direction: 'unclear', text: 'A crash kernel is loaded; where it writes was not found.', probe }]
  const roots = kernelDumpRoots(storage, kdump)
  return roots.length === 0
    ? [{ direction: 'unclear', text: `Kernel dumps go to ${quote(at)}, which is not among the listed devices.`, probe }]
    : argueRoots(roots)
}
