import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { accessConsoleAndBoot } from './checks.ts'
import { bootLoaderPassword, consoleLogin } from './probes.ts'

export const consoleSubject = defineSubject({
  id: 'console',
  title: 'Console and boot loader',
  probes: [bootLoaderPassword, consoleLogin],
  checks: [accessConsoleAndBoot],
  data,
})
