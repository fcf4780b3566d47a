import { expect } from 'vitest'
import { contents } from '../domain/contents.ts'
import { createTestApp, type TestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { createOperator, expectRefused, operatorTables, sendTo } from '../kit/operator.ts'
import { type SkillForm, sendForm, toneSkill } from './skill-forms.ts'

const path = '/admin/v1/skills'
const touched = [...operatorTables, 'master_agents', 'config_versions', 'skills']

/** A platform with one operator, who sets skills up for all tenants, and one tenant. */
export async function skillHarness() {
  const clock = createTestClock()
  const app = await createTestApp({ clock, worker: false })
  const operator = await createOperator(app)
  const team = await app.team()
  return {
    app,
    clock,
    operator,
    team,
    add: (form: SkillForm = {}, without: ReadonlyArray<keyof SkillForm> = []) => {
      const given = Object.entries({ ...toneSkill, ...form })
      const kept = given.filter(([name]) => !without.includes(name as keyof SkillForm))
      return sendForm(app, 'POST', path, operator.token, Object.fromEntries(kept))
    },
    send: (method: string, rest: string, body?: object) => operator.send(method, `${path}${rest}`, body),
    upload: (id: string, form: SkillForm) => sendForm(app, 'PATCH', `${path}/${id}`, operator.token, form),
    config: async (role: string) => (await operator.send('GET', `/admin/v1/agent-configs/${role}`)).json,
    tenantAgent: async (role: string) =>
      (await sendTo(app, 'GET', `/dashboard/v1/agents/${role}`, { token: team.adminToken })).json,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** A refusal with this status, code and field, after which everything is as it was. */
export async function expectNothing(app: TestApp, act: () => ReturnType<typeof sendForm>, wanted: object) {
  const before = await contents(app, touched)
  await expectRefused(app, act, wanted)
  expect(await contents(app, touched)).toEqual(before)
}
