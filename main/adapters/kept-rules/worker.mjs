/**
 * The thread in which kept rules run: one module, given as text whose digest was checked, with access only to digests
 * and certificates of `node:crypto`. It gets no file, no connection, no clock but its argument, and no module to
 * import. Requests come as messages and are handled in order; see `startModule` in index.ts.
 */
import crypto from 'node:crypto'
import { SourceTextModule, SyntheticModule, runInNewContext } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'

const language = new Set(runInNewContext('Object.getOwnPropertyNames(globalThis)'))
language.delete('console')
for (const name of Object.getOwnPropertyNames(globalThis))
  if (!language.has(name) && !workerData.globals.includes(name)) delete globalThis[name]

const module = new SourceTextModule(workerData.code, { identifier: 'rules' })
await module.link((name) => {
  if (name !== 'node:crypto') throw new Error(`rules import ${name}`)
  const names = Object.keys(crypto)
  return new SyntheticModule(names, function () {
    for (const one of names) this.setExport(one, crypto[one])
  })
})
await module.evaluate()

const { rulesOf, RULES } = module.namespace
const rules = rulesOf({ ...RULES, module: workerData.sha256 })
const packs = []

/** The outputs of commands that were received, by number. Rules modify none of them. */
const outputs = []

/** The recording of a message, which `recordingMessages` in recording-message.ts makes. */
function recordingIn(message) {
  if (message.forget) outputs.length = 0
  for (const bytes of message.fresh) outputs.push(bytes)
  const { texts } = message
  const recording = JSON.parse(texts.recording)
  // One line for each capture; a line end in JSON is escaped.
  const captures = JSON.parse(`[${texts.captures.slice(0, -1).replaceAll('\n', ',')}]`)
  const outputAt = (place) => outputs[message.outputs[place]]
  return {
    recording,
    captures: captures.map((meta, at) => ({ meta, stdout: outputAt(2 * at), stderr: outputAt(2 * at + 1) })),
  }
}

/** The reply to one message: `about`, a new pack, or a request about such a pack. */
function answer({ ask, pack, asked }) {
  if (ask === 'about') return rules.about(...asked)
  if (ask === 'pack') return packs.push(rules.pack(...asked)) - 1
  if (ask === 'node') {
    const [node, message, digest] = asked
    return packs[pack].node(node, message === null ? null : recordingIn(message), digest)
  }
  return packs[pack][ask](...asked)
}

parentPort.on('message', ({ id, ...message }) => {
  try {
    parentPort.postMessage({ id, value: answer(message) })
  } catch (thrown) {
    parentPort.postMessage({ id, threw: String(thrown) })
  }
})
