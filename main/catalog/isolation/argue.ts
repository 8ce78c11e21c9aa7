import type { Catalog, IsolationArgument } from '../../core/catalog.ts'
import type { Context } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { decideLayer } from './layer.ts'
import { decideLocality } from './locality.ts'
import {
  DEVICE_PROBES,
  type DeviceReadings,
  LAYER_PROBES,
  type LayerReadings,
  readingsOf,
  TENANCY_PROBES,
  type TenancyReadings,
} from './readings.ts'
import { decideTenancy } from './tenancy.ts'

/** The four isolation answers: what the system runs on, who uses it, where each device is, and how good the evidence is. Never one number. */
export const arguesIsolation: Catalog['arguesIsolation'] = (readings, context) => argue(readings, context)

function argue(readings: ReadonlyMap<string, Parsed<unknown>>, context: Context): IsolationArgument {
  const layer = decideLayer(readingsOf(LAYER_PROBES, readings) as LayerReadings)
  const tenancy = decideTenancy(readingsOf(TENANCY_PROBES, readings) as TenancyReadings, context)
  return {
    layer: layer.layer,
    platform: layer.platform,
    tenancy: tenancy.tenancy,
    locality: decideLocality(readingsOf(DEVICE_PROBES, readings) as DeviceReadings, layer.layer),
    grade: layer.grade,
    concealed: false,
    rule: { id: 'R7', text: '' },
    weight: { honest: 0, adversarial: 0, families: [] },
    signals: [],
    contradictions: [],
    minimum: [],
    levels: [],
    cannotShow: [],
    settle: [],
    pins: [],
    because: [...layer.because, ...tenancy.because],
  }
}
