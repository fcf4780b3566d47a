import { describe, expect, it } from 'vitest'
import { brief, createTestApp, type Team, type TestApp } from '../kit/app.ts'
import { type Heard, type Recording, record } from './recording.ts'
import { tap } from './tap.ts'

const ulid = expect.stringMatching(/^[0-9A-Z]{26}$/)

/** In the place of a piece of work that is not there. */
const nothing = { id: '', title: '', output: '' }

const order = (team: Team) =>
  team.admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief, deliverables: [{ type: 'blog_post', quantity: 1 }] },
  })

/** The only question of a type that the reviewer is asked, with the whole text. */
async function question(
  app: TestApp,
  { reviewer }: Team,
  type: 'content_review' | 'content_direction' = 'content_review',
) {
  const { id } = await app.until(async () => {
    const query = { 'filter.status': 'pending', 'filter.type': type } as const
    return (await reviewer.call('dm', 'GET /approvals', { query })).data[0]
  }, 'the reviewer is asked')
  const asked = await reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId: id } })
  return { ...asked, about: asked.linkedActivities[0] ?? nothing }
}

/** The kind of an event, without its number. */
const withoutNumbers = (heard: readonly Heard[]) => heard.map(({ event, data }) => [event, data])

describe('a blog post', () => {
  it('passes from the brief on the dashboard over the reviewer to the founder’s phone, and each surface gets its events once', async () => {
    await using stack = new AsyncDisposableStack()
    const app = stack.use(await createTestApp({ writerPaceMs: 1 }))
    const [ours, theirs] = [await app.team('Hearth'), await app.team('Rival')]
    const { admin, member, reviewer } = ours
    const phone = admin
    const listen = (surface: 'dashboard' | 'dm' | 'mobile', after?: string) =>
      record(app, stack, { surface, after, token: surface === 'dm' ? ours.reviewerToken : ours.adminToken })
    const onDashboard = await listen('dashboard')
    const onHarness = await listen('dm')
    const onPhone = await listen('mobile')

    // An admin orders, and the agents work. Someone else has them work as well.
    const campaign = await order(ours)
    await order(theirs)
    const first = await question(app, ours)
    const post = first.about
    const resolve = (
      body: { resolution: 'rejected' | 'revision_requested'; note: string },
      approvalId: string,
    ) => reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params: { approvalId }, body })

    // The reviewer sends it back, and asks for more.
    await resolve({ resolution: 'rejected', note: 'Say more about the Rye & Seed Loaf' }, first.id)
    const foreign = await question(app, theirs)
    await theirs.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: foreign.id },
      body: { resolution: 'rejected', note: 'No' },
    })
    const second = await question(app, ours)
    expect(second.about).toMatchObject({ id: post.id, version: 2, previousOutput: post.output })
    await resolve({ resolution: 'revision_requested', note: 'Mention Morning Oats first' }, second.id)
    const third = await question(app, ours)
    expect(third.about).toMatchObject({ id: post.id, version: 3, previousOutput: second.about.output })

    // While the admin’s browser is in a tunnel, the reviewer passes it on to the client.
    await app.until(
      async () => onDashboard.heard.length >= 12,
      'the dashboard has heard of the third version',
    )
    onDashboard.cut()
    const params = { approvalId: third.id }
    const escalated = await reviewer.call('dm', 'POST /approvals/:approvalId/escalate', {
      params,
      body: { newRiskLevel: 'high', reason: 'It names a shop' },
    })
    expect(escalated).toMatchObject({ riskLevel: 'high' })
    const { forwardedApprovalId } = await reviewer.call('dm', 'POST /approvals/:approvalId/send-to-client', {
      params,
      body: { note: 'May we?', urgency: 'urgent' },
    })

    // The founder decides on the phone, on the text that the reviewer saw.
    const shown = await phone.call('mobile', 'GET /approvals/:approvalId', {
      params: { approvalId: forwardedApprovalId },
    })
    expect(shown).toMatchObject({ riskLevel: 'high', description: 'May we?', contentHash: third.contentHash })
    const activity = { params: { activityId: post.id } }
    const text = await phone.call('mobile', 'GET /activities/:activityId/output', activity)
    expect(text.text).toBe(third.about.output)
    await phone.call('mobile', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: forwardedApprovalId },
      body: { resolution: 'approved', contentHash: shown.contentHash },
    })
    const done = await app.until(async () => {
      const found = await phone.call('mobile', 'GET /activities/:activityId', activity)
      return found.status === 'done' && found
    }, 'the post is done')
    expect(done).toMatchObject({ outputPreview: third.about.output?.slice(0, 500) })
    onDashboard.reconnect()

    // It is finished on every surface.
    const shownTo = {
      web: await admin.call('dashboard', 'GET /campaigns/:campaignId', {
        params: { campaignId: campaign.id },
      }),
      phone: await phone.call('mobile', 'GET /campaigns/:campaignId', {
        params: { campaignId: campaign.id },
      }),
    }
    expect(shownTo.web).toMatchObject({ status: 'active', pendingApprovals: 0 })
    expect(shownTo.web.deliverables[0]?.currentPeriod).toMatchObject({
      target: 1,
      completed: 1,
      inProgress: 0,
    })
    expect(shownTo.phone.deliverables[0]).toMatchObject({ completed: 1, inProgress: 0 })
    const posts = await reviewer.call('dm', 'GET /blog', { query: { tenantId: ours.tenantId } })
    expect(posts.data).toMatchObject([{ status: 'client_approved' }])
    const versions = await admin.call('dashboard', 'GET /activities/:activityId/versions', activity)
    expect(versions.data.map(({ version, approved }) => [version, approved])).toEqual([
      [3, true],
      [2, false],
      [1, false],
    ])

    // A member’s request is the last event for everyone.
    const { topic } = await member.call('dashboard', 'POST /blog-requests', { body: { topic: 'Rye' } })
    const wish = await question(app, ours, 'content_direction')

    const steps = await admin.call('dashboard', 'GET /activities', { query: { order: 'asc' } })
    const research = steps.data.find(({ id }) => id !== post.id) ?? nothing
    const sources = await admin.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId: research.id },
    })
    const update = (status: string) => [
      'campaign_update',
      { campaignId: campaign.id, name: 'Spring', status },
    ]
    const started = ({ id, title }: { id: string; title: string }, agentRole: string) => [
      'activity_started',
      { activityId: id, title, agentRole, runId: ulid, attempt: 1 },
    ]
    const completed = ({ id, title }: { id: string; title: string }) => [
      'activity_completed',
      { activityId: id, title, status: 'done', outputRef: ulid },
    ]
    const asked = (approvalId: string, more: object = {}) => [
      'approval_created',
      {
        approvalId,
        type: 'content_review',
        riskLevel: 'low',
        title: post.title,
        activityIds: [post.id],
        ...more,
      },
    ]
    const resolved = (approvalId: string, status: string, resolution = status) => [
      'approval_resolved',
      { approvalId, type: 'content_review', status, resolution },
    ]
    const wished = {
      type: 'content_direction',
      riskLevel: 'medium',
      title: `Blog request: ${topic}`,
      activityIds: [],
    }
    const story = [
      update('draft'),
      update('active'),
      started(research, 'researcher'),
      completed(research),
      started(post, 'blog_writer'),
      asked(first.id),
      resolved(first.id, 'rejected'),
      started(post, 'blog_writer'),
      asked(second.id),
      resolved(second.id, 'rejected', 'revision_requested'),
      started(post, 'blog_writer'),
      asked(third.id),
      asked(forwardedApprovalId, { riskLevel: 'high' }),
      resolved(forwardedApprovalId, 'approved'),
      resolved(third.id, 'approved'),
      started(post, 'blog_writer'),
      completed(post),
      asked(wish.id, wished),
    ]
    const recordings = { dashboard: onDashboard, dm: onHarness, mobile: onPhone }
    const isLast = ({ data }: Heard) => data['approvalId'] === wish.id
    const ended = ({ heard }: Recording) => app.until(async () => heard.some(isLast), 'all is told')
    for (const recording of Object.values(recordings)) await ended(recording)

    // The web app, which has missed a part, was told the whole story; the phone as well, with where to look.
    expect(withoutNumbers(onDashboard.heard)).toEqual(story)
    expect(onDashboard.opened()).toBe(2)
    expect(onPhone.heard).toEqual(
      onDashboard.heard.map((one) => ({ ...one, data: { ...one.data, deepLink: expect.any(String) } })),
    )
    for (const { data } of onPhone.heard) {
      const named = data['approvalId'] ?? data['activityId'] ?? data['campaignId']
      expect(await tap(phone, String(data['deepLink']))).toMatchObject({ id: named })
    }
    // Reviewers are notified of pending approvals with a time.
    const whose = { tenantId: ours.tenantId, tenantName: 'Hearth', at: expect.any(String) }
    expect(onHarness.heard.filter(({ event }) => event === 'approval_created')).toEqual(
      onDashboard.heard
        .filter(({ event }) => event === 'approval_created')
        .map(({ data, ...one }) => ({ ...one, data: { ...data, activityIds: undefined, ...whose } })),
    )
    const numbers = onDashboard.heard.map(({ id }) => Number(id))
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
    // Who reads along sees each text as it is kept, of each run once; what is settled is not written again.
    expect([...onPhone.texts.values()]).toEqual([
      sources.text,
      first.about.output,
      second.about.output,
      third.about.output,
    ])

    // Who comes back later with the number of any message gets exactly what came after it.
    for (const surface of ['dashboard', 'dm', 'mobile'] as const) {
      const { heard } = recordings[surface]
      const middle = Math.floor(heard.length / 2)
      const again = await listen(surface, heard[middle]?.id)
      await ended(again)
      expect(again.heard, surface).toEqual(heard.slice(middle + 1))
    }
  })
})
