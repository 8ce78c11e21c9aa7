import { describe, expect, test } from 'vitest'
import { packagesApt } from '../../main/catalog/operations/packages/apt.ts'
import { packagesVerifyDpkg, packagesVerifyRpm } from '../../main/catalog/operations/packages/index.ts'
import {
  packagesDistribution,
  packagesListDpkg,
  packagesListRpm,
} from '../../main/catalog/operations/packages/probes.ts'
import { packagesDnf, packagesRpmRestart } from '../../main/catalog/operations/packages/rpm.ts'
import { packagesSourcesApt, packagesSourcesRpm } from '../../main/catalog/operations/packages/sources.ts'
import { answer, fact } from '../support/answers.ts'

/**
 * Answers of dpkg, apt-config and grep were captured on Debian 12 (dpkg 1.21.22, apt 2.6.1). Those of rpm follow the format of rpm(8).
 */

const gone = (paths: readonly string[], tool = 'grep'): string =>
  paths.map((path) => `${tool}: ${path}: No such file or directory\n`).join('')

describe('distributions', () => {
  const read = (text: string) => fact(packagesDistribution.parse({ release: answer(text) }))

  test.each([
    ['NAME="Ubuntu"\nVERSION_ID="24.04"\nID=ubuntu\nID_LIKE=debian\n', 'debian', '24.04', null],
    [
      'NAME="Rocky Linux"\nID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.6"\nSUPPORT_END="2032-05-31"\n',
      'rhel',
      '9.6',
      '2032-05-31',
    ],
    ['NAME="SLES"\nVERSION_ID="15.7"\nID="sles"\nID_LIKE="suse"\n', 'suse', '15.7', null],
    ['NAME="openSUSE Leap"\nID="opensuse-leap"\nID_LIKE="suse opensuse"\nVERSION_ID="15.6"\n', 'suse', '15.6', null],
    [
      'NAME="Amazon Linux"\nID="amzn"\nID_LIKE="fedora"\nVERSION_ID="2023"\nSUPPORT_END="2029-06-30"\n',
      'rhel',
      '2023',
      '2029-06-30',
    ],
    ['NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.22.1\n', 'other', '3.22.1', null],
    ['ID=x\nSUPPORT_END=2026-13-45\n', 'other', '', null],
  ])('%j', (text, family, version, supportEnd) => {
    expect(read(text)).toMatchObject({ family, version, supportEnd })
  })
})

describe('pending updates', () => {
  const lists = answer('1795100000 /var/cache/dnf/baseos-0a1b/repodata/1f-primary.xml.gz\n')
  const free = answer('', { exitCode: 2, errorText: gone(['/etc/dnf/vars/releasever', '/etc/yum/vars/releasever']) })

  test('a release that dnf is held at is read, and “latest” is none', () => {
    const at = (value: string) =>
      fact(
        packagesDnf.parse({
          lists,
          release: answer(`/etc/dnf/vars/releasever:${value}\n`, {
            exitCode: 2,
            errorText: gone(['/etc/yum/vars/releasever']),
          }),
        }),
      ).heldAt
    expect([at('2023.8.20250818'), at('latest')]).toEqual(['2023.8.20250818', null])
  })

  test('the age is unknown where a list that exists cannot be looked at', () => {
    const denied = answer('1 /x\n', {
      exitCode: 1,
      errorText: "stat: cannot statx '/var/cache/dnf/a': Permission denied\n",
    })
    expect(fact(packagesDnf.parse({ lists: denied, release: free })).listsChangedAt).toBeNull()
  })

  // apt 2.6.1 as an ordinary user, beside a file that it may not read.
  test('apt reports only on its error stream that it could not read a source', () => {
    const read = (errorText: string) =>
      fact(
        packagesApt.parse({
          upgradable: answer('Listing...\n', { errorText }),
          lists: answer('1 /var/lib/apt/lists\n'),
        }),
      )
    const usual = '\nWARNING: apt does not have a stable CLI interface. Use with caution in scripts.\n\n'
    const denied = 'W: Unable to read /etc/apt/sources.list.d/p.list - open (13: Permission denied)\n'
    expect([read(usual).isWhole, read(usual + denied).isWhole]).toEqual([true, false])
  })
})

describe('restarts on distributions with rpm', () => {
  const read = (packages: string) =>
    packagesRpmRestart.parse({ packages: answer(packages, { exitCode: 9 }), boot: answer('btime 1793265120\n') })

  test('what was installed after the start', () => {
    const text = '1793000000 kernel-core\n1793265121 glibc\n1793265121 glibc\npackage udev is not installed\n'
    expect(fact(read(text)).installedSinceBoot).toEqual(['glibc'])
    expect(read('package udev is not installed\n').ok).toBe(false)
  })
})

describe('files against the package database', () => {
  const dpkg = (text: string, errorText = '') =>
    packagesVerifyDpkg.parse({ files: answer(text, { errorText, exitCode: errorText === '' ? 0 : 1 }) })
  const rpm = (text: string, errorText = '') =>
    packagesVerifyRpm.parse({ files: answer(text, { errorText, exitCode: 2 }) })

  test('dpkg: a program that was changed, one that is gone', () => {
    const read = fact(
      dpkg('missing     /usr/bin/faillog\n??5??????   /usr/bin/chage\n', "dpkg: package 'sudo-rs' is not installed\n"),
    )
    expect(read).toMatchObject({ altered: ['/usr/bin/chage'], missing: ['/usr/bin/faillog'], absent: ['sudo-rs'] })
    expect(read.checked).not.toContain('sudo-rs')
  })

  // As the CIS Benchmarks of Ubuntu and Debian have nullok removed; dpkg 1.21.22 lists the profile as no configuration file.
  test('dpkg: a profile of pam-auth-update that was changed counts as configuration', () => {
    const read = fact(dpkg('??5??????   /usr/share/pam-configs/unix\n??5?????? c /etc/pam.d/other\n'))
    expect(read).toMatchObject({ altered: [], missing: [], configured: 2 })
  })

  test('dpkg without the right to read', () => {
    const read = fact(
      dpkg('????????? c /etc/sudoers\n?????????   /usr/bin/sudo\nmissing     /usr/lib/x (Permission denied)\n'),
    )
    expect(read).toMatchObject({
      altered: [],
      missing: [],
      unreadable: ['/usr/bin/sudo', '/usr/lib/x (Permission denied)'],
    })
  })

  test('documentation that was left out, and files that packages do not keep, are no failures', () => {
    const read = fact(
      rpm(
        'missing   d /usr/share/man/man8/sshd.8.gz\nmissing     /usr/share/locale/de/LC_MESSAGES/sudo.mo\n.M....G..  g /var/log/lastlog\n',
      ),
    )
    expect(read).toMatchObject({ missing: [], reattributed: [], altered: [] })
  })

  test('rpm: marks of content, owner and capabilities', () => {
    const read = fact(
      rpm(
        'S.5......  c /etc/ssh/sshd_config\nSM5....T.    /usr/sbin/sshd\n.M...UG..    /usr/bin/sudo\n........P    /usr/bin/newuidmap\n..?......    /etc/sudoers.d\nmissing   c /etc/pam.d/su\npackage audit is not installed\n',
      ),
    )
    expect(read).toMatchObject({
      configured: 1,
      altered: ['/usr/sbin/sshd'],
      reattributed: ['/usr/bin/sudo', '/usr/bin/newuidmap'],
      unreadable: ['/etc/sudoers.d'],
      missing: [],
      absent: ['audit'],
    })
  })

  test('other forms and a closed database give no fact', () => {
    expect(dpkg('dpkg: a line\n').ok).toBe(false)
    expect(rpm('', 'error: cannot open Packages database in /var/lib/rpm\n').ok).toBe(false)
  })
})

describe('package sources', () => {
  const settings = answer("INSECURE='0'\nDOWNGRADE='0'\nWEAK='0'\n")
  const apt = (rows: readonly string[], set = settings) =>
    fact(
      packagesSourcesApt.parse({
        sources: answer(rows.map((row) => `${row}\n`).join(''), {
          exitCode: 2,
          errorText: gone(['/etc/apt/sources.list']),
        }),
        settings: set,
      }),
    )

  test('Debian’s own sources: two stanzas, which an empty line parts', () => {
    const file = '/etc/apt/sources.list.d/debian.sources'
    const stanza = (first: number) => [
      `${file}:${first}:Types: deb`,
      `${file}:${first + 1}:URIs: http:`,
      `${file}:${first + 2}:S`,
      `${file}:${first + 3}:Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg`,
    ]
    const { sources, switches } = apt([...stanza(1), ...stanza(6)])
    expect(sources).toEqual([
      { file, scheme: 'http', unverified: false, signedBy: true },
      { file, scheme: 'http', unverified: false, signedBy: true },
    ])
    expect(switches).toEqual([])
  })

  test('sources that need no signature, in both forms; those switched off do not count', () => {
    const rows = [
      '/etc/apt/sources.list:1:deb [ arch=amd64 trusted=yes ] http:',
      '/etc/apt/sources.list:2:deb [allow-insecure=true] https:',
      '/etc/apt/sources.list:4:deb cdrom:',
      '/etc/apt/sources.list.d/a.sources:1:Trusted: yes',
      '/etc/apt/sources.list.d/a.sources:2:URIs: file:',
      '/etc/apt/sources.list.d/b.sources:1:URIs: https:',
      '/etc/apt/sources.list.d/b.sources:2:Enabled: no',
    ]
    const { sources } = apt(rows)
    expect(sources.map(({ scheme, unverified }) => [scheme, unverified])).toEqual([
      ['http', true],
      ['https', true],
      ['cdrom', false],
      ['file', true],
    ])
  })

  test('settings of apt that let everything in', () => {
    expect(apt([], answer("UNAUTHENTICATED='true'\nWEAK='1'\n")).switches).toEqual([
      'APT::Get::AllowUnauthenticated',
      'Acquire::AllowWeakRepositories',
    ])
  })

  test('the patterns cut an address off before a password could come', () => {
    for (const command of [packagesSourcesApt.commands.sources, packagesSourcesRpm.commands.sources]) {
      if (command.kind !== 'run') throw new Error('a command')
      const words = command.argv.map(String)
      expect(words.some((word) => /^-\w*o/.test(word))).toBe(true)
      const pattern = words.find((word) => word.startsWith('^')) ?? ''
      const flags = words.some((word) => /^-\w*i/.test(word)) ? 'i' : ''
      const posix = new RegExp(
        pattern.replaceAll('[[:space:]]', '\\s').replaceAll('[^[:space:]]', '\\S').replaceAll('[^]]', '[^\\]]'),
        flags,
      )
      for (const line of [
        'deb [arch=amd64] https://user:hunter2@host/debian stable main',
        'URIs: https://user:hunter2@host/debian',
        'baseurl=https://user:hunter2@host/os',
        'mirrorlist = https://host/list?token=hunter2',
        'proxy_password=hunter2',
      ])
        expect(posix.exec(line)?.[0] ?? '').not.toMatch(/hunter2|user/)
    }
  })

  const rpm = (rows: readonly string[]) =>
    fact(packagesSourcesRpm.parse({ sources: answer(rows.map((row) => `${row}\n`).join('')) })).sources

  test('dnf checks only where it is configured to, zypper unless it is configured not to', () => {
    const read = rpm([
      '/etc/dnf/dnf.conf:[main]',
      '/etc/dnf/dnf.conf:gpgcheck=1',
      '/etc/yum.repos.d/a.repo:[a]',
      '/etc/yum.repos.d/a.repo:metalink=https:',
      '/etc/yum.repos.d/a.repo:[b]',
      '/etc/yum.repos.d/a.repo:gpgcheck = 0',
      '/etc/yum.repos.d/a.repo:sslverify=0',
      '/etc/yum.repos.d/a.repo:[c]',
      '/etc/yum.repos.d/a.repo:enabled=0',
      '/etc/zypp/zypp.conf:[main]',
      '/etc/zypp/repos.d/d.repo:[d]',
      '/etc/zypp/repos.d/e.repo:[e]',
      '/etc/zypp/repos.d/e.repo:gpgcheck=off',
    ])
    expect(
      read.map(({ id, packagesChecked, certificateChecked }) => [id, packagesChecked, certificateChecked]),
    ).toEqual([
      ['a', true, true],
      ['b', false, false],
      ['d', true, true],
      ['e', false, true],
    ])
    expect(rpm(['/etc/yum.repos.d/a.repo:[a]']).map(({ packagesChecked }) => packagesChecked)).toEqual([false])
  })

  // dnf reads *.repo in its folders themselves (dnf/conf/read.py), zypp too; apt reads *.list and *.sources there (sources.list(5)).
  test('sources that were put aside in a folder below, or under another name, are none', () => {
    expect(
      rpm([
        '/etc/yum.repos.d/a.repo:[a]',
        '/etc/yum.repos.d/a.repo:gpgcheck=1',
        '/etc/yum.repos.d/bak/CentOS-Media.repo:[media]',
        '/etc/yum.repos.d/bak/CentOS-Media.repo:gpgcheck=0',
        '/etc/yum.repos.d/old.conf:[old]',
        '/etc/zypp/repos.d/saved/d.repo:[d]',
      ]).map(({ id }) => id),
    ).toEqual(['a'])
    const apt = (...rows: readonly string[]) =>
      fact(
        packagesSourcesApt.parse({
          sources: answer(rows.map((row) => `${row}\n`).join('')),
          settings: answer(''),
        }),
      ).sources.map(({ file }) => file)
    expect(
      apt(
        '/etc/apt/sources.list:1:deb http:',
        '/etc/apt/sources.list.d/cuda.list:1:deb [signed-by=/k] https:',
        '/etc/apt/sources.list.d/off/local.list:1:deb [trusted=yes] file:',
        '/etc/apt/sources.list.d/local copy.list:1:deb [trusted=yes] file:',
        '/etc/apt/sources.list.d/off/x.sources:1:Types: deb',
      ),
    ).toEqual(['/etc/apt/sources.list', '/etc/apt/sources.list.d/cuda.list'])
  })
})

describe('lists of packages', () => {
  test('dpkg: removed packages are left out; the list is sorted', () => {
    const text =
      'ii \tzlib1g:amd64\t1:1.2.13.dfsg-1\nrc \told\t1.0\nhi \tadduser\t3.134\nii \tzlib1g:amd64\t1:1.2.13.dfsg-1\n'
    expect(fact(packagesListDpkg.parse({ packages: answer(text) })).packages).toEqual([
      'adduser 3.134',
      'zlib1g:amd64 1:1.2.13.dfsg-1',
    ])
    expect(packagesListDpkg.parse({ packages: answer('rc \told\t1.0\n') }).ok).toBe(false)
  })

  test('rpm', () => {
    const text = 'bash.x86_64\t0:5.1.8-9.el9\ngpg-pubkey.(none)\t0:350d275d-6279464b\n'
    expect(fact(packagesListRpm.parse({ packages: answer(text) })).packages).toHaveLength(2)
  })
})
