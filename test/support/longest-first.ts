import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take half a minute or more by themselves, the longest first: begun last, one of them would run alone at the end. */
const LONG: readonly string[] = [
  'test/hosts/hosts.test.ts',
  'test/hosts/canaries.test.ts',
  'test/fleet/memory.slow.test.ts',
  'test/catalog/isolation-lost.slow.test.ts',
  'test/real/seal-cli.test.ts',
  'test/real/faults-killed.test.ts',
  'test/real/vectors.test.ts',
  'test/conclusion/invariants.test.ts',
  'test/real/schedule-cli.test.ts',
  'test/verify-property.slow.test.ts',
  'test/e2e/screens-evidence.test.ts',
  'test/real/cli.test.ts',
  'test/real/location-cli.test.ts',
  'test/disclosure-verdicts.slow.test.ts',
  'test/real/live-tests.test.ts',
  'test/real/verify-sh.test.ts',
  'test/e2e/screens-seal.test.ts',
  'test/e2e/screens-fleet.test.ts',
  'test/e2e/screens-location.test.ts',
]

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONG.findIndex((path) => moduleId.endsWith(`/${path}`))
  return at === -1 ? LONG.length : at
}

/** The order in which files of all projects are begun. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...(await super.sort(files))].sort((a, b) => rank(a) - rank(b))
  }
}
