import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSpool } from '../../main/adapters/jobs/spool.ts'
import { SPOOL } from '../../main/core/base/layout.ts'
import type { CollectorLease } from '../../schemas/types.ts'
import { folderOfTests } from '../support/folders.ts'
import { must } from '../support/outcomes.ts'
import { jobOf } from '../support/queue-contract.ts'

const root = folderOfTests('spool')
const leaseOf = (number: number, lease = 'a'): CollectorLease => ({
  job: jobOf(number),
  lease: lease.repeat(32),
  seconds: 25,
})

test('a job is found again by another process, with its latest lease and whether it is finished', async () => {
  const folder = join(root, 'again')
  const first = must(await openSpool(folder))
  must(await first.keep(leaseOf(1)))
  must(await first.keep(leaseOf(2)))
  must(await first.keep(leaseOf(2, 'b')))
  must(await first.finish(jobOf(1).id))
  await first.close()
  const second = must(await openSpool(folder))
  expect(must(await second.entries())).toEqual([
    { lease: leaseOf(1), isFinished: true },
    { lease: leaseOf(2, 'b'), isFinished: false },
  ])
  await second.close()
})

test('what was delivered is removed, and what was not taken is kept aside', async () => {
  const folder = join(root, 'aside')
  const spool = must(await openSpool(folder))
  for (const number of [1, 2]) {
    must(await spool.keep(leaseOf(number)))
    mkdirSync(spool.evidenceOf(jobOf(number).id))
  }
  must(await spool.remove(jobOf(1).id))
  must(await spool.setAside(jobOf(2).id))
  expect(must(await spool.entries())).toEqual([])
  expect(readdirSync(join(folder, SPOOL.refused))).toEqual([jobOf(2).id])
  expect(existsSync(join(folder, SPOOL.refused, jobOf(2).id, SPOOL.evidence))).toBe(true)
  await spool.close()
})

test('a removal that a kill interrupted is finished, and other files stay', async () => {
  const folder = join(root, 'killed')
  mkdirSync(join(folder, `${jobOf(1).id}.delivered`, 'evidence'), { recursive: true })
  writeFileSync(join(folder, 'notes.txt'), 'x')
  const spool = must(await openSpool(folder))
  expect(must(await spool.entries())).toEqual([])
  await spool.close()
  expect(readdirSync(folder).sort()).toEqual(['notes.txt', SPOOL.refused])
})

test.each([
  ['no JSON', '{'],
  ['a command', JSON.stringify({ ...leaseOf(1), command: 'id' })],
  ['another job', JSON.stringify(leaseOf(2))],
])('a job file with %s is no job', async (name, text) => {
  const folder = join(root, name.replace(' ', '-'))
  mkdirSync(join(folder, jobOf(1).id), { recursive: true })
  writeFileSync(join(folder, jobOf(1).id, SPOOL.job), text)
  const spool = must(await openSpool(folder))
  expect(must(await spool.entries())).toEqual([])
  await spool.close()
})
