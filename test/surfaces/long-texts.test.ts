import type { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { createTestApp } from '../kit/app.ts'
import { createDesk, type Desk } from '../kit/runtime.ts'
import { measureTurns } from '../kit/turns.ts'
import { sendForm, toneSkill } from './skill-forms.ts'
import { createOperator } from '../kit/operator.ts'

/**
 * What one turn of the event loop may cost at most with the largest input, milliseconds of CPU. Parsing, storing and answering a
 * megabyte is most of it.
 */
const mostMs = 400

/** As many phrases as a brand may have, of which as many as possible stand at every place of a text of one letter. */
const hostileBrand = {
  bannedPhrases: Array.from({ length: 300 }, (_, n) => 'a'.repeat((n % 200) + 1)),
  claims: Array.from({ length: 100 }, () => ({ phrase: 'a', proof: null })),
}

async function pendingApproval({ team }: Desk) {
  const query = { 'filter.status': 'pending' } as const
  return (await team.reviewer.call('dm', 'GET /approvals', { query })).data[0]
}

/** Does `act`, and shows that another tenant is answered before it has ended, and that no turn of the loop was long. */
async function expectOthersAnswered<T>(desk: Desk, act: () => Promise<T>): Promise<T> {
  const other = await desk.app.team()
  const order: string[] = []
  const { value, longestMs } = await measureTurns(async () => {
    const heavy = act().finally(() => order.push('the heavy one'))
    const light = other.member.call('dashboard', 'GET /activities').then(() => order.push('another tenant'))
    await Promise.all([heavy, light])
    return heavy
  })
  expect(order).toEqual(['another tenant', 'the heavy one'])
  expect(longestMs).toBeLessThan(mostMs)
  return value
}

describe('checks of a text against the brand', () => {
  it('hold nobody up, whatever a member has banned and a reviewer has edited', async () => {
    await using desk = await createDesk()
    const { member, reviewer } = desk.team
    await member.call('tenant', 'PUT /context', { body: hostileBrand })
    const agent = await desk.order()
    await agent.deliver('A post')
    const asked = await pendingApproval(desk)
    await expectOthersAnswered(desk, () =>
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

  it('hold nobody up, whatever an agent delivers', async () => {
    await using desk = await createDesk()
    await desk.team.member.call('tenant', 'PUT /context', { body: hostileBrand })
    const agent = await desk.order()
    const text = `${'a'.repeat(990_000)} aaa`
    await expectOthersAnswered(desk, () => agent.deliver(text))
    expect((await pendingApproval(desk))?.checks).toEqual([
      { kind: 'banned_phrase', phrase: 'aaa', count: 1 },
    ])
  })

  it('hold nobody up with a letter that has hundreds of thousands of accents', async () => {
    await using desk = await createDesk()
    await desk.team.member.call('tenant', 'PUT /context', { body: { bannedPhrases: ['cheap'] } })
    const agent = await desk.order()
    await expectOthersAnswered(desk, () => agent.deliver(`chea\u0301p${'\u0301\u0323'.repeat(240_000)}`))
    expect((await pendingApproval(desk))?.checks).toEqual([
      { kind: 'banned_phrase', phrase: 'cheap', count: 1 },
    ])
  })

  it('report a phrase that is listed twice once, and no more than a hundred', async () => {
    await using desk = await createDesk()
    const words = Array.from({ length: 150 }, (_, n) => `word${n}`)
    const body = { bannedPhrases: ['Cheap', 'Cheap', 'chéap', ...words] }
    const kept = await desk.team.member.call('tenant', 'PUT /context', { body })
    expect(kept.bannedPhrases).toEqual(['Cheap', 'chéap', ...words])
    const agent = await desk.order()
    await agent.deliver(`cheap ${words.join(' ')}`)
    const checks = (await pendingApproval(desk))?.checks ?? []
    expect(checks.map(({ phrase }) => phrase)).toEqual(['Cheap', ...words.slice(0, 99)])
  })

  it.each([
    ['bannedPhrases', { bannedPhrases: Array.from({ length: 301 }, (_, n) => `p${n}`) }],
    ['bannedPhrases.0', { bannedPhrases: ['p'.repeat(201)] }],
    ['claims', { claims: Array.from({ length: 101 }, (_, n) => ({ phrase: `p${n}` })) }],
    ['claims.0.phrase', { claims: [{ phrase: 'p'.repeat(201) }] }],
  ])('takes no more than the contract of the profile allows, and names %s', async (field, body) => {
    await using desk = await createDesk()
    const error = await desk.team.member.call('tenant', 'PUT /context', { body }).catch((e: ApiError) => e)
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

  it('of versions of a skill hold nobody up, also when four are asked for at once', async () => {
    await using desk = await createDesk()
    const operator = await createOperator(desk.app)
    const post = (text: string, method = 'POST', path = '') =>
      sendForm(desk.app, method, `/admin/v1/skills${path}`, operator.token, {
        ...toneSkill,
        file: text,
        references: { 'a.md': words(3, 90_000), 'b.md': text },
      })
    const skill = await post(words(1, 95_000))
    await post(words(2, 95_000), 'PATCH', `/${skill.json.id}`)
    const ask = async () => {
      const path = `/admin/v1/skills/${skill.json.id}/versions/2?against=1`
      const response = await desk.app.fetch(path, { headers: { authorization: `Bearer ${operator.token}` } })
      return (await response.json()) as { changes: Array<{ field: string; granularity?: string }> }
    }
    const answers = await expectOthersAnswered(desk, () => Promise.all([ask(), ask(), ask(), ask()]))
    expect(answers[0]?.changes).toMatchObject([
      { field: 'content', granularity: 'line' },
      { field: 'references.b.md', granularity: 'line' },
    ])
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  })

  it('of versions of a text, and of an edit, hold nobody up', async () => {
    await using desk = await createDesk()
    const { reviewer } = desk.team
    const agent = await desk.order()
    await agent.deliver(words(1, 100_000))
    const asked = await pendingApproval(desk)
    await expectOthersAnswered(desk, () =>
      reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId: asked?.id ?? '' },
        body: { resolution: 'approved', edited: words(2, 100_000) },
      }),
    )
    const { id: activityId } = await desk.activityOf(agent.runId)
    const diff = await expectOthersAnswered(desk, () =>
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
  ])('holds nobody up over a brief of %s', async (_, brief) => {
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
