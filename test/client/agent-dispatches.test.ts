import { describe, expect, it } from 'vitest'
import { createAgentDesk, names, secret, shownOf } from './agent-desk.ts'

/** A runtime made with the kit, and the whole of Copydesk behind a socket. */

const untilStopped = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the model was cut off')), { once: true })
  })

describe('a dispatch', () => {
  it('that is repeated is executed once, also after its end', async () => {
    let performed = 0
    const held = Promise.withResolvers<void>()
    await using desk = await createAgentDesk({
      async perform() {
        performed += 1
        await held.promise
        return 'Once'
      },
    })
    const runId = await desk.give()
    const again = () =>
      fetch(desk.workUrl, {
        method: 'POST',
        headers: { [secret.header]: secret.value, 'content-type': 'application/json' },
        body: desk.dispatches[0] ?? '',
      })
    expect((await again()).status).toBe(202)
    held.resolve()
    expect(await desk.ended()).toEqual([{ runId, outcome: 'delivered' }])
    expect((await again()).status).toBe(202)
    expect({ performed, busy: desk.agent.busy }).toEqual({ performed: 1, busy: 0 })
    expect(names(desk)).toEqual(['result'])
  })

  it('of a newer attempt continues the active execution, and viewers get the text from the start', async () => {
    let performed = 0
    const held = Promise.withResolvers<void>()
    await using desk = await createAgentDesk({
      async perform(run) {
        performed += 1
        run.text('Before ')
        await held.promise
        run.text('and after')
      },
    })
    const runId = await desk.give()
    await desk.reach(async () => (await shownOf(desk, runId)) === 'Before ', 'text is shown')
    // As if the server had died before it had the answer of the runtime.
    await desk.app.db.write((tx) =>
      tx.run(`update runs set status = 'pending', lease_owner = null, lease_until = null where id = ?`, [
        runId,
      ]),
    )
    await desk.reach(() => desk.dispatches.length === 2, 'it is dispatched again')
    await desk.reach(async () => (await shownOf(desk, runId, 2)) === 'Before ', 'text is shown again')
    held.resolve()
    expect(await desk.ended()).toEqual([{ runId, outcome: 'delivered' }])
    expect(performed).toBe(1)
    expect(await shownOf(desk, runId, 2)).toBe('Before and after')
    expect(await desk.run(runId)).toMatchObject({ status: 'completed', attempt: 2 })
  })

  it('beyond the maximum is dispatched again later', async () => {
    const held = Promise.withResolvers<void>()
    await using desk = await createAgentDesk({
      concurrency: 1,
      busyRetryMs: 1_000,
      async perform() {
        await held.promise
        return 'A post'
      },
    })
    await desk.give()
    await desk.give()
    const tried = () =>
      desk.count(`select count(*) as n from runs where status = 'failed' and error_family = 'transient'`)
    await desk.reach(async () => (await tried()) === 1, 'the second was refused')
    expect(desk.agent.busy).toBe(1)
    held.resolve()
    expect((await desk.ended(2)).map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered'])
  })
})

describe('close', () => {
  it('is rejected after close(), which waits for active runs', async () => {
    const held = Promise.withResolvers<void>()
    await using desk = await createAgentDesk({
      async perform() {
        await held.promise
        return 'A post'
      },
    })
    const runId = await desk.give()
    const closed = desk.agent.close()
    const refused = await fetch(desk.workUrl, {
      method: 'POST',
      headers: { [secret.header]: secret.value, 'content-type': 'application/json' },
      body: JSON.stringify({ taskId: 'another', taskToken: 'a', timeoutMs: 1_000 }),
    })
    expect([refused.status, await refused.text()]).toEqual([503, 'This runtime is about to stop.'])
    held.resolve()
    await closed
    expect(desk.ends).toEqual([{ runId, outcome: 'delivered' }])
  })

  it('that exceeds the grace period is delivered as a failure that is retried', async () => {
    await using desk = await createAgentDesk({ perform: (run) => untilStopped(run.signal) })
    const runId = await desk.give()
    await desk.agent.close(0)
    expect(desk.ends).toMatchObject([{ runId, outcome: 'failed' }])
    expect(await desk.run(runId)).toMatchObject({ status: 'failed', error_family: 'transient' })
    expect(
      await desk.count(`select count(*) as n from runs where status = 'pending' and wake_reason = 'retry'`),
    ).toBe(1)
  })
})
