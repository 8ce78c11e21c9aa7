import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface BmcDevice {
  /** Device nodes through which programs on this server reach the controller, with the accounts that may open them. */
  readonly nodes: readonly {
    readonly path: string
    readonly owner: string
    readonly group: string
    readonly mode: number
  }[]
}

const NODES = ['/dev/ipmi0', '/dev/ipmi/0', '/dev/ipmidev/0', '/dev/ipmi1'] as const

/** How many lines state that a file does not exist, and how many state something else. */
function apart(said: readonly string[]): readonly [number, number] {
  const absent = said.filter((line) => /(No such file or directory|Not a directory)$/.test(line)).length
  return [absent, said.length - absent]
}

/** Linux Documentation/driver-api/ipmi.rst: the party that may open this device commands the controller, without any password. */
export const bmcDevice = defineProbe({
  id: 'bmc.device',
  title: 'Local access to the management controller',
  why: 'A program that may open this device can set users and passwords of the controller.',
  commands: { nodes: run(['stat', '-c', '%a %U %G %n', ...NODES]) },
  parse({ nodes }) {
    const [absent, complaints] = apart(lines(nodes.errorText))
    const rows = lines(nodes.text).map((line) => /^([0-7]{1,5}) (\S{1,64}) (\S{1,64}) (\/dev\/\S{1,64})$/.exec(line))
    // Each of them is either there or stated not to be.
    if (complaints > 0 || rows.includes(null) || rows.length + absent !== NODES.length)
      return unknown('the controller’s device could not be looked at')
    return known<BmcDevice>({
      nodes: rows.map((row) => ({
        path: row?.[4] ?? '',
        owner: row?.[2] ?? '',
        group: row?.[3] ?? '',
        mode: Number.parseInt(row?.[1] ?? '0', 8),
      })),
    })
  },
})
