import type { Probe } from '../../../core/recording/probe.ts'
import { namespaces } from '../tenancy/sessions.ts'
import { cpuFeatureSignals } from './processors/cpu-features.ts'
import { cpuIdentitySignals } from './processors/cpu-identity.ts'
import { timingSignals } from './processors/timing.ts'
import type { Signal } from './signal.ts'
import { acpiSignals } from './signals/acpi.ts'
import { bootSignals, busSignals } from './signals/boot.ts'
import { gpuSignals } from './signals/gpu.ts'
import { managementSignals } from './signals/management.ts'
import { networkSignals } from './signals/network.ts'
import { pciSignals } from './signals/pci.ts'
import { sessionSignals } from './signals/session.ts'
import { smbiosSignals } from './signals/smbios.ts'
import { storageSignals } from './signals/storage.ts'

/**
 * Everything that distinguishes hardware from a guest, one list for the rules, the weights and the dossier. To add one, add it to its file.
 */
export const SIGNALS: readonly Signal[] = [
  ...cpuIdentitySignals,
  ...cpuFeatureSignals,
  ...timingSignals,
  ...smbiosSignals,
  ...acpiSignals,
  ...bootSignals,
  ...busSignals,
  ...pciSignals,
  ...managementSignals,
  ...storageSignals,
  ...networkSignals,
  ...gpuSignals,
  ...sessionSignals,
]

/** The probes that signals and rules read, by id. */
export const SIGNAL_PROBES: Readonly<Record<string, Probe<unknown>>> = Object.fromEntries(
  [namespaces, ...SIGNALS.flatMap(({ probes }) => probes)].map((probe) => [probe.id, probe]),
)
