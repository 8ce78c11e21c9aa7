import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { integritySetuidFiles } from './checks.ts'
import { packagedProgramsDpkg, packagedProgramsRpm, setuidFiles } from './probes.ts'

export const setuidSubject = defineSubject({
  id: 'setuid',
  title: 'Files with setuid or setgid',
  probes: [packagedProgramsDpkg, packagedProgramsRpm, setuidFiles],
  checks: [integritySetuidFiles],
  data,
})
