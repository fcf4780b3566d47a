import type { CopydeskOptions } from '@copydesk/core'
import { createRecurringRound } from '../../../packages/core/src/domain/work/recurring/fire.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { parts } from '../agents.ts'

type New = Parameters<ReturnType<TestApp['copydesk']['asSystem']>['recurring']['create']>[0]

/** A template that every tenant has at nine. */
export const template = (more: Partial<New> = {}): New => ({
  title: 'Report',
  agentRole: 'analyst',
  cron: '0 9 * * *',
  promptTemplate: '{{company}}, {{date}}: {{topic}}',
  variables: { topic: 'sales' },
  applyToTenants: 'all',
  ...more,
})

/** An instance whose jobs run and whose agents do not start, at a moment of the test's choice. */
export async function createRecurringHarness(at: string, changes: Partial<CopydeskOptions> = {}) {
  const clock = createTestClock(Date.parse(at))
  const app = await createTestApp({ clock, worker: false, ...changes })
  const system = app.copydesk.asSystem()
  const inside = await parts(app)
  const round = createRecurringRound()
  return {
    app,
    clock,
    system,
    inside,
    tenantIn: (timezone: string, name = timezone, plan?: string) =>
      system.tenants.create({ name, timezone, ...(plan !== undefined && { plan }) }).then(({ id }) => id),
    /** Moves to an instant, looking round every `everyMs` on the way; at the end only when it is not given. */
    async goTo(instant: string, everyMs?: number) {
      const end = Date.parse(instant)
      while (everyMs !== undefined && clock.now() + everyMs < end) {
        clock.advance(everyMs)
        await round(inside.system())
      }
      clock.advance(end - clock.now())
      await round(inside.system())
    },
    /** The activities that were created: the day and tenant in the prompt. */
    prompts: async () => {
      const rows = await app.db.sql.all<{ input_prompt: string }>(
        'select input_prompt from activities order by input_prompt',
      )
      return rows.map((row) => row.input_prompt)
    },
    count: async () =>
      Number((await app.db.sql.get<{ n: number }>('select count(*) as n from activities'))?.n),
    async [Symbol.asyncDispose]() {
      await inside[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
    },
  }
}

/** Runs a statement on the database of the instance. */
export const run = (app: TestApp, sql: string, ...params: string[]) =>
  app.db.write((tx) => tx.run(sql, params))
