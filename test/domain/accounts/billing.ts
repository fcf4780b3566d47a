import {
  choosePlan,
  type PlanChoice,
} from '../../../packages/core/src/domain/accounts/billing/plans/plans.ts'
import type { Region } from '../../../packages/core/src/domain/accounts/billing/plans/regions.ts'
import type { Transaction } from '../../../packages/core/src/kernel/context.ts'
import { transact } from '../../../packages/core/src/kernel/transact.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import type { TestClock } from '../../kit/clock.ts'
import { parts } from '../agents.ts'

export interface Bench extends AsyncDisposable {
  app: TestApp
  /** Runs `work` in one command of the system, as the services around billing do. */
  act<T>(work: (txn: Transaction) => Promise<T>): Promise<T>
  /** A tenant without a subscription. */
  tenant(timezone?: string, name?: string): Promise<string>
}

/** An instance that does no work of its own, and a way into its transactions. */
export async function bench(
  clock?: TestClock,
  changes: Parameters<typeof createTestApp>[0] = {},
): Promise<Bench> {
  const app = await createTestApp({
    worker: false,
    registration: 'open',
    ...(clock && { clock }),
    ...changes,
  })
  const instance = await parts(app)
  return {
    app,
    act: (work) => transact(instance.system(), work),
    tenant: async (timezone = 'Europe/London', name = 'Hearth') =>
      (await app.copydesk.asSystem().tenants.create({ name, timezone })).id,
    async [Symbol.asyncDispose]() {
      await instance[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
    },
  }
}

/** A plan as it is sold in a region, at another price where one is given. */
export async function choice(
  txn: Transaction,
  name: string,
  changes: Partial<PlanChoice> & { region?: Region } = {},
): Promise<PlanChoice> {
  return { ...(await choosePlan(txn, { name, region: changes.region ?? 'US' })), ...changes }
}
