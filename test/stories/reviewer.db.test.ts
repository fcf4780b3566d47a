import { describe, expect, it } from 'vitest'
import { brief, createTestApp, password, type Team } from '../kit/app.ts'
import { record } from './recording.ts'

const order = (team: Team, quantity: number) =>
  team.admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity }] },
  })

describe('a reviewer of several tenants', () => {
  it('sees pending approvals by tenant, decides the most urgent, then the rest at once, and finds that in the statistics', async () => {
    await using stack = new AsyncDisposableStack()
    const app = stack.use(await createTestApp())
    const [one, two, foreign] = [await app.team('Hearth'), await app.team('Mill'), await app.team('Rival')]
    const login = { email: 'rob@test.example', password, app: 'dm-portal' } as const
    const rob = await app.copydesk.asSystem().users.create({
      email: login.email,
      password,
      name: 'Rob Reviewer',
      role: 'reviewer',
      tenantIds: [one.tenantId, two.tenantId],
    })
    const { accessToken: token } = await app.clientFor().call('auth', 'POST /login', { body: login })
    const me = app.clientFor(token)
    const heard = await record(app, stack, { surface: 'dm', token })
    const pending = async () =>
      (await me.call('dm', 'GET /approvals', { query: { 'filter.status': 'pending' } })).data
    const waiting = (count: number) =>
      app.until(async () => {
        const data = await pending()
        return data.length === count && data
      }, `${count} pieces wait`)
    const overview = () => me.call('dm', 'GET /overview')

    // Work of two tenants waits, and that of a third, which is nothing to this one.
    await order(foreign, 1)
    await order(one, 2)
    await order(two, 1)
    await waiting(3)
    const theirs = await app.until(async () => {
      const query = { 'filter.status': 'pending' } as const
      return (await foreign.reviewer.call('dm', 'GET /approvals', { query })).data[0]
    }, 'theirs waits')
    const before = await overview()
    expect(before.tenants.map(({ tenantName, pendingApprovals }) => [tenantName, pendingApprovals])).toEqual(
      expect.arrayContaining([
        ['Hearth', 2],
        ['Mill', 1],
      ]),
    )
    expect(before.tenants).toHaveLength(2)
    expect(before.totals).toMatchObject({ pendingApprovals: 3, highRiskApprovals: 0, agentsInError: 0 })

    // What was escalated is next; who has claimed it keeps it from a colleague, who is offered something else.
    const [mill] = (await pending()).filter(({ tenantId }) => tenantId === two.tenantId)
    const params = { approvalId: mill?.id ?? '' }
    const next = async (who = me) => (await who.call('dm', 'GET /approvals/next', {})).approval
    await me.call('dm', 'POST /approvals/:approvalId/escalate', {
      params,
      body: { newRiskLevel: 'high', reason: 'It goes out today' },
    })
    expect(await next()).toMatchObject({ id: mill?.id, tenantName: 'Mill', riskLevel: 'high' })
    expect((await overview()).totals).toMatchObject({ pendingApprovals: 3, highRiskApprovals: 1 })
    const claim = (who = me) => who.call('dm', 'POST /approvals/:approvalId/claim', { params })
    expect(await claim()).toMatchObject({ claimedBy: { id: rob.id, name: 'Rob Reviewer' } })
    await expect(claim(two.reviewer)).rejects.toMatchObject({ status: 409, code: 'CONFLICT' })
    expect(await next(two.reviewer)).toBeNull()
    expect(await next(one.reviewer)).toMatchObject({ tenantName: 'Hearth' })

    // It is sent back once, and approved as the reviewer wants it.
    const resolve = (approvalId: string, body: object) =>
      me.call('dm', 'POST /approvals/:approvalId/resolve', { params: { approvalId }, body: body as never })
    await resolve(params.approvalId, {
      resolution: 'revision_requested',
      note: 'Mention the Rye & Seed Loaf',
    })
    const second = (await waiting(3)).find(({ tenantId }) => tenantId === two.tenantId)
    expect(second?.id).not.toBe(params.approvalId)
    const shown = await me.call('dm', 'GET /approvals/:approvalId', {
      params: { approvalId: second?.id ?? '' },
    })
    const [piece] = shown.linkedActivities
    const edited = `${piece?.output}\n\nToday only.`
    const edit = { resolution: 'approved', edited, contentHash: shown.contentHash }
    expect(await resolve(shown.id, edit)).toMatchObject({ version: 3, reEnqueuedActivities: 1 })

    // The rest at once: what is theirs, or decided, is named and holds nothing up; one that is named twice counts once.
    const rest = (await waiting(2)).map(({ id }) => id)
    const bulk = await me.call('dm', 'POST /approvals/bulk/resolve', {
      body: { approvalIds: [theirs.id, ...rest, shown.id, ...rest], resolution: 'approved' },
    })
    expect(bulk).toEqual({
      resolved: 2,
      reEnqueuedActivities: 2,
      failed: [
        { approvalId: theirs.id, code: 'NOT_FOUND', reason: expect.any(String) },
        { approvalId: shown.id, code: 'CONFLICT', reason: expect.any(String) },
      ],
    })
    const done = await app.until(async () => {
      const { data } = await me.call('dm', 'GET /activities', { query: { 'filter.status': 'done' } })
      return data.length === 3 && data
    }, 'all is done')
    expect(done.map(({ tenantId }) => tenantId).toSorted()).toEqual(
      [one.tenantId, one.tenantId, two.tenantId].toSorted(),
    )
    const output = await two.admin.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId: piece?.id ?? '' },
    })
    expect(output.text).toBe(edited)

    // The figures agree with what was done, for anyone who may see them.
    const statistics = (query: object = {}, who = me) =>
      who.call('dm', 'GET /approvals/statistics', { query })
    const all = { resolved: 4, approved: 3, rejected: 0, revisionRequested: 1, edited: 1 }
    expect(await statistics()).toMatchObject({ ...all, expired: 0, firstPassPct: 66.67, editPct: 33.33 })
    const groups = async (groupBy: string) => (await statistics({ groupBy })).groups
    expect(await groups('tenant')).toMatchObject(
      [
        { key: one.tenantId, label: 'Hearth', resolved: 2, approved: 2, firstPassPct: 100, editPct: 0 },
        { key: two.tenantId, label: 'Mill', resolved: 2, approved: 1, firstPassPct: 0, editPct: 100 },
      ].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    )
    expect(await groups('reviewer')).toMatchObject([{ key: rob.id, label: 'Rob Reviewer', ...all }])
    expect(await groups('agent')).toMatchObject([{ key: 'social_writer', ...all }])
    expect(await statistics({}, one.reviewer)).toMatchObject({ resolved: 2, approved: 2, edited: 0 })
    expect(await statistics({}, foreign.reviewer)).toMatchObject({ resolved: 0 })
    expect((await overview()).totals).toMatchObject({
      pendingApprovals: 0,
      highRiskApprovals: 0,
      activitiesInProgress: 0,
      activitiesBlocked: 0,
    })
    expect(await next()).toBeNull()

    // The stream has named each question once, with whose it is.
    const questions = () => heard.heard.filter(({ event }) => event === 'approval_created')
    await app.until(async () => questions().length >= 4, 'it is told of all')
    const asked = questions().map(({ event, data }) => [event, data['tenantName'], data['approvalId']])
    const created = (tenantName: string, id = '') => ['approval_created', tenantName, id]
    expect(asked).toHaveLength(4)
    expect(asked).toEqual(
      expect.arrayContaining([
        ...rest.map((id) => created('Hearth', id)),
        created('Mill', mill?.id),
        created('Mill', shown.id),
      ]),
    )
  })
})
