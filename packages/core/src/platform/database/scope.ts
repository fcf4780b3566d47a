import { ChangeSetType, type EventSubscriber, type FlushEventArgs } from '@mikro-orm/core'
import type { MikroORM } from '@mikro-orm/sql'
import type { Dialect, EntityManager, Tenants } from './database.ts'
import { readPlainly } from './plain-reads.ts'

/**
 * The filter of every entity that belongs to a tenant. It has no default arguments: an entity manager that was not
 * forked by `forkFor` cannot read such an entity at all.
 */
export const ownedByTenant = {
  tenant: {
    name: 'tenant',
    default: true,
    cond: (args: { ids: Tenants }) => (args.ids === 'all' ? {} : { tenantId: { $in: [...args.ids] } }),
  },
}

/** The only place that forks an entity manager: bound to the tenants that `scope` names. */
export function forkFor(orm: MikroORM, scope: Tenants, dialect: Dialect): EntityManager {
  const em = orm.em.fork() as EntityManager
  em.setFilterParams('tenant', { ids: scope })
  readPlainly(em, scope, dialect)
  return em
}

const flushed = new WeakSet<EntityManager>()

/** Says that what a unit of work has changed is written, and that it changes nothing more. */
export const markFlushed = (em: EntityManager) => void flushed.add(em)

/** True when a unit of work need not be searched for changes once more. */
export const isFlushed = (em: EntityManager) => flushed.has(em)

/** Refuses a flush that would write a row of a tenant outside the scope, or move a row from one tenant to another. */
export class TenantGuard implements EventSubscriber {
  onFlush({ em, uow }: FlushEventArgs): void {
    const params = em.getFilterParams<{ ids: Tenants }>('tenant')
    for (const change of uow.getChangeSets()) {
      if (!change.meta.properties['tenantId' as never]) continue
      const tenantId = (change.entity as { tenantId?: string | null }).tenantId ?? null
      const moved = change.type === ChangeSetType.UPDATE && 'tenantId' in change.payload
      const foreign = params?.ids !== 'all' && tenantId !== null && !params?.ids.includes(tenantId)
      if (moved || foreign)
        throw new Error(`${change.meta.className} of another tenant must not be written here`)
    }
  }
}
