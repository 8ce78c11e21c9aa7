import { baseRoot, SUITES, whyNoHosts } from './base.ts'
import { packagedRoot } from './packages.ts'
import { packagesOfPodman } from './podman.ts'

// Installs the root file systems that test/hosts boots, as .ci/run installs Debian's packages: some minutes, once for a checkout. Without it
// the tests build what they lack.
const missing = whyNoHosts()
if (missing !== null) process.stderr.write(`root file systems of hosts are not built: ${missing}\n`)
else {
  await Promise.all(SUITES.map((suite) => baseRoot(suite)))
  for (const suite of ['bookworm', 'trixie'] as const) await packagedRoot(suite)
  await packagesOfPodman()
}
