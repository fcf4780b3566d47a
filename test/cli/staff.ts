import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { password } from '../kit/app.ts'
import { createListeningHarness, type ListeningHarness } from '../kit/listening.ts'
import { cli, type Ended, type Running, type RunOptions, startCli } from './process.ts'

/** Someone of staff at a shell prompt, and the server that they work on. */
export interface Staff extends AsyncDisposable {
  harness: ListeningHarness
  /** Their home, empty at first. */
  home: string
  /** What the environment says of the server. */
  env: Record<string, string>
  /** Of the reviewer. */
  key: { id: string; key: string }
  run(args: readonly string[], options?: Partial<RunOptions>): Promise<Ended>
  begin(args: readonly string[], options?: Partial<RunOptions>): Promise<Running>
  /** Runs a command that succeeds and reads what it prints as JSON. */
  json<T>(args: readonly string[], options?: Partial<RunOptions>): Promise<T>
  /** A piece of work that waits for a verdict. */
  waiting(text?: string): Promise<{ approvalId: string; activityId: string }>
}

/**
 * @param options those of `createListeningHarness`; the environment contains its server and the key of its
 * reviewer
 */
export async function createStaff(
  options: Parameters<typeof createListeningHarness>[0] = {},
): Promise<Staff> {
  await using stack = new AsyncDisposableStack()
  const harness = stack.use(await createListeningHarness(options))
  const home = mkdtempSync(join(tmpdir(), 'copydesk-staff-'))
  stack.defer(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, 'tmp'))
  const key = await keyOf(harness, harness.team.reviewerId)
  const env = { COPYDESK_URL: harness.url, COPYDESK_API_KEY: key.key, TMPDIR: join(home, 'tmp') }
  const run: Staff['run'] = (args, more = {}) => cli(args, { cwd: home, env, ...more })
  const owned = stack.move()
  return {
    harness,
    home,
    env,
    key,
    run,
    begin: (args, more = {}) => startCli(args, { cwd: home, env, ...more }),
    async json(args, more) {
      const { code, stdout, stderr } = await run([...args, '--json'], more)
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') })
      return JSON.parse(stdout) as never
    },
    async waiting(text = 'Rye at **night**.') {
      const agent = await harness.order()
      await agent.deliver(text)
      const activityId = (await harness.activityOf(agent.runId)).id
      const { data } = await harness.team.reviewer.call('dm', 'GET /approvals', { query: {} })
      const asked = data.find(({ linkedActivities }) => linkedActivities.some(({ id }) => id === activityId))
      return { approvalId: asked?.id ?? '', activityId }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** The event streams that are opened at the server, and the responses that open them. */
export function watchStreams() {
  const streams: ServerResponse[] = []
  const between: NonNullable<Parameters<typeof createListeningHarness>[0]>['between'] = (
    request,
    response,
    handle,
  ) => {
    if (request.url?.startsWith('/cli/v1/events/stream')) streams.push(response)
    return handle(request, response)
  }
  return { streams, between }
}

export function keyOf({ app }: ListeningHarness, userId: string): Promise<{ id: string; key: string }> {
  return app.copydesk.asSystem().apiKeys.create({ userId, name: 'A shell' })
}

/** A super-admin, who logs in with `password`. */
export async function superAdminOf({ app }: ListeningHarness): Promise<{ id: string; email: string }> {
  const email = 'sue.super@test.example'
  const { id } = await app.copydesk
    .asSystem()
    .users.create({ email, name: 'Sue Super', password, role: 'super_admin' })
  return { id, email }
}
