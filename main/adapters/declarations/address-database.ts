import { basename } from 'node:path'
import type { AddressDatabaseInFile } from '../../../schemas/types.ts'
import type { OpenAddressDatabase } from '../../core/all-ports.ts'
import { sha256 } from '../../core/digest.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { isPublic, parseAddress } from '../../core/geo/addresses.ts'
import { oneLine, quote } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { readAddressCsv } from './address-csv.ts'
import { isMmdb, readMmdb } from './address-mmdb.ts'
import { placeOf, readNamed } from './document.ts'

const LARGEST_MIB = 512
const LONGEST_NAME = 200

/**
 * An address database, MMDB or CSV, recognized by its bytes. Fails with input.not-found and input.refused; a line that
 * cannot be read is named.
 */
export async function openAddressDatabase(
  { file, provenance, builtOn }: AddressDatabaseInFile,
  beside: string | null,
): Promise<Outcome<OpenAddressDatabase>> {
  const path = placeOf(file, beside)
  const bytes = await readNamed(path, LARGEST_MIB)
  if (typeof bytes === 'string')
    return fail(bytes.startsWith('could') ? 'input.not-found' : 'input.refused', `${path} ${bytes}`)
  const name = oneLine(basename(path).slice(0, LONGEST_NAME), LONGEST_NAME).slice(0, LONGEST_NAME)
  const format = isMmdb(bytes) ? 'mmdb' : 'csv'
  const read = format === 'mmdb' ? readMmdb(bytes) : readAddressCsv(bytes)
  if (typeof read === 'string')
    return fail('input.refused', `${quote(name)}${read.startsWith(',') ? read : ` ${read}`}`)
  const { type, families, answer } = read
  return ok({
    about: {
      file: { name, size: bytes.length, sha256: sha256(bytes) },
      format,
      type,
      provenance: provenance ?? provenanceOf(format === 'mmdb' ? type : name, name),
      builtOn: read.builtOn ?? builtOn ?? null,
      families,
    },
    answer: (asked) => {
      const address = parseAddress(asked)
      const isHeld = address !== null && isPublic(address) && families.some((family) => family === address.family)
      return isHeld ? answer(address) : null
    },
  })
}

const MAKERS: readonly (readonly [RegExp, string])[] = [
  [/^(GeoIP|GeoLite)|maxmind/i, 'MaxMind'],
  [/db-?ip/i, 'DB-IP'],
  [/ip2location/i, 'IP2Location'],
  [/iptoasn|ip2asn/i, 'iptoasn'],
  [/ipinfo/i, 'IPinfo'],
  [/geo-?whois/i, 'geo-whois-asn-country'],
  [/routeviews/i, 'RouteViews'],
]

/** The publisher, by the name in the database; otherwise that name itself. */
const provenanceOf = (type: string, name: string): string =>
  MAKERS.find(([pattern]) => pattern.test(type))?.[1] ?? (type === '' ? name : type).slice(0, 200)
