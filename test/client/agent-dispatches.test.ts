import { describe, expect, it } from 'vitest'
import { createRoleHarness, names, secret, shownOf } from './role-harness.ts'

/** A runtime made with the kit, and the whole of Copydesk behind a socket. */

const untilStopped = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the model was cut off')), { once: true })
  })

describe('a dispatch', () => {
  it('that is repeated is executed once, also after its end', async () => {
    let performed = 0
    const held = Promise.withResolvers<void>()
    await using harness = await createRoleHarness({
      async perform() {
        performed += 1
        await held.promise
        return 'Once'
      },
    })
    const runId = await harness.give()
    const again = () =>
      fetch(harness.workUrl, {
        method: 'POST',
        headers: { [secret.header]: secret.value, 'content-type': 'application/json' },
        body: harness.dispatches[0] ?? '',
      })
    expect((await again()).status).toBe(202)
    held.resolve()
    expect(await harness.ended()).toEqual([{ runId, outcome: 'delivered' }])
    expect((await again()).status).toBe(202)
    expect({ performed, busy: harness.agent.busy }).toEqual({ performed: 1, busy: 0 })
    expect(names(harness)).toEqual(['result'])
  })

  it('of a newer attempt continues the active execution, and viewers get the text from the start', async () => {
    let performed = 0
    const held = Promise.withResolvers<void>()
    await using harness = await createRoleHarness({
      async perform(run) {
        performed += 1
        run.text('Before ')
        await held.promise
        run.text('and after')
      },
    })
    const runId = await harness.give()
    await harness.reach(async () => (await shownOf(harness, runId)) === 'Before ', 'text is shown')
    // As if the server had died before it had the answer of the runtime.
    await harness.app.db.write((tx) =>
      tx.run(`update runs set status = 'pending', lease_owner = null, lease_until = null where id = ?`, [
        runId,
      ]),
    )
    await harness.reach(() => harness.dispatches.length === 2, 'it is dispatched again')
    await harness.reach(async () => (await shownOf(harness, runId, 2)) === 'Before ', 'text is shown again')
    held.resolve()
    expect(await harness.ended()).toEqual([{ runId, outcome: 'delivered' }])
    expect(performed).toBe(1)
    expect(await shownOf(harness, runId, 2)).toBe('Before and after')
    expect(await harness.run(runId)).toMatchObject({ status: 'completed', attempt: 2 })
  })

  it('beyond the maximum is dispatched again later', async () => {
    const held = Promise.withResolvers<void>()
    await using harness = await createRoleHarness({
      concurrency: 1,
      busyRetryMs: 1_000,
      async perform() {
        await held.promise
        return 'A post'
      },
    })
    await harness.give()
    await harness.give()
    const tried = () =>
      harness.count(`select count(*) as n from runs where status = 'failed' and error_family = 'transient'`)
    await harness.reach(async () => (await tried()) === 1, 'the second was refused')
    expect(harness.agent.busy).toBe(1)
    held.resolve()
    expect((await harness.ended(2)).map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered'])
  })
})

describe('close', () => {
  it('is rejected after close(), which waits for active runs', async () => {
    const held = Promise.withResolvers<void>()
    await using harness = await createRoleHarness({
      async perform() {
        await held.promise
        return 'A post'
      },
    })
    const runId = await harness.give()
    const closed = harness.agent.close()
    const refused = await fetch(harness.workUrl, {
      method: 'POST',
      headers: { [secret.header]: secret.value, 'content-type': 'application/json' },
      body: JSON.stringify({ taskId: 'another', taskToken: 'a', timeoutMs: 1_000 }),
    })
    expect([refused.status, await refused.text()]).toEqual([503, 'This runtime is about to stop.'])
    held.resolve()
    await closed
    expect(harness.ends).toEqual([{ runId, outcome: 'delivered' }])
  })

  it('that exceeds the grace period is delivered as a failure that is retried', async () => {
    await using harness = await createRoleHarness({ perform: (run) => untilStopped(run.signal) })
    const runId = await harness.give()
    await harness.agent.close(0)
    expect(harness.ends).toMatchObject([{ runId, outcome: 'failed' }])
    expect(await harness.run(runId)).toMatchObject({ status: 'failed', error_family: 'transient' })
    expect(
      await harness.count(
        `select count(*) as n from runs where status = 'pending' and wake_reason = 'retry'`,
      ),
    ).toBe(1)
  })
})
