// Types of what packages.js has, as far as we use it. Angles are in degrees, but the radius of geoDistance and the area of geoArea.

export type Coordinates = [longitude: number, latitude: number]

export type Shape =
  | { readonly type: 'Sphere' }
  | { readonly type: 'LineString'; readonly coordinates: readonly Coordinates[] }
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Coordinates[])[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly (readonly Coordinates[])[])[] }

type Corners = [leftTop: [x: number, y: number], rightBottom: [x: number, y: number]]

export interface Projection {
  (point: Coordinates): [x: number, y: number] | null
  rotate(angles: [longitude: number, latitude: number]): this
  translate(middle: [x: number, y: number]): this
  scale(scale: number): this
  precision(points: number): this
  clipExtent(corners: Corners): this
  fitExtent(corners: Corners, shape: Shape): this
}

/** What a path is drawn into. */
export interface Pen {
  beginPath(): void
  closePath(): void
  arc(): void
  moveTo(x: number, y: number): void
  lineTo(x: number, y: number): void
}

/** What takes polygons ring by ring; the last point of a ring is joined to its first. */
export interface RingSink {
  polygonStart(): void
  polygonEnd(): void
  lineStart(): void
  lineEnd(): void
  point(x: number, y: number): void
}

interface Circle {
  (): { readonly coordinates: Coordinates[][] }
  center(center: Coordinates): this
  radius(degrees: number): this
  precision(degrees: number): this
}

export function geoArea(shape: Shape): number
export function geoAzimuthalEqualArea(): Projection
export function geoCircle(): Circle
export function geoClipRectangle(x0: number, y0: number, x1: number, y1: number): (sink: RingSink) => RingSink
export function geoDistance(a: Coordinates, b: Coordinates): number
export function geoEqualEarth(): Projection
export function geoInterpolate(a: Coordinates, b: Coordinates): (share: number) => Coordinates
export function geoPath(projection: Projection, pen: Pen): (shape: Shape) => void

/** The ellipsoid. `s12` of what the inverse problem gives is the length in metres. */
export const WGS84: {
  Inverse(
    latitude1: number,
    longitude1: number,
    latitude2: number,
    longitude2: number,
    outmask: number,
  ): { s12?: number }
}

export const DISTANCE: number
