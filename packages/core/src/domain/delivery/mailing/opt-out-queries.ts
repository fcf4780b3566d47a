import type { Transaction } from '../../../kernel/context.ts'
import { exists, table } from '../../../platform/database/read.ts'
import { MailOptOut } from './entities.ts'

const o = table(MailOptOut, 'o')

/**
 * Notes that an address gets no more mails of a tenant, also when several ask for it at the same moment: programs that read mails do.
 * @param who the address in lower case
 * @returns whether it is new
 */
export async function addOptOut(
  { tx, clock }: Transaction,
  { tenantId, address }: { tenantId: string; address: string },
): Promise<boolean> {
  const added = await tx.run(
    `insert into mail_opt_outs (tenant_id, address, at) values (?, ?, ?) on conflict (tenant_id, address) do nothing`,
    [tenantId, address, clock.date()],
  )
  return added > 0
}

/** Whether the owner of one of some addresses has unsubscribed from a tenant. */
export async function hasOptedOut(
  { tx }: Pick<Transaction, 'tx'>,
  { tenantId, addresses }: { tenantId: string; addresses: readonly string[] },
): Promise<boolean> {
  for (const address of addresses)
    if (await exists(tx, `from ${o} where o.tenant_id = ? and o.address = ?`, [tenantId, address]))
      return true
  return false
}
