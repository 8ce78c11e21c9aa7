import { type Answer, defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface PackageList {
  /** “name version”, sorted, each once; architectures of one package count as several where the tool lists them so. */
  readonly packages: readonly string[]
}

const FIELDS = ['db:Status-Abbrev', 'binary:Package', 'Version'].map((name) => `$\{${name}}`)

/** dpkg-query(1), -W. Packages that were removed and left their configuration have no version to show and are left out. */
export const packagesListDpkg = defineProbe({
  id: 'packages.list-dpkg',
  title: 'Installed packages (dpkg)',
  why: 'Lists what is installed, with versions, so that two runs can be compared.',
  commands: { packages: run(['dpkg-query', '-W', `-f=${FIELDS.join('\\t')}\\n`]) },
  parse: ({ packages }) => read(packages, /^[ihurp]i[ R]\t(\S{1,200})\t(\S{1,200})$/),
})

/** rpm(8), -qa. Public keys that were imported are listed as packages of their own (gpg-pubkey). */
export const packagesListRpm = defineProbe({
  id: 'packages.list-rpm',
  title: 'Installed packages (rpm)',
  why: 'Lists what is installed, with versions, so that two runs can be compared.',
  commands: {
    packages: run(['rpm', '-qa', '--qf', '%{NAME}.%{ARCH}\\t%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n'], {
      timeoutSeconds: 30,
    }),
  },
  parse: ({ packages }) => read(packages, /^(\S{1,200})\t(\S{1,200})$/),
})

function read({ exitCode, text }: Answer, form: RegExp): Parsed<PackageList> {
  if (exitCode !== 0) return unknown('the package database could not be read')
  const packages = lines(text).flatMap((line) => {
    const [, name, version] = form.exec(line) ?? []
    return name === undefined || version === undefined ? [] : [`${name} ${version}`]
  })
  return packages.length === 0
    ? unknown('the package database lists no package')
    : known({ packages: [...new Set(packages)].sort() })
}
