import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { weightOf } from '../../main/catalog/single-tenancy/isolation/levels.ts'
import { comparePins, type HardwarePin } from '../../main/catalog/single-tenancy/isolation/pins.ts'

describe('weight of evidence', () => {
  test('is the logarithm of two shares, with half a machine added to each', () => {
    // 15 of 20 guests and 0 of 133 machines set the hypervisor flag: ln(15.5/21) − ln(0.5/134) = 5.29, cut at 5.
    const counts = { vm: [15, 20], dressed: [1, 6], metal: [0, 133] } as const
    expect(weightOf(counts, true)).toBe(5)
    // ln(5.5/21) − ln(133.5/134)
    expect(weightOf(counts, false)).toBeCloseTo(-1.34, 2)
  })

  test('is null where fewer than three guests or machines were counted', () => {
    expect(weightOf({ vm: [2, 2], dressed: [0, 0], metal: [0, 50] }, true)).toBeNull()
    expect(weightOf({ vm: [20, 20], dressed: [0, 0], metal: [0, 2] }, true)).toBeNull()
    expect(weightOf(undefined, true)).toBeNull()
  })

  test('never contradicts its own direction, and is bounded', () => {
    const ratio = fc.tuple(fc.nat(5000), fc.nat(5000)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    fc.assert(
      fc.property(ratio, ratio, fc.boolean(), (vm, metal, isVirtual) => {
        const weight = weightOf({ vm, dressed: [0, 0], metal }, isVirtual)
        if (weight === null) return
        expect(isVirtual ? weight : -weight).toBeGreaterThanOrEqual(0)
        expect(Math.abs(weight)).toBeLessThanOrEqual(5)
        expect(Object.is(weight, -0)).toBe(false)
      }),
    )
  })
})

describe('pinned parts', () => {
  const disk = (value: string): HardwarePin => ({ kind: 'disk', part: 'SAMSUNG MZQL23T8HCLS', value })
  const nic: HardwarePin = { kind: 'nic', part: 'enp1s0f0', value: '3c:ec:ef:01:02:03' }

  test('a swapped drive is one gone and one new', () => {
    expect(comparePins([disk('S64G1'), disk('S64G2')], [disk('S64G1'), disk('S64G3')])).toEqual([
      { pin: disk('S64G2'), is: 'gone' },
      { pin: disk('S64G3'), is: 'new' },
    ])
  })
  test('kinds that were not pinned are not compared, and a renamed interface is the same part', () => {
    expect(comparePins([nic], [{ ...nic, part: 'eno1' }, disk('S64G1')])).toEqual([])
  })
})
