import type { LocationResult, LocationSignal } from './types.ts'

/** Labels of location results, each with a mark of its own shape. None states more than was observed. */
export const locationVerdictWords: Readonly<
  Record<LocationResult['result'], { readonly label: string; readonly meaning: string; readonly mark: string }>
> = {
  contradicted: {
    label: 'Contradicted',
    meaning: 'Round-trip time excludes the place, or a signed statement names another place.',
    mark: 'square-cross',
  },
  conflicting: {
    label: 'Conflicting evidence',
    meaning: 'No time contradicts the place, but sources name different places. A person has to decide.',
    mark: 'diamond-question',
  },
  bounded: {
    label: 'Bounded within area',
    meaning:
      'Every possible position of the SSH responder is within the area. The responder is the holder of the session keys.',
    mark: 'ring-tick',
  },
  corroborated: {
    label: 'Corroborated, not bounded',
    meaning: 'Round-trip times allow the place, and two independent kinds of source agree.',
    mark: 'dot',
  },
  uncorroborated: {
    label: 'Not corroborated',
    meaning: 'Stated by one party; no measurement or independent source supports it.',
    mark: 'bar',
  },
  undetermined: {
    label: 'Undetermined',
    meaning: 'No reading or measurement applies to the place.',
    mark: 'dotted-ring',
  },
}

/** Origin of each class of evidence. E1, measured round trips, is separate from the others. */
export const locationClassWords: Readonly<Record<LocationSignal['class'] | 'E1', string>> = {
  E1: 'Round-trip times measured by the collecting computer or a vantage point',
  E2: 'Statement signed by the provider and bound to this machine',
  E3: 'Tag attested by hardware',
  E4: 'Registry or database of addresses',
  E5: 'Statement by the machine or network operator',
  E6: 'Document',
}

/** What a location result can and cannot show; printed with every one of them. */
export const LOCATION_SHOWS: readonly { readonly statement: string; readonly status: string }[] = [
  {
    statement: 'Maximum distance of the SSH responder',
    status:
      'Shown, against any adversary: a response cannot precede its nonce, and delay only widens the bound. It depends on the declared place of the computer that timed it, and on a clock there that runs slow by at most 0.05 %.',
  },
  {
    statement: 'That the SSH responder is not in a place',
    status: 'Shown, where all distance bounds together exclude the place.',
  },
  {
    statement: 'That the SSH responder is in a place',
    status: 'Shown, where all distance bounds together are within the place; for the holder of the session keys only.',
  },
  {
    statement: 'That the SSH responder is the audited machine, not a relay with a copy of its host key',
    status: 'Not shown by any delay.',
  },
  { statement: 'Where data, replicas and backups are', status: 'Not shown; connections can only be listed.' },
  {
    statement: 'That a place which the times merely allow is the actual place',
    status: 'Not shown; the times allow it, as they allow every other place within the bounds.',
  },
  {
    statement: 'Any conclusion from the time of a TCP connection, a ping or a keep-alive',
    status: 'Not shown: an intermediary can respond, or respond early.',
  },
  {
    statement: 'Any statement by the node about itself',
    status: 'An assertion by the administrator of the node.',
  },
]
