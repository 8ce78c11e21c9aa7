/**
 * Elementary functions built only from +, −, ×, ÷ and square roots, which IEEE 754 rounds correctly, so that their
 * results are identical bit for bit on every engine. ECMAScript leaves the last bits of sines and similar functions
 * to the engine, and builds of V8 do differ in them.
 *
 * Reductions and coefficients are those of fdlibm 5.3 (Sun Microsystems, 1993). Results are within 1 ulp of the exact
 * ones unless stated otherwise.
 */

const { PI, abs, round, sqrt } = Math
const HALF_PI = PI / 2
/** The difference between π and the nearest double. */
const PI_REST = 1.2246467991473532e-16

/** Larger angles (160 turns) are not supported: the reduction below would lose bits. */
const LARGEST_ANGLE = 1024
/** π/2 as the sum of its first 33 bits, its next 33 bits, and the rest to 118 bits. */
const QUARTER = 1.5707963267341256
const QUARTER_MORE = 6.077100506303966e-11
const QUARTER_REST = 2.0222662487959506e-21

/** Sine of `x + rest`, for an angle within π/4 of zero. */
function sineNear(x: number, rest: number): number {
  const z = x * x
  const cube = z * x
  const series =
    0.00833333333332249 +
    z *
      (-0.0001984126982985795 +
        z * (0.0000027557313707070068 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10)))
  return x - (z * (0.5 * rest - cube * series) - rest + cube * 0.16666666666666632)
}

/** Cosine of `x + rest`, for an angle within π/4 of zero. */
function cosineNear(x: number, rest: number): number {
  const z = x * x
  const series =
    z *
    (0.0416666666666666 +
      z *
        (-0.001388888888887411 +
          z *
            (0.00002480158728947673 +
              z * (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11)))))
  const half = 0.5 * z
  const most = 1 - half
  return most + (1 - most - half + (z * series - x * rest))
}

/**
 * Sine of an angle in radians plus `more` quarter turns. Allocates no pair of numbers, because a map needs millions
 * of values.
 */
function sineAfter(angle: number, more: number): number {
  if (!(abs(angle) <= LARGEST_ANGLE)) return Number.NaN
  const turns = round(angle / HALF_PI)
  const before = angle - turns * QUARTER
  const off = turns * QUARTER_MORE
  const near = before - off
  const lost = turns * QUARTER_REST - (before - near - off)
  // Without a turn, the angle itself, so that a zero keeps its sign.
  const value = turns === 0 ? angle : near - lost
  const rest = turns === 0 ? 0 : near - value - lost
  const quarters = (((turns + more) % 4) + 4) % 4
  const size = quarters % 2 === 0 ? sineNear(value, rest) : cosineNear(value, rest)
  return quarters < 2 ? size : -size
}

/** Sine of an angle in radians; NaN beyond 1024. */
export const sin = (angle: number): number => sineAfter(angle, 0)
/** Cosine of an angle in radians; NaN beyond 1024. */
export const cos = (angle: number): number => sineAfter(angle, 1)

/** Sine and cosine of one angle, as a reusable output object. */
export interface SineAndCosine {
  sine: number
  cosine: number
}

/**
 * Writes sine and cosine of an angle within 1024 radians into `both`: the same bits as sin() and cos(), with one
 * reduction and without allocation.
 */
export function sineAndCosine(angle: number, both: SineAndCosine): void {
  const turns = round(angle / HALF_PI)
  const before = angle - turns * QUARTER
  const off = turns * QUARTER_MORE
  const near = before - off
  const lost = turns * QUARTER_REST - (before - near - off)
  const value = turns === 0 ? angle : near - lost
  const rest = turns === 0 ? 0 : near - value - lost
  const sine = sineNear(value, rest)
  const cosine = cosineNear(value, rest)
  const quarters = turns & 3
  both.sine = quarters === 0 ? sine : quarters === 1 ? cosine : quarters === 2 ? -sine : -cosine
  both.cosine = quarters === 0 ? cosine : quarters === 1 ? -sine : quarters === 2 ? -cosine : sine
}

/** For each interval: where it begins, the argument with a known arctangent, and the low part of that arctangent. */
const KNOWN_ARCTANGENTS = [
  { from: 39 / 16, rest: 6.123233995736766e-17, angle: HALF_PI, reduce: (x: number) => -1 / x },
  {
    from: 19 / 16,
    rest: 1.3903311031230998e-17,
    angle: 0.982793723247329,
    reduce: (x: number) => (x - 1.5) / (1 + 1.5 * x),
  },
  {
    from: 11 / 16,
    rest: 3.061616997868383e-17,
    angle: 0.7853981633974483,
    reduce: (x: number) => (x - 1) / (x + 1),
  },
  {
    from: 7 / 16,
    rest: 2.2698777452961687e-17,
    angle: 0.4636476090008061,
    reduce: (x: number) => (2 * x - 1) / (2 + x),
  },
] as const
/** Coefficients of the arctangent series for the odd powers from the third. */
const ARCTANGENT = [
  0.3333333333333293, -0.19999999999876483, 0.14285714272503466, -0.11111110405462356, 0.09090887133436507,
  -0.0769187620504483, 0.06661073137387531, -0.058335701337905735, 0.049768779946159324, -0.036531572744216916,
  0.016285820115365782,
] as const

/** Arctangent in radians. */
export function atan(x: number): number {
  if (Number.isNaN(x)) return x
  const size = abs(x)
  const known = KNOWN_ARCTANGENTS.find(({ from }) => size >= from)
  const small = known === undefined ? size : known.reduce(size)
  const z = small * small
  const series = z * ARCTANGENT.reduceRight((sum, factor) => factor + z * sum, 0)
  const angle = known === undefined ? small - small * series : known.angle - (small * series - known.rest - small)
  return x < 0 || Object.is(x, -0) ? -angle : angle
}

/**
 * Direction of (x, y) in radians, −π to π, with the signs of zeros as in ECMAScript; within 2 ulp. Both arguments are
 * finite.
 */
export function atan2(y: number, x: number): number {
  const backward = x < 0 || Object.is(x, -0)
  const angle = y === 0 ? 0 : x === 0 ? HALF_PI : atan(abs(y / x))
  const size = backward ? PI - (angle - PI_REST) : angle
  return y < 0 || Object.is(y, -0) ? -size : size
}

/** Arcsine in radians, within 3 ulp; NaN beyond 1. */
export const asin = (x: number): number => atan2(x, sqrt((1 - x) * (1 + x)))
/** Arccosine in radians, within 3 ulp; NaN beyond 1. */
export const acos = (x: number): number => 2 * atan2(sqrt(1 - x), sqrt(1 + x))
/** Length of (x, y), within 1 ulp where the squares are normal numbers. */
export const hypot = (x: number, y: number): number => sqrt(x * x + y * y)

const LN_2_HIGH = 0.6931471803691238
const LN_2_LOW = 1.9082149292705877e-10

/** Natural logarithm of a finite positive number; NaN for any other. */
export function log(x: number): number {
  if (!(x > 0 && x < Infinity)) return Number.NaN
  let [part, twos] = [x, 0]
  for (; part >= Math.SQRT2; part /= 2) twos += 1
  for (; part < Math.SQRT1_2; part *= 2) twos -= 1
  const over = part - 1
  const s = over / (2 + over)
  const z = s * s
  const series =
    z *
    (0.6666666666666735 +
      z *
        (0.3999999999940942 +
          z *
            (0.2857142874366239 +
              z *
                (0.22222198432149784 +
                  z * (0.1818357216161805 + z * (0.15313837699209373 + z * 0.14798198605116586))))))
  const half = 0.5 * over * over
  return twos * LN_2_HIGH - (half - (s * (half + series) + twos * LN_2_LOW) - over)
}

/** Cube root by Newton’s method, starting from a power of two above it; within 2 ulp. */
export function cbrt(x: number): number {
  const size = abs(x)
  if (!(size > 0 && size < Infinity)) return x
  let root = 1
  while (root * root * root < size) root *= 2
  while (root * root * root > 8 * size) root /= 2
  for (;;) {
    const next = (2 * root + size / (root * root)) / 3
    // The iteration descends from above until rounding stops it.
    if (next >= root) return x < 0 ? -root : root
    root = next
  }
}

/** A number raised to a non-negative integer power. */
function pow(base: number, power: number): number {
  if (!Number.isInteger(power) || power < 0) return Number.NaN
  let product = 1
  for (let left = power; left > 0; left -= 1) product *= base
  return product
}

/**
 * The `Math` given to third-party code: the functions whose results the standard fixes, and those above. All others
 * are absent.
 */
export const portableMath = {
  ...{ PI, abs, round, sqrt, ceil: Math.ceil, floor: Math.floor, max: Math.max, min: Math.min, sign: Math.sign },
  ...{ sin, cos, tan: (angle: number): number => sin(angle) / cos(angle), asin, acos, atan, atan2 },
  ...{ hypot, log, cbrt, pow },
}
