import { defineConfig } from 'vitest/config'

/** Guests booted for real: minutes each, so they are not part of `npm test`. */
export default defineConfig({ test: { name: 'vm', include: ['**/*.test.ts'], fileParallelism: false } })
