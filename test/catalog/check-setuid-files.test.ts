import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { integritySetuidFiles } from '../../main/catalog/checks/integrity-setuid-files.ts'
import { packagesDistribution } from '../../main/catalog/probes/packages-distribution.ts'
import {
  isAskedWhole,
  KNOWN_HELPERS,
  packagedProgramsDpkg,
  packagedProgramsRpm,
  parseFound,
  setuidFiles,
} from '../../main/catalog/probes/setuid-files.ts'
import { type Mount, storageMounts } from '../../main/catalog/probes/storage-mounts.ts'
import { type Conclusion, conclude } from '../../main/core/check.ts'
import { argvOf, known, type Parsed, type Probe } from '../../main/core/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { BASELINE } from '../support/baseline.ts'
import { fixtureRecording } from '../support/fixtures.ts'

describe('the search', () => {
  const gone = (path: string) => `find: '${path}': No such file or directory\n`

  test('paths end with a zero byte, and lose the dot of the place where the search began', () => {
    const text = '/usr/./bin/su\0/usr/./bin/mount\0/usr/./bin/su\0/tmp/./a\nb\0'
    expect(fact(parseFound(answer(text))).paths).toEqual(['/tmp/a\nb', '/usr/bin/mount', '/usr/bin/su'])
    expect(fact(parseFound(answer('')))).toEqual({ paths: [] })
  })

  test('only a folder that is not there leaves no gap', () => {
    expect(parseFound(answer('/usr/./bin/su\0', { exitCode: 1, errorText: gone('/srv/.') })).ok).toBe(true)
    const denied = `${gone('/srv/.')}find: '/home/./u/mnt': Permission denied\n`
    expect(reason(parseFound(answer('', { exitCode: 1, errorText: denied })))).toBe('a folder could not be searched')
    expect(reason(parseFound(answer('', { exitCode: 1 })))).toBe('find did not end by itself')
    expect(reason(parseFound(answer('/usr/bin/su')))).toBe('the list of files has no end')
    expect(reason(parseFound(answer('su\0')))).toBe('the list of files has another form')
  })

  test('no folder is entered twice: each start is left out of the search from above', () => {
    const argv = argvOf(setuidFiles.commands.files)
    const starts = argv.slice(1, argv.indexOf('-xdev'))
    const leftOut = argv.flatMap((word, at) => (argv[at - 1] === '-path' ? [word] : []))
    for (const start of starts.slice(1)) {
      const path = start.replace(/\/\.$/, '')
      const above = starts
        .map((one) => one.replace(/\/\.$/, ''))
        .filter((one) => one !== '' && path.startsWith(`${one}/`))
        .sort((a, b) => b.length - a.length)[0]
      expect(leftOut).toContain(above === undefined ? path : `${above}/.${path.slice(above.length)}`)
      expect(leftOut).not.toContain(start)
    }
  })

  test('whatever the bytes, it reads or gives a reason', () =>
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, errorText) => {
        expect(typeof parseFound(answer(text, { errorText })).ok).toBe('boolean')
        expect(typeof packagedProgramsRpm.parse({ paths: answer(text) }).ok).toBe('boolean')
        expect(typeof packagedProgramsDpkg.parse({ paths: answer(text) }).ok).toBe('boolean')
      }),
    ))
})

describe('the lists of packages', () => {
  test('what is asked of dpkg is what the check takes for asked', () => {
    const [, , pattern = ''] = argvOf(packagedProgramsDpkg.commands.paths)
    const asked = new RegExp(pattern)
    const whole = ['/bin/su', '/usr/sbin/x', '/usr/libexec/a/b', '/usr/local/bin/x', '/home/a', '/var/tmp/x', '/boot/x']
    const not = ['/usr/lib/x', '/opt/x/y', '/var/lib/x', '/etc/x', '/usr/share/bin/x', '/usr/local/x']
    for (const path of whole) expect([path, asked.test(path), isAskedWhole(path)]).toEqual([path, true, true])
    for (const path of not) expect([path, asked.test(path), isAskedWhole(path)]).toEqual([path, false, false])
    for (const name of KNOWN_HELPERS) expect([name, asked.test(`/usr/lib/a/${name}`)]).toEqual([name, true])
    expect(asked.test('/usr/lib/a/XorgXwrap')).toBe(false)
  })

  test('rpm: of the files of a package those with such a mode count', () => {
    const text = '0104755 /usr/bin/su\n0100755 /usr/bin/lsblk\n0102755 /usr/bin/write\npackage exim is not installed\n'
    expect([...fact(packagedProgramsRpm.parse({ paths: answer(text, { exitCode: 1 }) })).paths]).toEqual([
      '/usr/bin/su',
      '/usr/bin/write',
    ])
    expect(packagedProgramsRpm.parse({ paths: answer('package exim is not installed\n', { exitCode: 1 }) }).ok).toBe(
      false,
    )
    expect(packagedProgramsRpm.parse({ paths: answer('error: rpmdb\n', { exitCode: 1 }) }).ok).toBe(false)
  })

  test('dpkg: a list without any program is none', () =>
    expect(packagedProgramsDpkg.parse({ paths: answer('', { exitCode: 1 }) }).ok).toBe(false))
})

describe('the check', () => {
  const mount = (point: string, rest: Partial<Mount> = {}): Mount => ({
    ...{ id: '1', parent: '0', device: `8:${point.length}`, root: '/', point, fsType: 'ext4', source: '/dev/sda1' },
    options: ['rw'],
    ...rest,
  })
  interface Case {
    readonly found?: readonly string[]
    readonly packaged?: readonly string[]
    readonly mounts?: readonly Mount[]
    readonly family?: 'debian' | 'rhel' | 'suse' | 'other'
    readonly without?: Probe<unknown>
  }
  const { recording } = fixtureRecording('demo-gpu-01', [])
  function concluded({
    found = ['/usr/bin/su'],
    packaged = ['/bin/su'],
    mounts = [],
    family = 'debian',
    without,
  }: Case): Conclusion {
    const paths = known({ paths: new Set(packaged) })
    const readings = new Map<string, Parsed<unknown>>([
      [setuidFiles.id, known({ paths: found })],
      [storageMounts.id, known({ mounts: [mount('/'), ...mounts] })],
      [packagesDistribution.id, known({ id: 'x', name: 'X', version: '1', supportEnd: null, family })],
      [packagedProgramsDpkg.id, paths],
      [packagedProgramsRpm.id, paths],
    ])
    if (without !== undefined) readings.delete(without.id)
    const at = recording.endedAt
    const conclusion = conclude(integritySetuidFiles, readings, {
      node: recording.node,
      asOf: at,
      observedAt: at,
      limits: BASELINE,
    })
    for (const { text } of conclusion.because) for (const banned of BANNED) expect(text).not.toMatch(banned)
    return conclusion
  }
  const texts = (given: Case): string =>
    concluded(given)
      .because.map(({ text }) => text)
      .join('\n')

  test.each<[string, Case, Conclusion['verdict']]>([
    ['a program of a package, listed where a link leads from', {}, 'met'],
    ['one that no package delivered, among programs', { found: ['/usr/bin/su', '/usr/bin/x'] }, 'not-met'],
    ['one in a temporary folder', { found: ['/usr/bin/su', '/tmp/x'] }, 'not-met'],
    ['a known helper that no package delivered', { found: ['/usr/bin/su', '/usr/lib/x/ssh-keysign'] }, 'not-met'],
    ['one that the database was not asked for', { found: ['/usr/bin/su', '/opt/x/y'] }, 'inconclusive'],
    ['none at all', { found: [] }, 'inconclusive'],
    ['without the lists of packages', { without: packagedProgramsDpkg }, 'inconclusive'],
    ['without the search', { without: setuidFiles }, 'inconclusive'],
    ['rpm: a program of a package', { family: 'rhel', packaged: ['/usr/bin/su'] }, 'met'],
    [
      'rpm: another program, of which the list may lack the package',
      { family: 'suse', found: ['/usr/bin/x'] },
      'inconclusive',
    ],
    ['rpm: one in a folder of a person', { family: 'rhel', found: ['/usr/bin/su', '/home/a/x'] }, 'not-met'],
    ['a database that is not read', { family: 'other' }, 'inconclusive'],
    ['a drive that was not searched', { mounts: [mount('/data')] }, 'inconclusive'],
    ['a drive without effect', { mounts: [mount('/data', { options: ['rw', 'nosuid'] })] }, 'met'],
    ['a drive that was searched', { mounts: [mount('/var')] }, 'met'],
    ['a searched drive at a second place', { mounts: [mount('/mnt/again', { device: '8:1', root: '/usr' })] }, 'met'],
    ['btrfs, which is not searched', { mounts: [mount('/home', { fsType: 'btrfs' })] }, 'inconclusive'],
    ['a root in memory', { mounts: [mount('/', { fsType: 'overlay' })] }, 'inconclusive'],
    [
      'file systems of the kernel and of others',
      { mounts: [mount('/n', { fsType: 'nfs4' }), mount('/sys', { fsType: 'sysfs' })] },
      'met',
    ],
    ['a store of container images', { mounts: [mount('/var/lib/docker')] }, 'met'],
  ])('%s', (_, given, verdict) => expect(concluded(given).verdict, texts(given)).toBe(verdict))

  test('names what it found, and what to do about a drive that was not searched', () => {
    expect(texts({ found: ['/usr/bin/su', '/tmp/x'] })).toContain(
      '1 file of 2 with setuid or setgid of a system account or group belongs to installed packages.\n1 file with setuid or setgid outside the package database: “/tmp/x”.',
    )
    expect(texts({ mounts: [mount('/data', { fsType: 'xfs' })] })).toContain(
      'Not searched, and mounted so that setuid has effect: “/data (xfs)”. Mounted with nosuid, it needs no search.',
    )
  })
})
