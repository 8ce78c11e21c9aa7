import type { Schedule } from '../../schemas/types.ts'
import { plain } from '../core/plain-text.ts'
import type { ConnectTarget } from '../core/ports.ts'
import { certificateUntil, type KeyFile, keyFile } from '../core/schedule/key-file.ts'
import type { World } from '../core/world.ts'

/** Whether a job can log in, or seal, while nobody is there. `unclear`: it rests on something that cannot be seen from here. */
export type Works = 'yes' | 'unclear' | 'no'
export interface UnattendedUse {
  readonly works: Works
  /** One sentence or two. */
  readonly text: string
  /** The nodes it is about; none where it is about sealing. */
  readonly nodes: readonly string[]
}

/**
 * What a job can use to log in to each node, and to seal; nodes with the same answer share one. Key files are read for their headers alone,
 * and nothing of them is told.
 */
export async function unattendedUse(
  world: Pick<World, 'files' | 'identities' | 'schedules' | 'clock'>,
  targets: readonly ConnectTarget[],
  options: Schedule['options'],
): Promise<readonly UnattendedUse[]> {
  const byText = new Map<string, { works: Works; text: string; nodes: string[] }>()
  const known = new Map<string, Promise<Answer>>()
  for (const target of targets) {
    const hops = [
      ...target.jumps.map((jump) => ({ hop: jump, at: `On the way, at ${jump.node.name}: ` })),
      { hop: target, at: '' },
    ]
    for (const { hop, at } of hops) {
      const { works, text } = await loginOf(world, hop, known)
      const entry = byText.get(`${at}${text}`) ?? { works, text: `${at}${text}`, nodes: [] }
      byText.set(entry.text, entry)
      if (!entry.nodes.includes(target.node.name)) entry.nodes.push(target.node.name)
    }
  }
  const order: readonly Works[] = ['no', 'unclear', 'yes']
  const logins = [...byText.values()].sort((a, b) => order.indexOf(a.works) - order.indexOf(b.works))
  return [...logins, { ...(await sealingOf(world, options)), nodes: [] }]
}

type Answer = Pick<UnattendedUse, 'works' | 'text'>

const AGENT =
  'The agent of a login session is usually gone when nobody is logged in, and SSH_AUTH_SOCK is then unset: name a key file, or run an agent as a service.'

async function loginOf(
  world: Pick<World, 'files' | 'clock'>,
  { credentials, transport }: Pick<ConnectTarget, 'credentials' | 'transport'>,
  known: Map<string, Promise<Answer>>,
): Promise<Answer> {
  const { identityFile: path, agent } = credentials
  if (path === undefined)
    return agent
      ? { works: 'unclear', text: `The login rests on an SSH agent. ${AGENT}` }
      : { works: 'no', text: 'The fleet file names neither a key file nor an agent.' }
  const bySystem = transport === 'openssh'
  const key = `${bySystem} ${path}`
  const answer = known.get(key) ?? keyAnswer(world, path, bySystem)
  known.set(key, answer)
  return await answer
}

/** `bySystem`: the fleet file asks for the system’s ssh program. */
async function keyAnswer(
  { files, clock }: Pick<World, 'files' | 'clock'>,
  path: string,
  bySystem: boolean,
): Promise<Answer> {
  const name = plain(path, 400)
  const read = await files.read(path)
  if (!read.ok) return { works: 'no', text: `The key file ${name} could not be read.` }
  const said = saidOf(keyFile(read.value), name, bySystem)
  const certificate = await files.read(`${path}-cert.pub`)
  if (said.works !== 'yes' || !certificate.ok) return said
  const until = certificateUntil(certificate.value)
  if (until === null)
    return { works: 'unclear', text: `${said.text} The certificate ${name}-cert.pub beside it could not be read.` }
  if (until === 'for ever') return { works: 'yes', text: `${said.text} Its certificate has no end.` }
  if (until <= clock.now()) return { works: 'no', text: `The certificate ${name}-cert.pub ended at ${until}.` }
  return {
    works: 'unclear',
    text: `${said.text} Its certificate ends at ${until}: from then on a job cannot log in unless something renews it.`,
  }
}

function saidOf(kind: KeyFile, name: string, bySystem: boolean): Answer {
  if (kind === 'open')
    return {
      works: 'yes',
      text: `The key file ${name} has no passphrase: a job can log in with it, and so can anybody else who can read it.`,
    }
  if (kind === 'locked')
    return {
      works: 'unclear',
      text: `The key file ${name} is locked by a passphrase, and nobody is there to type it. It works only where an SSH agent that the job reaches holds the key. ${AGENT}`,
    }
  if (kind === 'public')
    return {
      works: 'unclear',
      text: `${name} is a public key: it says which key is meant, and an SSH agent that the job reaches has to hold it. ${AGENT}`,
    }
  if (kind === 'foreign')
    return bySystem
      ? {
          works: 'unclear',
          text: `The key file ${name} has no passphrase. Its form is PKCS #8, which the system’s ssh program may read.`,
        }
      : {
          works: 'no',
          text: `The form of the key file ${name} is PKCS #8, which is not read here: ssh-keygen -p -f with its path writes it anew in OpenSSH’s own form.`,
        }
  if (kind === 'hardware')
    return { works: 'no', text: `The key in ${name} is on a device that a person has to touch, or may have to.` }
  return { works: 'no', text: `${name} holds no private key of a form that we know.` }
}

async function sealingOf(
  { identities, schedules }: Pick<World, 'identities' | 'schedules'>,
  { identity, identityFolder, passphraseFile }: Schedule['options'],
): Promise<Answer> {
  const folder = identityFolder ?? identities.defaultFolder
  const listed = await identities.list(folder)
  if (!listed.ok) return { works: 'no', text: `Sealing: the identities in ${plain(folder, 400)} could not be read.` }
  const fitting = listed.value.filter(({ name }) => identity === undefined || name === identity)
  const [only, another] = fitting
  if (only === undefined || another !== undefined)
    return {
      works: 'no',
      text: `Sealing: ${plain(folder, 400)} has ${fitting.length} identities that could be meant, not one.`,
    }
  const isToken = only.kind === 'token'
  const secret = isToken ? 'the PIN of its token' : 'its passphrase'
  if (passphraseFile === undefined)
    return {
      works: 'no',
      text: `Sealing: nobody is there to type ${secret} for ${only.name}; name a file that holds it with --passphrase-file.`,
    }
  const readable = await schedules.secret(passphraseFile)
  if (!readable.ok) {
    const { code, detail } = readable.error
    return {
      works: 'no',
      text: `Sealing: ${plain(detail, 600)}${code === 'input.not-found' ? ' could not be opened' : ''}.`,
    }
  }
  return {
    works: 'yes',
    text: `Sealing: ${only.name} is opened with ${secret}, from ${plain(passphraseFile, 400)}, which only its owner can read.${
      isToken
        ? ' The token has to be plugged in. A wrong PIN is tried once for each run, and tokens lock after few.'
        : ''
    }`,
  }
}
