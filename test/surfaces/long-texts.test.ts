import type { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { createTestApp } from '../kit/app.ts'
import { createOperator } from '../kit/operator.ts'
import { type AgentHarness, createAgentHarness } from '../kit/runtime.ts'
import { measureTurns } from '../kit/turns.ts'
import { sendForm, toneSkill } from './skill-forms.ts'

/**
 * What one turn of the event loop may cost at most with the largest input, milliseconds of CPU. Parsing, storing and answering a
 * megabyte is most of it.
 */
const mostMs = 400

/**
 * The maximum number of phrases of a brand, as many as possible of which match at every position of a text of
 * one letter.
 */
const hostileBrand = {
  bannedPhrases: Array.from({ length: 300 }, (_, n) => 'a'.repeat((n % 200) + 1)),
  claims: Array.from({ length: 100 }, () => ({ phrase: 'a', proof: null })),
}

async function pendingApproval({ team }: AgentHarness) {
  const query = { 'filter.status': 'pending' } as const
  return (await team.reviewer.call('dm', 'GET /approvals', { query })).data[0]
}

/** Does `act`, and shows that another tenant is answered before it has ended, and that no turn of the loop was long. */
async function expectOthersAnswered<T>(harness: AgentHarness, act: () => Promise<T>): Promise<T> {
  const other = await harness.app.team()
  const list = () => other.member.call('dashboard', 'GET /activities')
  // The first request verifies the token, which waits for a thread.
  await list()
  const order: string[] = []
  const { value, longestMs } = await measureTurns(async () => {
    const heavy = act().finally(() => order.push('the heavy one'))
    const light = list().then(() => order.push('another tenant'))
    await Promise.all([heavy, light])
    return heavy
  })
  expect(order).toEqual(['another tenant', 'the heavy one'])
  expect(longestMs).toBeLessThan(mostMs)
  return value
}

describe('checks of a text against the brand', () => {
  it('do not block other requests, whatever phrases are banned and texts edited', async () => {
    await using harness = await createAgentHarness()
    const { member, reviewer } = harness.team
    await member.call('tenant', 'PUT /context', { body: hostileBrand })
    const agent = await harness.order()
    await agent.deliver('A post')
    const asked = await pendingApproval(harness)
    await expectOthersAnswered(harness, () =>
      reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId: asked?.id ?? '' },
        body: { resolution: 'approved', edited: 'a '.repeat(495_000) },
      }),
    )
    const found = await reviewer.call('dm', 'GET /approvals/:approvalId', {
      params: { approvalId: asked?.id ?? '' },
    })
    expect(found).toMatchObject({ status: 'approved', edited: true })
    expect(found.checks).toEqual([
      { kind: 'banned_phrase', phrase: 'a', count: 1_000 },
      { kind: 'unproven_claim', phrase: 'a', count: 1_000 },
    ])
  })

  it('do not block other requests, whatever an agent delivers', async () => {
    await using harness = await createAgentHarness()
    await harness.team.member.call('tenant', 'PUT /context', { body: hostileBrand })
    const agent = await harness.order()
    const text = `${'a'.repeat(990_000)} aaa`
    await expectOthersAnswered(harness, () => agent.deliver(text))
    expect((await pendingApproval(harness))?.checks).toEqual([
      { kind: 'banned_phrase', phrase: 'aaa', count: 1 },
    ])
  })

  it('do not block other requests for a character with hundreds of thousands of combining marks', async () => {
    await using harness = await createAgentHarness()
    await harness.team.member.call('tenant', 'PUT /context', { body: { bannedPhrases: ['cheap'] } })
    const agent = await harness.order()
    await expectOthersAnswered(harness, () => agent.deliver(`chea\u0301p${'\u0301\u0323'.repeat(240_000)}`))
    expect((await pendingApproval(harness))?.checks).toEqual([
      { kind: 'banned_phrase', phrase: 'cheap', count: 1 },
    ])
  })

  it('report a duplicate phrase once, and at most a hundred phrases', async () => {
    await using harness = await createAgentHarness()
    const words = Array.from({ length: 150 }, (_, n) => `word${n}`)
    const body = { bannedPhrases: ['Cheap', 'Cheap', 'chéap', ...words] }
    const kept = await harness.team.member.call('tenant', 'PUT /context', { body })
    expect(kept.bannedPhrases).toEqual(['Cheap', 'chéap', ...words])
    const agent = await harness.order()
    await agent.deliver(`cheap ${words.join(' ')}`)
    const checks = (await pendingApproval(harness))?.checks ?? []
    expect(checks.map(({ phrase }) => phrase)).toEqual(['Cheap', ...words.slice(0, 99)])
  })

  it.each([
    ['bannedPhrases', { bannedPhrases: Array.from({ length: 301 }, (_, n) => `p${n}`) }],
    ['bannedPhrases.0', { bannedPhrases: ['p'.repeat(201)] }],
    ['claims', { claims: Array.from({ length: 101 }, (_, n) => ({ phrase: `p${n}` })) }],
    ['claims.0.phrase', { claims: [{ phrase: 'p'.repeat(201) }] }],
  ])('accepts no more than the limits of the profile, and names %s', async (field, body) => {
    await using harness = await createAgentHarness()
    const error = await harness.team.member.call('tenant', 'PUT /context', { body }).catch((e: ApiError) => e)
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', field })
  })
})

describe('comparisons', () => {
  const words = (seed: number, length: number) => {
    let n = seed
    let text = ''
    while (text.length < length) {
      n = (n * 1_103_515_245 + 12_345) % 2_147_483_648
      text += `w${n % 50} `
    }
    return text
  }

  it('of versions of a skill do not block other requests, also when four are requested concurrently', async () => {
    await using harness = await createAgentHarness()
    const operator = await createOperator(harness.app)
    const post = (text: string, method = 'POST', path = '') =>
      sendForm(harness.app, method, `/admin/v1/skills${path}`, operator.token, {
        ...toneSkill,
        file: text,
        references: { 'a.md': words(3, 90_000), 'b.md': text },
      })
    const skill = await post(words(1, 95_000))
    await post(words(2, 95_000), 'PATCH', `/${skill.json.id}`)
    const ask = async () => {
      const path = `/admin/v1/skills/${skill.json.id}/versions/2?against=1`
      const response = await harness.app.fetch(path, {
        headers: { authorization: `Bearer ${operator.token}` },
      })
      return (await response.json()) as { changes: Array<{ field: string; granularity?: string }> }
    }
    const answers = await expectOthersAnswered(harness, () => Promise.all([ask(), ask(), ask(), ask()]))
    expect(answers[0]?.changes).toMatchObject([
      { field: 'content', granularity: 'line' },
      { field: 'references.b.md', granularity: 'line' },
    ])
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  })

  it('of versions of a text, and of an edit, do not block other requests', async () => {
    await using harness = await createAgentHarness()
    const { reviewer } = harness.team
    const agent = await harness.order()
    await agent.deliver(words(1, 100_000))
    const asked = await pendingApproval(harness)
    await expectOthersAnswered(harness, () =>
      reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId: asked?.id ?? '' },
        body: { resolution: 'approved', edited: words(2, 100_000) },
      }),
    )
    const { id: activityId } = await harness.activityOf(agent.runId)
    const diff = await expectOthersAnswered(harness, () =>
      reviewer.call('dm', 'GET /activities/:activityId/diff', { params: { activityId } }),
    )
    expect(diff.granularity).toBe('line')
    expect(diff.changes.map(({ kind }) => kind)).toEqual(['removed', 'added'])
  })
})

describe('the built-in writer', () => {
  it.each([
    ['a heading of blanks', `# a${' '.repeat(95_000)}x`],
    ['brackets without an end', '['.repeat(95_000)],
    ['names without an end', `Products:\n${'a and '.repeat(16_000)}`],
  ])('does not block other requests for a brief of %s', async (_, brief) => {
    await using app = await createTestApp({ worker: { concurrency: 2 } })
    const [team, other] = [await app.team(), await app.team()]
    const { longestMs } = await measureTurns(async () => {
      await team.admin.call('dashboard', 'POST /campaigns', {
        body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
      })
      await app.until(async () => {
        await other.member.call('dashboard', 'GET /activities')
        return app.db.sql.get('select id from runs where open = ? and tenant_id = ?', [false, team.tenantId])
      }, 'a run has ended')
    })
    expect(longestMs).toBeLessThan(mostMs)
  })
})
