import { plain } from '../../../core/base/plain-text.ts'
import type { AskedName } from '../../../core/fleet/ssh-methods.ts'
import type { Parsed, Probe } from '../../../core/recording/probe.ts'
import { type DraftObservation, type MaybeFactsOf, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, named, supports, unclear } from '../../base/steps.ts'
import { type Listener, listenerProcesses, networkListeners } from '../../data-protection/listeners/probes.ts'
import { isTwin, type SshServer, sshListeners, sshServers } from '../../data-protection/ssh-encryption/probes.ts'
import { socketName, whyPassed } from '../../data-protection/tls/index.ts'
import { targetOf, tlsListeners } from '../../data-protection/tls/probes.ts'
import { sshSession } from '../../operations/evidence/probes.ts'
import { type LoginSession, loginSession } from '../../operations/login-records/index.ts'
import { settingWords } from './access.ts'
import { readSshdStart, type SshdStart } from './command-line.ts'
import { ASKED_WORDS, expectedMethods, fits, methodNames, offered } from './offered-methods.ts'
import { type SshdContexts, type SshdSettings, type SshProcess, sshdEffective, sshProcesses } from './probes.ts'

/**
 * Evidence of which SSH servers run, and whether the settings printed by `sshd -T` are theirs. Every check that reads
 * those settings wants it.
 */
export const RUNNING_SSH = {
  sshSockets: networkListeners,
  sshOwners: listenerProcesses,
  sshProcesses,
  sshWire: sshServers,
  sshTls: tlsListeners,
  sshLogin: loginSession,
  sshSession,
} as const
export type RunningSshEvidence = MaybeFactsOf<typeof RUNNING_SSH>

/** An SSH server that listens on this node. */
interface RunningServer {
  readonly listener: Listener
  /** "tcp/22 on 0.0.0.0, process sshd": fit to be in a sentence. */
  readonly name: string
  /** As it responded through the session; null where it was not queried. */
  readonly seen: SshServer | null
  /** Why the settings are not, or not shown to be, those of this server; empty where they are. */
  readonly doubts: readonly DraftObservation[]
  /** The settings are shown to be another server's, so that they can are no evidence against this one. */
  readonly isOther: boolean
}

export interface RunningSsh {
  readonly servers: readonly RunningServer[]
  /** Whether the settings may contradict a claim: false where none of the servers that run has them. */
  readonly isBearing: boolean
  /** One step for each server and each gap. All support the claim only where the settings are those of every server that runs. */
  readonly steps: readonly DraftObservation[]
}

/** What a check requires of the running servers. */
interface Asking {
  /** The keywords of sshd_config(5) that it reads, in lower case. */
  readonly keywords: readonly string[]
  readonly contexts?: Parsed<SshdContexts>
  /** What a server’s response decides by itself, regardless of its settings. */
  readonly concludes?: (server: RunningServer) => DraftObservation | null
}

/** The port of the node that the session came in by, as its server names it. The one that we dialled may be another machine's. */
export const sessionPort = (login: Parsed<LoginSession>): number | null => (login.ok ? login.fact.serverPort : null)

/**
 * Which of the running SSH servers the settings of `sshd -T` describe. The settings are read from a file, and
 * describe a server only where a process of OpenSSH’s sshd holds the socket, on a port in the settings, started
 * without another file and without options that set the same keywords, and where it offers over the network what they
 * state. Anything else leaves the result inconclusive.
 */
export function runningSsh(
  sshd: Parsed<SshdSettings>,
  evidence: RunningSshEvidence,
  { keywords, contexts, concludes = () => null }: Asking,
): RunningSsh {
  const servers = serversOf(sshd, evidence, { keywords, ...(contexts === undefined ? {} : { contexts }) })
  const missing = gaps(evidence)
  const banner = evidence.sshSession.ok ? evidence.sshSession.fact.serverVersion : ''
  // Without a list of sockets, the name that the session's own server gave still shows another program.
  const isOtherProgram = servers.length === 0 && /dropbear|tinyssh/i.test(banner)
  return {
    servers,
    isBearing: !isOtherProgram && (servers.length === 0 || servers.some(({ isOther }) => !isOther)),
    steps: [
      ...servers.flatMap((server) => {
        const settled = concludes(server)
        return settled === null ? (server.doubts.length > 0 ? server.doubts : [described(server)]) : [settled]
      }),
      ...missing,
      ...(servers.length === 0 && missing.length === 0
        ? [unclear('No socket of an SSH server was listed, though this session came through one.', networkListeners)]
        : []),
      ...carrier(servers, evidence),
    ],
  }
}

const described = ({ name, seen }: RunningServer): DraftObservation =>
  supports(
    `The settings are those of the SSH server that runs at ${name}: ${plain(seen?.version ?? '', 60)}, and its offer matches them (${offered(seen)}).`,
    sshServers,
  )

function gaps({
  sshSockets,
  sshOwners,
  sshProcesses: running,
  sshWire,
  sshSession: session,
}: RunningSshEvidence): readonly DraftObservation[] {
  const wire = sshWire.ok && !sshWire.fact.forwarding
  return [
    ...unclearAbout(sshSession, session),
    ...unclearAbout(networkListeners, sshSockets),
    ...unclearAbout(listenerProcesses, sshOwners),
    ...unclearAbout(sshProcesses, running),
    ...unclearAbout(sshServers, sshWire),
    ...(wire
      ? [
          unclear(
            'The SSH servers were not queried: this session, by the system’s ssh program, reaches no ports of the node.',
            sshServers,
          ),
        ]
      : []),
  ]
}

/** The server that carries this session must be among those that were found. */
function carrier(servers: readonly RunningServer[], { sshLogin }: RunningSshEvidence): readonly DraftObservation[] {
  if (servers.length === 0) return []
  const port = sessionPort(sshLogin)
  if (port === null) return [unclear('Which of the SSH servers carries this session is not known.', loginSession)]
  return servers.some(({ listener }) => listener.port === port)
    ? []
    : [
        unclear(
          `This session used port ${port}, at which no SSH server was listed: another machine, container or rule may be in between.`,
          networkListeners,
        ),
      ]
}

function serversOf(
  sshd: Parsed<SshdSettings>,
  evidence: RunningSshEvidence,
  asking: Omit<Asking, 'settles'>,
): readonly RunningServer[] {
  const { sshSockets, sshOwners, sshProcesses: running, sshTls, sshLogin } = evidence
  if (!sshSockets.ok) return []
  const processes = running.ok ? running.fact.processes : []
  const port = sessionPort(sshLogin)
  const listeners = sshListeners(sshSockets.fact.listeners, sshOwners.ok ? sshOwners.fact.listeners : [], {
    sshPorts: port === null ? [] : [port],
    processes,
    tls: sshTls.ok ? sshTls.fact : null,
  })
  return listeners
    .filter((listener) => !listeners.some((other) => isTwin(other, listener)))
    .map((listener) => {
      const name = socketName(listener)
      const { seen, step } = heardAt(listener, name, evidence)
      const doubts = [
        ...ownerDoubts(listener, name, { sshd, processes, isListed: running.ok, keywords: asking.keywords }),
        ...(step === null ? [] : [{ step, isOther: false }]),
        ...(seen === null ? [] : wireDoubts(seen, name, sshd, evidence, asking)),
      ]
      return {
        listener,
        name,
        seen,
        doubts: doubts.map((doubt) => doubt.step),
        isOther: doubts.some(({ isOther }) => isOther),
      }
    })
}

interface Doubt {
  readonly step: DraftObservation
  readonly isOther: boolean
}

const doubt = (text: string, probe: Probe<unknown>, isOther = false): Doubt => ({
  step: unclear(text, probe),
  isOther,
})

/** The program at the socket, its command line, and its port. */
function ownerDoubts(
  { processes: names, pids, port }: Listener,
  name: string,
  {
    sshd,
    processes,
    isListed,
    keywords,
  }: {
    readonly sshd: Parsed<SshdSettings>
    readonly processes: readonly SshProcess[]
    readonly isListed: boolean
    readonly keywords: readonly string[]
  },
): readonly Doubt[] {
  const doubts: Doubt[] = []
  const ports = sshd.ok ? settingWords(sshd.fact, 'port') : []
  if (sshd.ok && !ports.includes(`${port}`))
    doubts.push(
      doubt(
        `An SSH server listens at ${name}; the settings that were read are for port ${named(ports)}.`,
        sshdEffective,
        true,
      ),
    )
  // The processes that hold it are unknown; that is reported once, for all of them.
  if (names.length === 0) return doubts
  const foreign = names.filter((one) => one !== 'sshd' && one !== 'systemd')
  if (foreign.length > 0)
    return [
      ...doubts,
      doubt(`The server at ${name} is not OpenSSH’s sshd, whose settings were read.`, listenerProcesses, true),
    ]
  if (!names.includes('sshd'))
    return [
      ...doubts,
      doubt(`At ${name} a server is started for each connection; with which options is not shown.`, listenerProcesses),
    ]
  if (!isListed) return doubts
  const owners = processes.filter(({ pid, isSession }) => pids.includes(pid) && !isSession)
  if (owners.length === 0)
    return [...doubts, doubt(`The command line of the SSH server at ${name} was not listed.`, sshProcesses)]
  return [...doubts, ...owners.flatMap((process) => startDoubts(process, name, keywords))]
}

/** Where distributions install sshd, and therefore which program `sshd -T` runs. */
const PROGRAM = /^(?:(?:\/usr)?\/s?bin\/)?sshd$/
const DEFAULT_FILE = '/etc/ssh/sshd_config'

function startDoubts(
  { words: [program = '', ...words], isWhole }: SshProcess,
  name: string,
  keywords: readonly string[],
): readonly Doubt[] {
  const start = isWhole ? readSshdStart(words) : null
  if (start === null)
    return [doubt(`The command line of the SSH server at ${name} could not be read in whole.`, sshProcesses)]
  const sets = overriding(start, keywords)
  return [
    ...(PROGRAM.test(program)
      ? []
      : [
          doubt(
            `The SSH server at ${name} is another program than the one whose settings were read: ${named([program])}.`,
            sshProcesses,
          ),
        ]),
    ...(start.file !== null && start.file !== DEFAULT_FILE
      ? [
          doubt(
            `The SSH server at ${name} was started with another configuration file: ${named([start.file])}.`,
            sshProcesses,
            true,
          ),
        ]
      : []),
    ...(sets.length > 0
      ? [
          doubt(
            `The SSH server at ${name} was started with options that go before its configuration file: ${named(sets)}.`,
            sshProcesses,
            true,
          ),
        ]
      : []),
  ]
}

/** Options that concern what a check reads; a file that is included, or conditions, may concern anything. */
const overriding = ({ sets }: SshdStart, keywords: readonly string[]): readonly string[] =>
  [...sets].filter((keyword) => keyword === 'include' || keyword === 'match' || keywords.includes(keyword))

/** The response of the server at a socket, or why there is none. */
export function heardAt(
  listener: Listener,
  name: string,
  { sshWire }: RunningSshEvidence,
): { readonly seen: SshServer | null; readonly step: DraftObservation | null } {
  if (!sshWire.ok || !sshWire.fact.forwarding) return { seen: null, step: null }
  const { host, port } = targetOf(listener)
  const at = (found: { readonly host: string; readonly port: number }): boolean =>
    found.host === host && found.port === port
  const unheard = (why: string) => ({
    seen: null,
    step: unclear(`The SSH server at ${name} was not observed: ${why}.`, sshServers),
  })
  const passed = sshWire.fact.passed.find(at)
  if (passed !== undefined) return unheard(whyPassed(passed.why))
  const seen = sshWire.fact.servers.find(at)
  if (seen === undefined) return unheard('it is not in the collector’s record')
  const failed = seen.answers.find(({ outcome }) => outcome !== 'methods' && outcome !== 'accepted')
  return failed === undefined ? { seen, step: null } : { ...unheard(WHY[failed.outcome] ?? failed.outcome), seen }
}

const WHY: Readonly<Record<string, string>> = {
  'no-common': 'it has no algorithm in common with the collector’s client',
  closed: 'it ended the connection before it responded',
  silent: 'it did not respond in time',
  'not-ssh': 'the responder uses another protocol',
  refused: 'the server of this session forwards no connections to it',
  failed: 'no server accepted the connection',
}

/** Compares the server’s own statements with the settings. */
function wireDoubts(
  seen: SshServer,
  name: string,
  sshd: Parsed<SshdSettings>,
  { sshSession: session, sshLogin }: RunningSshEvidence,
  { contexts }: Omit<Asking, 'settles'>,
): readonly Doubt[] {
  const doubts: Doubt[] = []
  if (seen.version !== '' && !/^OpenSSH_/.test(seen.version))
    doubts.push(
      doubt(
        `The SSH server at ${name} calls itself ${named([seen.version])}; the settings that were read are OpenSSH’s.`,
        sshServers,
        true,
      ),
    )
  if (seen.isMixed)
    doubts.push(doubt(`At ${name}, one connection reached another SSH server than the next.`, sshServers))
  const isCarrier = sessionPort(sshLogin) === seen.port
  if (
    isCarrier &&
    session.ok &&
    seen.hostKey !== null &&
    seen.hostKey.type === session.fact.keyType &&
    seen.hostKey.fingerprint !== session.fact.fingerprint
  )
    doubts.push(doubt(`At ${name}, another host key is shown than to this session.`, sshServers))
  if (sshd.ok)
    for (const { who, outcome, methods } of seen.answers) {
      if (outcome !== 'methods') continue
      const expected = expectedMethods(who, sshd.fact, contexts)
      if (!expected.some((one) => fits(who, methods, one)))
        doubts.push(
          doubt(
            `The SSH server at ${name} offers ${ASKED_WORDS[who]} ${methodNames(methods)}; by the settings that were read it would offer ${methodNames([...(expected[0] ?? [])])}.`,
            sshServers,
          ),
        )
    }
  return doubts
}

/** Servers that let a person in without requesting anything, for the names that matter to a claim. */
export const letIn = ({ servers }: RunningSsh, names: readonly AskedName[]): readonly DraftObservation[] =>
  servers.flatMap(({ name, seen }) =>
    (seen?.answers ?? [])
      .filter(({ who, outcome }) => outcome === 'accepted' && names.includes(who))
      .map(({ who }) =>
        contradicts(
          `The SSH server at ${name} admitted ${ASKED_WORDS[who]} without authentication; the connection was closed at once, and no session opened.`,
          sshServers,
        ),
      ),
  )

/** Servers that offer a password at the beginning of a login. */
export const passwordOffers = (
  { servers }: RunningSsh,
  which: (server: RunningServer) => boolean,
): readonly DraftObservation[] =>
  servers.filter(which).flatMap(({ name, seen }) => {
    const to = (seen?.answers ?? []).filter(({ methods }) => methods.includes('password'))
    return to.length === 0
      ? []
      : [
          contradicts(
            `The SSH server at ${name} offers “password” to ${to.map(({ who }) => ASKED_WORDS[who]).join(', ')}, before any key.`,
            sshServers,
          ),
        ]
  })

/** A server of a program without settings for single accounts, which offers no one anything but keys. */
export function keysOnly({ name, listener, seen }: RunningServer): DraftObservation | null {
  if (
    listener.processes.includes('sshd') ||
    seen === null ||
    !/^(?:dropbear|tinyssh)/i.test(seen.version) ||
    seen.isMixed ||
    seen.answers.length < 2
  )
    return null
  const isOnlyKeys = seen.answers.every(
    ({ outcome, methods }) => outcome === 'methods' && methods.every((method) => method === 'publickey'),
  )
  return isOnlyKeys
    ? supports(`The SSH server at ${name} (${plain(seen.version, 60)}) offers ${offered(seen)}.`, sshServers)
    : null
}
