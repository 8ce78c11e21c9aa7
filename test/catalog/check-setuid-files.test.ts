import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  integritySetuidFiles,
  isAskedWhole,
  KNOWN_HELPERS,
  packagedProgramsDpkg,
  packagedProgramsRpm,
  parseFound,
  SEARCHED,
  setuidFiles,
} from '../../main/catalog/access/setuid/index.ts'
import { type Mount, storageMounts } from '../../main/catalog/data-protection/mounts/probes.ts'
import { packagesDistribution } from '../../main/catalog/operations/packages/probes.ts'
import { argvOf, known, type Parsed, type Probe } from '../../main/core/recording/probe.ts'
import { type Conclusion, conclude } from '../../main/core/rules/check.ts'
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
    expect(parseFound(answer('/usr/./bin/su\0', { exitCode: 1, errorText: gone('/lib64') })).ok).toBe(true)
    const denied = `${gone('/lib64')}find: '/root/./mnt': Permission denied\n`
    expect(reason(parseFound(answer('', { exitCode: 1, errorText: denied })))).toBe('a folder could not be searched')
    expect(reason(parseFound(answer('', { exitCode: 1 })))).toBe('find did not finish')
    expect(reason(parseFound(answer('/usr/bin/su')))).toBe('the list of files has no end')
    expect(reason(parseFound(answer('su\0')))).toBe('the list of files has an unexpected format')
  })

  test('a search that was ended is none, even where all that it complained of is a folder that is not there', () => {
    for (const exitCode of [124, 137, 143])
      expect(reason(parseFound(answer('/usr/./bin/su\0', { exitCode, errorText: gone('/lib64') })))).toBe(
        'find did not finish',
      )
  })

  test('it starts in folders of programs and temporary folders alone, and is bounded in depth, time and size', () => {
    const { files } = setuidFiles.commands
    const argv = argvOf(files)
    const starts = argv.slice(1, argv.indexOf('-maxdepth')).map((start) => start.replace(/\/\.$/, ''))
    expect([...starts].sort()).toEqual([
      ...['/bin', '/boot', '/etc', '/lib', '/lib64', '/opt', '/root', '/sbin', '/tmp', '/usr', '/usr/local'],
      '/var/tmp',
    ])
    expect([...starts].sort()).toEqual(SEARCHED)
    expect(argv.slice(argv.indexOf('-maxdepth'), argv.indexOf('-path'))).toEqual(['-maxdepth', '6', '-xdev'])
    expect(files).toMatchObject({ timeoutSeconds: 20, maxBytes: 1024 * 1024 })
  })

  test('no folder is entered twice: links into /usr are not followed, and /usr/local is left out of the search of /usr', () => {
    const argv = argvOf(setuidFiles.commands.files)
    const starts = argv.slice(1, argv.indexOf('-maxdepth'))
    for (const link of ['/bin', '/lib', '/lib64', '/sbin']) expect(starts).toContain(link)
    expect(starts).toContain('/usr/local/.')
    expect(argv.slice(argv.indexOf('-path'), argv.indexOf('-path') + 3)).toEqual(['-path', '/usr/./local', '-prune'])
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
    const whole = ['/bin/su', '/usr/sbin/x', '/usr/libexec/a/b', '/usr/local/bin/x', '/root/a', '/var/tmp/x', '/boot/x']
    const not = ['/home/a', '/usr/lib/x', '/opt/x/y', '/var/lib/x', '/etc/x', '/usr/share/bin/x', '/usr/local/x']
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
      thresholds: BASELINE,
    })
    for (const { text } of conclusion.observations) for (const banned of BANNED) expect(text).not.toMatch(banned)
    return conclusion
  }
  const texts = (given: Case): string =>
    concluded(given)
      .observations.map(({ text }) => text)
      .join('\n')

  test.each<[string, Case, Conclusion['verdict']]>([
    ['a program of a package, listed where a link leads from', {}, 'satisfied'],
    ['one that no package delivered, among programs', { found: ['/usr/bin/su', '/usr/bin/x'] }, 'not-satisfied'],
    ['one in a temporary folder', { found: ['/usr/bin/su', '/tmp/x'] }, 'not-satisfied'],
    ['a known helper that no package delivered', { found: ['/usr/bin/su', '/usr/lib/x/ssh-keysign'] }, 'not-satisfied'],
    ['one that the database was not asked for', { found: ['/usr/bin/su', '/opt/x/y'] }, 'inconclusive'],
    ['none at all', { found: [] }, 'inconclusive'],
    ['without the lists of packages', { without: packagedProgramsDpkg }, 'inconclusive'],
    ['without the search', { without: setuidFiles }, 'inconclusive'],
    ['rpm: a program of a package', { family: 'rhel', packaged: ['/usr/bin/su'] }, 'satisfied'],
    [
      'rpm: another program, of which the list may lack the package',
      { family: 'suse', found: ['/usr/bin/x'] },
      'inconclusive',
    ],
    ['rpm: one in the folder of root', { family: 'rhel', found: ['/usr/bin/su', '/root/a/x'] }, 'not-satisfied'],
    ['a database that is not read', { family: 'other' }, 'inconclusive'],
    ['a drive that is mounted elsewhere', { mounts: [mount('/data')] }, 'satisfied'],
    ['home folders on btrfs', { mounts: [mount('/home', { fsType: 'btrfs' })] }, 'satisfied'],
    ['a store of container images', { mounts: [mount('/var/lib/docker', { fsType: 'btrfs' })] }, 'satisfied'],
    ['a drive that was searched', { mounts: [mount('/usr/local')] }, 'satisfied'],
    ['a drive that holds a searched folder', { mounts: [mount('/var', { fsType: 'xfs' })] }, 'satisfied'],
    ['a temporary folder in memory', { mounts: [mount('/tmp', { fsType: 'tmpfs' })] }, 'satisfied'],
    ['a searched folder on btrfs', { mounts: [mount('/usr', { fsType: 'btrfs' })] }, 'inconclusive'],
    ['a searched folder on btrfs', { mounts: [mount('/var', { fsType: 'btrfs' })] }, 'inconclusive'],
    ['a searched folder of another server', { mounts: [mount('/opt', { fsType: 'nfs4' })] }, 'inconclusive'],
    [
      'another mount over it, of a type that is searched',
      { mounts: [mount('/opt', { fsType: 'nfs4' }), mount('/opt')] },
      'satisfied',
    ],
    ['a drive below a searched folder', { mounts: [mount('/opt/models')] }, 'inconclusive'],
    ['one without effect', { mounts: [mount('/opt/models', { options: ['rw', 'nosuid'] })] }, 'satisfied'],
    ['the partition of the firmware', { mounts: [mount('/boot/efi', { fsType: 'vfat' })] }, 'satisfied'],
    [
      'a name that only begins like a searched folder',
      { mounts: [mount('/optical', { fsType: 'btrfs' })] },
      'satisfied',
    ],
    ['a root on btrfs', { mounts: [mount('/', { fsType: 'btrfs' })] }, 'inconclusive'],
    ['a root of layers', { mounts: [mount('/', { fsType: 'overlay' })] }, 'inconclusive'],
    [
      'file systems of the kernel and of others',
      { mounts: [mount('/n', { fsType: 'nfs4' }), mount('/sys', { fsType: 'sysfs' })] },
      'satisfied',
    ],
  ])('%s', (_, given, verdict) => expect(concluded(given).verdict, texts(given)).toBe(verdict))

  test('names what it found, where it searched, and what to do about a drive that was not searched', () => {
    expect(texts({ found: ['/usr/bin/su', '/tmp/x'] })).toContain(
      '1 file of 2 with setuid or setgid of a system account or group in the searched folders belongs to installed packages.\n1 file with setuid or setgid outside the package database: “/tmp/x”.',
    )
    expect(texts({ mounts: [mount('/opt/data', { fsType: 'xfs' })] })).toContain(
      'Not searched, and mounted so that setuid has effect: “/opt/data (xfs)”. Mounted with nosuid, it needs no search.',
    )
    for (const folder of SEARCHED) expect(integritySetuidFiles.limitations.split('Not searched')[0]).toContain(folder)
    for (const left of ['home folders', '/srv', 'the rest of /var', 'data mounts', 'container images and their stores'])
      expect(integritySetuidFiles.limitations.split('Not searched')[1]).toContain(left)
  })
})
