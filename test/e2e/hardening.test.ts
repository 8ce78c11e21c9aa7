import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless } from '../support/needing.ts'
import { buildShellApp, openWindow, type TestWindow, whyNoWindow } from '../support/open-window.ts'

const missing = whyNoWindow()

/** What a page or a script that got in could try, tried in real Electron under the production policy and the production shell. */
describeUnless(missing, 'hardening', () => {
  let opened: TestWindow
  let page: Page
  beforeAll(async () => {
    opened = await openWindow({ folder: buildShellApp() })
    page = opened.page
  })
  afterAll(() => opened.close())

  test('9: the page gains one frozen name and no way into Node', async () => {
    const seen = await page.evaluate(() => ({
      own: Object.keys(window.barewitness).sort(),
      frozen: Object.isFrozen(window.barewitness),
      replaceable: (() => {
        try {
          Object.assign(window, { barewitness: 1 })
        } catch {
          return false
        }
        return typeof window.barewitness === 'number'
      })(),
      require: typeof (globalThis as Record<string, unknown>).require,
      process: typeof (globalThis as Record<string, unknown>).process,
      module: typeof (globalThis as Record<string, unknown>).module,
      ipc: typeof (globalThis as Record<string, unknown>).ipcRenderer,
    }))
    expect(seen).toEqual({
      own: ['call', 'onEvent'],
      frozen: true,
      replaceable: false,
      require: 'undefined',
      process: 'undefined',
      module: 'undefined',
      ipc: 'undefined',
    })
  })

  test('1: the window has the preferences it was written with', async () => {
    const preferences = await opened.app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
        getLastWebPreferences: () => Record<string, unknown>
      }
      return contents.getLastWebPreferences()
    })
    expect(preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
    })
  })

  const refused = (attempt: string): Promise<string> =>
    page.evaluate(
      (code) =>
        new Promise<string>((resolve) => {
          document.addEventListener(
            'securitypolicyviolation',
            (event) => resolve(`policy: ${event.effectiveDirective}`),
            { once: true },
          )
          setTimeout(() => resolve('nothing happened'), 1500)
          const attempts: Record<string, () => unknown> = {
            fetch: () => fetch('https://example.invalid/'),
            'fetch own': () => fetch('barewitness://app/index.html'),
            socket: () => new WebSocket('wss://example.invalid/'),
            image: () => {
              const image = document.createElement('img')
              image.src = 'https://example.invalid/a.png'
              document.body.append(image)
            },
            'data image': () => {
              const image = document.createElement('img')
              image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='
              document.body.append(image)
            },
            frame: () => {
              const frame = document.createElement('iframe')
              frame.src = 'https://example.invalid/'
              document.body.append(frame)
            },
            form: () => {
              const form = document.createElement('form')
              form.action = 'https://example.invalid/'
              document.body.append(form)
              form.submit()
            },
            handler: () => {
              const paragraph = document.createElement('p')
              paragraph.setAttribute('style', 'color: red')
              document.body.append(paragraph)
            },
            worker: () => new Worker(URL.createObjectURL(new Blob(['1']))),
          }
          try {
            void Promise.resolve(attempts[code]?.()).catch(() => undefined)
          } catch (thrown) {
            resolve(`thrown: ${(thrown as Error).name}`)
          }
        }),
      attempt,
    )

  test.each([
    ['fetch', 'policy: connect-src'],
    ['fetch own', 'policy: connect-src'],
    ['socket', 'policy: connect-src'],
    ['image', 'policy: img-src'],
    ['data image', 'policy: img-src'],
    ['frame', 'policy: frame-src'],
    ['form', 'policy: form-action'],
    ['handler', 'policy: style-src-attr'],
  ])('4: %s is refused', async (attempt, outcome) => {
    expect(await refused(attempt)).toBe(outcome)
  })

  test('4: an inline script, eval and innerHTML are refused', async () => {
    const seen = await page.evaluate(async () => {
      const attempt = (run: () => unknown): string => {
        try {
          run()
          return 'ran'
        } catch (thrown) {
          return (thrown as Error).name
        }
      }
      return {
        script: attempt(() => {
          const script = document.createElement('script')
          script.textContent = 'document.title = "owned"'
          document.body.append(script)
        }),
        html: attempt(() => {
          document.body.innerHTML = '<p>x</p>'
        }),
        // Later, because code that the driver itself runs may evaluate.
        code: await new Promise<string>((resolve) =>
          setTimeout(() => resolve(attempt(() => new Function('return 1')())), 0),
        ),
        title: document.title,
      }
    })
    expect(seen.script).toBe('TypeError')
    expect(seen.html).toBe('TypeError')
    expect(seen.code).toBe('EvalError')
    expect(seen.title).not.toBe('owned')
  })

  test('8: the gate refuses what is not a call of ours, in words', async () => {
    const answers = await page.evaluate(async () => {
      const call = window.barewitness.call as unknown as (
        method: unknown,
        input: unknown,
      ) => Promise<{ ok: boolean; error?: { code: string } }>
      const tried = [
        await call('__proto__', null),
        await call('constructor', {}),
        await call('run.start', { nodes: [], path: '/etc/passwd' }),
        await call('fleet.import-text', { kind: 'csv', text: 'x'.repeat(2_000_000) }),
        await call('evidence.get', { of: 'run', node: 'a', capture: '../../etc/passwd', stream: 'stdout', offset: 0 }),
        await call('app.info', null),
      ]
      return tried.map((answer) => (answer.ok ? 'ok' : answer.error?.code))
    })
    expect(answers).toEqual(['input.refused', 'input.refused', 'input.refused', 'input.refused', 'input.refused', 'ok'])
  })

  // Last: the driver waits for a navigation that never comes.
  test('5, 6: navigation, new windows and the network stay shut', async () => {
    const before = page.url()
    expect(before).toBe('barewitness://app/index.html')
    expect(await page.evaluate(() => window.open('https://example.invalid/') === null)).toBe(true)
    await page.evaluate(() => {
      location.href = 'https://example.invalid/'
    })
    await page.waitForTimeout(200)
    expect(page.url()).toBe(before)
    const network = await opened.app.evaluate(async ({ session }) => {
      const own = session.fromPartition('barewitness-main')
      const get = (url: string): Promise<string> =>
        own.fetch(url).then(
          (reply) => String(reply.status),
          (error: Error) => error.message,
        )
      return [
        await get('http://127.0.0.1:9/'),
        await get('file:///etc/hostname'),
        await get('barewitness://app/nothing'),
        await get('barewitness://other/index.html'),
      ]
    })
    expect(network[0]).toContain('ERR_BLOCKED_BY_CLIENT')
    expect(network[1]).toBe('404')
    expect(network[2]).toBe('404')
    expect(network[3]).not.toBe('200')
  })
})
