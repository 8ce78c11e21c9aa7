import { defineProbe, known, run, unknown } from '../../core/probe.ts'

export interface FipsMode {
  /** `not-offered`: the kernel was built without the switch. */
  readonly state: 'on' | 'off' | 'not-offered'
}

export const fipsMode = defineProbe<FipsMode, 'enabled'>({
  id: 'crypto.fips-mode',
  title: 'FIPS mode of the kernel',
  why: 'In FIPS mode the kernel restricts itself to approved algorithms.',
  commands: { enabled: run(['cat', '/proc/sys/crypto/fips_enabled']) },
  parse: ({ enabled }) => {
    const flag = enabled.text.trim()
    if (enabled.exitCode === 0 && /^[01]$/.test(flag)) return known({ state: flag === '1' ? 'on' : 'off' })
    return enabled.exitCode !== 0 && /No such file or directory/.test(enabled.errorText)
      ? known({ state: 'not-offered' })
      : unknown('the FIPS switch could not be read')
  },
})
