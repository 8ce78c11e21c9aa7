import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { accessSudoPolicy } from './checks.ts'
import { sudoersOther, sudoersRules, sudoLog, sudoProgram } from './probes.ts'

export const sudoSubject = defineSubject({
  id: 'sudo',
  title: 'Administrator rights through sudo',
  probes: [sudoersRules, sudoProgram, sudoersOther, sudoLog],
  checks: [accessSudoPolicy],
  data,
})
