import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/real/**', 'test/vm/**', 'test/electron/**'],
          // Nothing here changes what another file reads, and reading the catalog anew for each of them takes longer than most tests.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      // These put stand-ins in the place of whole modules, so each file has modules of its own.
      {
        test: { name: 'shell', include: ['test/electron/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
      },
      { test: { name: 'real', include: ['test/real/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 } },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ['test/support/build-test-apps.ts'],
        },
      },
    ],
    // Two files at a time also where there are two processors: many tests wait for a program or a server.
    maxWorkers: 2,
    reporters: ['default', './test/support/skip-reporter.ts'],
  },
})
