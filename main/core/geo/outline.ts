/** Longitude and latitude in degrees, in the order of GeoJSON. */
export type Position = readonly [longitude: number, latitude: number]
/** Rings of one polygon: its outline, then its holes. */
export type Outline = readonly (readonly Position[])[]

/** The part of a picture that the map fills, in points. */
export interface Frame {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}
