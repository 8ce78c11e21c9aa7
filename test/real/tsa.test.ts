import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTimestampClient, timestampQuery } from '../../main/adapters/seal/tsp/client.ts'
import { readToken } from '../../main/adapters/seal/tsp/token.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { pem } from '../../main/core/base/pem.ts'
import { realClock, realEntropy, realPause } from '../support/deps.ts'
import { folderOfTests } from '../support/folders.ts'
import { lyingTsa, replyWith, testTsa } from '../support/lying-tsa.ts'
import { describeUnless, whyNo } from '../support/needing.ts'
import { opensslTsa } from '../support/openssl-tsa.ts'

const missing = whyNo('openssl')
const over = new TextEncoder().encode('what is stamped')
const imprint = new Uint8Array(Buffer.from(sha256(over), 'hex'))

describeUnless(missing, 'time-stamps and openssl', () => {
  const folder = folderOfTests('barewitness-tsa')
  const openssl = (...argv: string[]): string =>
    execFileSync('openssl', argv, { cwd: folder, stdio: 'pipe' }).toString()
  const file = (name: string, content: Uint8Array | string): string => {
    writeFileSync(join(folder, name), content)
    return name
  }

  test.each(['EC', 'RSA'] as const)('its authority with a key of type %s is asked and read', async (keyType) => {
    const tsa = opensslTsa(join(folder, keyType), { keyType })
    const server = await lyingTsa(replyWith(tsa.reply))
    const client = createTimestampClient({ clock: realClock, entropy: realEntropy, pause: realPause })
    const outcome = await client.stamp(server.url, imprint, { offered: [tsa.root] })
    await server.close()
    if (!outcome.ok) throw new Error(outcome.error.detail)
    const { token, response, certificates } = outcome.value
    expect(readToken(token, over, [tsa.root], tsa.crls).reading).toMatchObject({
      problems: [],
      authority: { subject: 'Test TSA' },
      root: { subject: 'Test TSA root', fingerprint: sha256(tsa.root) },
      revoked: null,
      revocationCovered: true,
    })
    expect(certificates.map(sha256)).toEqual(tsa.chain.map(sha256))
    file('data', over)
    file('response.tsr', response)
    expect(openssl('ts', '-reply', '-in', 'response.tsr', '-text')).toMatch(/Status: Granted/)
    const root = file('root.pem', pem('CERTIFICATE', tsa.root))
    expect(openssl('ts', '-verify', '-data', 'data', '-in', 'response.tsr', '-CAfile', root)).toMatch(/OK/)
  })

  test('it reads our query as we mean it', () => {
    const query = timestampQuery(imprint, { bytes: (count) => new Uint8Array(count).fill(0xff) })
    const said = openssl('ts', '-query', '-in', file('query.tsq', query.der), '-text')
    expect(said).toMatch(/Version: 1\nHash Algorithm: sha256/)
    expect(said).toMatch(/Policy OID: unspecified\nNonce: 0x7FFFFFFFFFFFFFFF\nCertificate required: yes/)
  })

  test.each(['EC', 'EC384', 'RSA4096'] as const)('it accepts what our test authority (%s) makes', (keyType) => {
    const tsa = testTsa({ keyType })
    const query = timestampQuery(imprint, realEntropy)
    file('ours.tsq', query.der)
    file('ours.tsr', tsa.response(query.der))
    const root = file('ours.pem', pem('CERTIFICATE', tsa.root))
    expect(openssl('ts', '-reply', '-in', 'ours.tsr', '-text')).toMatch(/Status: Granted/)
    expect(openssl('ts', '-verify', '-queryfile', 'ours.tsq', '-in', 'ours.tsr', '-CAfile', root)).toMatch(/OK/)
  })

  test('it refuses what our reader refuses: another signer than named', () => {
    const tsa = testTsa()
    const query = timestampQuery(imprint, realEntropy)
    file('bad.tsq', query.der)
    file('bad.tsr', tsa.response(query.der, { ess: 'another' }))
    const root = file('bad.pem', pem('CERTIFICATE', tsa.root))
    const asked = ['ts', '-verify', '-queryfile', 'bad.tsq', '-in', 'bad.tsr', '-CAfile', root]
    expect(spawnSync('openssl', asked, { cwd: folder }).status).not.toBe(0)
  })
})
