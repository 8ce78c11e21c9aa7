/** Borders as they are packed: arcs, so that a border of two countries stands once, and shapes made of them, as in TopoJSON. */
export interface PackedAtlas {
  readonly title: string
  readonly asOf: string
  /** Degrees of longitude and latitude in one step of the arcs, and where their steps begin. */
  readonly scale: readonly number[]
  readonly translate: readonly number[]
  readonly shapes: readonly {
    /** Every country whose land it is, or may be. */
    readonly codes: readonly string[]
    /** Of each polygon, the rings; of each ring, the arcs. `~n` is arc n from its end. */
    readonly polygons: readonly (readonly (readonly number[])[])[]
  }[]
  /** Base64 of numbers: of each arc, how many points, then the steps east and north from one point to the next. */
  readonly arcs: string
}

/** The same, unpacked. */
export interface Atlas {
  readonly shapes: PackedAtlas['shapes']
  /** Degrees of the points of all arcs, one arc after the other. */
  readonly longitudes: Float64Array
  readonly latitudes: Float64Array
  /** At which point each arc begins; one more than there are arcs. */
  readonly starts: Int32Array
}

/** Unpacks an atlas. The text is our own: nothing here is checked. */
export function readAtlas({ shapes, arcs, scale, translate }: PackedAtlas): Atlas {
  const bytes = Buffer.from(arcs, 'base64')
  let place = 0
  // Seven bits a byte, the lowest first, the eighth says that more follow; the lowest bit of all is the sign.
  const next = (): number => {
    let [value, shift] = [0, 0]
    for (; ; shift += 7) {
      const byte = bytes[place++] ?? 0
      value |= (byte & 127) << shift
      if (byte < 128) return (value >>> 1) ^ -(value & 1)
    }
  }
  const [longitudes, latitudes] = [new Float64Array(bytes.length / 2), new Float64Array(bytes.length / 2)]
  const [stepEast = 1, stepNorth = 1] = scale
  const [west = 0, south = 0] = translate
  const starts = [0]
  let points = 0
  while (place < bytes.length) {
    let [x, y] = [0, 0]
    for (let left = next(); left > 0; left--) {
      x += next()
      y += next()
      longitudes[points] = west + x * stepEast
      latitudes[points++] = south + y * stepNorth
    }
    starts.push(points)
  }
  return {
    shapes,
    longitudes: longitudes.slice(0, points),
    latitudes: latitudes.slice(0, points),
    starts: Int32Array.from(starts),
  }
}

/** The points of a ring as [longitude, latitude], closed: its last is its first. */
export function ringOf({ longitudes, latitudes, starts }: Atlas, ring: readonly number[]): [number, number][] {
  const points = ring.flatMap((arc, at) => {
    const index = arc < 0 ? ~arc : arc
    const line: [number, number][] = []
    for (let point = starts[index] ?? 0; point < (starts[index + 1] ?? 0); point++)
      line.push([longitudes[point] ?? 0, latitudes[point] ?? 0])
    // Each arc begins where the one before it ends.
    return (arc < 0 ? line.reverse() : line).slice(at === 0 ? 0 : 1)
  })
  return points
}
