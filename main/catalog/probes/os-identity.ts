import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { properties } from '../read-text.ts'

export interface OsIdentity {
  readonly name: string
  readonly kernel: string
  readonly machine: string
}

/** os-release(5), uname(1). */
export const osIdentity = defineProbe({
  id: 'os.identity',
  title: 'Operating system',
  why: 'Shows the distribution and kernel that produced all other captures.',
  commands: { release: run(['cat', '/etc/os-release']), kernel: run(['uname', '-srm']) },
  parse({ release, kernel }) {
    const [system, version, machine] = kernel.text.trim().split(/\s+/)
    if (kernel.exitCode !== 0 || system === undefined || version === undefined || machine === undefined)
      return unknown('the kernel did not name itself')
    const fields = properties(release.text)
    const name = (fields.get('PRETTY_NAME') ?? fields.get('NAME') ?? '').replace(/^["']|["']$/g, '')
    if (release.exitCode !== 0 || name === '') return unknown('the distribution did not name itself')
    return known<OsIdentity>({ name, kernel: `${system} ${version}`, machine })
  },
})
