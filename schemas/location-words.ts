import type { LocationAnswer, LocationSignal } from './types.ts'

/** How a location answer is told to people. Each word has a mark of its own shape, and says no more than was observed. */
export const locationVerdictWords: Readonly<
  Record<LocationAnswer['verdict'], { readonly label: string; readonly meaning: string; readonly mark: string }>
> = {
  contradicted: {
    label: 'Contradicted',
    meaning: 'Light cannot go there and back in the time observed, or a signed statement names another place.',
    mark: 'square-cross',
  },
  conflicting: {
    label: 'Statements disagree',
    meaning: 'No time contradicts the place, and what was read names different places. A person has to look.',
    mark: 'diamond-question',
  },
  'bounded-inside': {
    label: 'Bounded inside',
    meaning:
      'Everywhere that the answering party can be lies inside. That is whoever holds the keys of the SSH session.',
    mark: 'ring-tick',
  },
  consistent: {
    label: 'Consistent with',
    meaning: 'The times do not exclude the place, and statements of at least two kinds agree with it.',
    mark: 'dot',
  },
  'asserted-only': {
    label: 'Asserted only',
    meaning: 'Somebody says so; nothing that was measured or that is independent of them bears on it.',
    mark: 'bar',
  },
  unverified: {
    label: 'Not determined',
    meaning: 'Nothing that was read or measured bears on the place.',
    mark: 'dotted-ring',
  },
}

/** What stands behind each class of evidence. E1, the round trips that the auditor timed, is told apart from these. */
export const locationClassWords: Readonly<Record<LocationSignal['class'] | 'E1', string>> = {
  E1: 'Round trips timed by the auditor',
  E2: 'Statement signed by the provider and bound to this machine',
  E3: 'Tag attested by hardware',
  E4: 'Registry or database of addresses',
  E5: 'Statement by whoever operates the machine or its network',
  E6: 'Document that a person brought',
}

/** What a location result can and cannot show; printed with every one of them. */
export const LOCATION_SHOWS: readonly { readonly statement: string; readonly status: string }[] = [
  {
    statement: 'How far away the answering party can be',
    status:
      'Shown, against anybody: an answer cannot come before its nonce, and delay only widens the bound. It rests on the declared place of the computer that timed it, and on a clock there that nothing slows by more than 0.05 % meanwhile.',
  },
  {
    statement: 'That the answering party is not in a place',
    status: 'Shown, where all reach together misses the place.',
  },
  {
    statement: 'That the answering party is in a place',
    status: 'Shown, where all reach together lies inside; for the holder of the session’s keys only.',
  },
  {
    statement: 'That the answering party is the audited machine, and no relay with a copy of its host key',
    status: 'Not shown by any delay.',
  },
  { statement: 'Where data, replicas and backups are', status: 'Not shown; what is connected can only be listed.' },
  {
    statement: 'That a place which the times merely allow is the true one',
    status: 'Not shown; it is consistent with it, as are all other places in reach.',
  },
  {
    statement: 'Anything from the time of a TCP connection, a ping or a keep-alive',
    status: 'Not shown: something in between can answer, or answer early.',
  },
  {
    statement: 'Anything from what a node says of itself',
    status: 'An assertion by whoever administers it.',
  },
]
