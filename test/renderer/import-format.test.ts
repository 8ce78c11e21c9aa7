import { expect, test } from 'vitest'
import { formatOf } from '../../schemas/import-format.ts'

test.each([
  ['Host db-1\n  HostName 192.0.2.1\n', 'ssh-config'],
  ['# servers\nhost bastion\n', 'ssh-config'],
  ['[db]\ndb-1 ansible_host=192.0.2.1\n', 'ansible'],
  ['all:\n  hosts:\n    db-1:\n      ansible_host: 192.0.2.1\n', 'ansible'],
  ['[web]\nweb-1\n', 'ansible'],
  ['name,address,user\ndb-1,192.0.2.1,audit\n', 'csv'],
  ['hostname;ip\ndb-1;192.0.2.1\n', 'csv'],
  ['Label,Where,Who\ndb-1,192.0.2.1,audit\n', 'csv'],
  ['Host name;IP address\nGPU server 1;192.0.2.1\n', 'csv'],
  ['\uFEFFServer name;Public IP\nGPU server 1;192.0.2.1\n', 'csv'],
  ['db-1\ndb-2\n', null],
  ['', null],
])('the format of %j is %s', (text, format) => {
  expect(formatOf(text)).toBe(format)
})
