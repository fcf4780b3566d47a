import { describe, expect, it } from 'vitest'
import { neighbourOf } from '../domain/agent-harness.ts'
import { password } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { createAgentHarness } from '../kit/runtime.ts'
import { type Heard, record } from './recording.ts'
import { tap } from './tap.ts'

const hour = 3_600_000
const told = (heard: readonly Heard[]) => heard.map(({ event, data }) => [event, data])

describe('failures', () => {
  it('are reported to everyone concerned, on the surface that they use', async () => {
    await using stack = new AsyncDisposableStack()
    const clock = createTestClock()
    const harness = stack.use(await createAgentHarness({ clock }))
    const { app, team } = harness
    const theirs = await neighbourOf(harness)
    await harness.configure({ concurrency: 9 })
    const { email } = await team.admin.call('auth', 'GET /me')
    const [asking, stuck, failing] = [await harness.order(), await harness.order(), await harness.order()]
    const foreign = await theirs.order()
    const listen = (surface: 'dashboard' | 'dm' | 'mobile') =>
      record(app, stack, { surface, token: surface === 'dm' ? team.reviewerToken : team.adminToken })
    const onDashboard = await listen('dashboard')
    const onHarness = await listen('dm')
    const onPhone = await listen('mobile')

    await asking.deliver('A post')
    const obstacle = { blockerType: 'needs_human_input', description: 'Which shop?' } as const
    await foreign.call('POST /runs/:runId/actions/report-blocker', obstacle)
    await stuck.call('POST /runs/:runId/actions/report-blocker', obstacle)
    await failing.fail('The key is refused', { family: 'auth' })
    const { data } = await team.reviewer.call('dm', 'GET /approvals')
    const approval = data[0] ?? { id: '', title: '' }
    // No one decides: they are warned four hours before it is too late, and then the work stops.
    clock.advance(68 * hour)
    const until = (event: string, step: number) =>
      app.until(async () => {
        clock.advance(step)
        return onDashboard.heard.some((one) => one.event === event)
      }, `there is ${event}`)
    await until('approval_expiring', 1_000)
    clock.advance(4 * hour)
    await until('approval_expired', 1_000)
    const toHarness = () =>
      onHarness.heard.filter(({ event }) => !/^(?:activity_started|run_.*)$/.test(event))
    await app.until(async () => toHarness().length >= 5 && onPhone.heard.length >= 6, 'all is told')

    const idOf = async ({ runId }: typeof asking) => (await harness.activityOf(runId)).id
    const [post, waiting, failed] = [await idOf(asking), await idOf(stuck), await idOf(failing)]
    const about = { approvalId: approval.id, title: approval.title, riskLevel: 'low' }
    const created = ['approval_created', { ...about, type: 'content_review', activityIds: [post] }]
    const blocked = (activityId: string, blockerType: string) => [
      'activity_blocked',
      { activityId, blockerType },
    ]
    expect(told(onDashboard.heard)).toEqual([
      created,
      blocked(waiting, 'needs_human_input'),
      ['activity_failed', expect.objectContaining({ activityId: failed, family: 'auth' })],
      // Whether its risk was raised before, since it was overdue: that falls due in the same leap of the clock.
      ['approval_expiring', { ...about, riskLevel: expect.any(String), hoursLeft: 4 }],
      blocked(post, 'approval_expired'),
      ['approval_expired', { approvalId: approval.id, type: 'content_review' }],
    ])
    const whose = { tenantId: team.tenantId, tenantName: 'Tenant 1' }
    expect(told(toHarness())).toMatchObject([
      ['approval_created', { ...whose, approvalId: approval.id, riskLevel: 'low' }],
      ['activity_blocked', { ...whose, activityId: waiting, blockerType: 'needs_human_input' }],
      [
        'agent_error',
        { ...whose, activityId: failed, agentRole: 'social_writer', error: 'The key is refused' },
      ],
      ['approval_expiring', { ...whose, approvalId: approval.id, hoursLeft: 4 }],
      ['activity_blocked', { ...whose, activityId: post, blockerType: 'approval_expired' }],
    ])
    expect(onPhone.heard).toEqual(
      onDashboard.heard.map((one) => ({ ...one, data: { ...one.data, deepLink: expect.any(String) } })),
    )
    const body = { email, password, app: 'dashboard' } as const
    const phone = app.clientFor((await app.clientFor().call('auth', 'POST /login', { body })).accessToken)
    for (const { data: one } of onPhone.heard)
      expect(await tap(phone, String(one['deepLink']))).toMatchObject({
        id: one['approvalId'] ?? one['activityId'],
      })
  })
})
