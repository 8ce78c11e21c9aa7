import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

/** Unit tests that take a sample in `npm test`: they run once more, over everything, in `npm run test:all`. */
const sampling = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !/^(e2e|real|hosts|vm|electron)\//.test(name))
  .map((name) => `test/${name}`)
  .filter((path) => readFileSync(path, 'utf8').includes("support/thorough.ts'"))

// The window shows local time with UTC; what a test expects must not depend on where its computer stands.
process.env.TZ = 'UTC'

const MINUTE = 60_000

const SETUP = ['test/support/quick-worker.ts', 'test/support/quick-scrypt.ts', 'test/support/property-seed.ts']

/** Compares this host with itself, which other files change: they add accounts, servers and mounts. */
const ALONE = 'test/real/drift.test.ts'

export default defineConfig({
  test: {
    projects: [
      {
        // Three files at a time also where there are two processors: many of these wait for a program or a lock.
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.slow.test.ts', 'test/{e2e,real,hosts,vm,electron}/**'],
          // Nothing here changes what another file reads, and reading the catalog anew for each of them takes longer than most tests.
          isolate: false,
          setupFiles: SETUP,
          testTimeout: 5 * MINUTE,
          hookTimeout: 5 * MINUTE,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      // These put stand-ins in the place of whole modules, so each file has modules of its own.
      {
        test: {
          name: 'shell',
          include: ['test/electron/**/*.test.ts'],
          setupFiles: ['test/support/property-seed.ts'],
          testTimeout: 5 * MINUTE,
          hookTimeout: 5 * MINUTE,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'slow',
          include: ['test/**/*.slow.test.ts', ...sampling],
          env: { BAREWITNESS_THOROUGH: '1' },
          exclude: ['test/{e2e,real,hosts,vm,electron}/**'],
          isolate: false,
          setupFiles: SETUP,
          testTimeout: 10 * MINUTE,
          hookTimeout: 10 * MINUTE,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'real',
          include: ['test/real/**/*.test.ts'],
          exclude: [ALONE],
          // As above: each starts programs and servers of its own, and puts back what it changes.
          isolate: false,
          setupFiles: ['test/support/property-seed.ts'],
          testTimeout: 10 * MINUTE,
          hookTimeout: 10 * MINUTE,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 10 * MINUTE,
          hookTimeout: 10 * MINUTE,
          globalSetup: ['test/support/build-test-apps.ts'],
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'alone',
          include: [ALONE],
          testTimeout: 10 * MINUTE,
          hookTimeout: 10 * MINUTE,
          sequence: { groupOrder: 3 },
        },
      },
      // Root file systems started as machines: each takes most of what a small computer has.
      {
        test: {
          name: 'hosts',
          include: ['test/hosts/**/*.test.ts'],
          testTimeout: 30 * MINUTE,
          hookTimeout: 30 * MINUTE,
          sequence: { groupOrder: 2 },
        },
      },
    ],
    // Two files at a time also where there are two processors: many tests wait for a program or a server.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/skip-reporter.ts'],
  },
})
