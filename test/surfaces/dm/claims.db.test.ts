import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'
import { addReviewer } from '../steering.ts'

let app: TestApp
let clock: TestClock
let insert: ReturnType<typeof createRowInserter>

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock, worker: false })
  insert = createRowInserter(app, clock)
})

afterAll(() => app[Symbol.asyncDispose]())

const quarter = 15 * 60_000
const missing = { status: 404, code: 'NOT_FOUND', field: undefined }
const conflict = { status: 409, code: 'CONFLICT', field: undefined }

let colleagues = 0

/** A pending approval, and what reviewers can do to it. */
async function pending() {
  const team = await app.team()
  const approvalId = await insert.approval(team.tenantId, 'Look at this', 'low', 40)
  const params = { approvalId }
  return {
    team,
    approvalId,
    mine: { id: team.reviewerId, name: 'Rita Reviewer' },
    /** Someone who works for the tenant too, and has just logged in. */
    colleague: () => addReviewer(app, `rob${(colleagues += 1)}`, [team.tenantId]),
    claim: (who: Client) => who.call('dm', 'POST /approvals/:approvalId/claim', { params }),
    release: (who: Client) => who.call('dm', 'DELETE /approvals/:approvalId/claim', { params }),
    see: (who = team.reviewer) => who.call('dm', 'GET /approvals/:approvalId', { params }),
  }
}

/** The refusal of a call that must change no row. */
async function refused(call: () => Promise<unknown>) {
  const before = await fingerprint(app.db)
  const answer = await refusal(call())
  expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  return answer
}

describe('dm.approvals.claim', () => {
  it('claims an approval for 15 minutes, and renews the claim of the same reviewer', async () => {
    const { team, approvalId, mine, colleague, claim, see } = await pending()
    const until = () => new Date(clock.now() + quarter).toISOString()
    const first = { claimedBy: mine, claimedUntil: until() }
    expect(await claim(team.reviewer)).toEqual({ approvalId, ...first })
    expect(await see()).toMatchObject(first)
    clock.advance(60_000)
    expect((await claim(team.reviewer)).claimedUntil).toBe(until())
    clock.advance(quarter)
    expect(await see((await colleague()).client)).not.toHaveProperty('claimedBy')
  })

  it('rejects an approval that a colleague has claimed until the claim expires', async () => {
    const { team, colleague, claim } = await pending()
    await claim(team.reviewer)
    clock.advance(quarter - 1)
    const { id, client } = await colleague()
    expect(await refused(() => claim(client))).toEqual(conflict)
    clock.advance(1)
    expect((await claim(client)).claimedBy.id).toBe(id)
  })

  it('rejects a decided approval, and one of a tenant that is not assigned', async () => {
    const { team, approvalId, claim } = await pending()
    const { reviewer: stranger } = await app.team()
    expect(await refused(() => claim(stranger))).toEqual(missing)
    await team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId },
      body: { resolution: 'approved' },
    })
    expect(await refused(() => claim(team.reviewer))).toEqual(conflict)
  })
})

describe('dm.approvals.release', () => {
  it('releases an approval, which others can then claim; a repetition has no effect', async () => {
    const { team, colleague, claim, release, see } = await pending()
    await claim(team.reviewer)
    await release(team.reviewer)
    await release(team.reviewer)
    expect(await see()).not.toHaveProperty('claimedBy')
    const { id, client } = await colleague()
    expect((await claim(client)).claimedBy.id).toBe(id)
  })

  it('rejects a claim of a colleague, and an approval of a tenant that is not assigned', async () => {
    const { team, mine, colleague, claim, release, see } = await pending()
    const { reviewer: stranger } = await app.team()
    const { client } = await colleague()
    await claim(team.reviewer)
    expect(await refused(() => release(client))).toEqual(conflict)
    expect(await refused(() => release(stranger))).toEqual(missing)
    expect(await see()).toMatchObject({ claimedBy: mine })
  })
})
