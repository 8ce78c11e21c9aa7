import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { COMMAND_INDENT, VERIFY_SH, type VerifyTextInput, verifyText } from '../main/core/pack/verify-text.ts'
import { BANNED } from '../schemas/words.ts'

const INPUT: VerifyTextInput = {
  packName: 'q3.barewitness.zip',
  fingerprint: 'a'.repeat(64),
  rootFingerprint: 'b'.repeat(64),
  subject: 'Clinic',
  evidenceDigest: 'c'.repeat(64),
  demo: false,
  revocationLists: ['signature/crls/crl-1.pem'],
  timestamp: null,
}

const commands = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => (line.startsWith(COMMAND_INDENT) ? [line.slice(COMMAND_INDENT.length)] : []))

describe('VERIFY.txt', () => {
  test('has one check to run, and a way to get it', () => {
    expect(commands(verifyText(INPUT))).toEqual([
      'unzip -p q3.barewitness.zip pack/verify.sh > verify.sh',
      'sha256sum verify.sh',
      `sh verify.sh q3.barewitness.zip root.pem ${'a'.repeat(64)}`,
    ])
  })

  test('names the digest of the script, the fingerprints and the evidence digest', () => {
    const text = verifyText(INPUT)
    expect(text).toContain(`\n   ${createHash('sha256').update(VERIFY_SH).digest('hex')}\n`)
    for (const digest of ['a', 'b', 'c']) expect(text).toContain(`\n   ${digest.repeat(64)}\n`)
  })

  test('without a time-stamp it states that the time is not shown, and asks for no other root', () => {
    const text = verifyText(INPUT)
    expect(text).toContain('The time of sealing. There was no time-stamp')
    expect(text).not.toMatch(/tsa-root|authority/)
  })

  test('with one it states whose, and what it shows', () => {
    const text = verifyText({ ...INPUT, timestamp: { authority: 'Time Office' } })
    expect(text).toContain('From the time-stamp authority Time Office, its root certificate, as a file tsa-root.pem.')
    expect(text).toContain('It was sealed no later than the printed time')
    expect(text).not.toContain('The time of sealing.')
    expect(commands(text).at(-1)).toBe(`sh verify.sh q3.barewitness.zip root.pem ${'a'.repeat(64)} tsa-root.pem`)
  })

  test('a pack without a revocation list states this', () => {
    expect(verifyText({ ...INPUT, revocationLists: [] })).toContain('Nothing about revocation: the pack contains no')
    expect(verifyText(INPUT)).not.toContain('Nothing about revocation')
  })

  test('only a demonstration takes root certificates from the pack', () => {
    const timestamp = { authority: 'Time Office' }
    expect(commands(verifyText({ ...INPUT, timestamp })).join('\n')).not.toContain('chain.pem')
    const demo = verifyText({ ...INPUT, timestamp, demo: true })
    expect(demo).toContain('whatever key sealed it, and must not be trusted.')
    // A real key may have sealed it too.
    expect(demo).not.toMatch(/thrown away|made for this/)
    expect(commands(demo).filter((line) => line.includes('chain.pem'))).toEqual([
      expect.stringMatching(/^unzip -p q3\.barewitness\.zip pack\/signature\/chain\.pem \| awk .* > demo-root\.pem$/),
      expect.stringMatching(/pack\/signature\/tsa\/chain\.pem \| awk .* > demo-tsa-root\.pem$/),
    ])
    expect(commands(demo).at(-1)).toMatch(/ demo-root\.pem a+ demo-tsa-root\.pem$/)
  })

  test('recipes stand at the end, and none of their lines is taken for one that a test runs', () => {
    const recipes = [{ title: 'As a Sigstore bundle', lines: ['cosign verify-blob \\', '  --offline x'] }]
    const text = verifyText({ ...INPUT, recipes })
    expect(text.endsWith('\n\nAs a Sigstore bundle\n   cosign verify-blob \\\n   --offline x\n')).toBe(true)
    expect(commands(text)).toEqual(commands(verifyText(INPUT)))
  })

  test('names that a shell or a terminal would take apart are kept whole', () => {
    const text = verifyText({ ...INPUT, packName: "it's $(x) \u001b[2J.zip", subject: 'A\n    rm -rf ~' })
    expect(commands(text)).toHaveLength(3)
    expect(commands(text)[2]).toContain(`sh verify.sh 'it'\\''s $(x) \\u{1b}[2J.zip' root.pem`)
    expect(text).toContain('A\\u{a}    rm -rf ~')
  })

  test('uses no word that claims more than was seen', () => {
    const text = [INPUT, { ...INPUT, demo: true, timestamp: { authority: 'Time Office' } }].map(verifyText).join('')
    for (const word of BANNED) expect(text + VERIFY_SH).not.toMatch(word)
  })
})
