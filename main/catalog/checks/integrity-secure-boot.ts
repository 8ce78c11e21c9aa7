import { defineCheck } from '../../core/check.ts'
import { secureBoot } from '../probes/secure-boot.ts'
import { contradicts, decide, supports, unclear } from '../steps.ts'

export const integritySecureBoot = defineCheck({
  id: 'integrity.secure-boot',
  property: 'integrity',
  expected: 'The firmware reports that Secure Boot was on and enforcing when the server started.',
  limitations:
    'The firmware reports on itself, and an administrator of the firmware can change its keys. Which keys it trusts was not read. What ran after the boot loader depends on kernel settings.',
  requires: { boot: secureBoot },
  evaluate({ boot }) {
    if (boot.firmware === 'other')
      return decide([
        contradicts('The server did not start through UEFI, so Secure Boot was not in use.', secureBoot, 'firmware'),
      ])
    return decide([
      boot.secureBoot === null
        ? unclear(
            'The server started through UEFI, and the variable SecureBoot is not visible.',
            secureBoot,
            'secureBoot',
          )
        : boot.secureBoot
          ? supports('The firmware variable SecureBoot is 1.', secureBoot, 'secureBoot')
          : contradicts(
              'The firmware variable SecureBoot is 0: signatures were not checked.',
              secureBoot,
              'secureBoot',
            ),
      boot.setupMode === null
        ? unclear('The firmware variable SetupMode is not visible.', secureBoot, 'setupMode')
        : boot.setupMode
          ? contradicts('The firmware is in setup mode: anyone with root can enrol keys.', secureBoot, 'setupMode')
          : supports('The firmware is not in setup mode.', secureBoot, 'setupMode'),
      boot.shimSkipsChecks
        ? contradicts('The boot loader shim is configured not to check signatures.', secureBoot, 'shim')
        : supports('The boot loader shim is not configured to skip signature checks.', secureBoot, 'shim'),
    ])
  },
})
