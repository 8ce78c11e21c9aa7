import type { ScheduleStatus } from '../../../schemas/ipc-schedules.ts'
import type { Schedule } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { ConnectTarget } from '../../core/ports/ports.ts'
import { certificateUntil, type KeyFile, keyFile } from '../../core/schedule/schedule.ts'

/**
 * Whether a job can log in, or seal, unattended, with the nodes concerned; none where it concerns sealing. `unclear`: it
 * depends on something that cannot be observed from here.
 */
export type UnattendedUse = ScheduleStatus['credentials'][number]
export type Works = UnattendedUse['works']

/**
 * The means by which a job can log in to each node, and seal; nodes with the same result share one entry. Only the
 * header of key files is read, and no content is reported.
 */
export async function unattendedUse(
  ports: Pick<Ports, 'files' | 'identities' | 'schedules' | 'clock'>,
  targets: readonly ConnectTarget[],
  options: Schedule['options'],
): Promise<readonly UnattendedUse[]> {
  const byText = new Map<string, { works: Works; text: string; nodes: string[] }>()
  const known = new Map<string, Promise<Answer>>()
  for (const target of targets) {
    const hops = [
      ...target.jumps.map((jump) => ({ hop: jump, at: `Jump host ${jump.node.name}: ` })),
      { hop: target, at: '' },
    ]
    for (const { hop, at } of hops) {
      const { works, text } = await loginOf(ports, hop, known)
      const entry = byText.get(`${at}${text}`) ?? { works, text: `${at}${text}`, nodes: [] }
      byText.set(entry.text, entry)
      if (!entry.nodes.includes(target.node.name)) entry.nodes.push(target.node.name)
    }
  }
  const order: readonly Works[] = ['no', 'unclear', 'yes']
  const logins = [...byText.values()].sort((a, b) => order.indexOf(a.works) - order.indexOf(b.works))
  return [...logins, { ...(await sealingOf(ports, options)), nodes: [] }]
}

type Answer = Pick<UnattendedUse, 'works' | 'text'>

const AGENT =
  'The agent of a login session usually ends at logout. Declare a private key, or run an agent as a service.'

async function loginOf(
  ports: Pick<Ports, 'files' | 'clock'>,
  { credentials, transport }: Pick<ConnectTarget, 'credentials' | 'transport'>,
  known: Map<string, Promise<Answer>>,
): Promise<Answer> {
  const { identityFile: path, agent } = credentials
  if (path === undefined)
    return agent
      ? { works: 'unclear', text: `Login depends on an SSH agent. ${AGENT}` }
      : { works: 'no', text: 'Neither a private key nor an SSH agent is declared.' }
  const bySystem = transport === 'openssh'
  const key = `${bySystem} ${path}`
  const answer = known.get(key) ?? keyAnswer(ports, path, bySystem)
  known.set(key, answer)
  return await answer
}

/** `bySystem`: the fleet file selects the system’s ssh program. */
async function keyAnswer(
  { files, clock }: Pick<Ports, 'files' | 'clock'>,
  path: string,
  bySystem: boolean,
): Promise<Answer> {
  const name = plain(path, 400)
  const read = await files.read(path)
  if (!read.ok) return { works: 'no', text: `Key file ${name} could not be read.` }
  const answer = answerFor(keyFile(read.value), name, bySystem)
  const certificate = await files.read(`${path}-cert.pub`)
  if (answer.works !== 'yes' || !certificate.ok) return answer
  const until = certificateUntil(certificate.value)
  if (until === null)
    return { works: 'unclear', text: `${answer.text} Its certificate ${name}-cert.pub could not be read.` }
  if (until === 'for ever') return { works: 'yes', text: `${answer.text} Its certificate does not expire.` }
  if (until <= clock.now()) return { works: 'no', text: `Certificate ${name}-cert.pub expired at ${until}.` }
  return {
    works: 'unclear',
    text: `${answer.text} Its certificate expires at ${until}; renew it before then, or a job can no longer log in.`,
  }
}

function answerFor(kind: KeyFile, name: string, bySystem: boolean): Answer {
  if (kind === 'open')
    return {
      works: 'yes',
      text: `Key file ${name} has no passphrase: a job can log in with it, and so can anyone who can read the file.`,
    }
  if (kind === 'locked')
    return {
      works: 'unclear',
      text: `Key file ${name} is encrypted, and unattended runs cannot enter a passphrase. It works only if an SSH agent that the job reaches holds the key. ${AGENT}`,
    }
  if (kind === 'public')
    return {
      works: 'unclear',
      text: `${name} is a public key: the private key must be in an SSH agent that the job reaches. ${AGENT}`,
    }
  if (kind === 'foreign')
    return bySystem
      ? {
          works: 'unclear',
          text: `Key file ${name} has no passphrase. Its format is PKCS #8, which the system’s ssh program may read.`,
        }
      : {
          works: 'no',
          text: `Key file ${name} has the format PKCS #8, which is not supported here. Convert it to OpenSSH format with ssh-keygen -p -f and its path.`,
        }
  if (kind === 'hardware')
    return { works: 'no', text: `The key in ${name} is on a device that requires, or may require, a touch.` }
  return { works: 'no', text: `${name} contains no private key in a known format.` }
}

async function sealingOf(
  { identities, schedules, clock }: Pick<Ports, 'identities' | 'schedules' | 'clock'>,
  { identity, identityFolder, passphraseFile }: Schedule['options'],
): Promise<Answer> {
  const folder = identityFolder ?? identities.defaultFolder
  const listed = await identities.list(folder)
  if (!listed.ok)
    return { works: 'no', text: `Sealing: the signing identities in ${plain(folder, 400)} could not be read.` }
  const fitting = listed.value.filter(({ name }) => identity === undefined || name === identity)
  const [only, another] = fitting
  if (only === undefined || another !== undefined)
    return {
      works: 'no',
      text: `Sealing: ${plain(folder, 400)} has ${fitting.length} matching signing identities; exactly one is required.`,
    }
  const { name, notAfter } = only
  const now = clock.now()
  if (notAfter <= now)
    return {
      works: 'no',
      text: `Sealing: the certificate of ${name} expired at ${notAfter}. Renew it with “identity rotate”, or import a new one.`,
    }
  const isToken = only.kind === 'token'
  const secret = isToken ? 'the PIN of its token' : 'its passphrase'
  if (passphraseFile === undefined)
    return {
      works: 'no',
      text: `Sealing: unattended runs cannot enter ${secret} for ${only.name}. Set up a passphrase file for the schedule.`,
    }
  const readable = await schedules.secret(passphraseFile)
  if (!readable.ok) {
    const { code, detail } = readable.error
    return {
      works: 'no',
      text: `Sealing: ${plain(detail, 600)}${code === 'input.not-found' ? ' could not be opened' : ''}.`,
    }
  }
  const endsSoon = Date.parse(notAfter) - Date.parse(now) < SOON_DAYS * 86_400_000
  return {
    works: endsSoon ? 'unclear' : 'yes',
    text: `Sealing: ${only.name} is opened with ${secret}, from ${plain(passphraseFile, 400)}, which only its owner can read.${
      isToken
        ? ' The token must be connected. A wrong PIN is tried once per run; tokens lock after a few failures.'
        : ''
    }${endsSoon ? ` Its certificate expires at ${notAfter}; renew it before then, or no run can be sealed.` : ''}`,
  }
}

/** Time for a person to renew a certificate that a schedule seals with. */
const SOON_DAYS = 60
