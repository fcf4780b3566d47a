import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { adCopy, adTexts, approvedCopy } from '../../kit/ad-copy.ts'
import { reviewerOf } from '../../kit/app.ts'
import type { AdsAccount } from '../../kit/google-ads-rows.ts'
import { insertRow } from '../../kit/insert-row.ts'
import { refusal } from '../refusal.ts'
import { finalUrl, openNewAdDesk } from './new-ad-desk.ts'

const opened = await openNewAdDesk()
const { desk, admin, params, activityId, account, ads, plan, refused, newAd, apply } = opened

beforeEach(() => opened.clear())
afterAll(() => opened[Symbol.asyncDispose]())

const undo = ({ id }: { id: string }) =>
  admin.call('tenant.campaigns.undo_set', { params: { ...params, changeSetId: id } })
const sorted = (texts: ReadonlyArray<{ text: string }> | undefined) => texts?.map(({ text }) => text).sort()

describe('tenant.campaigns.plan_change_set, tenant.campaigns.approve_set of a new ad', () => {
  it('shows every text before, and makes a paused ad of them once it is approved', async () => {
    const set = await plan(newAd())
    expect(set).toMatchObject({ status: 'planned', items: [{ kind: 'ad', before: null, after: 'paused' }] })
    expect(set.items[0]?.ad).toMatchObject({ ...adTexts, finalUrl, activityId })
    expect(set.items[0]?.label).toBe('Make a paused ad in “Bread”: “Fresh rye bread”')
    expect(ads()).toEqual([])
    const done = await apply(set)
    expect(done).toMatchObject({ status: 'applied', items: [{ state: 'applied', live: 'paused' }] })
    const [ad] = ads()
    expect(ad).toMatchObject({ of: '51', status: 'PAUSED', finalUrls: [finalUrl] })
    expect([sorted(ad?.headlines), sorted(ad?.descriptions)]).toEqual([
      [...adTexts.headlines].sort(),
      [...adTexts.descriptions].sort(),
    ])
    const log = await desk.app.copydesk
      .as(reviewerOf(desk.team))
      .call('dm.activities.log', { params: { activityId }, query: { limit: 100 } })
    expect(log.data.map(({ message }) => message)).toContain(`Done at the platform: ${set.items[0]?.label}`)
    const due = await desk.app.db.sql.get<{ at: unknown }>(
      'select outcome_at as at from ad_change_sets where id = ?',
      [set.id],
    )
    expect(due?.at).toBeNull()
  })

  it('refuses an ad that the ad group has already, whoever has made it, and the same one twice in a set', async () => {
    await apply(await plan(newAd()))
    const again = await plan(newAd())
    expect(again).toMatchObject({ status: 'refused', items: [{ state: 'refused', before: 'paused' }] })
    expect(again.items[0]?.reason).toContain('has an ad with these texts and this address already')
    expect(await refusal(undo(again))).toMatchObject({ code: 'CONFLICT' })
    expect(await plan(newAd({ finalUrl: 'https://oats.example/other' }))).toMatchObject({ status: 'planned' })
    await expect(plan(newAd(), newAd())).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'changes.1',
    })
  })

  it('lets two plans of one ad make it once', async () => {
    const sets = [await plan(newAd()), await plan(newAd())] as const
    expect(await apply(sets[0])).toMatchObject({ status: 'applied' })
    expect(await apply(sets[1])).toMatchObject({
      status: 'failed',
      items: [{ state: 'drifted', live: 'paused' }],
    })
    expect(ads()).toHaveLength(1)
  })

  it('can make no ad that runs', async () => {
    for (const more of [{ status: 'enabled' }, { enabled: true }, { kind: 'ad_status' }])
      expect(await refusal(refused(newAd(more)))).toMatchObject({ status: 400 })
    for (const { body } of desk.google.requests.filter(({ path }) => path.endsWith(':mutate')))
      expect(JSON.stringify(body)).not.toContain('ENABLED')
  })

  it('does nothing about a text that was changed after the plan, and says so', async () => {
    const copy = await approvedCopy(desk, params, adCopy.replace('Fresh rye', 'Dark rye'))
    const set = await plan(newAd({ activityId: copy }))
    const row = { activity_id: copy, version: 9, text: 'Another', format: 'markdown', sha256: '0'.repeat(64) }
    const author = {
      author_id: copy,
      author_name: 'Mia',
      author_type: 'human',
      created_on: desk.clock.date(),
    }
    await insertRow(desk.app, desk.team.tenantId, 'outputs', { ...row, ...author })
    const done = await apply(set)
    expect(done).toMatchObject({ status: 'failed', items: [{ state: 'drifted' }] })
    expect(done.items[0]?.reason).toContain('is not the one of this plan')
    expect(ads()).toEqual([])
    expect(await refusal(refused(newAd({ activityId: copy })))).toMatchObject({
      status: 422,
      field: 'changes.0.activityId',
    })
  })
})

describe('a lost answer about a new ad', () => {
  it.each([['cut before'], ['cut after'], [500]] as const)(
    '%s is looked up by the texts, and the ad is made once',
    async (mishap) => {
      const set = await plan(newAd())
      desk.google.mishaps.mutate.push(mishap)
      expect(await apply(set)).toMatchObject({
        status: 'applied',
        items: [{ state: 'applied', live: 'paused' }],
      })
      expect(ads()).toHaveLength(1)
      expect([...desk.google.done.values()]).toEqual([1])
    },
  )
})

describe('tenant.campaigns.undo_set of a new ad', () => {
  it('removes it, and makes it again of the same text', async () => {
    const set = await apply(await plan(newAd()))
    const back = await undo(set)
    expect(back).toMatchObject({ status: 'planned', items: [{ before: 'paused', after: null }] })
    const removed = await apply(back)
    expect(removed).toMatchObject({ status: 'applied', items: [{ live: null }] })
    expect(ads()).toEqual([])
    expect(await apply(await undo(removed))).toMatchObject({ status: 'applied' })
    expect(ads()).toMatchObject([{ status: 'PAUSED' }])
  })

  it.each([
    [
      'enabled',
      (ad: AdsAccount['ads'] extends Map<string, infer A> ? A : never) =>
        Object.assign(ad, { status: 'ENABLED' }),
    ],
    [
      'another text',
      (ad: { headlines: Array<{ text: string }> }) => Object.assign(ad.headlines[0] ?? {}, { text: 'Other' }),
    ],
    ['another text', (ad: object) => Object.assign(ad, { path1: 'sale' })],
    ['paused after it ran', (ad: object) => Object.assign(ad, { impressions: 3 })],
    ['paused after it ran', (ad: { of: string; id: string }) => account().enabled.push(`${ad.of}~${ad.id}`)],
  ] as const)('leaves an ad alone that is %s', async (state, change) => {
    const set = await apply(await plan(newAd()))
    const early = await undo(set)
    change(ads()[0] as never)
    const late = await undo(set)
    expect(late).toMatchObject({ status: 'refused', items: [{ state: 'refused', before: state }] })
    expect(await apply(early)).toMatchObject({ status: 'failed', items: [{ state: 'drifted', live: state }] })
    expect(ads()).toHaveLength(1)
  })

  it('has nothing to do where someone has removed it at the platform', async () => {
    const set = await apply(await plan(newAd()))
    account().ads.clear()
    expect(await undo(set)).toMatchObject({ status: 'applied', items: [{ state: 'applied' }] })
  })
})
