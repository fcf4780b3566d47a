import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@copydesk/client'
import { createClient } from '@copydesk/client'
import { bundled } from '../kit/bundled.ts'
import { createListeningHarness, type ListeningHarness } from '../kit/listening.ts'
import { openTerminal, type Terminal } from '../kit/terminal.ts'

export interface StaffOptions {
  env?: Record<string, string>
  columns?: number
  rows?: number
}

/** A server on a socket, and a reviewer who sits at a terminal of their own. */
export interface Staff extends AsyncDisposable {
  harness: ListeningHarness
  /** Opens the terminal and goes to the queue. */
  sit(options?: StaffOptions): Promise<Terminal>
  /** Another reviewer of the same tenant, elsewhere. */
  other: Client
  /** A folder that is gone when the test is over. */
  folder: string
}

export async function createStaff(
  options: Parameters<typeof createListeningHarness>[0] = {},
): Promise<Staff> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'copydesk-staff-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const harness = stack.use(await createListeningHarness(options))
  const { users, apiKeys } = harness.app.copydesk.asSystem()
  const keyOf = async (userId: string) => (await apiKeys.create({ userId, name: 'Terminal' })).key
  const { tenantId, reviewerId } = harness.team
  const { id } = await users.create({
    email: 'otto.other@test.example',
    name: 'Otto Other',
    password: 'Correct-horse-1',
    role: 'reviewer',
    tenantIds: [tenantId],
  })
  const other = createClient({ baseUrl: harness.url, apiKey: await keyOf(id) })
  const main = await bundled('main')
  const owned = stack.move()
  return {
    harness,
    other,
    folder,
    async sit({ env = {}, ...size } = {}) {
      const terminal = owned.use(
        openTerminal({
          command: process.execPath,
          args: [main, 'terminal'],
          cwd: folder,
          env: { COPYDESK_URL: harness.url, COPYDESK_API_KEY: await keyOf(reviewerId), ...env },
          ...size,
        }),
      )
      await terminal.shows(/^copydesk \S/)
      if (!/queue:/.test(terminal.screen())) terminal.press('2')
      await terminal.shows(/queue:/)
      return terminal
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
