import { type Assembled, assemble } from '../../packages/core/src/composition/assemble.ts'
import type { Ctx, Principal, Role } from '../../packages/core/src/kernel/context.ts'
import type { TestApp } from '../kit/app.ts'

const person = (tenantId: string, role: Role): Principal => ({
  id: tenantId,
  type: 'human',
  role,
  tenantId,
  appAccess: ['dashboard'],
  name: 'Ada Admin',
})

/** The services on the agents of one tenant. */
export const adminOf = (app: TestApp, tenantId: string) => app.copydesk.asSystem({ tenantId }).agents

/** The parts of an instance on the same database, for functions without an endpoint. */
export async function parts(
  app: Pick<TestApp, 'options'>,
): Promise<Assembled & AsyncDisposable & { adminOf(tenantId: string): Ctx }> {
  const assembled = await assemble(app.options)
  return Object.assign(assembled, {
    adminOf: (tenantId: string) => assembled.contextFor({ tenantId, actor: person(tenantId, 'admin') }),
    async [Symbol.asyncDispose]() {
      await assembled.services.http.close()
      await assembled.close()
    },
  })
}
