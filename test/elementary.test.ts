import { describe, expect, test } from 'vitest'
import { sha256 } from '../main/core/base/digest.ts'
import { acos, asin, atan, atan2, cbrt, cos, hypot, log, portableMath, sin } from '../main/core/base/elementary.ts'

const bits = new BigInt64Array(1)
const number = new Float64Array(bits.buffer)
/** Doubles in their order, one by one. */
const place = (value: number): bigint => {
  number[0] = value
  const [all = 0n] = bits
  return all < 0n ? -(all & 0x7fff_ffff_ffff_ffffn) : all
}

const apart = (a: number, b: number): number => Math.abs(Number(place(a) - place(b)))

/** The same numbers in every run and on every engine, from -1 to 1. */
function spread(count: number): readonly number[] {
  let state = 20261128
  return Array.from({ length: count }, () => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return state / 2 ** 30 - 1
  })
}

const NUMBERS = spread(20_000)

describe('elementary functions', () => {
  // The engine's are within 1 ulp themselves, so that a bound of 1 allows one more.
  test.each([
    ['sin', sin, Math.sin, 7, 1],
    ['sin of many turns', sin, Math.sin, 1000, 1],
    ['cos', cos, Math.cos, 7, 1],
    ['atan', atan, Math.atan, 5, 1],
    ['asin', asin, Math.asin, 1, 3],
    ['acos', acos, Math.acos, 1, 3],
    ['cbrt', cbrt, Math.cbrt, 10, 2],
    ['log', (x: number) => log(Math.abs(x)), (x: number) => Math.log(Math.abs(x)), 1000, 1],
  ])('%s is as near to the exact value as stated', (_, own, engine, scale, most) => {
    const worst = Math.max(...NUMBERS.map((x) => apart(own(x * scale), engine(x * scale))))
    expect(worst).toBeLessThanOrEqual(most + 1)
  })

  test('atan2 and hypot are as near as stated, in all quarters', () => {
    const pairs = NUMBERS.slice(1).map((x, at) => [x, NUMBERS[at] ?? 0] as const)
    expect(Math.max(...pairs.map(([y, x]) => apart(atan2(y, x), Math.atan2(y, x))))).toBeLessThanOrEqual(2)
    expect(Math.max(...pairs.map(([y, x]) => apart(hypot(y, x), Math.hypot(y, x))))).toBeLessThanOrEqual(2)
  })

  // Correctly rounded, from the first 40 digits of the values.
  test.each([
    [sin(1), 0.8414709848078965],
    [sin(Math.PI), 1.2246467991473532e-16],
    [cos(1), 0.5403023058681398],
    [cos(Math.PI / 2), 6.123233995736766e-17],
    [atan(1), 0.7853981633974483],
    [atan2(1, -1), 2.356194490192345],
    [asin(0.5), 0.5235987755982989],
    [acos(0.5), 1.0471975511965979],
    [log(2), Math.LN2],
    [log(10), Math.LN10],
    [cbrt(27), 3],
  ])('known values: %d', (own, known) => {
    expect(apart(own, known)).toBeLessThanOrEqual(1)
  })

  test('noughts keep their signs, and what has no value has none', () => {
    expect([sin(-0), atan(-0), atan2(-0, 1), atan2(-0, -1), atan2(0, -1), cbrt(-0)]).toEqual([
      ...[-0, -0, -0, -Math.PI, Math.PI, -0],
    ])
    expect([sin(1025), cos(Infinity), asin(1.1), acos(-2), log(0), log(-1), sin(Number.NaN)]).toEqual(
      Array.from({ length: 7 }, () => Number.NaN),
    )
  })

  test('the same bits on every engine', () => {
    const all = [sin, cos, atan, asin, acos, cbrt, portableMath.tan, (x: number) => log(Math.abs(x))].flatMap((of) =>
      NUMBERS.map(of),
    )
    const bytes = new Uint8Array(new Float64Array([...all, ...NUMBERS.map((x) => atan2(x, 0.3))]).buffer)
    expect(sha256(bytes)).toBe('057f1d1e6cfceb179d3d4186518f2170183e50cbd309aa276f3c404b164e9e33')
  })
})

/** Weights have two decimals, and from 1,000 to 1 on the words are the same. The exponential of the engine is good to far more than this. */
test('odds in words lie far from where rounding would decide', () => {
  const near = Array.from({ length: 700 }, (_, at) => Math.exp((at + 5) / 100)).filter((times) => {
    const parts = times >= 20 ? times / 10 : times * 10
    return [parts - Math.floor(parts) - 0.5, times - 20, times - 1000].some((off) => Math.abs(off) < 1e-6)
  })
  expect(near).toEqual([])
})
