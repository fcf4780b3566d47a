import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { sendTo } from '../../kit/operator.ts'
import { refusal } from '../refusal.ts'
import { createReportHarness, type ReportHarness, textOfPdf } from './fixtures.ts'

let harness: ReportHarness
let campaignId: string
const lastOfMonth = () => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0)).toISOString().slice(0, 10)
}

const verdict = async (body: { resolution: 'approved' | 'revision_requested'; note?: string }) => {
  const query = { 'filter.status': 'pending' as const }
  const { data } = await harness.team.admin.call('dashboard', 'GET /approvals', { query })
  const params = { approvalId: data[0]?.id ?? '' }
  await harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', { params, body })
}
const usage = { usage: { inputTokens: 1_000_000, outputTokens: 100_001 } }
const done = { status: 'success' as const, metadata: { nothingToDo: true } }

/** Two posts: one approved at once, one at the second try; another campaign that spends only. */
beforeAll(async () => {
  harness = await createReportHarness()
  const first = await harness.order('social_post', { name: 'Spring | *sale*' })
  campaignId = first.campaignId
  await first.deliver('A post', usage)
  await verdict({ resolution: 'approved' })
  await (await harness.next()).call('POST /runs/:runId/result', done)
  const second = await harness.order('social_post', { name: 'Autumn' })
  await second.deliver('A second post', usage)
  await verdict({ resolution: 'revision_requested', note: 'Shorter' })
  await (await harness.next()).deliver('Short')
  await verdict({ resolution: 'approved' })
  await (await harness.next()).call('POST /runs/:runId/result', done)
})

afterAll(() => harness[Symbol.asyncDispose]())

describe('dm.reports.create', () => {
  it('sums up the database to the micro-dollar, and stores it for the tenant and as a PDF', async () => {
    const id = await harness.report({
      periodEnd: lastOfMonth(),
      notes: 'Well done – **really**, Zoë & Łukasz',
    })
    const params = { reportId: id }
    const shown = await harness.team.reviewer.call('dm', 'GET /reports/:reportId', { params })
    expect(shown).toMatchObject({
      id,
      tenantId: harness.team.tenantId,
      tenantName: 'Tenant 1',
      type: 'monthly_performance',
      status: 'ready',
      createdBy: 'Rita Reviewer',
    })
    expect(shown).not.toHaveProperty('deliveredAt')
    const own = await harness.team.member.call('dashboard', 'GET /reports/:reportId', { params })
    expect(own).toMatchObject({ id, status: 'ready', activityId: null, deliveredBy: null, campaignId: null })
    // 1 micro-dollar a token in and 5 out, twice.
    for (const line of [
      'Spend: $3.00001 in 5 runs',
      'Finished: 2 pieces',
      'First-pass approval: 1 of 2 (50 %)',
      'Edited by people: 0 of 2 (0 %)',
      '| Autumn | $1.500005 | 3 | 1 | 0 of 1 (0 %) | 0 of 1 (0 %) |',
      '| Spring \\| \\*sale\\* | $1.500005 | 2 | 1 | 1 of 1 (100 %) | 0 of 1 (0 %) |',
      '| Social writer | $3.00001 | 5 | 1 of 2 (50 %) | 0 of 2 (0 %) |',
    ])
      expect(own.content).toContain(line)
    const answer = await harness.app.fetch(new URL(shown.pdfUrl ?? '').pathname)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/pdf')
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const text = await textOfPdf(new Uint8Array(await answer.arrayBuffer()))
    for (const line of ['Spend: $3.00001 in 5 runs', 'Spring | *sale*', 'Well done – really , Zoë & Łukasz'])
      expect(text.replace(/ ,/g, ',')).toContain(line.replace(/ ,/g, ','))
  })

  it('renders every letter of Latin, Greek and Cyrillic names, and a box for missing glyphs', async () => {
    const pdfOf = async (more: { title: string; notes: string }) => {
      const params = { reportId: await harness.report(more) }
      const { pdfUrl } = await harness.team.reviewer.call('dm', 'GET /reports/:reportId', { params })
      const answer = await harness.app.fetch(new URL(pdfUrl ?? '').pathname)
      return new Uint8Array(await answer.arrayBuffer())
    }
    const names = ['Łódź', 'Αθήνα', 'Київ', 'Tiếng Việt', 'İstanbul', 'Čačak', 'Reykjavík', 'first-pass']
    const pdf = await pdfOf({
      title: names.join(', '),
      notes: `${names.join(' · ')}\n\n**${names.join(' · ')}** *${names.join(' · ')}* \`${names.join(' · ')}\``,
    })
    const text = await textOfPdf(pdf)
    // The heading, and the notes: upright, bold, slanted, as code.
    for (const name of names) expect(text.split(name).length - 1, name).toBeGreaterThanOrEqual(5)
    // Only the letters that are used are in it.
    expect(pdf.length).toBeLessThan(100_000)
    const strange = await pdfOf({
      title: 'Sushi 寿司 🍣',
      notes: '👩‍👩‍👧‍👦 ☎️ नमस्ते สวัสดี 안녕하세요 שלום مرحبا \u{1f1e9}\u{1f1ea} e\u0301 \u202eabc end',
    })
    expect(await textOfPdf(strange)).toMatch(/Sushi .*é .*abc .*end/)
  })

  it('covers only the given campaigns and days', async () => {
    const content = async (more: object) => {
      const params = { reportId: await harness.report({ periodEnd: lastOfMonth(), ...more }) }
      return (await harness.team.admin.call('dashboard', 'GET /reports/:reportId', { params })).content ?? ''
    }
    const one = await content({ type: 'campaign_summary', campaignIds: [campaignId], title: 'On spring' })
    expect(one).toContain('# On spring')
    expect(one).toContain('Spend: $1.500005 in 2 runs')
    expect(one).not.toContain('Autumn')
    const past = await content({ periodStart: '2020-01-01', periodEnd: '2020-01-31' })
    expect(past).toContain('Spend: $0.00 in 0 runs')
    expect(past).toContain('First-pass approval: none reviewed')
  })

  it('rejects an invalid period, and campaigns and tenants of others', async () => {
    const other = await harness.app.team('Other')
    const order = (more: object) =>
      harness.team.reviewer.call('dm', 'POST /reports', {
        body: {
          tenantId: harness.team.tenantId,
          type: 'custom',
          periodStart: '2026-01-01',
          periodEnd: '2026-01-31',
          ...more,
        } as never,
      })
    const before = await harness.count('select count(*) as n from reports')
    for (const [more, status, field] of [
      [{ periodEnd: '2025-12-31' }, 400, 'periodEnd'],
      [{ periodEnd: '2027-06-01' }, 400, 'periodEnd'],
      [{ periodStart: '2026-02-30' }, 400, 'periodStart'],
      [{ type: 'ad_audit' }, 400, 'type'],
      [{ campaignIds: [campaignId, campaignId] }, 400, 'campaignIds.1'],
      [{ campaignIds: [campaignId, other.tenantId] }, 404, 'campaignIds.1'],
      [{ tenantId: other.tenantId }, 403, undefined],
      [{ tenantId: '01HZZZZZZZZZZZZZZZZZZZZZZZ' }, 403, undefined],
    ] as const)
      expect(await refusal(order(more)), field).toMatchObject({ status, field })
    expect(await harness.count('select count(*) as n from reports')).toBe(before)
  })
})

describe('files.report', () => {
  it('is valid for an hour, and for no other report, tenant or purpose', async () => {
    const clock = createTestClock()
    await using late = await createReportHarness({ clock, worker: { concurrency: 2 } })
    const order = late.team.reviewer.call('dm', 'POST /reports', {
      body: {
        tenantId: late.team.tenantId,
        type: 'custom',
        periodStart: '2026-01-01',
        periodEnd: '2026-01-31',
      },
    })
    const params = { reportId: (await order).reportId }
    const pdfUrl = await late.app.until(
      async () => (await late.team.reviewer.call('dm', 'GET /reports/:reportId', { params })).pdfUrl,
      'it is written',
    )
    const { pathname } = new URL(pdfUrl)
    const open = async (path: string) => {
      const answer = await late.app.fetch(path)
      return answer.status === 200 ? 200 : `${answer.status} ${(await answer.json()).error.code}`
    }
    expect(await open(pathname)).toBe(200)
    const [folder, token = ''] = [pathname.slice(0, pathname.lastIndexOf('/') + 1), pathname.split('/').pop()]
    const [head, claims = '', signature] = token.split('.')
    const forged = (changes: object) => {
      const said = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), ...changes }
      return `${folder}${head}.${Buffer.from(JSON.stringify(said)).toString('base64url')}.${signature}`
    }
    const other = await late.app.team('Other')
    for (const path of [
      forged({ tenantId: other.tenantId }),
      forged({ sub: other.tenantId }),
      forged({ exp: 9_999_999_999 }),
      `${folder}${head}.${claims}.${signature?.startsWith('A') ? 'B' : 'A'}${signature?.slice(1)}`,
      `${folder}${late.team.adminToken}`,
      `${folder}x`,
    ])
      expect(await open(path), path).toBe('401 INVALID_TOKEN')
    // Signed by us, for a tenant that the report is not of.
    const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const { createTestTokens } = await import('../../kit/test-tokens.ts')
    const { signingKeys } = await import('../../kit/app.ts')
    const tokens = createTestTokens({ signingKeys, clock })
    expect(await open(`${folder}${tokens.sign('report', { sub, tenantId: other.tenantId })}`)).toBe(
      '404 NOT_FOUND',
    )
    // A link is no key to anything else.
    expect(await sendTo(late.app, 'GET', '/dashboard/v1/reports', { token })).toMatchObject({ status: 401 })
    clock.advance(3_600_000)
    expect(await open(pathname)).toBe('401 TOKEN_EXPIRED')
  })
})
