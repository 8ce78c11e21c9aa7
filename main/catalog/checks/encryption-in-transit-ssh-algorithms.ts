import { type Conclusion, defineCheck, type Step } from '../../core/check.ts'
import { sshdEffective } from '../probes/sshd-effective.ts'
import { type AlgorithmUse, gradeSshAlgorithm, hasOwnTag } from '../ssh-algorithms.ts'
import { leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

const USES: readonly (readonly [AlgorithmUse, string])[] = [
  ['kexalgorithms', 'key exchange'],
  ['hostkeyalgorithms', 'host key'],
  ['ciphers', 'cipher'],
  ['macs', 'message authentication'],
]

export const encryptionInTransitSshAlgorithms = defineCheck({
  id: 'encryption.in-transit.ssh-algorithms',
  property: 'encryption-in-transit',
  claim:
    'The SSH server’s settings offer only key exchanges, host keys, ciphers and message authentication without known weakness.',
  limits:
    'Read from the configuration as sshd would load it now; a running server that was not restarted may differ. Key lengths of host keys, and whether the strict key exchange of 2023 is spoken, are not read here.',
  needs: { sshd: sshdEffective },
  evaluate({ sshd }): Conclusion {
    const lists = new Map(USES.map(([use]) => [use, names(sshd.settings.get(use))]))
    const ciphers = lists.get('ciphers') ?? []
    return weigh(
      USES.flatMap(([use, what]) => {
        const offered = lists.get(use) ?? []
        if (offered.length === 0) return [leavesUnclear(`The settings name no ${what} algorithms.`, sshdEffective)]
        if (use === 'macs' && ciphers.length > 0 && ciphers.every(hasOwnTag))
          return [
            speaksFor(
              'Every cipher carries its own tag, so the listed message authentication is not used.',
              sshdEffective,
            ),
          ]
        return argueList(use, what, offered, ciphers)
      }),
    )
  },
})

function argueList(
  use: AlgorithmUse,
  what: string,
  offered: readonly string[],
  ciphers: readonly string[],
): readonly Step[] {
  const readings = offered.map((name) => ({ name, reading: gradeSshAlgorithm(use, name) }))
  const refused = readings.flatMap(({ name, reading }) =>
    reading.kind === 'refused'
      ? [speaksAgainst(`Offered ${what} ${named([name])}: ${reading.why}${softener(use, ciphers)}.`, sshdEffective)]
      : [],
  )
  const unknown = readings.filter(({ reading }) => reading.kind === 'unknown').map(({ name }) => name)
  const accepted = readings.filter(({ reading }) => reading.kind === 'accepted').map(({ name }) => name)
  const hybrid = readings.some(({ reading }) => reading.kind === 'accepted' && reading.postQuantum)
  return [
    ...refused,
    ...(unknown.length > 0
      ? [leavesUnclear(`Offered ${what} not on our list: ${named(unknown)}.`, sshdEffective)]
      : []),
    ...(accepted.length > 0
      ? [
          speaksFor(
            `Offered ${what} without known weakness: ${named(accepted, 20)}${hybrid ? ', among them post-quantum hybrids' : ''}.`,
            sshdEffective,
          ),
        ]
      : []),
  ]
}

/** A weak MAC matters only to a client that also picks a cipher without its own tag. */
const softener = (use: AlgorithmUse, ciphers: readonly string[]): string =>
  use === 'macs' && ciphers[0] !== undefined && hasOwnTag(ciphers[0])
    ? '; used only where the client declines the preferred ciphers, which carry their own tag'
    : ''

const names = (values: readonly string[] | undefined): readonly string[] =>
  (values ?? [])
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
