import type { Transaction } from '../../../kernel/context.ts'

/** What becomes of a tenant's agents when the tenant itself changes; the agents' side joins in from above. */
export interface TenantAgents {
  /** Gives a tenant every default agent of its plan that it does not have. @returns the roles that were added */
  provision(txn: Transaction, tenantId: string): Promise<string[]>
  /** Pauses the agents of a tenant that is suspended. @returns how many were active */
  pause(txn: Transaction, tenantId: string): Promise<number>
  /** Gives the agents of a reinstated tenant the state back that they had. @returns how many are active again */
  resume(txn: Transaction, tenantId: string): Promise<number>
}

/** What a new tenant is given to be searched; the knowledge base joins in from above. */
export interface TenantDatasets {
  provision(txn: Transaction, tenantId: string): void
}

declare module '../../../kernel/services.ts' {
  interface Services {
    tenantAgents: TenantAgents
    tenantDatasets: TenantDatasets
  }
}
