import { describe, expect, it } from 'vitest'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { readStream, type Told } from '../../kit/sse.ts'

const open = ({ app }: AgentHarness, { runId, dispatch }: Agent, lastEventId?: string) =>
  app.fetch(`/agent/v1/callback/${runId}/stream`, {
    headers: {
      authorization: `Bearer ${dispatch.taskToken}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  })
const write = (run: Agent, sequenceNum: number, delta: string) =>
  run.call('POST /runs/:runId/stream', { delta, sequenceNum })
const textOf = (told: readonly Told[]) => told.map(({ data }) => data['delta'] ?? '').join('')
const saw = (text: string) => {
  let seen = ''
  return ({ data }: Told) => (seen += (data['delta'] as string | undefined) ?? '').endsWith(text)
}

describe('agent.callback.stream', () => {
  it('streams the text from its start, then live, and ends after completed', async () => {
    await using harness = await createAgentHarness()
    const run = await harness.order()
    await write(run, 0, 'One ')
    await write(run, 1, 'two ')
    const response = await open(harness, run)
    const told = readStream(response)
    await write(run, 2, 'three')
    await run.deliver('One two three', { usage: { inputTokens: 3, outputTokens: 4 } })
    const messages = await told
    expect(textOf(messages)).toBe('One two three')
    const deltas = messages.filter(({ event }) => event === 'text_delta')
    expect(deltas.map(({ data }) => data['sequenceNum'])).toEqual(deltas.map((_, n) => n))
    expect(messages.at(-1)).toMatchObject({
      event: 'completed',
      data: { status: 'success', usage: { inputTokens: 3, outputTokens: 4 } },
    })
  })

  it('resumes after the last received event, with the next number', async () => {
    await using harness = await createAgentHarness()
    const run = await harness.order()
    await write(run, 0, 'One ')
    const before = await readStream(await open(harness, run), saw('One '))
    await write(run, 1, 'two')
    const place = before.at(-1)
    const after = await readStream(await open(harness, run, place?.id), saw('two'))
    expect(textOf(after)).toBe('two')
    expect(after[0]?.data['sequenceNum']).toBe((place?.data['sequenceNum'] as number) + 1)
    for (const foreign of ['', '42', '7.1.1', 'nonsense', '42:01ARZ3NDEKTSV4RRFFQ69G5FAV.1.3'])
      expect(textOf(await readStream(await open(harness, run, foreign), saw('two'))), foreign).toBe('One two')
  })

  it('ends with an error event that contains the reason', async () => {
    await using harness = await createAgentHarness()
    const run = await harness.order()
    const told = readStream(await open(harness, run))
    await write(run, 0, 'One ')
    await run.fail('The model is out of words', { family: 'invalid' })
    const messages = await told
    expect(textOf(messages)).toBe('One ')
    expect(messages.at(-1)).toMatchObject({ event: 'error', data: { error: 'The model is out of words' } })
  })

  it('returns the buffered text and the end when the run has ended, and the rest to a client that resumes', async () => {
    await using harness = await createAgentHarness()
    const run = await harness.order()
    await write(run, 0, 'One ')
    const [first] = await readStream(await open(harness, run), saw('One '))
    await write(run, 1, 'two')
    await run.deliver('One two')
    const whole = await readStream(await open(harness, run))
    expect([textOf(whole), whole.at(-1)?.event]).toEqual(['One two', 'completed'])
    const rest = await readStream(await open(harness, run, first?.id))
    expect([textOf(rest), rest.at(-1)?.event]).toEqual(['two', 'completed'])
  })

  it('streams a run on another server, and never to the agent of another run', async () => {
    await using harness = await createAgentHarness()
    const run = await harness.order()
    const other = await harness.order()
    const there = await harness.app.another({ worker: false })
    const url = `http://copydesk.test/agent/v1/callback/${run.runId}/stream`
    const ask = (token: string) =>
      there.fetch(new Request(url, { headers: { authorization: `Bearer ${token}` } }))
    expect((await ask(other.dispatch.taskToken)).status).toBe(401)
    const told = readStream(await ask(run.dispatch.taskToken))
    await write(run, 0, 'One ')
    await write(other, 0, 'A secret of the other')
    await write(run, 1, 'two')
    await run.deliver('One two')
    const messages = await told
    expect([textOf(messages), messages.at(-1)?.event]).toEqual(['One two', 'completed'])
  })

  it('rejects an attempt that was fenced off', async () => {
    await using harness = await createAgentHarness()
    const run = await harness.order()
    await harness.app.db.write((tx) =>
      tx.run('update runs set attempt = 2, fence = 1 where id = ?', [run.runId]),
    )
    expect((await open(harness, run)).status).toBe(401)
  })
})
