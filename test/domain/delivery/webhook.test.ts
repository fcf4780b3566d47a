import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect as connectTo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Running, start } from '../../cli/process.ts'
import { brief, encryptionKeys, signingKeys } from '../../kit/app.ts'
import { bundled } from '../../kit/bundled.ts'
import { exampleRuntimes, startRuntime as startExample } from '../../kit/examples.ts'
import { createListeningHarness, type ListeningHarness } from '../../kit/listening.ts'

/** The examples of agent runtimes, each as a process of its own, and Copydesk behind a socket. */

const secret = 'a secret of two'
const verdict = (note?: string) =>
  note === undefined
    ? { resolution: 'approved' as const }
    : { resolution: 'revision_requested' as const, note }

async function connectExample(args: readonly string[], env: Record<string, string>): Promise<Running> {
  return start(process.execPath, [await bundled('connect'), ...args], { cwd: process.cwd(), env })
}

/** Points all writers of the team at `url`, as the README of the example says. */
async function connect(harness: ListeningHarness, url: string): Promise<void> {
  const { dataDir } = harness.app.options
  await writeFile(join(dataDir, 'secrets.json'), JSON.stringify({ encryptionKeys, signingKeys }))
  const { ended } = await connectExample([harness.team.tenantId, 'social_writer'], {
    SECRET: secret,
    WEBHOOK_URL: url,
    COPYDESK_DATA_DIR: dataDir,
    COPYDESK_DATABASE_URL: harness.app.url,
  })
  expect(await ended).toMatchObject({
    code: 0,
    stderr: '',
    stdout: `social_writer works at ${url} from its next run on.\n`,
  })
}

function order({ team }: ListeningHarness, text = brief) {
  return team.admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief: text, deliverables: [{ type: 'social_post', quantity: 1 }] },
  })
}

/** The pending approval as the reviewer reads it. */
async function pending({ app, team: { reviewer } }: ListeningHarness) {
  const { id } = await app.until(async () => {
    const { data } = await reviewer.call('dm', 'GET /approvals', { query: { 'filter.status': 'pending' } })
    return data[0]
  }, 'an approval is pending')
  const detail = await reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId: id } })
  const resolve = (body: ReturnType<typeof verdict> & { contentHash?: string }) =>
    reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params: { approvalId: id }, body })
  return { ...detail, piece: detail.linkedActivities[0], resolve }
}

const runsOf = ({ app }: ListeningHarness) =>
  app.db.sql.all<Record<string, unknown> & { id: string }>('select * from runs order by id')

describe.each(exampleRuntimes())('the example of an agent runtime $name', (example) => {
  const startRuntime = (copydesk: string) => startExample(example, copydesk, secret)

  it('produces an approved text with one revision from a brief', async () => {
    await using harness = await createListeningHarness()
    await using runtime = await startRuntime(harness.url)
    await connect(harness, runtime.url)
    const streamed = new Map<string, string>()
    const watched = (async () => {
      for await (const { event, data } of harness.team.admin.stream('dashboard', 'GET /events/stream')) {
        if (event === 'text_delta') streamed.set(data.runId, (streamed.get(data.runId) ?? '') + data.delta)
        if (event === 'activity_completed') return
      }
    })()
    await order(harness)

    const first = await pending(harness)
    expect(first.createdBy).toMatchObject({ id: 'social_writer', type: 'agent' })
    expect(first.piece).toMatchObject({ version: 1 })
    expect(first.piece?.output).toMatch(/^# Morning Oats, Rye & Seed Loaf\n/)
    expect(first.piece?.output).toContain('No model wrote this.')
    await first.resolve(verdict('Shorter please, and only the Rye & Seed Loaf'))

    const second = await pending(harness)
    expect(second.piece).toMatchObject({ version: 2, previousOutput: first.piece?.output })
    expect(second.piece?.output).toMatch(/^# Rye & Seed Loaf\n/)
    expect(second.piece?.output).toContain('after the note “Shorter please, and only the Rye & Seed Loaf”')
    expect(second.piece?.output).not.toContain('Morning Oats')
    await second.resolve({ ...verdict(), contentHash: second.contentHash ?? '' })

    const activity = await harness.app.until(async () => {
      const { data } = await harness.team.admin.call('dashboard', 'GET /activities', {
        query: { 'filter.status': 'done' },
      })
      return data[0]
    }, 'the activity is done')
    const output = await harness.team.admin.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId: activity.id },
    })
    expect(output).toMatchObject({ text: second.piece?.output, contentHash: second.contentHash, version: 2 })

    const runs = await runsOf(harness)
    expect(runs.map((run) => [run['wake_reason'], run['status']])).toEqual([
      ['new_task', 'completed'],
      ['review_feedback', 'completed'],
      ['review_approved', 'completed'],
    ])
    await watched
    expect(runs.map(({ id }) => streamed.get(id))).toEqual([
      first.piece?.output,
      second.piece?.output,
      undefined,
    ])
    await runtime.says(`run ${runs[2]?.id} delivered`)
  })

  it('delivers a failure with its family when the brief requires that', async () => {
    await using harness = await createListeningHarness()
    await using runtime = await startRuntime(harness.url)
    await connect(harness, runtime.url)
    await order(harness, '# Spring\n\nMake it nice.')
    const activity = await harness.app.until(async () => {
      const { data } = await harness.team.admin.call('dashboard', 'GET /activities', {
        query: { 'filter.status': 'failed' },
      })
      return data[0]
    }, 'the activity has failed')
    const error = 'The brief has no line of the form “- **Name**: text” to write from'
    expect(await runsOf(harness)).toMatchObject([{ status: 'failed', error, error_family: 'invalid' }])
    const { failureReason } = await harness.team.admin.call('dashboard', 'GET /activities/:activityId', {
      params: { activityId: activity.id },
    })
    expect(failureReason).toBe(error)
  })

  it('retries requests without a response, without duplicates', async () => {
    const calls: string[] = []
    await using harness = await createListeningHarness({
      async between(request, response, handle) {
        const call = request.url?.split('/').at(-1) ?? ''
        const isFirst = !calls.includes(call)
        calls.push(call)
        // Of the first delta nothing is taken; the result is taken, and the answer to it is lost.
        if (call === 'stream' && isFirst) return response.writeHead(503).end()
        if (call === 'result' && isFirst) response.end = () => response.destroy()
        await handle(request, response)
      },
    })
    await using runtime = await startRuntime(harness.url)
    await connect(harness, runtime.url)
    await order(harness)
    await runtime.says(' delivered')
    const { piece } = await pending(harness)
    expect(piece?.version).toBe(1)
    const deltas = await harness.app.db.sql.all<{ text: string }>(
      'select text from run_deltas order by position',
    )
    expect(deltas.map(({ text }) => text).join('')).toBe(piece?.output)
    expect(calls[0]).toBe('context')
    expect(calls.filter((call) => call === 'stream').length).toBeGreaterThan(1)
    expect(calls.slice(-2)).toEqual(['result', 'result'])
  })

  it('accepts dispatches from Copydesk only', async () => {
    const calls: unknown[] = []
    await using harness = await createListeningHarness({ between: (request) => calls.push(request.url) })
    await using runtime = await startRuntime(harness.url)
    const json = 'application/json'
    const post = async (body: string, more: Record<string, string>, method = 'POST', type = json) => {
      const headers = { 'content-type': type, ...more }
      return (await fetch(runtime.url, { method, headers, ...(method === 'POST' && { body }) })).status
    }
    const dispatch = JSON.stringify({ taskId: 'a-run', taskToken: 'a.token', timeoutMs: 60_000 })
    expect(await post(dispatch, {})).toBe(401)
    for (const wrong of ['', 'a secret', `${secret}.`, secret.toUpperCase()])
      expect(await post(dispatch, { 'x-runtime-key': wrong }), wrong).toBe(401)
    for (const body of ['', '{', '[]', 'null', '{"taskId":"a-run","taskToken":"a.token"}'])
      expect(await post(body, { 'x-runtime-key': secret }), body).toBe(400)
    expect(await post('', { 'x-runtime-key': secret }, 'GET')).toBe(405)
    expect(await post(dispatch, { 'x-runtime-key': secret }, 'POST', 'text/plain')).toBe(415)
    expect(calls).toEqual([])
    // The right secret is all that was missing.
    expect(await post(dispatch, { 'x-runtime-key': secret })).toBe(202)
    await harness.app.until(async () => calls.length > 0, 'Copydesk is asked about the run')
  })

  it('logs nothing for senders that disconnect in the middle of a request', async () => {
    await using harness = await createListeningHarness()
    await using runtime = await startRuntime(harness.url)
    for (let count = 0; count < 20; count += 1) {
      const socket = connectTo(Number(new URL(runtime.url).port), '127.0.0.1')
      await once(socket, 'connect')
      await new Promise((sent) => socket.write('POST / HTTP/1.1\r\nx-runtime-key: a', sent))
      socket.resetAndDestroy()
      await once(socket, 'close')
    }
    expect((await fetch(runtime.url)).status).toBe(401)
    runtime.child.kill('SIGTERM')
    expect(await runtime.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('accepts a repeated dispatch once, and finishes its runs when it is stopped', async () => {
    let dispatch: string | undefined
    const held = Promise.withResolvers<void>()
    await using harness = await createListeningHarness({
      async between(request, response, handle) {
        if (request.url?.endsWith('/context')) {
          dispatch = request.headers.authorization?.replace('Bearer ', '')
          await held.promise
        }
        await handle(request, response)
      },
    })
    await using runtime = await startRuntime(harness.url)
    await connect(harness, runtime.url)
    await order(harness)
    const taskToken = await harness.app.until(async () => dispatch, 'the work has begun')
    const [run] = await runsOf(harness)
    const again = await fetch(runtime.url, {
      method: 'POST',
      headers: { 'x-runtime-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify({ taskId: run?.id, taskToken, timeoutMs: 60_000 }),
    })
    expect(again.status).toBe(202)
    runtime.child.kill('SIGTERM')
    held.resolve()
    expect(await runtime.ended).toMatchObject({ code: 0, stderr: '' })
    expect(runtime.said().stdout.match(/ delivered/g)).toHaveLength(1)
    expect(await runsOf(harness)).toMatchObject([{ status: 'completed' }])
  })

  it.each([false, true])(
    'sends heartbeats, uses the new token, and stops on cancellation: %s',
    async (unwanted) => {
      const tokens = new Map<string, string>()
      const held = Promise.withResolvers<void>()
      let heartbeats = 0
      await using harness = await createListeningHarness({
        async between(request, response, handle) {
          const call = request.url?.split('/').at(-1) ?? ''
          const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
          if (!tokens.has(call)) tokens.set(call, token)
          // The answer to the question for the context takes longer than a third of the time of the run.
          if (call === 'context') await held.promise
          // The second one comes when the runtime has read the answer to the first.
          if (call === 'heartbeat' && (heartbeats += 1) === 2) held.resolve()
          await handle(request, response)
        },
      })
      await using runtime = await startRuntime(harness.url)
      await connect(harness, runtime.url)
      await harness.configure({ adapterConfig: { timeoutMs: 10_000 } }, ['social_writer'])
      await order(harness)
      const token = await harness.app.until(async () => tokens.get('context'), 'the work has begun')
      const [run] = await runsOf(harness)
      const params = { runId: run?.id ?? '' }
      if (unwanted) {
        const body = { toRole: 'blog_writer', reason: 'A longer text' }
        await harness.app
          .clientFor(token)
          .call('agent', 'POST /runs/:runId/actions/reassign', { params, body })
      }
      await runtime.says(`run ${params.runId} ${unwanted ? 'failed: Stopped' : 'delivered'}`)
      expect(tokens.get('heartbeat')).toBe(token)
      expect(tokens.get('result')).not.toBe(token)
      expect(await harness.run(params.runId)).toMatchObject({ status: unwanted ? 'failed' : 'completed' })
      expect(tokens.has('stream')).toBe(!unwanted)
    },
  )

  it('reports a missing secret and exits', async () => {
    const { command, args } = example
    const { code, stdout, stderr } = await start(command, args, { cwd: process.cwd(), env: {} }).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('Set SECRET to the value that Copydesk is to send in the header x-runtime-key.\n')
  })
})
