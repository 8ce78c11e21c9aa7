/** A module of decisions, the unit tests that are to notice when it decides otherwise, and the share of mutants that they have to notice. */
export interface MutatedModule {
  readonly path: string
  readonly tests: readonly string[]
  /** Functions that decide, where others in the module only read or print. */
  readonly only?: readonly string[]
  /** Its texts with alternatives are parts of regular expressions. */
  readonly patterns?: boolean
  /** Mutants that change nothing anyone could observe, as `line text: was -> is`, each with the reason. */
  readonly equivalent?: Readonly<Record<string, string>>
}

/** At least this share of the mutants of each module is caught. */
export const LEAST = 0.95

export const MODULES: readonly MutatedModule[] = [
  { path: 'main/catalog/base/steps.ts', tests: ['test/catalog/steps.test.ts'] },
  {
    path: 'main/catalog/single-tenancy/isolation/rules.ts',
    tests: ['test/catalog/isolation-decide.test.ts'],
    only: ['decide', 'contradiction', 'unnamedGuest', 'noSignSeen'],
  },
  {
    path: 'main/adapters/ssh/host-key.ts',
    tests: ['test/decide-host-key.test.ts'],
    only: ['decideHostKey', 'onlyAuthorities'],
  },
  {
    path: 'main/core/collector/redact.ts',
    tests: ['test/redact.test.ts', 'test/redact-rules.test.ts', 'test/redact-classes.test.ts'],
    equivalent: {
      "kept.push(text.slice(from, begin.index), mark('private-key', 0)): 0 -> 1":
        'any length below KEPT_LENGTH gives the marker alone',
      'if (mayMatch[index] !== 1) continue: mayMatch[index] !== 1 -> false':
        'a rule without its literals in a text matches nothing there, which a test of the rules compares; trying it only takes longer',
      'if (mayMatch[index] !== 1) continue: continue -> ;':
        'a rule without its literals in a text matches nothing there, which a test of the rules compares; trying it only takes longer',
      'if (after === ruled) continue: after === ruled -> false':
        'literals of the same text are the same; finding them again only takes longer',
      'if (after === ruled) continue: continue -> ;':
        'literals of the same text are the same; finding them again only takes longer',
      'if (known !== undefined) return known: known !== undefined -> false':
        'a finder made again for the same rules finds the same',
      'FINDERS.set(rules, finder): FINDERS.set(rules, finder) -> ;':
        'a finder made again for the same rules finds the same',
    },
  },
  {
    path: 'main/core/collector/redact-rules.ts',
    tests: ['test/redact-rules.test.ts', 'test/redact-classes.test.ts'],
    patterns: true,
  },
  {
    path: 'main/core/collector/redact-command-lines.ts',
    tests: ['test/redact-command-lines.test.ts'],
    patterns: true,
    equivalent: {
      '.map((line) => (WORTH_READING.test(line) ? maskLine(line, mark) : line)): WORTH_READING.test(line) -> true':
        'a line that is not worth reading holds nothing to mask; reading it only takes longer',
    },
  },
  { path: 'main/adapters/seal/tsp/token.ts', tests: ['test/tsp.test.ts'], only: ['names', 'isIssuerSerial'] },
  { path: 'main/verify/steps/rules.ts', tests: ['test/verify-rules.test.ts'] },
  { path: 'main/verify/steps/complete.ts', tests: ['test/verify-lacking.test.ts'], only: ['lackingIn'] },
  {
    path: 'main/core/conclusion/conclude.ts',
    tests: ['test/conclusion/decisions.test.ts'],
    only: ['serverPart', 'isAboutServers', 'rowState'],
  },
  {
    path: 'main/core/register/documents.ts',
    tests: ['test/conclusion/counts.test.ts', 'test/conclusion/documents.test.ts'],
    equivalent: {
      "return levelRank(stated) > levelRank('received') && inspection === undefined ? 'received' : stated: > -> >=":
        'a document stated as received is received, inspected or not',
      'if (level === null || levelRank(reached) > levelRank(level)) level = reached: > -> >=':
        'a level of the same rank is the same level',
      'if (mayAnswer.length === 0) continue: mayAnswer.length === 0 -> false':
        'a request that may answer nothing enters nothing; it only need not be looked at',
      'if (mayAnswer.length === 0) continue: continue -> ;':
        'a request that may answer nothing enters nothing; it only need not be looked at',
    },
  },
  { path: 'main/core/rules/requests.ts', tests: ['test/conclusion/documents.test.ts'] },
  {
    path: 'main/core/conclusion/pool.ts',
    tests: ['test/period/conclusions.test.ts'],
    equivalent: {
      'if (isAboutServers(over.count)) addTo(pooled, keyOf(check, scope), over, moment): isAboutServers(over.count) -> true':
        'what is answered once is never read from the pool',
      'return first === null || last === null ? null : { nodes: on, first, last }: || -> &&': 'both are null together',
    },
  },
  {
    path: 'main/core/period/conclusions.ts',
    tests: ['test/period/conclusions.test.ts'],
    equivalent: {
      'const listsOf = ({ unreconciled = 1, sameMachines = [] }: RunTrace): Lists => ({: 1 -> 2':
        'any number but none keeps the lists from agreeing',
      'const earlier = (a: RunMoment, b: RunMoment): RunMoment => (Date.parse(b.at) < Date.parse(a.at) ? b : a): < -> <=':
        'two runs of one moment are one run',
      'const later = (a: RunMoment, b: RunMoment): RunMoment => (Date.parse(b.at) > Date.parse(a.at) ? b : a): > -> >=':
        'two runs of one moment are one run',
      'return unexplained === 0 && spans.length > 0 && reached >= end: > -> >=':
        'without a schedule nothing reaches the end',
    },
  },
]
