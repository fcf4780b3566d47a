import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { temporaryFolder } from '../cli/process.ts'
import { createTestApp, type Team, type TestApp } from './app.ts'
import { bundled } from './bundled.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { insertUntold } from './events.ts'
import { createRowInserter } from './feed-rows.ts'
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts'

/** What becomes of a request on its way: it passes, the line is cut, or it is answered by the test itself. */
export type Gate = (request: IncomingMessage, response: ServerResponse) => boolean

type StaffTerminalOptions = Partial<TerminalOptions> & { shell?: boolean }

/** An instance that listens, with two tenants and a reviewer of both who has a terminal. */
export interface StaffTerminal extends AsyncDisposable {
  app: TestApp
  clock: TestClock
  hearth: Team
  anvil: Team
  insert: ReturnType<typeof createRowInserter>
  /** Of the reviewer of both. */
  reviewerId: string
  apiKey: string
  /** Opens the reviewer's terminal; with `shell` as a job of a shell. */
  terminal(options?: StaffTerminalOptions): Promise<Terminal>
  /** Intercepts requests to the server from now on; without one everything passes. */
  gate: Gate | undefined
  /** Breaks every connection, those of streams too. */
  breakOff(): void
  /** Emits an event about a pending item of a tenant. */
  tell(team: Team): Promise<void>
  /** Paths of all requests so far. */
  readonly asked: readonly string[]
}

export async function createStaffTerminal(): Promise<StaffTerminal> {
  await using stack = new AsyncDisposableStack()
  const clock = createTestClock(Date.now())
  const app = stack.use(await createTestApp({ clock, worker: false }))
  const [hearth, anvil] = [await app.team('Hearth & Oat'), await app.team('Anvil')]
  const { id: reviewerId } = await app.copydesk.asSystem().users.create({
    email: 'robin@test.example',
    name: 'Robin Reviewer',
    password: 'Correct-horse-1',
    role: 'reviewer',
    tenantIds: [hearth.tenantId, anvil.tenantId],
  })
  const { key: apiKey } = await app.copydesk
    .asSystem()
    .apiKeys.create({ userId: reviewerId, name: 'Terminal' })
  const folder = stack.use(temporaryFolder())
  const main = await bundled('main')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const asked: string[] = []
  const harness = {
    app,
    clock,
    hearth,
    anvil,
    insert: createRowInserter(app, clock),
    reviewerId,
    apiKey,
    gate: undefined as Gate | undefined,
    asked,
    breakOff: () => server.closeAllConnections(),
    async tell({ tenantId }: Team) {
      const data = { approvalId: 'a', type: 'content_review', riskLevel: 'low', title: 'Something' }
      const event = { tenantId, type: 'approval_created', subject: 'a', data }
      await insertUntold(app.db, clock.date(), event)
      // Who did not write it looks for it now and then.
      clock.advance(5_000)
    },
  }
  server.on('request', (request, response) => {
    asked.push(request.url ?? '')
    if (harness.gate && !harness.gate(request, response)) return
    void app.copydesk.node(request, response)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const terminals = stack.use(new AsyncDisposableStack())
  const owned = stack.move()
  return Object.assign(harness, {
    async terminal({ env, shell = false, ...options }: StaffTerminalOptions = {}) {
      const terminal = terminals.use(
        openTerminal({
          ...(shell
            ? { command: 'bash', args: ['--norc', '-i'] }
            : { command: process.execPath, args: [main, 'terminal'] }),
          cwd: folder.path,
          env: { COPYDESK_URL: url, COPYDESK_API_KEY: apiKey, ...env },
          ...options,
        }),
      )
      if (shell) terminal.press(`'${process.execPath}' '${main}' terminal`, 'enter')
      return terminal
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  })
}
