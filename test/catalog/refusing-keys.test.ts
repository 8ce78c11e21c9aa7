import { describe, expect, test } from 'vitest'
import { authorizedKeys } from '../../main/catalog/access/authorized-keys/probes.ts'
import { sshdContexts, sshdEffective } from '../../main/catalog/access/sshd/probes.ts'
import { answer, fact } from '../support/answers.ts'
import { changed, over, stepText } from '../support/concluded.ts'

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEggy8IQaSi4KW5RQi4V9FJ0FRMBrHS01Hw85LavQ5Tp'
const NO_FORWARDING = 'no-port-forwarding,no-agent-forwarding,no-X11-forwarding'
/** DISABLE_USER_OPTS of cloud-init (cloudinit/ssh_util.py), as it is in /root/.ssh/authorized_keys with disable_root, its default. */
const notice = (end: string): string =>
  `command="echo 'Please login as the user \\"rocky\\" rather than the user \\"root\\".';echo;sleep 10${end}"`
const REFUSING = `${NO_FORWARDING},${notice(';exit 142')}`

const read = (options: string) =>
  fact(
    authorizedKeys.parse({
      keys: answer(`/root/.ssh/authorized_keys\0${options} ${KEY}\n`),
      files: answer(''),
      links: answer(''),
    }),
  )

describe('keys in root’s file that only refuse a login', () => {
  test.each([
    ['as cloud-init writes it', REFUSING],
    ['as older releases write it', `${NO_FORWARDING},${notice('')}`],
    ['with restrict', `restrict,${notice(';exit 142')}`],
  ])('%s: it opens nothing', (_, options) => {
    const { keys, refusing } = read(options)
    expect(keys).toEqual([])
    expect(refusing?.map(({ path }) => path)).toEqual(['/root/.ssh/authorized_keys'])
  })

  test.each([
    ['another command', `${NO_FORWARDING},command="/usr/local/bin/backup"`],
    ['more commands behind it', `${NO_FORWARDING},${notice(';exit 142;bash')}`],
    ['another command in a name', `${NO_FORWARDING},${notice(';exit 142').replace('rocky', "x';bash;'")}`],
    ['a second command', `${REFUSING},command="bash"`],
    ['ports that it may forward', notice(';exit 142')],
    ['ports that it may forward in spite of restrict', `restrict,port-forwarding,${notice(';exit 142')}`],
    ['no command', NO_FORWARDING],
  ])('%s: it counts like any other', (_, options) => expect(read(options).keys).toHaveLength(1))

  // The same key as that of an account of the model node, as cloud-init gives it to both.
  const withRoot = changed(authorizedKeys, (found) => {
    const root = read(REFUSING)
    return { ...found, ...root, keys: [...found.keys, ...root.keys], doubtful: found.doubtful, links: found.links }
  })

  test('it is no key of several accounts, no access of a provider, and no login of root', () => {
    expect(over('access.key-per-account', withRoot).verdict).toBe('satisfied')
    expect(stepText(over('access.authorized-keys', withRoot))).toContain('only to refuse a login')
    const keysForRoot = [
      ['permitrootlogin', ['without-password']],
      ['allowgroups', ['root']],
    ] as const
    const keysOnly = changed(sshdEffective, ({ settings }) => ({
      settings: new Map([...settings, ...keysForRoot]),
    }))
    const same = changed(sshdContexts, ({ contexts }) => ({
      contexts: contexts.map((one) => ({
        ...one,
        settings: new Map([...one.settings, ...keysForRoot]),
      })),
    }))
    // A key that is added later works at once, so that it stays open.
    expect(over('access.sshd.root-login', withRoot, keysOnly, same).verdict).toBe('inconclusive')
  })
})
