import { assessmentView, evidenceList, evidencePiece, runPreview } from '../../main/app/views.ts'
import { assess } from '../../main/core/assess.ts'
import type { LoadedRecording } from '../../main/core/recording.ts'
import type { Engine, EngineEvent, Input, Method, Reply } from '../../schemas/ipc.ts'
import type {
  AssessmentView,
  ExportView,
  FleetView,
  HostKeyRow,
  ImportPreview,
  ImportRow,
  PackReview,
  RunTicket,
  Source,
} from '../../schemas/ipc-views.ts'
import type { VerificationReport } from '../../schemas/verification.ts'
import { fakeCatalog } from './fake-catalog.ts'
import { FAKE_CAPTURES, FAKE_NODES, FAKE_TIME, fakeFingerprint, fakeRecording } from './fake-nodes.ts'

const yes = <T>(value: T): Reply<T> => ({ ok: true, value })
const no = (detail: string): Reply<never> => ({ ok: false, error: { code: 'input.not-found', detail } })
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const names = FAKE_NODES.map(({ name }) => name)

interface State {
  fleet: FleetView | null
  recordings: readonly LoadedRecording[]
  run: string
  cancelled: boolean
  pack: PackReview | null
  keys: readonly HostKeyRow[]
  offered: ImportPreview | null
}

/** An engine for tests of the window: the real assess() over made-up recordings, and no network, files or clock. */
export function createFakeEngine({ pace = 30 }: { readonly pace?: number } = {}): Engine {
  const listeners = new Set<(event: EngineEvent) => void>()
  const say = (event: EngineEvent): void => {
    for (const listener of listeners) listener(event)
  }
  const state: State = {
    fleet: null,
    recordings: [],
    run: '',
    cancelled: false,
    pack: null,
    keys: [],
    offered: null,
  }
  function keep<K extends keyof State>(key: K, value: State[K]): Reply<State[K]> {
    state[key] = value
    return yes(value)
  }
  const view = (of: Source): AssessmentView | null =>
    of === 'pack' ? (state.pack?.view ?? null) : assessed('run', state.recordings, state.run)

  async function collect(run: string): Promise<void> {
    say({ kind: 'run-started', run, nodes: names })
    for (const node of FAKE_NODES) {
      say({ kind: 'node-connecting', node: node.name })
      await wait(pace)
      if (state.cancelled) break
      if (node.fails !== undefined) say({ kind: 'node-failed', node: node.name, ...node.fails })
      else {
        for (const done of [3, 7, FAKE_CAPTURES.length]) {
          say({ kind: 'node-collecting', node: node.name, done, total: FAKE_CAPTURES.length })
          await wait(pace)
        }
        say({ kind: 'node-done', node: node.name, captures: FAKE_CAPTURES.length, partial: node.privilege === 'none' })
      }
    }
    state.recordings = FAKE_NODES.map((node) => fakeRecording(node, run))
    say({ kind: 'run-done', run, cancelled: state.cancelled })
  }
  function start(): Reply<RunTicket> {
    state.run = 'run-20261120-0912'
    state.cancelled = false
    void collect(state.run)
    return yes({ run: state.run, nodes: names })
  }

  const handlers: { readonly [M in Method]: (input: Input<M>, path: string) => Reply<unknown> } = {
    'app.info': () =>
      yes({
        version: '0.1.0',
        catalogVersion: fakeCatalog.version,
        probes: fakeCatalog.probes.length,
        checks: fakeCatalog.checks.length,
      }),
    'demo.open': () => {
      state.fleet = demoFleet()
      return start()
    },
    'fleet.get': () => yes(state.fleet),
    'fleet.import-choose': (_input, path) =>
      keep('offered', preview('Host db-3\n  HostName 192.0.2.3\n  User bwaudit\n', path.split('/').at(-1) ?? path)),
    'fleet.import-text': ({ text }) => keep('offered', preview(text, null)),
    'fleet.accept': ({ handle }) => {
      if (state.offered?.handle !== handle) return no('this preview is no longer open')
      const added = state.offered.rows.filter(({ outcome }) => outcome === 'will-add').map(({ node }) => node ?? '')
      state.fleet = {
        name: 'my fleet',
        demo: false,
        frameworks: ['hipaa', 'soc2'],
        nodes: added.map((name) => ({
          ...demoFleet().nodes[0],
          name,
          address: '192.0.2.3',
          port: 22,
          user: 'bwaudit',
          sudo: false,
          jump: [],
          place: null,
          role: null,
        })),
      }
      state.keys = added.map((node, index) => keyRow(node, index))
      return yes(state.fleet)
    },
    'hostkeys.list': () => yes(state.keys),
    'hostkeys.scan': () =>
      keep(
        'keys',
        state.keys.map((row, index) => ({
          ...keyRow(row.node, index),
          state: index === 0 ? 'unknown' : index === 1 ? 'changed' : 'confirmed',
        })),
      ),
    'hostkeys.confirm': ({ node, fingerprint, howVerified }) => {
      const row = state.keys.find((one) => one.node === node)
      if (row?.fingerprint !== fingerprint) return no('the node presents another key now')
      return keep(
        'keys',
        state.keys.map((one) =>
          one.node === node
            ? { ...one, state: 'confirmed', onRecord: null, confirmedBy: `your decision: ${howVerified}` }
            : one,
        ),
      )
    },
    'run.preview': ({ nodes }) => yes(runPreview(fakeCatalog, nodes.length > 0 ? nodes : names)),
    'run.start': () => start(),
    'run.cancel': () => {
      state.cancelled = true
      return yes(null)
    },
    'assessment.get': ({ of }) => yes(view(of)),
    'evidence.list': ({ node }) => yes(evidenceList(recordingOf(node))),
    'evidence.get': ({ node, capture, stream, offset }) => {
      const piece = evidencePiece(recordingOf(node), fakeCatalog, capture, stream, offset)
      return piece.ok ? piece : no(capture)
    },
    'export.start': (_input, path) => yes(exported(path)),
    'pack.choose-and-verify': (_input, path) => keep('pack', reviewed(path.split('/').at(-1) ?? path)),
    'pack.review': () => yes(state.pack),
  }
  const recordingOf = (node: string): LoadedRecording | undefined =>
    (state.recordings.length > 0 ? state.recordings : allRecordings()).find(
      ({ recording }) => recording.node.name === node,
    )

  return {
    call: async (method, input, chosen) => {
      const handler = handlers[method] as (input: unknown, path: string) => Reply<never>
      return handler(input, chosen?.path ?? '')
    },
    onEvent: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => {
      state.cancelled = true
    },
  }
}

const allRecordings = (): LoadedRecording[] => FAKE_NODES.map((node) => fakeRecording(node, 'run-of-pack'))

function assessed(of: Source, recordings: readonly LoadedRecording[], run: string): AssessmentView | null {
  if (recordings.length === 0) return null
  const scope = { fleet: 'demo', population: names, frameworks: ['hipaa', 'soc2'] as const }
  return assessmentView(
    of,
    run,
    assess({ catalog: fakeCatalog, scope, recordings, asOf: '2026-11-20T09:15:00.000Z' }),
    fakeCatalog,
  )
}

const demoFleet = (): FleetView => ({
  name: 'demo',
  demo: true,
  frameworks: ['hipaa', 'soc2'],
  nodes: names.map((name, index) => ({
    name,
    address: '127.0.0.1',
    port: 42_000 + index,
    user: 'bwaudit',
    sudo: true,
    jump: [],
    place: 'Ashburn, Virginia (demo)',
    role: 'gpu',
  })),
})

const keyRow = (node: string, index: number): HostKeyRow => ({
  node,
  state: 'not-asked',
  keyType: 'ssh-ed25519',
  fingerprint: fakeFingerprint(node),
  onRecord: index === 1 ? fakeFingerprint(`old ${node}`) : null,
  confirmedBy: index > 1 ? 'your known_hosts, line 12' : null,
  failure: null,
})

function preview(text: string, file: string | null): ImportPreview {
  const rows = text.split('\n').map((line, index): ImportRow => {
    const host = /^\s*Host\s+(\S+)$/i.exec(line)?.[1]
    const base = { line: index + 1, text: line, node: host ?? null }
    if (host === undefined)
      return {
        ...base,
        outcome: line.trim() === '' || /^\s+(HostName|User|Port)/i.test(line) ? 'used' : 'skipped',
        note: /^\s+/.test(line) ? 'belongs to the entry above' : line.trim() === '' ? 'blank' : 'not understood',
      }
    return host.includes('*')
      ? { ...base, node: null, outcome: 'skipped', note: 'a pattern, not one node' }
      : { ...base, outcome: 'will-add', note: 'port 22' }
  })
  return { handle: 'a'.repeat(32), file, rows, willAdd: rows.filter(({ outcome }) => outcome === 'will-add').length }
}

const exported = (folder: string): ExportView => ({
  folder,
  files: ['report.pdf', 'demo-run-20261120-0912.zip', 'findings.csv', 'findings.xlsx'].map((name) => ({
    name,
    size: 184_320 + name.length,
    sha256: fakeFingerprint(name).length.toString().repeat(32),
  })),
  signer: 'Barewitness demo (accepted by no trust store)',
  notes: ['No time-stamp authority is set: the time is from this computer only.'],
})

/** A pack whose name says `altered` is one. */
function reviewed(file: string): PackReview {
  const altered = file.includes('altered')
  const report: VerificationReport = {
    schema: 'barewitness.verification/2',
    kind: 'pack',
    file,
    verifiedAt: FAKE_TIME,
    ok: !altered,
    demo: true,
    answers: [
      altered
        ? {
            question: 'intact',
            outcome: 'no',
            summary: '1 of 412 files does not match the signed list.',
            details: [
              'data/recordings/demo-gpu-01/sha256/3f9a…: other bytes than sealed',
              'rests on it: demo-gpu-01, encryption.at-rest.block-graph',
            ],
          }
        : { question: 'intact', outcome: 'yes', summary: 'All 412 files match the signed list.', details: [] },
      {
        question: 'signed-by',
        outcome: 'not-shown',
        summary: 'A key made for demonstrations, SHA-256 9c1f…, that no trust store accepts.',
        details: [],
      },
      {
        question: 'existed-by',
        outcome: 'not-shown',
        summary: 'No time-stamp authority was asked: the time is from the signer’s computer only.',
        details: [],
      },
      {
        question: 'complete',
        outcome: 'yes',
        summary: 'Every finding points to evidence in this pack; 8 of 8 declared nodes are present.',
        details: [],
      },
      altered
        ? {
            question: 'reproducible',
            outcome: 'no',
            summary: '95 of 96 verdicts are identical when evaluated again here.',
            details: ['demo-gpu-01, encryption.at-rest.block-graph: stated met, derived not-met'],
          }
        : {
            question: 'reproducible',
            outcome: 'yes',
            summary: '96 of 96 verdicts are identical when evaluated again here.',
            details: [],
          },
      {
        question: 'chain-continuous',
        outcome: 'not-shown',
        summary: 'The pack states 3 runs before it. Whether that is the history you saw before is not shown.',
        details: ['A chain kept by its owner shows nothing about runs that were never entered.'],
      },
    ],
    differences: altered
      ? [{ node: 'demo-gpu-01', check: 'encryption.at-rest.block-graph', stated: 'met', derived: 'not-met' }]
      : [],
    signer: { subject: 'CN=Barewitness demo', fingerprint: '9c1f'.repeat(16), trusted: false, standing: 'unknown' },
  }
  return {
    file,
    report,
    view: assessed('pack', allRecordings(), 'run-of-pack'),
    verdicts: { stated: 96, identical: altered ? 95 : 96 },
  }
}
