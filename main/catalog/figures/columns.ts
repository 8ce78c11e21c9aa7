/**
 * The widths of columns side by side in `room`: each what it needs where there is room for all; else the narrow ones what they need, and the
 * others the same of what is left.
 */
export function sharedWidths(needs: readonly number[], room: number): readonly number[] {
  const widths = needs.map(() => 0)
  let [left, open] = [room, needs.length]
  const narrowFirst = [...needs.keys()].sort((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0) || a - b)
  for (const index of narrowFirst) {
    // Whole numbers: sums of fractions end a little outside of the room.
    const width = Math.min(Math.ceil(needs[index] ?? 0), Math.floor(left / open))
    widths[index] = width
    left -= width
    open -= 1
  }
  return widths
}
