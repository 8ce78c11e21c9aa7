import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import {
  accountsLastLogin,
  accountsLastlog,
  accountsLastlog2,
  accountsLoginFiles,
  accountsWtmpdb,
} from '../../main/catalog/access/accounts/last-login.ts'
import { readIsoMoment, readMoment } from '../../main/catalog/access/accounts/login-traces.ts'
import { accountsLoginDefs, accountsPasswordMethods } from '../../main/catalog/access/accounts/probes.ts'
import { bootLoaderPassword, consoleLogin } from '../../main/catalog/access/console/index.ts'
import { expandStack, pamAccessRules, pamSettings, pamStack } from '../../main/catalog/access/pam/probes.ts'
import { REMOTE_AGENTS, remoteAgents } from '../../main/catalog/access/provider-access/probes.ts'
import { sudoersOther, sudoersRules } from '../../main/catalog/access/sudo/probes.ts'
import { argvOf } from '../../main/core/recording/probe.ts'
import { answer, fact, reason } from '../support/answers.ts'

const at = (iso: string): number => Date.parse(iso)

describe('moments', () => {
  test.each([
    ['Sat Nov 21 18:40:37 +0000 2026', '2026-11-21T18:40:37Z'],
    ['Sun May  6 16:06:39 +0800 2018', '2018-05-06T08:06:39Z'],
    ['Fri Feb 15 09:40:56 -0600 2019', '2019-02-15T15:40:56Z'],
    ['Sun Mar  1 22:59:02 2026', '2026-03-01T22:59:02Z'],
  ])('%j of ctime', (text, expected) => expect(readMoment(text)).toBe(at(expected)))

  test.each(['', 'never', 'Sat Foo 21 18:40:37 2026', 'Sat Nov 21 18:40 2026', '2026-11-21'])('%j is none', (text) =>
    expect(readMoment(text)).toBeNull(),
  )

  test.each([
    ['2026-11-21T18:40:37+00:00', '2026-11-21T18:40:37Z'],
    ['2026-11-21T18:40:37+0100', '2026-11-21T17:40:37Z'],
    ['2026-11-21', '2026-11-21T00:00:00Z'],
  ])('%j in ISO 8601', (text, expected) => expect(readIsoMoment(text)).toBe(at(expected)))

  test.each(['', '2026-13-45', '2026-11-21 18:40', 'Nov 21'])('%j is none', (text) =>
    expect(readIsoMoment(text)).toBeNull(),
  )
})

describe('records of logins', () => {
  // Real programs of util-linux 2.38.1 and shadow 4.13 on Debian 12, after one login over SSH with a terminal and one without.
  test('lslogins and lastlog: a login without a terminal leaves no record', () => {
    const sessions = fact(
      accountsLastLogin.parse({
        accounts: answer(
          'USER="root" LAST-LOGIN=""\nUSER="kim" LAST-LOGIN="2026-11-21T18:40:37+00:00"\nUSER="lee" LAST-LOGIN=""\n',
        ),
      }),
    )
    const lastlog = fact(
      accountsLastlog.parse({
        accounts: answer(
          'Username         Port     From                                       Latest\nroot                                                                **Never logged in**\nkim              pts/0    127.0.0.1                                 Sat Nov 21 18:40:37 +0000 2026\nlee                                                                 **Never logged in**\n',
        ),
      }),
    )
    const expected = new Map([
      ['root', null],
      ['kim', at('2026-11-21T18:40:37Z')],
      ['lee', null],
    ])
    expect(sessions.last).toEqual(expected)
    expect(lastlog.last).toEqual(expected)
  })

  test('without /var/log/wtmp lslogins gives no answer, and an old database that is gone none either', () => {
    const failed = answer('', { exitCode: 1, errorText: 'lslogins: /var/log/wtmp: No such file or directory\n' })
    expect(reason(accountsLastLogin.parse({ accounts: failed }))).toMatch(/could not be read/)
    const empty = answer('', { exitCode: 1, errorText: "lastlog2: Couldn't read entries for all users\n" })
    expect(accountsLastlog2.parse({ accounts: empty }).ok).toBe(false)
    expect(reason(accountsLastlog2.parse({ accounts: answer('') }))).toMatch(/no record/)
  })

  test.each(['USER="a" LAST-LOGIN="soon"\n', 'USER="a"\n', 'Username Port From Latest\nkim pts/0 yesterday\n'])(
    '%j is another form',
    (text) => {
      expect(accountsLastLogin.parse({ accounts: answer(text) }).ok).toBe(false)
      expect(accountsLastlog.parse({ accounts: answer(text) }).ok).toBe(false)
    },
  )

  test('wtmpdb: the last of several sessions, two words for the terminal of a start, since when it is kept', () => {
    const text =
      'kim      pts/0        192.0.2.4        Thu Nov 19 14:02:11 2026 - Thu Nov 19 14:41:02 2026  (00:38)\nkim      pts/0                         Mon Nov  2 08:00:00 2026 - crash                     \nreboot   system boot  6.12.48+deb13-am Sun Mar  1 22:59:02 2026 - still running            \n\nwtmpdb begins Sun Mar  1 22:59:02 2026\n'
    const read = fact(accountsWtmpdb.parse({ sessions: answer(text) }))
    expect(read.since).toBe(at('2026-03-01T22:59:02Z'))
    expect(read.last.get('kim')).toBe(at('2026-11-19T14:02:11Z'))
    expect(accountsWtmpdb.parse({ sessions: answer('wtmpdb has no entries\n') }).ok).toBe(false)
  })

  test('a list that was cut reaches back no further than its oldest row', () => {
    const rows = Array.from({ length: 2000 }, () => 'kim pts/0 192.0.2.4 Thu Nov 19 14:02:11 2026 - x\n').join('')
    const read = fact(accountsWtmpdb.parse({ sessions: answer(`${rows}\nwtmpdb begins Sun Mar  1 22:59:02 2026\n`) }))
    expect(read.since).toBe(at('2026-11-19T14:02:11Z'))
  })

  test('files: the time of creation where the file system records one', () => {
    const errorText = "stat: cannot statx '/var/lib/lastlog/lastlog2.db': No such file or directory\n"
    const files = answer('292584 1772409600 /var/log/lastlog\n0 - /var/log/wtmp\n', { exitCode: 1, errorText })
    expect([...fact(accountsLoginFiles.parse({ files })).files]).toEqual([
      ['/var/log/lastlog', { bytes: 292_584, since: 1_772_409_600_000 }],
      ['/var/log/wtmp', { bytes: 0, since: null }],
    ])
    const denied = answer('', { exitCode: 1, errorText: "stat: cannot statx '/var/log/wtmp': Permission denied\n" })
    expect(accountsLoginFiles.parse({ files: denied }).ok).toBe(false)
    // busybox stat knows no %W and prints the letter.
    expect(fact(accountsLoginFiles.parse({ files: answer('0 W /var/log/lastlog\n') })).files.size).toBe(1)
  })
})

describe('passwords', () => {
  test('lslogins names schemes and never a hash; nothing else is asked of it', () => {
    const argv = Object.values(accountsPasswordMethods.commands).flatMap(argvOf)
    expect(argv.at(-1)).toBe('USER,PWD-METHOD,PWD-CHANGE,PWD-MAX,PWD-EXPIR')
    const text =
      'USER="lee" PWD-METHOD="SHA-512" PWD-CHANGE="2026-09-04" PWD-MAX="365"\nUSER="sys" PWD-METHOD="" PWD-CHANGE="" PWD-MAX=""\n'
    expect([...fact(accountsPasswordMethods.parse({ accounts: answer(text) })).accounts]).toEqual([
      ['lee', { method: 'SHA-512', changed: at('2026-09-04T00:00:00Z'), maxDays: 365 }],
      ['sys', { method: null, changed: null, maxDays: null }],
    ])
    expect(accountsPasswordMethods.parse({ accounts: answer('USER="lee" PWD-METHOD="a\n') }).ok).toBe(false)
  })

  test('login.defs: the administrator’s file comes after the distribution’s', () => {
    const text =
      '/usr/etc/login.defs:ENCRYPT_METHOD SHA512\n/etc/login.defs:PASS_MAX_DAYS\t365\n/etc/login.defs.d/x.defs:ENCRYPT_METHOD YESCRYPT\n'
    expect([...fact(accountsLoginDefs.parse({ settings: answer(text) })).settings]).toEqual([
      ['ENCRYPT_METHOD', 'YESCRYPT'],
      ['PASS_MAX_DAYS', '365'],
    ])
    const denied = { exitCode: 2, errorText: 'grep: /etc/login.defs: Permission denied\n' }
    expect(accountsLoginDefs.parse({ settings: answer('', denied) }).ok).toBe(false)
  })

  test('pwquality.conf.d is read first, the main file overrides it', () => {
    const text =
      '/etc/security/pwquality.conf.d/50-x.conf:minlen = 8\n/etc/security/pwquality.conf.d/50-x.conf:minclass = 4\n/etc/security/pwquality.conf:minlen = 15\n'
    expect(fact(pamSettings.parse({ settings: answer(text) })).files.get('pwquality.conf')).toEqual(
      new Map([
        ['minlen', '15'],
        ['minclass', '4'],
      ]),
    )
  })

  test('a service of the administrator hides the distribution’s; links are followed', () => {
    const names = answer(
      '/etc/pam.d/a\0auth required pam_unix.so\n/usr/lib/pam.d/a\0auth required pam_permit.so\n/usr/etc/pam.d/b\0auth optional pam_x.so\n/usr/lib/pam.d/b\0auth sufficient pam_y.so\n',
    )
    const read = fact(pamStack.parse({ names, arguments: answer('', { exitCode: 1 }) }))
    const modules = (service: string) =>
      expandStack(read, service, 'auth').map(({ module, control }) => [module, control])
    expect(modules('a')).toEqual([['pam_unix', 'required']])
    expect(modules('b')).toEqual([['pam_y', 'sufficient']])
    expect(argvOf(pamStack.commands.names)[1]).toBe('-R')
  })
})

describe('boot and console', () => {
  // grep over files written as the GRUB manual, grub2-setpassword(8) and loader.conf(5) have them; no hash is in its answer.
  const loader = (text: string, missing: readonly string[] = []) =>
    fact(
      bootLoaderPassword.parse({
        settings: answer(text, {
          exitCode: missing.length > 0 ? 2 : 0,
          errorText: missing.map((path) => `grep: ${path}: No such file or directory\n`).join(''),
        }),
      }),
    )

  test('GRUB: a hash in the file itself, or by user.cfg, which counts only when both are there', () => {
    expect(
      loader('/boot/grub/grub.cfg:set superusers="r\n/boot/grub/grub.cfg:password_pbkdf2 root grub.pbkdf2\n'),
    ).toMatchObject({ superusers: true, hashed: true, plain: false })
    const red =
      '/boot/grub2/grub.cfg:  set superusers="r\n/boot/grub2/grub.cfg:  password_pbkdf2 root ${GRUB2_PASSWORD\n'
    expect(loader(red).hashed).toBe(false)
    expect(loader(`${red}/boot/grub2/user.cfg:GRUB2_PASSWORD=grub.pbkdf2\n`).hashed).toBe(true)
    expect(loader(`${red}/boot/grub2/user.cfg:GRUB2_PASSWORD=[redacted:password]\n`).hashed).toBe(true)
    expect(loader('/boot/grub2/custom.cfg:\tpassword bob \n').plain).toBe(true)
  })

  test('systemd-boot lets the command line be changed unless it is configured otherwise', () => {
    expect(loader('/efi/loader/loader.conf:editor no\n').editor).toBe(false)
    expect(loader('/efi/loader/loader.conf:editor yes\n').editor).toBe(true)
    expect(loader('').editor).toBe(true)
  })

  test('which loader is there, by the files that are not missing', () => {
    const all = argvOf(bootLoaderPassword.commands.settings).filter((word) => /^\/(boot|efi)\//.test(word))
    expect(loader('', all)).toMatchObject({ grub: false, systemdBoot: false })
    expect(
      loader(
        '',
        all.filter((path) => path !== '/boot/grub2/grub.cfg'),
      ),
    ).toMatchObject({ grub: true, systemdBoot: false })
    const denied = answer('', { exitCode: 2, errorText: 'grep: /boot/grub/grub.cfg: Permission denied\n' })
    expect(bootLoaderPassword.parse({ settings: denied }).ok).toBe(false)
  })

  test('no pattern of the boot loader reaches into a password or a hash', () => {
    const patterns = argvOf(bootLoaderPassword.commands.settings)
    const printed = (line: string) =>
      patterns.flatMap((word, index) =>
        patterns[index - 1] === '-e' ? [new RegExp(word.replaceAll('[:space:]', '\\s')).exec(line)?.[0] ?? ''] : [],
      )
    for (const line of [
      'password_pbkdf2 root grub.pbkdf2.sha512.10000.AABB.CCDD',
      'GRUB2_PASSWORD=grub.pbkdf2.sha512.10000.AABB.CCDD',
      'password bob hunter22',
    ])
      expect(printed(line).join(' ')).not.toMatch(/AABB|hunter|sha512/)
  })

  const units = (...states: readonly string[]): string =>
    Array.from(
      { length: 8 },
      (_, index) =>
        `Id=u${index}\n${states[index] ?? 'LoadState=loaded\nActiveState=inactive\nUnitFileState=disabled'}\n`,
    ).join('\n')

  test('consoles: what runs, who is let in, what the kernel was configured with', () => {
    const read = fact(
      consoleLogin.parse({
        units: answer(
          units(
            'LoadState=masked\nActiveState=inactive\nUnitFileState=masked',
            '',
            '',
            'LoadState=loaded\nActiveState=active\nUnitFileState=enabled',
          ),
        ),
        files: answer(
          '/etc/systemd/system/serial-getty@ttyS0.service.d/a.conf:agetty -o "-p -- \\\\u" --autologin root\n/etc/systemd/system/getty@tty1.service.d/b.conf:agetty -a kim\n/etc/systemd/system/rescue.service.d/c.conf:SYSTEMD_SULOGIN_FORCE=1\n/etc/systemd/system/emergency.service.d/c.conf:SYSTEMD_SULOGIN_FORCE=0\n',
        ),
        words: answer('console=ttyS0,115200n8\nsingle\nSYSTEMD_SULOGIN_FORCE=yes\n'),
        sysrq: answer('/proc/sys/kernel/sysrq:438\n/proc/sys/kernel/ctrl-alt-del:0\n'),
      }),
    )
    expect(read).toEqual({
      units: new Set(['getty@tty1.service']),
      reboots: false,
      automatic: [
        'root (/etc/systemd/system/serial-getty@ttyS0.service.d/a.conf)',
        'kim (/etc/systemd/system/getty@tty1.service.d/b.conf)',
      ],
      forced: ['/etc/systemd/system/rescue.service.d/c.conf', '/proc/cmdline'],
      words: ['console=ttyS0,115200n8', 'single'],
      sysrq: 438,
    })
  })

  const readFiles = (text: string) => {
    const consoleFiles = { units: answer(units()), words: answer('', { exitCode: 1 }), sysrq: answer('') }
    const { automatic, forced } = fact(consoleLogin.parse({ ...consoleFiles, files: answer(text) }))
    return { automatic, forced }
  }

  // systemd.syntax(7): lines that begin with # or ; are ignored, after blanks too (conf-parser.c).
  test('consoles: grep itself prints a comment as one, which lets no one in', () => {
    const [, ...words] = argvOf(consoleLogin.commands.files).slice(0, -2)
    const grep = (line: string): string =>
      execFileSync(
        'grep',
        [...words.filter((word) => word !== '-r'), '--label=/etc/systemd/system/x.service.d/a.conf'],
        {
          input: `[Service]\n${line}\n`,
          encoding: 'utf8',
        },
      ).trimEnd()
    const of = (line: string) => readFiles(`${grep(line)}\n`)
    const none = { automatic: [], forced: [] }
    expect(of("#ExecStart=-/sbin/agetty -o '-p -- \\\\u' --autologin root %I $TERM")).toEqual(none)
    expect(of('  ; ExecStart=-/sbin/agetty -a root %I')).toEqual(none)
    expect(of('# Environment=SYSTEMD_SULOGIN_FORCE=1 makes agetty --autologin root superfluous')).toEqual(none)
    expect(of('Environment=A=b SYSTEMD_SULOGIN_FORCE=1').forced).toHaveLength(1)
    expect(of("ExecStart=-/sbin/agetty -o '-p -- \\\\u' --noclear --autologin kim %I $TERM # x").automatic).toEqual([
      'kim (/etc/systemd/system/x.service.d/a.conf)',
    ])
  })

  // systemd.unit(5): units, and of the folders UNIT.d the files *.conf.
  test.each([
    ['/etc/systemd/system/getty@.service', 1],
    ['/run/systemd/system/service.d/a.conf', 1],
    ['/etc/systemd/system/getty@tty1.service.d/a.conf', 1],
    ['/etc/systemd/system/getty@tty1.service.d/a.conf.disabled', 0],
    ['/etc/systemd/system/getty@tty1.service.d/a.conf~', 0],
    ['/etc/systemd/system/getty@tty1.service.d.old/a.conf', 0],
    ['/etc/systemd/system/getty@.service.rpmsave', 0],
  ])('consoles: what is in %s', (path, count) => {
    const { automatic, forced } = readFiles(`${path}:agetty --autologin root\n${path}:SYSTEMD_SULOGIN_FORCE=1\n`)
    expect([automatic.length, forced.length]).toEqual([count, count])
  })

  test('another service manager gives no answer', () => {
    const none = answer('', {
      exitCode: 1,
      errorText: 'System has not been booted with systemd as init system (PID 1).\n',
    })
    const nothing = answer('', { exitCode: 1 })
    expect(consoleLogin.parse({ units: none, files: nothing, words: nothing, sysrq: nothing }).ok).toBe(false)
    expect(remoteAgents.parse({ units: none }).ok).toBe(false)
  })
})

describe('who else', () => {
  test('agents: each unit has one owner, processes have names as the kernel keeps them', () => {
    const all = REMOTE_AGENTS.flatMap(({ units }) => units)
    expect(all.filter((unit, index) => all.indexOf(unit) !== index)).toEqual([])
    expect(REMOTE_AGENTS.flatMap(({ processes }) => processes).filter((name) => name.length > 15)).toEqual([])
    expect(REMOTE_AGENTS.filter(({ source }) => source.length < 10)).toEqual([])
  })

  test('an answer for other units than asked is none', () => {
    expect(remoteAgents.parse({ units: answer('LoadState=loaded\n') }).ok).toBe(false)
  })

  test('access.conf: signs, names and places, in order; another form is no answer', () => {
    const rules = answer(
      '/etc/security/access.conf:+ : (ops) kim : 2001:db8::/32 LOCAL # why\n/etc/security/access.conf:-:ALL:ALL\n',
    )
    expect(fact(pamAccessRules.parse({ rules })).rules).toEqual([
      { permits: true, who: '(ops) kim', from: '2001:db8::/32 LOCAL' },
      { permits: false, who: 'ALL', from: 'ALL' },
    ])
    expect(pamAccessRules.parse({ rules: answer('/etc/security/access.conf:-:ALL\n') }).ok).toBe(false)
  })

  test('rules of sudo-rs and doas are found by name', () => {
    const errorText = ['conf', 'd']
      .map((end) => `ls: cannot access '/etc/doas.${end}': No such file or directory\n`)
      .join('')
    expect(fact(sudoersOther.parse({ files: answer('/etc/sudoers-rs\n', { exitCode: 2, errorText }) })).files).toEqual([
      '/etc/sudoers-rs',
    ])
    const denied = answer('', { exitCode: 2, errorText: "ls: cannot access '/etc/doas.d': Permission denied\n" })
    expect(sudoersOther.parse({ files: denied }).ok).toBe(false)
  })

  test.each([
    [[{ timestamp_timeout: 5 }], 5],
    [[{ timestamp_timeout: '0.5' }], 0.5],
    [[{ timestamp_timeout: false }], 0],
    [[{ timestamp_timeout: -1 }], -1],
    [[{ timestamp_timeout: 'soon' }], null],
  ])('sudo’s memory as %j', (options, expected) => {
    const rules = answer(JSON.stringify({ Defaults: [{ Options: options }] }))
    expect(fact(sudoersRules.parse({ rules })).remembersMinutes).toBe(expected)
  })
})
