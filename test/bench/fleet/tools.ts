import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalog } from '../../../main/catalog/definition/index.ts'
import { planOf } from '../../../main/core/collector/plan.ts'
import { collectorScript } from '../../../main/core/collector/script.ts'
import { addressOf } from '../farm/behaviour.ts'
import { timed } from '../measure.ts'

/** A whole program by its own account: seconds, processor time of it and all it waited for, its largest process. */
export interface Ran {
  readonly seconds: number
  readonly cpuMs: number
  readonly peakMiB: number
  /** Nodes of which everything came; null where the program failed. */
  readonly complete: number
  readonly stdout: string
  readonly stderr: string
}

export interface Nodes {
  readonly count: number
  readonly port: number
  readonly user: string
  readonly identityFile: string
  readonly fingerprint: string
  /** A known_hosts file that knows them as `bench`. */
  readonly knownHosts: string
}

/** A way to ask all nodes once: what it is called, and what it runs into a fresh folder. */
export interface Tool {
  readonly name: string
  readonly program: string
  readonly argv: (nodes: Nodes, width: number, folder: string) => readonly string[]
  readonly env?: (folder: string) => Readonly<Record<string, string>>
  /** Nodes of which everything came. */
  readonly complete: (nodes: Nodes, folder: string, stdout: string) => number
}

const NONCE = 'f'.repeat(24)
const plan = planOf(catalog.probes, { sudo: false, echo: false })
export const COMMANDS = plan.commands.length

export async function ran(tool: Tool, nodes: Nodes, width: number, folder: string): Promise<Ran> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'script'), collectorScript(plan, NONCE))
  const told = join(folder, 'time')
  const env = Object.entries(tool.env?.(folder) ?? {}).map(([name, value]) => `${name}=${value}`)
  const { stdout, stderr } = await timed([
    ...['env', ...env, '/usr/bin/time', '-q', '-o', told, '-f', '%e %U %S %M'],
    ...tool.argv(nodes, width, folder),
  ])
  const [seconds = 0, user = 0, system = 0, kib = 0] =
    readFileSync(told, 'utf8').trim().split('\n').at(-1)?.split(' ').map(Number) ?? []
  const complete = tool.complete(nodes, folder, stdout.toString('latin1'))
  const said = { stdout: stdout.toString(), stderr: stderr.subarray(-2000).toString() }
  return { seconds, cpuMs: (user + system) * 1000, peakMiB: Math.round(kib / 1024), complete, ...said }
}

const sshOptions = ({ port, identityFile, knownHosts }: Nodes): readonly string[] => [
  ...['-F', 'none', '-p', String(port), '-i', identityFile],
  ...[
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'HostKeyAlias=bench',
    'ControlMaster=no',
    'LogLevel=ERROR',
    `UserKnownHostsFile=${knownHosts}`,
  ].flatMap((option) => ['-o', option]),
]

const addresses = ({ count }: Nodes): readonly string[] => Array.from({ length: count }, (_, index) => addressOf(index))
const answersIn = (text: string): number => text.split(`${NONCE} E `).length - 1

/** One ssh process for each node, so many at a time; the same questions as ours. */
export const PLAIN_SSH: Tool = {
  name: 'ssh (xargs -P)',
  program: '/usr/bin/ssh',
  argv: (nodes, width, folder) => {
    writeFileSync(
      join(folder, 'nodes'),
      addresses(nodes)
        .map((address) => `${address}\n`)
        .join(''),
    )
    const one = `ssh -T ${sshOptions(nodes).join(' ')} ${nodes.user}@{} 'sh -s' <'${folder}/script' >'${folder}/{}.out' 2>'${folder}/{}.err' || true`
    return ['xargs', '-a', join(folder, 'nodes'), '-P', String(width), '-I{}', 'sh', '-c', one]
  },
  complete: (nodes, folder) =>
    addresses(nodes).filter((address) => answersIn(readFileSync(join(folder, `${address}.out`), 'latin1')) === COMMANDS)
      .length,
}

export const CLUSH: Tool = {
  name: 'clush',
  program: '/usr/bin/clush',
  argv: (nodes, width, folder) => [
    ...['sh', '-c', `exec "$@" <'${folder}/script'`, 'sh'],
    ...['clush', '-q', '-f', String(width), '-l', nodes.user, '-o', sshOptions(nodes).join(' ')],
    ...['-w', addresses(nodes).join(','), 'sh -s'],
  ],
  complete: ({ count }, _folder, stdout) =>
    answersIn(stdout) === count * COMMANDS ? count : Math.floor(answersIn(stdout) / COMMANDS),
}

export const PSSH: Tool = {
  name: 'pssh',
  program: '/usr/bin/parallel-ssh',
  argv: (nodes, width, folder) => {
    writeFileSync(
      join(folder, 'hosts'),
      addresses(nodes)
        .map((address) => `${nodes.user}@${address}:${nodes.port}\n`)
        .join(''),
    )
    // Its own option sets the port.
    const options = sshOptions(nodes).filter((word) => word !== '-p' && word !== String(nodes.port))
    return [
      ...['sh', '-c', `exec "$@" <'${folder}/script'`, 'sh'],
      ...['parallel-ssh', '-h', join(folder, 'hosts'), '-p', String(width), '-t', '0', '-o', join(folder, 'answers')],
      ...options.flatMap((word) => ['-x', word]),
      ...['-I', 'sh -s'],
    ]
  },
  complete: (_nodes, folder) =>
    existsSync(join(folder, 'answers'))
      ? readdirSync(join(folder, 'answers')).filter(
          (name) => answersIn(readFileSync(join(folder, 'answers', name), 'latin1')) === COMMANDS,
        ).length
      : 0,
}

/** Its own facts, and not our questions. */
export const ANSIBLE: Tool = {
  name: 'ansible -m setup',
  program: '/usr/bin/ansible',
  argv: (nodes, width, folder) => {
    writeFileSync(
      join(folder, 'inventory'),
      addresses(nodes)
        .map((address) => `${address} ansible_port=${nodes.port} ansible_user=${nodes.user}\n`)
        .join(''),
    )
    return [
      ...['ansible', 'all', '-i', join(folder, 'inventory'), '-m', 'setup', '-f', String(width)],
      ...[
        '--tree',
        join(folder, 'facts'),
        '--ssh-common-args',
        sshOptions(nodes)
          .filter((word) => word !== '-p' && word !== String(nodes.port))
          .join(' '),
      ],
    ]
  },
  env: (folder) => ({
    // None of this computer's: one that is not there counts as empty.
    ANSIBLE_CONFIG: join(folder, 'none.cfg'),
    ANSIBLE_PIPELINING: '1',
    ANSIBLE_LOCAL_TEMP: join(folder, 'tmp'),
    ANSIBLE_PYTHON_INTERPRETER: '/usr/bin/python3',
  }),
  complete: (_nodes, folder) =>
    existsSync(join(folder, 'facts'))
      ? readdirSync(join(folder, 'facts')).filter((name) =>
          readFileSync(join(folder, 'facts', name), 'utf8').includes('"ansible_facts"'),
        ).length
      : 0,
}

export const COLLECT = 'barewitness collect'

/** The program as people run it, gentle pace and all. `cli`: its one bundled file. */
export const collectTool = (cli: string): Tool => ({
  name: COLLECT,
  program: process.execPath,
  argv: (nodes, width, folder) => {
    writeFileSync(join(folder, 'fleet.json'), JSON.stringify(fleetOf(nodes, width)))
    return [
      process.execPath,
      cli,
      'collect',
      '--fleet',
      join(folder, 'fleet.json'),
      '--out',
      join(folder, 'out'),
      '--json',
    ]
  },
  complete: (_nodes, _folder, stdout) => {
    try {
      const { recordings } = JSON.parse(stdout) as {
        readonly recordings: readonly { readonly outcome: { readonly status: string } }[]
      }
      return recordings.filter(({ outcome }) => outcome.status === 'complete').length
    } catch {
      return 0
    }
  },
})

function fleetOf(nodes: Nodes, concurrency: number): unknown {
  return {
    name: 'Bench',
    concurrency,
    nodes: addresses(nodes).map((address, index) => ({
      name: `node-${index + 1}`,
      address,
      port: nodes.port,
      user: nodes.user,
      hostKey: nodes.fingerprint,
      identityFile: nodes.identityFile,
      agent: false,
      transport: 'ssh2',
    })),
  }
}
