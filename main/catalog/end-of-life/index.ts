import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { vulnEol } from './end-of-life.ts'

export const endOfLifeSubject = defineSubject({
  id: 'end-of-life',
  title: 'Vendor support',
  probes: [],
  checks: [vulnEol],
  data,
})
