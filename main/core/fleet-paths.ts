import type { Fleet } from '../../schemas/types.ts'

/** A path of a file in a fleet, and the member that holds it. */
export interface PlacedPath {
  readonly path: readonly (string | number)[]
  readonly file: string
}

/**
 * The fleet with every file that it names replaced by what `change` gives. A provider is a file only where its text is
 * not the id of a built-in profile, which the caller knows.
 */
export function withPaths(fleet: Fleet, change: (found: PlacedPath) => string): Fleet {
  const one = (path: PlacedPath['path'], file: string): string => change({ path, file })
  const many = (key: string, files: readonly string[]): readonly string[] =>
    files.map((file, at) => one([key, at], file))
  const { knownHosts, engagement, provider, mappings, vantages, sites, addressDatabases } = fleet
  return {
    ...fleet,
    ...(knownHosts === undefined ? {} : { knownHosts: one(['knownHosts'], knownHosts) }),
    ...(engagement === undefined ? {} : { engagement: one(['engagement'], engagement) }),
    ...(provider === undefined ? {} : { provider: one(['provider'], provider) }),
    ...(mappings === undefined ? {} : { mappings: many('mappings', mappings) }),
    ...(vantages === undefined ? {} : { vantages: many('vantages', vantages) }),
    ...(sites === undefined
      ? {}
      : {
          sites: {
            ...sites,
            file: one(['sites', 'file'], sites.file),
            ...(sites.signature === undefined ? {} : { signature: one(['sites', 'signature'], sites.signature) }),
          },
        }),
    ...(addressDatabases === undefined
      ? {}
      : {
          addressDatabases: addressDatabases.map((database, at) => ({
            ...database,
            file: one(['addressDatabases', at, 'file'], database.file),
          })),
        }),
    nodes: fleet.nodes.map((node, at) => ({
      ...node,
      ...(node.knownHosts === undefined ? {} : { knownHosts: one(['nodes', at, 'knownHosts'], node.knownHosts) }),
      ...(node.identityFile === undefined
        ? {}
        : { identityFile: one(['nodes', at, 'identityFile'], node.identityFile) }),
    })) as unknown as Fleet['nodes'],
  }
}

/** Every file that a fleet names, in the order of `withPaths`. */
export function pathsIn(fleet: Fleet): readonly PlacedPath[] {
  const found: PlacedPath[] = []
  withPaths(fleet, (one) => {
    found.push(one)
    return one.file
  })
  return found
}
