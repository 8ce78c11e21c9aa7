import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { cryptoPolicy, encryptionModuleFipsMode, fipsMode } from './crypto-module.ts'

export const cryptoModuleSubject = defineSubject({
  id: 'crypto-module',
  title: 'Cryptographic module',
  probes: [fipsMode, cryptoPolicy],
  checks: [encryptionModuleFipsMode],
  data,
})
