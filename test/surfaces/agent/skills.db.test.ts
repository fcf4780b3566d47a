import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { startAnthropicLike } from '../../kit/model-servers.ts'
import { createOperator, sendTo } from '../../kit/operator.ts'
import { type AgentHarness, createAgentHarness, pricedModel } from '../../kit/runtime.ts'
import { type SkillForm, sendForm, toneSkill } from '../skill-forms.ts'

const examples = { 'examples.md': '# Examples\n\nFresh oats.' }

/** Two skills for anyone who writes posts: one of the platform's, one of the tenant's own. */
async function giveSkills({ app, team }: AgentHarness) {
  const operator = await createOperator(app)
  const add = async (surface: string, token: string, form: SkillForm) => {
    const { json } = await sendForm(app, 'POST', `/${surface}/v1/skills`, token, { ...toneSkill, ...form })
    return json.id as string
  }
  const tone = await add('admin', operator.token, { references: examples })
  const headlines = await add('dashboard', team.adminToken, {
    name: 'Headlines',
    description: 'Read it for posts.',
    file: '---\nlicense: MIT\n---\n\nShort.\n',
    agentRoles: 'social_writer',
  })
  await add('dashboard', team.adminToken, { name: 'Figures', agentRoles: 'analyst' })
  return { operator, add, tone, headlines }
}

const ask = ({ app }: AgentHarness, token: string, rest: string) =>
  sendTo(app, 'GET', `/agent/v1/skills/${rest}`, { token })

const manifest = [
  { name: 'Headlines', description: 'Read it for posts.' },
  { name: 'Tone of voice', description: toneSkill.description },
]

describe('agent.skills.manifest', () => {
  it('lists the skills of the run’s agent', async () => {
    await using harness = await createAgentHarness()
    await giveSkills(harness)
    const { dispatch } = await harness.order()
    expect(dispatch.agentRole).toBe('social_writer')
    const { status, json } = await ask(harness, dispatch.taskToken, 'social_writer')
    expect({ status, json }).toEqual({ status: 200, json: { manifest } })
  })

  it('rejects another role, and a run that has ended', async () => {
    await using harness = await createAgentHarness()
    await giveSkills(harness)
    const agent = await harness.order()
    const { taskToken } = agent.dispatch
    for (const rest of ['analyst', 'poet', 'analyst/Figures'])
      expect(await ask(harness, taskToken, rest)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect((await ask(harness, harness.team.adminToken, 'social_writer')).status).toBe(401)
    await agent.deliver('A post')
    for (const rest of ['social_writer', 'social_writer/Headlines'])
      expect(await ask(harness, taskToken, rest)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
  })
})

describe('agent.skills.get', () => {
  it('returns a skill with its references', async () => {
    await using harness = await createAgentHarness()
    await giveSkills(harness)
    const { taskToken } = (await harness.order()).dispatch
    expect((await ask(harness, taskToken, 'social_writer/Tone%20of%20voice')).json).toEqual({
      name: 'Tone of voice',
      content: toneSkill.file,
      references: [{ name: 'examples.md', content: examples['examples.md'] }],
    })
    expect((await ask(harness, taskToken, 'social_writer/Headlines')).json).toEqual({
      name: 'Headlines',
      content: 'Short.',
    })
    for (const name of ['Figures', 'headlines', 'x'])
      expect(await ask(harness, taskToken, `social_writer/${name}`)).toMatchObject({ status: 404 })
  })

  it('returns the tenant’s skill instead of the installation’s skill of the same name', async () => {
    await using harness = await createAgentHarness()
    const { add } = await giveSkills(harness)
    const own = { file: 'Ours.', description: 'Ours', agentRoles: 'social_writer' }
    await add('dashboard', harness.team.adminToken, own)
    const { taskToken } = (await harness.order()).dispatch
    expect((await ask(harness, taskToken, 'social_writer/Tone%20of%20voice')).json.content).toBe('Ours.')
    expect((await ask(harness, taskToken, 'social_writer')).json.manifest).toEqual([
      manifest[0],
      { name: 'Tone of voice', description: 'Ours' },
    ])
  })

  it('returns 404 for skills of another tenant', async () => {
    await using harness = await createAgentHarness()
    const { add } = await giveSkills(harness)
    const other = await harness.app.team()
    const theirs = await add('dashboard', other.adminToken, {
      name: 'Secret plan',
      agentRoles: 'social_writer',
    })
    // No endpoint does that; the follower is closed by itself.
    await harness.app.db.write((tx) =>
      tx.run(`update tenant_agents set skill_ids = ? where tenant_id = ? and role = 'social_writer'`, [
        JSON.stringify([theirs]),
        harness.team.tenantId,
      ]),
    )
    const { taskToken, skillsContext } = (await harness.order()).dispatch
    expect((await ask(harness, taskToken, 'social_writer/Secret%20plan')).status).toBe(404)
    expect((await ask(harness, taskToken, 'social_writer')).json).toEqual({ manifest: manifest.slice(0, 1) })
    expect(skillsContext).not.toContain('Secret plan')
  })

  it('reports that a skill was removed', async () => {
    await using harness = await createAgentHarness()
    const { operator, tone, headlines } = await giveSkills(harness)
    const { taskToken } = (await harness.order()).dispatch
    await operator.send('DELETE', `/admin/v1/skills/${tone}`)
    await sendTo(harness.app, 'PATCH', `/dashboard/v1/skills/${headlines}`, {
      token: harness.team.adminToken,
      body: { agentRoles: [] },
    })
    expect((await ask(harness, taskToken, 'social_writer')).json).toEqual({ manifest: [] })
    expect((await ask(harness, taskToken, 'social_writer/Headlines')).status).toBe(404)
  })
})

describe('a run', () => {
  it('has its skills in the dispatch and in its context', async () => {
    await using harness = await createAgentHarness()
    await giveSkills(harness)
    const agent = await harness.order()
    expect(agent.dispatch.skillsContext).toBe(
      [
        '# Skill: Headlines\n\nRead it for posts.\n\nShort.',
        `# Skill: Tone of voice\n\n${toneSkill.description}\n\n${toneSkill.file}\n\nFurther texts of this skill, to be fetched where they are needed: \`examples.md\`.`,
      ].join('\n\n---\n\n'),
    )
    expect((await agent.call('GET /runs/:runId/context')).skills).toEqual([
      { name: 'Headlines', content: 'Short.' },
      { name: 'Tone of voice', content: toneSkill.file },
    ])
  })

  it('has an empty text when the agent has no skills', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    expect(agent.dispatch.skillsContext).toBe('')
    expect((await agent.call('GET /runs/:runId/context')).skills).toEqual([])
  })
})

describe('the built-in loop', () => {
  async function modelHarness(script: Parameters<typeof startAnthropicLike>[0]) {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startAnthropicLike(script))
    const hosted = { id: 'hosted', type: 'hosted_a' as const, apiKey: 'k', models: [pricedModel] }
    const clock = createTestClock()
    const harness = stack.use(
      await createAgentHarness({ clock, providers: [{ ...hosted, baseUrl: server.url }] }),
    )
    await harness.configure({ adapterType: 'local' })
    const owned = stack.move()
    return { server, harness, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }
  const order = ({ team }: AgentHarness) =>
    team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
  const reading = (id: string, input: object) => ({ toolCalls: [{ id, name: 'read_skill', input }] })

  it('lists the skills for the model, and returns their texts', async () => {
    const tools: unknown[] = []
    const systems: string[] = []
    await using t = await modelHarness(({ body }, index) => {
      systems.push(JSON.stringify(body.system))
      tools.push(body.messages.at(-1))
      const asks = [
        { name: 'Tone of voice' },
        { name: 'Tone of voice', reference: 'examples.md' },
        { name: 'Nonsense' },
      ]
      const wanted = asks[index]
      return wanted ? reading(`t${index}`, wanted) : { text: ['Fresh oats!'] }
    })
    await giveSkills(t.harness)
    await order(t.harness)
    await t.harness.app.until(async () => tools.length === 4, 'the model was asked four times')
    for (const { name, description } of manifest) expect(systems[0]).toContain(`- ${name}: ${description}`)
    expect(JSON.stringify(tools[1])).toContain('Warm and plain.')
    expect(JSON.stringify(tools[1])).toContain('examples.md')
    expect(JSON.stringify(tools[2])).toContain('Fresh oats.')
    expect(JSON.stringify(tools[3])).toContain(
      'There is no skill Nonsense; there are: Headlines, Tone of voice',
    )
    await t.harness.app.until(
      async () =>
        (await t.harness.count(`select count(*) as n from outputs where text = 'Fresh oats!'`)) === 1,
      'the post is there',
    )
    expect(await t.harness.count(`select count(*) as n from tool_calls where tool_name = 'read_skill'`)).toBe(
      3,
    )
  })

  it('offers no skill tool when the agent has no skills', async () => {
    await using t = await modelHarness([{ text: ['A post'] }])
    await order(t.harness)
    await t.harness.app.until(async () => t.server.calls.length === 1, 'the model was asked')
    const { system, tools } = t.server.calls[0]?.body ?? {}
    expect(JSON.stringify([system, tools])).not.toMatch(/read_skill|# Skills/)
  })

  it('does not count reading a skill as a result', async () => {
    await using t = await modelHarness((_, index) =>
      index === 0 ? reading('t1', { name: 'Headlines' }) : { text: [] },
    )
    await giveSkills(t.harness)
    await order(t.harness)
    await t.harness.app.until(
      async () => (await t.harness.count(`select count(*) as n from runs where status = 'failed'`)) === 1,
      'the run has failed',
    )
    expect(await t.harness.count('select count(*) as n from outputs')).toBe(0)
  })
})
