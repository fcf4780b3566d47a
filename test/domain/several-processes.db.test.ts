import { describe, expect, it } from 'vitest'
import { Run } from '../../packages/core/src/domain/work/runs/entities.ts'
import { requestCancel } from '../../packages/core/src/domain/work/runs/lifecycle/cancel.ts'
import { transact } from '../../packages/core/src/kernel/transact.ts'
import { brief, createTestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { dialect } from '../kit/database.ts'
import { createTestRuntime, type Dispatch } from '../kit/runtime.ts'
import { adminOf, parts } from './agents.ts'

/**
 * On clocks that stand still no one ever looks round by himself: what happens in another instance happens because it was
 * told at once.
 */
describe.skipIf(dialect === 'sqlite')('a web process and a worker process', () => {
  it('cooperate without a delay: planning, runs, verdicts, events', async () => {
    await using web = await createTestApp({ clock: createTestClock(), worker: false })
    await web.another({
      clock: createTestClock(),
      doors: 'health',
      writerPaceMs: 0,
      worker: { concurrency: 4 },
    })
    const { admin, adminToken, reviewer } = await web.team()
    const stream = await web.fetch('/dashboard/v1/events/stream', {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    const { id: campaignId } = await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'blog_post', quantity: 1 }] },
    })
    const approval = () =>
      web.until(async () => {
        const { data } = await reviewer.call('dm', 'GET /approvals', {
          query: { 'filter.status': 'pending' },
        })
        return data[0]
      }, 'a verdict is asked for')
    const first = await approval()
    await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: first.id },
      body: { resolution: 'revision_requested', note: 'Shorter' },
    })
    const second = await web.until(async () => {
      const next = await approval()
      return next.id !== first.id && next
    }, 'the second version is there')
    await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: second.id },
      body: { resolution: 'approved' },
    })
    await web.until(async () => {
      const { data } = await admin.call('dashboard', 'GET /activities', {
        query: { 'filter.campaignId': campaignId },
      })
      return data.length === 2 && data.every(({ status }) => status === 'done')
    }, 'all is done')
    // The page of the web process has seen it all.
    const told = ['activity_started', 'approval_created', 'activity_completed']
    const seen = new Set<string>()
    const text = new TextDecoder()
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
      for (const [, type] of text.decode(chunk, { stream: true }).matchAll(/^event: (\w+)$/gm))
        seen.add(type ?? '')
      if (told.every((type) => seen.has(type))) break
    }
    expect([...seen]).toEqual(expect.arrayContaining(told))
  })

  it('a run that is cancelled on another process is stopped at once', async () => {
    const dispatches: Dispatch[] = []
    const held = Promise.withResolvers<number>()
    await using runtime = await createTestRuntime((dispatch) => {
      dispatches.push(dispatch)
      return held.promise
    })
    await using web = await createTestApp({
      clock: createTestClock(),
      worker: false,
      allowHosts: ['127.0.0.1'],
    })
    await web.another({ clock: createTestClock(), doors: 'health', worker: { concurrency: 4 } })
    const { admin, tenantId } = await web.team()
    await adminOf(web, tenantId).configure('social_writer', {
      adapterType: 'adapter_b',
      adapterConfig: { webhookUrl: runtime.url },
    })
    await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const [dispatch] = await web.until(
      async () => dispatches.length > 0 && dispatches,
      'the run is dispatched',
    )
    await using inside = await parts(web)
    await transact(inside.system(), async (txn) => {
      await requestCancel(txn, await txn.em.findOneOrFail(Run, { id: dispatch?.taskId ?? '' }))
    })
    const run = await web.until(async () => {
      const row = await web.db.sql.get<{ status: string; error: string }>('select status, error from runs')
      return row?.status === 'failed' && row
    }, 'the run has ended')
    expect(run.error).toBe('Stopped by a person')
    held.resolve(202)
  })

  it('a worker process serves health checks only', async () => {
    await using web = await createTestApp({ worker: false })
    const worker = await web.another({ doors: 'health' })
    const ask = async (path: string) => (await worker.fetch(new Request(`http://worker.test${path}`))).status
    expect(await Promise.all(['/health', '/health/ready'].map(ask))).toEqual([200, 200])
    expect(await Promise.all(['/auth/v1/plans', '/openapi.json', '/agent/v1/health/x'].map(ask))).toEqual([
      404, 404, 404,
    ])
  })
})
