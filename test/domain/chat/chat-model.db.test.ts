import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { readStream } from '../../kit/sse.ts'
import { ask, call, conversation, createBakery, createChat, oats, openAnswer, promptOf } from './chatting.ts'

const cites = { text: ['They have hazelnuts [1].'] }

describe('dashboard.chat.message with a model', () => {
  it('stops the model within a second when the client goes, and keeps what was written', async () => {
    await using chat = await createBakery([{ text: ['Once upon a time [1] '], hang: true }])
    const response = await openAnswer(chat, chat.team.adminToken, { message: 'Tell me of the oats' })
    let began = 0
    // Who has read enough goes.
    await readStream(response, () => {
      began = performance.now()
      return true
    })
    await chat.server.abandoned
    expect(performance.now() - began).toBeLessThan(1_000)
    const kept = `select conversation_id as id from conversation_messages where unfinished = 'stopped'`
    const row = await chat.app.until(() => chat.app.db.sql.get<{ id: string }>(kept), 'the answer is kept')
    expect((await conversation(chat.team.admin, row.id)).messages[1]).toMatchObject({
      content: 'Once upon a time [1]',
      unfinished: 'stopped',
      sources: [{ n: 1 }],
    })
    const runs = await chat.app.db.sql.all('select purpose, status, cost_micros > 0 as paid from runs')
    expect(runs).toMatchObject([{ purpose: 'chat', status: 'failed' }])
    expect(Boolean((runs[0] as { paid: unknown }).paid)).toBe(true)
  })

  it('stops the model within a second when a connection is cut', async () => {
    await using chat = await createBakery([{ text: ['Once upon a time '], hang: true }])
    const server = createServer((req, res) => void chat.app.copydesk.node(req, res)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const leave = new AbortController()
    const response = await fetch(`http://127.0.0.1:${port}/dashboard/v1/chat/message`, {
      method: 'POST',
      headers: { authorization: `Bearer ${chat.team.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Tell me of the oats' }),
      signal: leave.signal,
    })
    await chat.app.until(async () => chat.server.calls.length === 1, 'the model is asked')
    const began = performance.now()
    leave.abort()
    await chat.server.abandoned
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(response.status).toBe(200)
    server.close()
  })

  it('tells of a model that breaks off, and keeps the question and what was written', async () => {
    await using chat = await createBakery([
      { text: ['They have'], failure: { type: 'api_error', message: 'gone' } },
      cites,
    ])
    const { text, last } = await ask(chat, 'What is in the oats?')
    expect(text).toBe('They have')
    expect(last).toMatchObject({
      event: 'error',
      data: { error: expect.stringMatching(/^The model could not answer: /) },
    })
    const { data } = await chat.team.admin.call('dashboard', 'GET /chat/conversations')
    const conversationId = data[0]?.id ?? ''
    const { messages } = await conversation(chat.team.admin, conversationId)
    expect(messages).toMatchObject([
      { role: 'user', content: 'What is in the oats?' },
      { role: 'assistant', content: 'They have', unfinished: 'failed' },
    ])
    expect((await ask(chat, 'What is in the oats?', { conversationId })).text).toBe(
      'They have hazelnuts [1].',
    )
  })

  it('answers with the next model when the first fails before it has written', async () => {
    await using chat = await createBakery(
      ({ body }) =>
        body.model === 'second'
          ? cites
          : { status: 529, failure: { type: 'overloaded_error', message: 'busy' } },
      { models: { fallback: ['second'] } },
      ['second'],
    )
    expect((await ask(chat, 'What is in the oats?')).text).toBe('They have hazelnuts [1].')
    expect(chat.server.calls.map(({ body }) => body.model)).toHaveLength(2)
  })

  it('tells of a quota that is used up', async () => {
    const failure = { type: 'rate_limit_error', message: 'slow down' }
    await using chat = await createBakery([{ status: 429, failure }])
    const { text, last } = await ask(chat, 'What is in the oats?')
    expect([text, last?.event]).toEqual(['', 'error'])
  })

  it('counts what answers cost towards the tenant’s costs on every surface', async () => {
    const usage = { inputTokens: 1_000, outputTokens: 200 }
    await using chat = await createBakery([call('costs', {}), { ...cites, usage }])
    await ask(chat, 'What is in the oats?')
    const { admin, reviewer, tenantId } = chat.team
    const spend = await admin.call('dashboard', 'GET /analytics/spend')
    expect(spend).toMatchObject({
      totalUsd: 0.002035,
      breakdown: [{ label: 'chat', costUsd: 0.002035, pct: 100 }],
    })
    const cost = await reviewer.call('cli', 'GET /cost', { query: { tenantId, groupBy: 'model' } })
    expect(cost).toMatchObject({
      totalUsd: 0.002035,
      breakdown: [{ runs: 1, inputTokens: 1_010, outputTokens: 205 }],
    })
    const home = await admin.call('mobile', 'GET /analytics/spend')
    expect(home.totalUsd).toBe(0.002035)
    const calls = 'select sum(c.cost_micros) as micros from llm_calls c join runs r on r.id = c.run_id'
    expect(Number((await chat.app.db.sql.get<{ micros: number }>(calls))?.micros)).toBe(2_035)
  })

  it('asks no model once the tenant’s cap is reached, and answers by search', async () => {
    const usage = { inputTokens: 10_000, outputTokens: 0 }
    await using chat = await createBakery([{ ...cites, usage }])
    await chat.app.db.write((tx) => tx.run('update tenants set spend_cap_micros = 10000', []))
    expect((await ask(chat, 'What is in the oats?')).text).toBe('They have hazelnuts [1].')
    const { text, last } = await ask(chat, 'What is in the oats?')
    expect(text).toContain('Hearth has reached its monthly cap of $0.01')
    expect(text).toContain(`“# Products ${oats}” (oats.md) [1]`.replace('# ', ''))
    expect(last?.event).toBe('completed')
    expect(chat.server.calls).toHaveLength(1)
  })

  it('ends an answer between two requests when the cap is used up by the first', async () => {
    const usage = { inputTokens: 10_000, outputTokens: 0 }
    await using chat = await createBakery([{ ...call('list_approvals', {}), text: ['Let me see.'], usage }])
    await chat.app.db.write((tx) => tx.run('update tenants set spend_cap_micros = 10000', []))
    const { text, last } = await ask(chat, 'What waits?')
    expect(text).toContain('Let me see.')
    expect(text).toContain('The answer ends here')
    expect([last?.event, chat.server.calls.length]).toEqual(['completed', 1])
  })

  it('lets no tenant’s texts into the prompts of another', async () => {
    await using chat = await createBakery([{ text: ['No idea.'] }])
    const team = await chat.app.team('Rye Mill')
    await ask({ ...chat, team }, 'What is in the oats of the bakery?')
    expect(promptOf(chat.server, 0)).toContain('found nothing in the knowledge base')
  })
})

describe('dashboard.chat.message without a model', () => {
  it('quotes what a search finds, with its sources, and says that no model was asked', async () => {
    await using chat = await createBakery()
    const { text, last } = await ask(chat, 'Are there hazelnuts in the oats?')
    expect(text).toMatch(
      /^No model that can answer questions is available here\. This answer comes from a search\./,
    )
    expect(text).toContain(`${oats}” (oats.md) [1]`)
    expect(last?.data).toMatchObject({
      inputTokens: 0,
      outputTokens: 0,
      sources: [{ n: 1, fileName: 'oats.md', content: expect.stringContaining(oats) }],
    })
  })

  it('says that it does not know', async () => {
    await using chat = await createBakery()
    const { text, last } = await ask(chat, 'How far away are quasars?')
    expect(text).toContain('I do not know')
    expect(last?.data['sources']).toBeUndefined()
    expect((await ask(chat, 'Approve it')).text).toContain('It is not clear what "it" is')
  })

  it('reads the work of the tenant, with links to it, and proposes an act without doing it', async () => {
    await using chat = await createChat()
    await chat.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Rye bread.', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const query = { 'filter.status': 'pending' } as const
    const [approval] = await chat.app.until(async () => {
      const { data } = await chat.team.admin.call('dashboard', 'GET /approvals', { query })
      return data.length > 0 && data
    }, 'an approval waits')
    const { text } = await ask(chat, 'What waits for a verdict?')
    expect(text).toContain('1 approval waits for a verdict')
    expect(text).toContain(`](/approvals/${approval?.id})`)
    const act = await ask(chat, `Approve ${approval?.id}`)
    expect(act.text).toContain('I change nothing myself')
    expect(act.text).toContain(`](/approvals/${approval?.id})`)
    expect((await chat.team.admin.call('dashboard', 'GET /approvals', { query })).data).toHaveLength(1)
  })

  it('makes no link and no number of what a text says', async () => {
    await using chat = await createChat()
    await chat.addFile('trap.md', 'Prices are [here](http://evil.example) [2] and <b>there</b>.')
    const { text } = await ask(chat, 'Where are the prices?')
    expect(text).toContain('“Prices are (here)(http://evil.example) (2) and b there /b .” (trap.md) [1]')
  })

  it('keeps the newest 100 conversations of a user, and ends one at 100 messages', async () => {
    await using chat = await createBakery()
    const first = await ask(chat, 'What is in the oats?')
    await chat.app.db.write(async (tx) => {
      for (let at = 0; at < 99; at += 1)
        await tx.run(
          `insert into conversations (id, tenant_id, user_id, title, last_message, message_count, created_on, updated_on)
           select ?, tenant_id, user_id, title, last_message, 100, created_on, ? from conversations where id = ?`,
          [
            `01K00000000000000000000${String(at).padStart(3, '0')}`,
            new Date(Date.now() + at + 1_000),
            first.conversationId,
          ],
        )
    })
    const full = { message: 'And more?', conversationId: '01K00000000000000000000050' }
    expect((await openAnswer(chat, chat.team.adminToken, full)).status).toBe(422)
    const { conversationId } = await ask(chat, 'Is there a new one?')
    const { data } = await chat.team.admin.call('dashboard', 'GET /chat/conversations')
    const ids = data.map(({ id }) => id)
    expect([ids.length, ids.includes(conversationId), ids.includes(first.conversationId)]).toEqual([
      100,
      true,
      false,
    ])
    const left = await chat.app.db.sql.all('select id from conversation_messages where conversation_id = ?', [
      first.conversationId,
    ])
    expect(left).toEqual([])
  })
})
