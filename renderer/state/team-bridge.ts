import type { Bridge, Method, Reply } from '../../schemas/ipc.ts'
import { DIALOGS } from '../../schemas/ipc-inputs.ts'
import { RESYNC, TEAM_HEADERS, type TeamSession } from '../../schemas/ipc-team.ts'
import type { Dialog, EngineEvent } from '../../schemas/ipc-views.ts'
import { may, START, setSession, signedIn, tokenHeader } from '../models/team.ts'

/** The bridge of a page in a browser, to the server that sent it. */

const HEADERS = { accept: 'application/json' } as const

/** Requests who is signed in and returns the bridge. Null if no one is; then the page leaves for the sign-in. */
export async function openTeamBridge(): Promise<Bridge | null> {
  const reply = await fetched<TeamSession>('api/session', { headers: HEADERS })
  setSession(reply.ok ? reply.value : null)
  if (signedIn() === null) {
    location.assign(START)
    return null
  }
  return { call: (method, input) => callServer(method, input), onEvent: listenToServer }
}

/** Shorter than any time after which a session without calls ends. */
const TYPING_MS = 30_000
/** A request later than this after the last input of a person is not theirs. Longer than what one input causes. */
const ATTENDED_MS = 60_000
/** When the last request was sent that counts as use, and when a person last used the page or loaded it, by the clock of the page. */
let [askedAt, usedAt] = [0, 0]

/**
 * Has each entering of text count as use of the session, because a long text is typed without any call. At most one call is made for it in TYPING_MS.
 * What the page asks while no one uses it, such as results after an event, does not count.
 */
export function keepSignedIn(): void {
  for (const kind of ['input', 'keydown', 'pointerdown', 'wheel'])
    addEventListener(
      kind,
      () => {
        usedAt = performance.now()
      },
      { capture: true, passive: true },
    )
  addEventListener('input', () => {
    if (performance.now() - askedAt >= TYPING_MS) void callServer('app.info', null)
  })
}

/** Dialogs that choose where files are saved: a browser downloads them. */
const SAVES: readonly Dialog[] = ['save-file', 'export-folder']

async function callServer<T>(method: Method, input: unknown): Promise<Reply<T>> {
  const dialog = DIALOGS[method]
  let headers: Readonly<Record<string, string>> = { ...HEADERS, ...tokenHeader(), 'content-type': 'application/json' }
  // A refused method requests no file: its refusal gives the reason.
  if (dialog !== undefined && !SAVES.includes(dialog) && may(method)) {
    const file = await chosenFile()
    // The window answers the same when its dialog is closed.
    if (file === null) return { ok: true, value: null as T }
    const sent = await fetched<string>('api/upload', {
      method: 'POST',
      headers: {
        ...HEADERS,
        ...tokenHeader(),
        'content-type': 'application/octet-stream',
        [TEAM_HEADERS.fileName]: encodeURIComponent(file.name),
      },
      body: file,
    })
    if (!sent.ok) return sent
    headers = { ...headers, [TEAM_HEADERS.upload]: sent.value }
  }
  const ask = () => fetched<T>(`api/call/${method}`, { method: 'POST', headers, body: JSON.stringify(input) })
  let reply = await ask()
  for (let asked = 1; asked < MOST_ASKED && isUnfinished(reply); asked += 1) reply = await ask()
  return reply
}

/** How often one step is requested. The server starts it once, and each request waits as long as a call may take. */
const MOST_ASKED = 5

const isUnfinished = (reply: Reply<unknown>): boolean => !reply.ok && reply.error.code === 'call.unfinished'

type Asked = RequestInit & { readonly headers: Readonly<Record<string, string>> }

/**
 * Sends a request to the server. After a session has ended, the page leaves for the sign-in; a file offered by the
 * server is downloaded.
 */
async function fetched<T>(address: string, request: Asked): Promise<Reply<T>> {
  const now = performance.now()
  const isAttended = now - usedAt < ATTENDED_MS
  if (isAttended) askedAt = now
  const headers = { ...request.headers, ...(isAttended ? {} : { [TEAM_HEADERS.unattended]: '1' }) }
  let response: Response
  try {
    response = await fetch(address, { ...request, headers, credentials: 'same-origin', cache: 'no-store' })
  } catch {
    return { ok: false, error: { code: 'access.refused', detail: 'the server cannot be reached' } }
  }
  if (response.status === 401) location.assign(START)
  const download = response.headers.get(TEAM_HEADERS.download)
  if (download !== null) offer(download)
  try {
    return (await response.json()) as Reply<T>
  } catch {
    return {
      ok: false,
      error: { code: 'access.refused', detail: `the server answered with status ${response.status}` },
    }
  }
}

function offer(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}

/** The file that a person chooses; null if the dialog is closed. */
const chosenFile = (): Promise<File | null> =>
  new Promise((resolve) => {
    const field = document.createElement('input')
    field.type = 'file'
    field.addEventListener('change', () => resolve(field.files?.[0] ?? null))
    field.addEventListener('cancel', () => resolve(null))
    field.click()
  })

/** Subscribes to events of the engagement. The browser reconnects by itself and receives the events that it missed. */
function listenToServer(listener: (event: EngineEvent) => void): () => void {
  const source = new EventSource('api/events')
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const event = JSON.parse(data) as EngineEvent | null
    if (event !== null) listener(event)
  })
  source.addEventListener(RESYNC, () => location.reload())
  source.addEventListener('error', () => {
    // Closed permanently: the session has ended, or the engagement may no longer be entered.
    if (source.readyState === EventSource.CLOSED) void fetched('api/session', { headers: HEADERS })
  })
  return () => source.close()
}
