import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accountsLocal, accountsPasswordState, canLogIn, membersOf } from '../../main/catalog/access/accounts/probes.ts'
import { authorizedKeys, whyUnsearched } from '../../main/catalog/access/authorized-keys/probes.ts'
import { expandStack, pamStack } from '../../main/catalog/access/pam/probes.ts'
import { sessionTimeout } from '../../main/catalog/access/session-timeout/index.ts'
import { conditional, sshdConditions } from '../../main/catalog/access/sshd/probes.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { over, texts, verdict } from '../support/concluded.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'

describe('accounts', () => {
  const passwd = answer(
    'root:x:0:0:root:/root:/bin/bash\nsync:x:4:65534:sync:/bin:/bin/sync\npostgres:x:101:104:db:/var/lib/postgresql:/bin/bash\nkim:x:1000:999::/home/kim:\n',
  )
  const group = answer('root:x:0:\ndocker:x:999:lee,\n')

  test('a shell that only refuses is no login, an empty one is /bin/sh, and a primary group counts', () => {
    const local = fact(accountsLocal.parse({ passwd, group, sources: answer('passwd: files systemd\n') }))
    expect(local.accounts.filter(canLogIn).map(({ name }) => name)).toEqual(['root', 'postgres', 'kim'])
    expect(local.accounts.at(-1)?.shell).toBe('/bin/sh')
    expect(membersOf(local, 'docker')).toEqual(['lee', 'kim'])
    expect(local.otherSources).toEqual([])
  })

  test.each([
    ['passwd: files sss [NOTFOUND=return] ldap # old\n', ['sss', 'ldap']],
    ['passwd: [redacted:password] files\n', ['unreadable']],
    // nsswitch.conf(5), Compatibility mode: files, and what lines with + and - name, of which there are none here.
    ['passwd:         compat\n', []],
  ])('other sources of accounts in %j', (text, expected) => {
    expect(fact(accountsLocal.parse({ passwd, group, sources: answer(text) })).otherSources).toEqual(expected)
  })

  test('a line with + or - brings accounts of another source in', () => {
    const more = answer('root:x:0:0:root:/root:/bin/bash\n+kim::1000:1000::/home/kim:/bin/bash\n')
    const local = fact(accountsLocal.parse({ passwd: more, group, sources: answer('passwd: compat\n') }))
    expect(local.otherSources).toEqual(['compat'])
  })

  test('a line in another form makes the whole list unusable', () => {
    const broken = answer('root:x:0:0:root:/root:/bin/bash\n+::::::\n')
    expect(reason(accountsLocal.parse({ passwd: broken, group, sources: answer('') }))).toMatch(/form of passwd/)
  })

  test('password states distinguish locked, set and empty, and an unknown state is no answer', () => {
    const read = fact(
      accountsPasswordState.parse({ states: answer('a L 2026-01-01 0 99999 7 -1\nb P 2026\nc NP 2026\n') }),
    )
    expect([...read.states.values()]).toEqual(['locked', 'usable', 'none'])
    expect(accountsPasswordState.parse({ states: answer('a ? 2026\n') }).ok).toBe(false)
  })

  test('without a roster there is nothing to compare with', () => {
    expect(verdict('fx-access-hardened', 'access.roster-match', { roster: undefined })).toBe('inconclusive')
    expect(verdict('fx-access-hardened', 'access.roster-match')).toBe('satisfied')
    expect(texts('demo-shared-05', 'access.roster-match')).toContain(
      'contradicts: 2 accounts with a login shell not on the declared roster: “acme-ops”, “acme-train”.',
    )
  })
})

describe('authorized keys', () => {
  // ssh-keygen -lf of this key prints SHA256:TfsVHYZdMILdGv1RbVa5eq+W21wRR2N/uWiy0xdYSzk.
  const ED25519 = 'AAAAC3NzaC1lZDI1NTE5AAAAIAGtOjWC9ofrfvN7M0ffF9IubxMRGvJsD1CV3HzVpMAp'

  test('options stay, their values go, and a key inside a command is not the key', () => {
    const line = `from="192.0.2.0/24",command="echo ssh-dss AAAAB3NzaC1kc3MAAACB",restrict ssh-ed25519 ${ED25519}`
    const { keys, unreadable } = fact(
      authorizedKeys.parse({
        keys: answer(`/home/kim/.ssh/authorized_keys\0${line}\n`),
        files: answer(''),
        links: answer(''),
      }),
    )
    expect(unreadable).toBe(0)
    expect(keys).toEqual([
      {
        path: '/home/kim/.ssh/authorized_keys',
        type: 'ssh-ed25519',
        bits: 256,
        fingerprint: FINGERPRINT,
        options: ['from', 'command', 'restrict'],
      },
    ])
  })
  const FINGERPRINT = 'SHA256:TfsVHYZdMILdGv1RbVa5eq+W21wRR2N/uWiy0xdYSzk'

  test('a type that differs from the blob, or a broken blob, is not a key and leaves the claim open', () => {
    const rows = [`ssh-rsa ${ED25519}`, 'ssh-ed25519 AAAAC3Nz!'].map((line) => `/root/.ssh/authorized_keys\0${line}\n`)
    expect(fact(authorizedKeys.parse({ keys: answer(rows.join('')), files: answer(''), links: answer('') }))).toEqual({
      keys: [],
      unreadable: 2,
      doubtful: [],
      links: [],
    })
  })

  test('status 1 is “none found”; status 2 is not', () => {
    expect(
      fact(authorizedKeys.parse({ keys: answer('', { exitCode: 1 }), files: answer(''), links: answer('') })).keys,
    ).toEqual([])
    expect(authorizedKeys.parse({ keys: answer('', { exitCode: 2 }), files: answer(''), links: answer('') }).ok).toBe(
      false,
    )
  })

  describe('files that are links', () => {
    const plain =
      '  2181246      4 -rw-------   1 kim      kim            81 Nov 22 21:35 /home/kim/.ssh/authorized_keys\n'
    const link = (path: string, target: string): string =>
      `  2181247      0 lrwxrwxrwx   1 root     root           16 Nov 22 21:35 ${path} -> ${target}\n`
    const doubts = (files: string, exitCode = 0) =>
      fact(
        authorizedKeys.parse({
          keys: answer(`/home/kim/.ssh/authorized_keys\0ssh-ed25519 ${ED25519}\n`),
          files: answer(files, { exitCode }),
          links: answer(''),
        }),
      ).doubtful?.map(({ path, why }) => `${why} ${path}`) ?? null

    test.each([
      ['a plain file', plain, []],
      ['a link beside the file that was read', link('/home/kim/.ssh/authorized_keys2', 'authorized_keys'), []],
      [
        'a link elsewhere',
        link('/home/eve/.ssh/authorized_keys', '/srv/k/eve'),
        ['link /home/eve/.ssh/authorized_keys'],
      ],
      [
        'a link to itself',
        link('/home/kim/.ssh/authorized_keys', 'authorized_keys'),
        ['link /home/kim/.ssh/authorized_keys'],
      ],
      ['a folder that is a link', link('/home/a\\ b/.ssh', '/srv/e\\ ve\\ ->\\ x'), ['link /home/a\\ b/.ssh']],
      ['a second name', plain.replace('  1 kim', '  2 kim'), ['hard-link /home/kim/.ssh/authorized_keys']],
      ['a pipe', plain.replace('-rw', 'prw'), ['no-file /home/kim/.ssh/authorized_keys']],
      ['another text', 'hello\n', null],
    ])('%s', (_, files, expected) => {
      expect(doubts(files)).toEqual(expected)
    })

    test('a search that failed shows nothing', () => {
      expect(doubts(plain, 1)).toBeNull()
    })

    test('arbitrary text is read or refused', () => {
      fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void doubts(text)))
    })
  })

  describe('home folders that were not searched', () => {
    const links = (text: string, exitCode = 0) =>
      fact(
        authorizedKeys.parse({
          keys: answer('', { exitCode: 1 }),
          files: answer(''),
          links: answer(text, { exitCode }),
        }),
      ).links
    const LINKS =
      '  2181247      0 lrwxrwxrwx   1 root     root           9 Nov 22 21:35 /home/eve -> /srv/eve\n' +
      '  2181248      0 lrwxrwxrwx   1 root     root           9 Nov 22 21:35 /home/a\\ b/c -> /srv/c\n'

    test('links are listed whole or not at all', () => {
      expect(links('')).toEqual([])
      expect(links(LINKS)).toEqual(['/home/eve', '/home/a b/c'])
      expect([links(LINKS, 1), links(`${LINKS}hello\n`)]).toEqual([null, null])
    })

    test.each([
      ['/home/kim', null],
      ['/home/kim/', null],
      ['/home/lab/kim', null],
      ['/root', null],
      ['/home', null],
      ['/home/eve', 'link'],
      ['/home/eve/', 'link'],
      ['/home/eve/inner', 'link'],
      ['/home/a b/c', 'link'],
      ['/home/evelyn', null],
      ['/home/lab/group/kim', 'deep'],
      ['/homes/kim', 'elsewhere'],
      ['/home/../srv/kim', 'elsewhere'],
      ['/home/kim/..', 'elsewhere'],
      ['/home//kim', 'elsewhere'],
      ['', 'elsewhere'],
    ])('%s: %s', (home, why) => {
      expect(whyUnsearched(home, { links: links(LINKS) })).toBe(why)
      if (why === null && home.length > 5) expect(whyUnsearched(home, { links: null })).toBe('not-in-inventory')
    })

    test.each([
      ['a link', ['/home/mortiz'], [], 'inconclusive'],
      ['a link without a target', ['/home/shared'], [], 'satisfied'],
      ['no list of links', null, [], 'inconclusive'],
      ['accounts of a directory service', [], ['ldap'], 'inconclusive'],
    ])('%s', (_, found, otherSources, verdict) => {
      const model = fixtureOf('demo-gpu-01')
      const factOf = (id: string) => (model.readings.get(id) as { fact: object }).fact
      const changed: [string, Parsed<unknown>][] = [
        ['authorized-keys', known({ ...factOf('authorized-keys'), links: found })],
        ['accounts.local', known({ ...factOf('accounts.local'), otherSources })],
      ]
      expect(concludeOn(checkOf('access.authorized-keys'), model.name, changed).verdict).toBe(verdict)
    })
  })

  test('a short RSA key contradicts', () => {
    expect(
      texts('fx-accounts-neglected', 'access.authorized-keys').filter((text) =>
        /^contradicts: SHA256:\S+ is ssh-rsa with 1024 bits \(limit: 3072 bits\)\.$/.test(text),
      ),
    ).toHaveLength(1)
    const said = texts('demo-metal-04', 'access.authorized-keys')
    expect(
      said.filter((text) => /^contradicts: SHA256:\S+ is ssh-rsa with 2048 bits \(limit: 3072 bits\)\.$/.test(text)),
    ).toHaveLength(2)
  })
})

describe('the SSH server', () => {
  test('Match blocks end at the next Match or at the end of the file; comments are not settings', () => {
    const text =
      '/a:PermitRootLogin no\n/a:Match User backup\n/a:  PermitRootLogin "forced-commands-only"\n/a:#PermitRootLogin yes\n/a:Match all\n/a:PermitRootLogin no\n/b:PasswordAuthentication yes\n'
    const read = fact(sshdConditions.parse({ settings: answer(text) }))
    expect(read.blocks).toEqual([{ condition: 'User backup', settings: [['permitrootlogin', 'forced-commands-only']] }])
    expect(conditional(read, 'passwordauthentication')).toEqual([])
  })

  test('a folder that does not exist is fine, a file that cannot be read is not', () => {
    const absent = { exitCode: 2, errorText: 'grep: /etc/ssh/sshd_config.d: No such file or directory\n' }
    const denied = { exitCode: 2, errorText: 'grep: /etc/ssh/sshd_config: Permission denied\n' }
    expect(sshdConditions.parse({ settings: answer('', absent) }).ok).toBe(true)
    expect(sshdConditions.parse({ settings: answer('', denied) }).ok).toBe(false)
  })

  test('“without-password” means keys: with a key for root it contradicts, without one it stays open', () => {
    expect(verdict('demo-metal-04', 'access.sshd.root-login')).toBe('not-satisfied')
    expect(verdict('fx-access-undecided', 'access.sshd.root-login')).toBe('inconclusive')
  })

  test('what sshd -T cannot show keeps a good general setting from supporting the claim', () => {
    expect(verdict('fx-access-match-block', 'access.sshd.password-auth')).toBe('not-satisfied')
    expect(verdict('fx-access-match-block', 'access.sshd.root-login')).toBe('inconclusive')
    expect(texts('fx-access-match-block', 'access.sshd.mfa')).toContain(
      'contradicts: For connections that match “Address 10.0.0.0/8”, authenticationmethods is set to “any”.',
    )
  })

  const withMethods = (authenticationmethods: string, more = {}): string =>
    verdict('fx-access-hardened', 'access.sshd.mfa', {}, { authenticationmethods, ...more })
  test.each([
    ['any', 'not-satisfied'],
    ['publickey', 'not-satisfied'],
    ['publickey,publickey', 'not-satisfied'],
    ['publickey,password', 'satisfied'],
    ['publickey,password publickey', 'not-satisfied'],
    ['publickey,keyboard-interactive:pam', 'satisfied'],
    ['keyboard-interactive', 'inconclusive'],
  ])('method chains %j', (methods, expected) => expect(withMethods(methods)).toBe(expected))

  test('touch alone is possession; a verified person on a hardware key is two factors', () => {
    const keys = { pubkeyacceptedalgorithms: 'sk-ssh-ed25519@openssh.com', kbdinteractiveauthentication: 'no' }
    expect(withMethods('any', { ...keys, pubkeyauthoptions: 'touch-required' })).toBe('not-satisfied')
    expect(withMethods('any', { ...keys, pubkeyauthoptions: 'verify-required' })).toBe('satisfied')
  })

  test('an allow list that admits everyone is none', () => {
    const allow = (allowusers: string): string =>
      verdict('fx-access-hardened', 'access.sshd.allow-list', {}, { allowusers })
    expect(allow('mortiz')).toBe('satisfied')
    expect(allow('*')).toBe('not-satisfied')
    expect(allow('*@192.0.2.0/24')).toBe('not-satisfied')
  })
})

describe('sessions and lockout', () => {
  const shell = (text: string) =>
    fact(sessionTimeout.parse({ shell: answer(text), logind: answer('', { exitCode: 1 }) }))

  test.each([
    ['/etc/profile.d/t.sh:readonly TMOUT=600; export TMOUT\n', [600], true],
    ['/etc/profile.d/t.sh:declare -xr TMOUT="900"\n', [900], true],
    ['/etc/profile.d/t.sh:export TMOUT=$LIMIT\n', [null], false],
    ['/etc/profile.d/t.sh:readonly OTHER; TMOUT=900\n', [900], false],
  ])('%j', (text, seconds, readOnly) => {
    const read = shell(text)
    expect([read.shell.map((entry) => entry.seconds), read.readOnly]).toEqual([seconds, readOnly])
  })

  // /etc/profile of Debian, Ubuntu, the Red Hat family, SUSE and Alpine reads *.sh of profile.d, and that of the Red Hat family sh.local.
  test.each([
    ['tmout.sh', [600]],
    ['sh.local', [600]],
    ['tmout.sh.disabled', []],
    ['tmout.sh.rpmsave', []],
    ['tmout.sh~', []],
    ['tmout.csh', []],
    ['README', []],
  ])('a limit in profile.d/%s counts where a shell reads that file', (name, seconds) => {
    const read = shell(`/etc/profile.d/${name}:readonly TMOUT=600; export TMOUT\n`)
    expect(read.shell.map((entry) => entry.seconds)).toEqual(seconds)
    expect(read.readOnly).toBe(seconds.length > 0)
  })

  test.each([
    ['TMOUT=600', 'satisfied'],
    ['TMOUT=0', 'not-satisfied'],
    ['TMOUT=', 'not-satisfied'],
    // A value that another file or variable decides is not read, and so contradicts nothing.
    [`TMOUT=\${TMOUT:-600}`, 'inconclusive'],
    ['TMOUT="$SITE_IDLE_SECONDS"', 'inconclusive'],
  ])('%s: %s', (assignment, expected) => {
    const text = `/etc/profile.d/tmout.sh:${assignment}\n/etc/profile.d/tmout.sh:readonly TMOUT\n`
    expect(over('access.session-timeout', [sessionTimeout, known(shell(text))]).verdict).toBe(expected)
  })

  // Tried with OpenSSH 9.2: a shell is closed under the first four, and under none of the others.
  test.each([
    ['session:*', 'satisfied'],
    ['session*', 'satisfied'],
    ['session:shell', 'satisfied'],
    ['*', 'satisfied'],
    ['session', 'not-satisfied'],
    ['session:command', 'not-satisfied'],
    ['direct-tcpip', 'not-satisfied'],
  ])('ChannelTimeout for %s: %s', (type, expected) => {
    expect(verdict('demo-metal-04', 'access.session-timeout', {}, { channeltimeout: `${type}=10m` })).toBe(expected)
  })

  test('ClientAlive never counts as an idle limit', () => {
    expect(verdict('demo-metal-04', 'access.session-timeout', {}, { clientaliveinterval: '300' })).toBe('not-satisfied')
    expect(verdict('demo-metal-04', 'access.session-timeout', {}, { channeltimeout: 'session:*=10m' })).toBe(
      'satisfied',
    )
    expect(verdict('demo-metal-04', 'access.session-timeout', {}, { channeltimeout: 'session:*=1h' })).toBe(
      'not-satisfied',
    )
  })

  test.each([
    [{}, 'satisfied'],
    [{ clientaliveinterval: '0' }, 'not-satisfied'],
    [{ clientalivecountmax: '0' }, 'not-satisfied'],
    [{ clientaliveinterval: '301', clientalivecountmax: '3' }, 'not-satisfied'],
    [{ clientaliveinterval: '0', channeltimeout: 'session:*=10m' }, 'satisfied'],
    [{ clientalivecountmax: '-1' }, 'inconclusive'],
  ])('clients that no longer answer: %j', (settings, expected) => {
    expect(verdict('demo-gpu-01', 'access.session-timeout', {}, settings)).toBe(expected)
  })

  test('includes are followed once, also in a circle', () => {
    const names = answer(
      [
        'sshd\0@include a',
        'a\0@include sshd',
        'a\0auth include b',
        'b\0auth [success=1 default=ignore] pam_unix.so',
        'b\0-auth optional /lib/pam_x.so',
      ]
        .map((line) => `/etc/pam.d/${line}\n`)
        .join(''),
    )
    const read = fact(
      pamStack.parse({
        names,
        arguments: answer('/etc/pam.d/b\0auth [success=1 default=ignore] pam_unix.so nullok\n'),
      }),
    )
    expect(expandStack(read, 'sshd', 'auth').map(({ module, args }) => [module, ...args])).toEqual([
      ['pam_unix', 'nullok'],
      ['pam_x'],
    ])
  })

  test('a settings file without the module in the stack has no effect', () => {
    expect(verdict('fx-access-hardened', 'access.pam.lockout')).toBe('satisfied')
    expect(texts('demo-metal-04', 'access.pam.lockout')).toEqual([
      'contradicts: The login modules of SSH do not include one that locks after failures.',
    ])
    expect(verdict('demo-guest-03', 'access.pam.lockout')).toBe('not-applicable')
  })
})
