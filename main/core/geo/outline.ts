/** Longitude and latitude in degrees, in that order, as GeoJSON has them. */
export type Position = readonly [longitude: number, latitude: number]
/** Rings of one polygon: its outline, then its holes. */
export type Outline = readonly (readonly Position[])[]

/** The part of a picture that the map fills. */
export interface Frame {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}
