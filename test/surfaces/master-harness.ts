import { expect } from 'vitest'
import { contents } from '../domain/contents.ts'
import { createTestApp, type Team, type TestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { createOperator, expectRefused, type Operator, operatorTables, sendTo } from '../kit/operator.ts'

const path = '/admin/v1/agent-configs'
const touched = [...operatorTables, 'master_agents', 'config_versions', 'skills']
export const badRequest = (field: string) => ({ status: 400, code: 'VALIDATION_ERROR', field })

/** A platform with one operator, who says what agents start from, and one tenant that may say otherwise. */
export async function masterHarness() {
  const clock = createTestClock()
  const app = await createTestApp({
    clock,
    worker: false,
    providers: [{ id: 'hosted', type: 'hosted_a', apiKey: 'none', models: ['claude-haiku-4-5'] }],
  })
  const operator = await createOperator(app)
  const team = await app.team()
  const ofTeam = (method: string, role: string, body?: object, one: Team = team) =>
    sendTo(app, method, `/dashboard/v1/agents/${role}`, {
      token: one.adminToken,
      ...(body && { body }),
    })
  return {
    app,
    clock,
    operator,
    team,
    ofTeam,
    change: (body: object, role = 'blog_writer') => operator.send('PATCH', `${path}/${role}`, body),
    push: (body: object, role = 'blog_writer') => operator.send('POST', `${path}/${role}/push`, body),
    get: async (role = 'blog_writer') => (await operator.send('GET', `${path}/${role}`)).json,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** A refusal with this status, code and field, after which everything is as it was. */
export async function expectNothing(app: TestApp, act: () => ReturnType<Operator['send']>, wanted: object) {
  const before = await contents(app, touched)
  await expectRefused(app, act, wanted)
  expect(await contents(app, touched)).toEqual(before)
}
