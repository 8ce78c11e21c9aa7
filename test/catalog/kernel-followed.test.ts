import { describe, expect, test } from 'vitest'
import { packagesApt, packagesAptArchives } from '../../main/catalog/operations/packages/apt.ts'
import { packagesListDpkg } from '../../main/catalog/operations/packages/probes.ts'
import { known, unknown } from '../../main/core/recording/probe.ts'
import { changed, over, stepText } from '../support/concluded.ts'
import { FIXTURE_TIME } from '../support/fixtures.ts'

const ID = 'vuln.patch-level'
const NONE_PENDING = [
  packagesApt,
  known({ pending: [], isWhole: true, listsChangedAt: Date.parse(FIXTURE_TIME) / 1000 }),
] as const
const ARCHIVES = [packagesAptArchives, known({ suites: ['noble-security'] })] as const

/** The packages of the model node, with these kernels in place of its own. */
const kernels = (...names: readonly string[]) =>
  changed(packagesListDpkg, ({ packages }) => ({
    packages: [
      ...packages.filter((row) => !row.startsWith('linux-image-')),
      ...names.map((name) => `${name} 6.8.0-87.88`),
    ],
  }))
const verdictWith = (...names: readonly string[]) => over(ID, NONE_PENDING, ARCHIVES, kernels(...names)).verdict

/** The name of a kernel’s package holds its version, so that a newer one is another package and no update of it. */
describe('kernels that no package follows', () => {
  test.each([
    ['linux-image-6.8.0-87-generic', 'linux-image-generic'],
    ['linux-image-6.8.0-87-generic', 'linux-image-virtual'],
    ['linux-image-6.8.0-1015-nvidia', 'linux-image-nvidia-hwe-24.04'],
    ['linux-image-6.12.43+deb13-amd64', 'linux-image-amd64'],
    ['linux-image-6.1.0-28-cloud-amd64', 'linux-image-cloud-amd64'],
  ])('%s next to %s', (kernel, follower) => {
    expect(verdictWith(kernel, follower)).toBe('satisfied')
    expect(verdictWith(kernel)).toBe('inconclusive')
  })

  test('an unsigned kernel follows none either', () => {
    expect(verdictWith('linux-image-6.8.0-87-generic', 'linux-image-unsigned-6.8.0-88-generic')).toBe('inconclusive')
  })

  test('what is stated', () => {
    expect(stepText(over(ID, NONE_PENDING, ARCHIVES, kernels('linux-image-6.8.0-87-generic')))).toContain(
      'unclear: No installed package follows newer kernels: “linux-image-6.8.0-87-generic” has the version in its name, so that apt lists a newer kernel as no update.',
    )
  })

  test('a node with no kernel from a package has none to follow; packages that were not listed leave it open', () => {
    expect(verdictWith()).toBe('satisfied')
    expect(over(ID, NONE_PENDING, ARCHIVES, [packagesListDpkg, unknown('not collected')]).verdict).toBe('inconclusive')
  })

  test('a security update that waits remains a deviation', () => {
    const waiting = known({ pending: [{ name: 'openssl', security: true }], isWhole: true, listsChangedAt: null })
    expect(over(ID, [packagesApt, waiting], ARCHIVES, kernels('linux-image-6.8.0-87-generic')).verdict).toBe(
      'not-satisfied',
    )
  })
})
