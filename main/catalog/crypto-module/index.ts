import { defineSubject } from '../subject.ts'
import { cryptoPolicy, encryptionModuleFipsMode, fipsMode } from './crypto-module.ts'

export const cryptoModuleSubject = defineSubject({
  id: 'crypto-module',
  title: 'Cryptographic module',
  probes: [fipsMode, cryptoPolicy],
  checks: [encryptionModuleFipsMode],
})
