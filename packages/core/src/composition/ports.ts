import { consentInUse } from '../domain/accounts/consents/consents.ts'
import { createIdempotencyStore } from '../domain/accounts/identity/idempotency.ts'
import { createIdentity } from '../domain/accounts/identity/principals.ts'
import type { Ports } from '../gateway/ports.ts'
import type { Principal } from '../kernel/context.ts'
import { record } from '../kernel/transact.ts'
import type { Assembled } from './assemble.ts'

const anonymous: Principal = { id: 'anonymous', type: 'human', role: 'member', appAccess: [] }

/** What stands behind the gateway: who calls, what they may see, and where answers are kept. */
export function createPorts(assembled: Assembled): Ports {
  const { db, clock, log, services } = assembled
  const { authenticate, resolveTenant, runTenant, stillValid } = createIdentity({
    db,
    clock,
    log,
    ...services,
  })
  return {
    authenticate,
    resolveTenant,
    runTenant,
    stillValid,
    onRefused: services.revocations.onRefused,
    counters: assembled.counters,
    openContext: ({ principal, scope, trace, log }) =>
      assembled.contextFor({ actor: principal ?? anonymous, scope: scope ?? [], trace, log }),
    consentInUse: (principal, id) => consentInUse({ db, clock }, principal, id),
    audit: (ctx, entry) => record(ctx, entry),
    idempotency: createIdempotencyStore({ db, clock, newId: assembled.newId, encryptor: services.encryptor }),
  }
}
