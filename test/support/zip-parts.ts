/** An archive of stored entries taken apart, to be put together in another way. Small archives only: no 64-bit form. */
export interface ZipPart {
  readonly name: string
  /** Its own header and its bytes. */
  readonly local: Buffer
  /** Its record in the list of entries. */
  readonly listed: Buffer
}

export function takeApart(zip: Buffer): ZipPart[] {
  const end = zip.length - 22
  const parts: ZipPart[] = []
  for (let at = zip.readUInt32LE(end + 16); at < end; ) {
    const nameLength = zip.readUInt16LE(at + 28)
    const next = at + 46 + nameLength + zip.readUInt16LE(at + 30)
    const start = zip.readUInt32LE(at + 42)
    const dataAt = start + 30 + nameLength + zip.readUInt16LE(start + 28)
    parts.push({
      name: zip.toString('latin1', at + 46, at + 46 + nameLength),
      local: zip.subarray(start, dataAt + zip.readUInt32LE(at + 20)),
      listed: zip.subarray(at, next),
    })
    at = next
  }
  return parts
}

/** Entries in one order, the list of them in another; every place is counted anew, so that the archive is sound. */
export function putTogether(entries: readonly ZipPart[], list: readonly ZipPart[]): Buffer {
  const starts = new Map<ZipPart, number>()
  let at = 0
  for (const part of entries) {
    starts.set(part, at)
    at += part.local.length
  }
  const records = list.map((part) => {
    const record = Buffer.from(part.listed)
    record.writeUInt32LE(starts.get(part) ?? 0, 42)
    return record
  })
  const listBytes = Buffer.concat(records)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(list.length, 8)
  end.writeUInt16LE(list.length, 10)
  end.writeUInt32LE(listBytes.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...entries.map(({ local }) => local), listBytes, end])
}

/** The same entry under another name of the same length, in both places. */
export function renamed(part: ZipPart, name: string): ZipPart {
  const [local, listed] = [Buffer.from(part.local), Buffer.from(part.listed)]
  local.write(name, 30, 'latin1')
  listed.write(name, 46, 'latin1')
  return { name, local, listed }
}
