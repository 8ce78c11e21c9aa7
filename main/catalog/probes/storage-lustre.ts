import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'
import { inOrder } from '../steady.ts'

/** How one connection of a Lustre client to a server is protected. */
export interface LustreFlavor {
  /** The client's name of the connection: scratch-OST0000-osc-ffff8800da9f0800. */
  readonly target: string
  /** null, plain, gssnull, krb5n, krb5a, krb5i, krb5p, skn, ska, ski or skpi. */
  readonly rpc: string
}

export interface LustreFlavors {
  readonly flavors: readonly LustreFlavor[]
}

const FILE = /^\/(?:sys\/kernel\/debug|proc\/fs)\/lustre\/(?:mdc|osc)\/([^/]{1,200})\/srpc_info$/

/**
 * What `lctl get_param *.*.srpc_info` reads (Lustre Operations Manual, chapter on Shared-Secret Key; lustre/ptlrpc/sec_lproc.c), looked up
 * where it lies: in debugfs, of older versions in /proc. Neither folder exists on a node without Lustre.
 */
export const storageLustre = defineProbe({
  id: 'storage.lustre',
  title: 'Protection of Lustre connections',
  why: 'Lustre sends data in clear text unless each of its connections is configured otherwise. The names of the methods are read, no keys.',
  ignoredInDrift: {
    why: 'Connections are named after an address in the kernel’s memory.',
    normalize: ({ flavors }: LustreFlavors) => ({
      flavors: inOrder(flavors.map(({ target, rpc }) => ({ target: target.replace(/-[0-9a-f]{8,16}$/, ''), rpc }))),
    }),
  },
  commands: {
    flavors: runAsRoot([
      'grep',
      '-r',
      '-H',
      '--include=srpc_info',
      '^rpc.flavor:',
      '/sys/kernel/debug/lustre',
      '/proc/fs/lustre',
    ]),
  },
  parse({ flavors }) {
    if (!grepIsComplete(flavors)) return unknown('the connections of Lustre could not be read')
    const read = foundLines(flavors.text).map(({ path, line }): LustreFlavor | null => {
      const [, target] = FILE.exec(path) ?? []
      const [, rpc] = /^rpc flavor:\s*(\w{1,16})\s*$/.exec(line) ?? []
      return target === undefined ? null : { target, rpc: rpc ?? 'unknown' }
    })
    return known<LustreFlavors>({ flavors: read.filter((flavor) => flavor !== null) })
  },
})
