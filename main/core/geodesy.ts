/** A point on the WGS 84 ellipsoid, in degrees. */
export interface Point {
  readonly latitude: number
  readonly longitude: number
}

// WGS 84 (NGA.STND.0036): semi-major axis in km and flattening.
const A = 6378.137
const F = 1 / 298.257223563
const B = A * (1 - F)

/** Half the longest meridian ellipse: no two points on the surface are further apart along it (Karney 2013, §8: at most 20,003.93 km). */
const FARTHEST_KM = 20003.932
/** Vincenty's series does not converge within this of the antipode. */
const NEAR_ANTIPODE_DEGREES = 1.5

export interface Distance {
  /** No shorter than this, and no longer than that, in km; equal but for a few metres except near the antipode. */
  readonly atLeast: number
  readonly atMost: number
}

/**
 * The length of the shortest line between two points on the WGS 84 ellipsoid (Vincenty, Survey Review 23 (176), 1975). Near the
 * antipode, where the iteration does not settle, it gives bounds from the sphere instead, widened by the ellipsoid's departure from it.
 */
export function geodesicKm(a: Point, b: Point): Distance {
  const sphere = sphericalDegrees(a, b)
  const exact = 180 - sphere > NEAR_ANTIPODE_DEGREES ? vincenty(a, b) : null
  if (exact !== null) return { atLeast: Math.max(0, exact - ACCURACY_KM), atMost: exact + ACCURACY_KM }
  // A great circle on the mean sphere is off by at most 0.56 % (the flattening is 0.34 %).
  const mean = (sphere / 180) * Math.PI * 6371.0088
  return { atLeast: mean * (1 - 0.0056), atMost: Math.min(FARTHEST_KM, mean * (1 + 0.0056)) }
}

// The series is good to half a millimetre; ten metres leave room and change no verdict.
const ACCURACY_KM = 0.01

const radians = (degrees: number): number => (degrees * Math.PI) / 180

function sphericalDegrees(a: Point, b: Point): number {
  const [phi1, phi2] = [radians(a.latitude), radians(b.latitude)]
  const lambda = radians(b.longitude - a.longitude)
  const h = Math.sin((phi2 - phi1) / 2) ** 2 + Math.cos(phi1) * Math.cos(phi2) * Math.sin(lambda / 2) ** 2
  return (2 * Math.asin(Math.min(1, Math.sqrt(h))) * 180) / Math.PI
}

function vincenty(a: Point, b: Point): number | null {
  const L = radians(((b.longitude - a.longitude + 540) % 360) - 180)
  const U1 = Math.atan((1 - F) * Math.tan(radians(a.latitude)))
  const U2 = Math.atan((1 - F) * Math.tan(radians(b.latitude)))
  const [sinU1, cosU1, sinU2, cosU2] = [Math.sin(U1), Math.cos(U1), Math.sin(U2), Math.cos(U2)]
  let lambda = L
  for (let round = 0; round < 200; round += 1) {
    const sinLambda = Math.sin(lambda)
    const cosLambda = Math.cos(lambda)
    const sinSigma = Math.hypot(cosU2 * sinLambda, cosU1 * sinU2 - sinU1 * cosU2 * cosLambda)
    if (sinSigma === 0) return 0
    const cosSigma = sinU1 * sinU2 + cosU1 * cosU2 * cosLambda
    const sigma = Math.atan2(sinSigma, cosSigma)
    const sinAlpha = (cosU1 * cosU2 * sinLambda) / sinSigma
    const cos2Alpha = 1 - sinAlpha ** 2
    // On the equator cos²α is zero and the term it divides vanishes.
    const cos2SigmaM = cos2Alpha < 1e-15 ? 0 : cosSigma - (2 * sinU1 * sinU2) / cos2Alpha
    const C = (F / 16) * cos2Alpha * (4 + F * (4 - 3 * cos2Alpha))
    const before = lambda
    lambda =
      L + (1 - C) * F * sinAlpha * (sigma + C * sinSigma * (cos2SigmaM + C * cosSigma * (2 * cos2SigmaM ** 2 - 1)))
    if (Math.abs(lambda - before) < 1e-12) return meridianLength(cos2Alpha, sigma, sinSigma, cosSigma, cos2SigmaM)
  }
  return null
}

function meridianLength(
  cos2Alpha: number,
  sigma: number,
  sinSigma: number,
  cosSigma: number,
  cos2SigmaM: number,
): number {
  const u2 = (cos2Alpha * (A ** 2 - B ** 2)) / B ** 2
  const k = 1 + (u2 / 16384) * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
  const m = (u2 / 1024) * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
  const term = (m / 6) * cos2SigmaM * (4 * sinSigma ** 2 - 3) * (4 * cos2SigmaM ** 2 - 3)
  const delta = m * sinSigma * (cos2SigmaM + (m / 4) * (cosSigma * (2 * cos2SigmaM ** 2 - 1) - term))
  return B * k * (sigma - delta)
}
